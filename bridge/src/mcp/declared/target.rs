//! Which computer runs a tool, or why none does, in words that name who is there.

use std::sync::Arc;

use super::super::exec::not_connected;
use super::super::server::Settings;
use crate::computer::{Computer, named};
use crate::text::{label, some_of};
use crate::tools::Target;

/// Finds the computer. `argument` is the id that the caller gave, where the caller chooses.
pub fn find(settings: &Settings, target: &Target, argument: Option<u64>) -> Result<Arc<Computer>, String> {
    let by_id = |id| settings.registry.get(id).ok_or_else(|| not_connected(settings, id));
    match target {
        Target::Argument => by_id(argument.expect("the schema requires it")),
        Target::Id(id) => by_id(*id),
        Target::Any => any(&settings.registry.all()),
        Target::Label(wanted) => labelled(&settings.registry.all(), wanted),
    }
}

/// The first that can, in the order of the ids.
fn any(all: &[Arc<Computer>]) -> Result<Arc<Computer>, String> {
    if let Some(able) = all.iter().find(|computer| computer.identity().agreed.tools) {
        return Ok(able.clone());
    }
    Err(match all.len() {
        0 => "no computer is connected".to_owned(),
        _ => format!("none of the computers that are connected takes tools ({})", names(all)),
    })
}

fn labelled(all: &[Arc<Computer>], wanted: &str) -> Result<Arc<Computer>, String> {
    let has =
        |computer: &&Arc<Computer>| computer.identity().label.as_ref().is_some_and(|label| label.is(wanted));
    let found: Vec<_> = all.iter().filter(has).cloned().collect();
    match &found[..] {
        [one] => Ok(one.clone()),
        [] => Err(format!("no computer labelled `{wanted}` is connected (connected: {})", names(all))),
        _ => {
            let ids: Vec<String> = found.iter().map(|computer| computer.id.to_string()).collect();
            let count = found.len();
            Err(format!("{count} computers are labelled `{}`: {}", label(wanted), ids.join(", ")))
        }
    }
}

fn names(all: &[Arc<Computer>]) -> String {
    some_of(all.iter().map(|computer| named(&computer.identity()).to_string()))
}

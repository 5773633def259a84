//! `wait`: waits for a condition of a computer. What happened before its mark does not count: another boot, an earlier step.

use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use crate::computer::Exit;
use crate::scenario::marks::{Carried, Seen, Which};
use crate::stage::StageError;

/// What a process may take to end by itself, and a screen to show something, once a step waits for that.
const ENDS: Duration = Duration::from_secs(30);

/// The condition; there is one.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    linked: Option<String>,
    left: Option<String>,
    ended: Option<String>,
    computer: Option<String>,
    shows: Option<String>,
    screen: Option<String>,
    request: Option<String>,
    contains: Option<String>,
    response: Option<Which>,
    ok: Option<bool>,
    output: Option<String>,
    greeted: Option<usize>,
}

impl Wait {
    fn carried(&self) -> Carried {
        Carried {
            computer: self.computer.clone(),
            request: self.request.clone(),
            contains: self.contains.clone(),
            response: self.response.clone(),
            ok: self.ok,
            output: self.output.clone(),
            greeted: self.greeted,
        }
    }

    fn on_link(&self) -> bool {
        self.request.is_some() || self.response.is_some() || self.output.is_some() || self.greeted.is_some()
    }

    fn computer(&self) -> &str {
        let named = [&self.linked, &self.left, &self.ended, &self.computer];
        named.into_iter().flatten().next().map_or("", String::as_str)
    }
}

impl Act for Wait {
    fn title(&self) -> String {
        let name = self.computer();
        match (&self.linked, &self.left, &self.ended, &self.shows, &self.screen) {
            (Some(_), ..) => format!("{name} is linked"),
            (_, Some(_), ..) => format!("{name} has left"),
            (_, _, Some(_), ..) => format!("{name} has ended"),
            (_, _, _, Some(text), _) => format!("{name} shows: {text}"),
            (.., Some(text)) => format!("{name} has on its screen: {text}"),
            _ => self.carried().title(name),
        }
    }

    fn check(&self) -> Result<(), String> {
        let named = [&self.linked, &self.left, &self.ended].into_iter().flatten().count();
        let shown = [&self.shows, &self.screen].into_iter().flatten();
        let conditions = named + shown.clone().count() + usize::from(self.on_link());
        if conditions != 1 {
            return Err("a wait has one condition: `linked`, `left`, `ended`, or with `computer` one of `shows`, `screen`, `request`, `response`, `output` and `greeted`".to_owned());
        }
        if (named == 1) == self.computer.is_some() {
            return Err(
                "`computer` belongs to `shows`, `screen`, `request`, `response`, `output` and `greeted`"
                    .to_owned(),
            );
        }
        if shown.into_iter().any(String::is_empty) {
            return Err("every screen shows an empty text".to_owned());
        }
        if self.on_link() {
            return self.carried().check();
        }
        if self.ok.is_some() || self.contains.is_some() {
            return Err("`ok` belongs to `response`, `contains` to `request`".to_owned());
        }
        Ok(())
    }

    fn computers(&self) -> Vec<&str> {
        vec![self.computer()]
    }

    fn awaited_output(&self) -> Option<&str> {
        self.output.as_deref()
    }

    fn expects(&self) -> &'static [&'static str] {
        if self.ended.is_some() { &["exit", "screen"] } else { &["screen"] }
    }

    fn needs_bridge(&self) -> bool {
        self.linked.is_some() || self.left.is_some() || self.on_link()
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async move {
            let (name, stage) = (self.computer(), scene.stage);
            if self.linked.is_some() {
                stage.linked(name).await?;
            } else if self.left.is_some() {
                if stage.record.count_links(name) == 0 {
                    return Err(StageError::NoEffect(format!("computer {name} was never linked")));
                }
                if !stage.has_linked(name)? {
                    let reason = format!("computer {name} has not linked since it was booted");
                    return Err(StageError::NoEffect(reason));
                }
                stage.gone(name).await?;
            } else if self.ended.is_some() {
                let exit = stage.computer(name)?.exited(ENDS).await?;
                if matches!(exit, Exit::Stopped | Exit::Killed) {
                    let reason = format!("computer {name} has not ended by itself: {exit}");
                    return Err(StageError::NoEffect(reason));
                }
                let exit = exit.to_string();
                return Ok(Done { text: exit.clone(), exit: Some(exit), ..Done::default() });
            } else if let Some(text) = &self.shows {
                stage.computer(name)?.shows(text, 1, ENDS).await?;
            } else if let Some(text) = &self.screen {
                stage.computer(name)?.has_on_screen(text, ENDS).await?;
            } else {
                let carried = self.carried();
                let seen = |record: &crate::record::Record| carried.seen(record, name, &scene.since);
                stage.until(name, &carried.title("its link"), |record| seen(record) != Seen::NotYet).await?;
                if let Seen::Otherwise(found) = seen(&stage.record) {
                    return Err(StageError::Otherwise { computer: name.to_owned(), found });
                }
            }
            Done::nothing()
        }
        .boxed()
    }
}

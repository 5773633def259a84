//! Each linked computer as a resource, `computer://12`, that reads as its entry in `list-computers`.

use rmcp::ErrorData;
use rmcp::model::{ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use super::list::Entry;
use super::server::Settings;
use crate::computer::{Computer, named};
use crate::registry::Registry;

const SCHEME: &str = "computer://";
const JSON: &str = "application/json";

/// Resources in one page: a list that a client can show, and ten round trips for ten thousand computers.
const PAGE: usize = 1000;

pub fn list(registry: &Registry, cursor: Option<&str>) -> Result<ListResourcesResult, ErrorData> {
    let first = match cursor {
        None => 0,
        Some(text) => {
            text.parse().map_err(|_| ErrorData::invalid_params("the cursor is not from this server", None))?
        }
    };
    let mut page = registry.page(first, PAGE + 1);
    let next = page.get(PAGE).map(|computer| computer.id.to_string());
    page.truncate(PAGE);
    let mut result =
        ListResourcesResult::with_all_items(page.iter().map(|computer| resource(computer)).collect());
    result.next_cursor = next;
    Ok(result)
}

fn resource(computer: &Computer) -> Resource {
    let identity = computer.identity();
    Resource::new(format!("{SCHEME}{}", computer.id), format!("computer {}", computer.id))
        .with_title(named(&identity).to_string())
        .with_description("A linked ComputerCraft computer")
        .with_mime_type(JSON)
}

pub fn template() -> ResourceTemplate {
    ResourceTemplate::new("computer://{id}", "computer")
        .with_title("Linked computer")
        .with_description("A linked ComputerCraft computer, as `list-computers` describes it")
        .with_mime_type(JSON)
}

pub fn read(settings: &Settings, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let id = uri.strip_prefix(SCHEME).and_then(|id| id.parse().ok());
    let computer = id.and_then(|id| settings.registry.get(id)).ok_or_else(|| {
        let data = serde_json::json!({ "uri": uri });
        ErrorData::resource_not_found("no computer is linked under this address", Some(data))
    })?;
    let contents =
        ResourceContents::text(Entry::of(&computer, &settings.sources).to_json(), uri).with_mime_type(JSON);
    Ok(ReadResourceResult::new(vec![contents]))
}

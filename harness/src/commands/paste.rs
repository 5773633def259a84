//! What is pasted into the clients so that they find a bridge, its token included.

use serde_json::{Value, json};

/// The name of the bridge in the clients' configurations, as the README has it.
const NAME: &str = "computercraft";

/// A part for each client: where it goes, and what to paste there.
pub fn configuration(url: &str, token: Option<&str>) -> String {
    let header = token.map(|token| format!("Bearer {token}"));
    let with_header = |mut server: Value| {
        if let Some(header) = &header {
            server["headers"] = json!({ "Authorization": header });
        }
        server
    };
    let opencode = with_header(json!({ "type": "remote", "url": url, "enabled": true }));
    let opencode = json!({ "$schema": "https://opencode.ai/config.json", "mcp": { NAME: opencode } });
    let cursor = json!({ "mcpServers": { NAME: with_header(json!({ "url": url })) } });
    let mut claude = format!("claude mcp add --transport http {NAME} {url}");
    if let Some(header) = &header {
        claude = format!("{claude} --header {}", quoted(&format!("Authorization: {header}")));
    }
    format!(
        "opencode: paste into opencode.json\n  {opencode}\nClaude Code: run\n  {claude}\nCursor: paste into .cursor/mcp.json\n  {cursor}"
    )
}

/// A word as a shell takes it, whatever is in it.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_in_every_part_and_none_is_made_up() {
        let with = configuration("http://127.0.0.1:3000/mcp", Some("it's"));
        assert_eq!(with.matches(r#""headers":{"Authorization":"Bearer it's"}"#).count(), 2, "{with}");
        assert!(with.contains(r"--header 'Authorization: Bearer it'\''s'"), "{with}");
        let without = configuration("http://127.0.0.1:3000/mcp", None);
        assert!(!without.contains("Authorization") && !without.contains("headers"), "{without}");
    }
}

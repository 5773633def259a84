//! The frame of every page. A page is one file: it needs no network, and is forbidden any.

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

use super::results::Verdict;
use super::text::markup;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page may load nothing: its style and its script are in it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// A stranger's text on a page: what is markup is escaped, and what would reorder its neighbours is shown.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a>(pub &'a str);

impl Render for Shown<'_> {
    fn render_to(&self, page: &mut String) {
        page.push_str(&markup(self.0));
    }
}

/// A whole page around its header and its main part.
pub fn page(title: &str, body: &Markup) -> String {
    let whole = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (Shown(title)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (body)
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    whole.into_string() + "\n"
}

/// A path as an address in an attribute.
pub fn address(path: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/@".contains(&byte);
    let one = |byte: u8| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(one).collect()
}

/// The word for an outcome, in its colour.
pub fn badge(verdict: Verdict) -> Markup {
    let name = verdict.name();
    html! { span class={ "badge " (name) } { (name) } }
}

/// Seconds as a person reads them.
pub fn seconds(milliseconds: u64) -> String {
    match milliseconds {
        0..1000 => format!("{milliseconds} ms"),
        _ => format!("{}.{:02} s", milliseconds / 1000, milliseconds % 1000 / 10),
    }
}

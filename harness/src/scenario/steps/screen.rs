//! `screen`: shows the screen of a computer as it is, with its colours where they are asked for.

use std::fmt::Write as _;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use crate::scenario::shown;
use crate::stage::StageError;

/// Whose screen, and how much of it is told.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScreenStep {
    computer: String,
    /// Whether the colours are told as well.
    #[serde(default)]
    colours: bool,
    /// Whether the place of the cursor is told as well.
    #[serde(default)]
    cursor: bool,
}

impl Act for ScreenStep {
    fn title(&self) -> String {
        format!("screen of {}", self.computer)
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.computer]
    }

    fn expects(&self) -> &'static [&'static str] {
        &["screen"]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let screen = scene.stage.computer(&self.computer)?.screen().await?;
            let text_shown = screen.text();
            // Between bars, so that no line of a screen is taken for one of the harness's.
            let told = shown::screen(&text_shown);
            let lines = told.lines().map(|line| format!("|{line}\n"));
            let mut text: String = lines.collect();
            if text_shown.is_empty() {
                text.push_str("empty\n");
            }
            text.push_str(&shown::odd_lines(&screen.odd_lines()).map_or_else(String::new, |odd| odd + "\n"));
            if self.colours {
                text.push_str(&screen.colours());
            }
            if self.cursor {
                let (x, y) = screen.cursor;
                let _ = writeln!(text, "cursor at {x}, {y}");
            }
            Ok(Done { text, screen: Some(text_shown), ..Done::default() })
        }
        .boxed()
    }
}

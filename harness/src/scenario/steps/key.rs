//! `key`: presses a key of a computer, and lets it go. Done when its program has taken it.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::act::{Act, Done, Scene};
use super::keyboard::check_key;
use crate::computer::Command;
use crate::stage::StageError;

/// The key, by its name in `keys`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    computer: String,
    name: String,
    /// Those that are held meanwhile.
    #[serde(default)]
    held: Vec<String>,
}

impl Act for Key {
    fn title(&self) -> String {
        let keys: Vec<&str> = self.held.iter().chain([&self.name]).map(String::as_str).collect();
        format!("key {} on {}", keys.join("+"), self.computer)
    }

    fn check(&self) -> Result<(), String> {
        std::iter::once(&self.name).chain(&self.held).try_for_each(|name| check_key(name))
    }

    fn computers(&self) -> Vec<&str> {
        vec![&self.computer]
    }

    fn expects(&self) -> &'static [&'static str] {
        &["screen"]
    }

    fn play<'a>(&'a self, scene: &'a Scene<'a>) -> BoxFuture<'a, Result<Done, StageError>> {
        async {
            let command = Command::key(&self.name, &self.held);
            scene.stage.computer(&self.computer)?.command(&command).await?;
            Done::nothing()
        }
        .boxed()
    }
}

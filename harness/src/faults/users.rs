//! What users want to hold, in Lua: it is run on their computers while things go wrong, and after that.

use serde::{Deserialize, Serialize};

use super::Violation;
use crate::computer::{Command, Computer, ComputerError};

/// When an invariant is looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// Every second, and in the end.
    #[default]
    Always,
    /// In the end, when everything works again.
    After,
}

/// Something that has to hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Invariant {
    /// What holds, in words.
    pub about: String,
    /// Where; on every computer without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computer: Option<String>,
    /// Returns true where it holds; otherwise the second value says why not. It must not wait.
    pub lua: String,
    #[serde(default)]
    pub when: When,
}

impl Invariant {
    /// Whether it is about a computer.
    pub fn is_on(&self, computer: &str) -> bool {
        self.computer.as_deref().is_none_or(|own| own == computer)
    }

    /// Asks a computer. One that is off, or goes off meanwhile, cannot be asked: that is the error.
    pub async fn ask(&self, computer: &Computer) -> Result<Option<Violation>, ComputerError> {
        let said = computer.command(&Command::check(&self.lua)).await?;
        let found = format!("on {}: {said}", computer.spec.name);
        Ok((!said.is_empty()).then(|| Violation { invariant: self.about.clone(), found }))
    }
}

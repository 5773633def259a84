//! How a client speaks: with a handshake (2024-11-05 to 2025-11-25), or stateless (2026-07-28).

use std::fmt;
use std::str::FromStr;

use rmcp::model::ProtocolVersion;
use rmcp::service::ClientLifecycleMode;
use thiserror::Error;

/// Which era a host asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Protocol {
    /// A handshake first, as the agents of today do; where a server refuses it, the stateless era.
    Auto,
    /// This version and no other.
    Only(ProtocolVersion),
}

/// Not a version that can be asked for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{version}` is not a version of MCP\nhint: use `auto`, {}", versions())]
pub struct UnknownVersion {
    version: String,
}

fn versions() -> String {
    ProtocolVersion::KNOWN_VERSIONS
        .iter()
        .map(|version| format!("`{version}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

impl FromStr for Protocol {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let known = ProtocolVersion::KNOWN_VERSIONS.iter().find(|version| version.as_str() == text);
        known
            .map(|version| Self::Only(version.clone()))
            .ok_or_else(|| UnknownVersion { version: text.to_owned() })
    }
}

impl Protocol {
    /// The versions to try, one after the other.
    pub(super) fn attempts(&self) -> Vec<ProtocolVersion> {
        match self {
            Self::Auto => vec![ProtocolVersion::LATEST_WITH_INITIALIZE, ProtocolVersion::V_2026_07_28],
            Self::Only(version) => vec![version.clone()],
        }
    }
}

/// How a connection begins in the era of a version.
pub fn lifecycle(version: &ProtocolVersion) -> ClientLifecycleMode {
    if version.has_initialize() {
        ClientLifecycleMode::Initialize
    } else {
        ClientLifecycleMode::Discover { preferred_versions: vec![version.clone()] }
    }
}

/// What was agreed on with a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Era {
    Handshake(ProtocolVersion),
    Stateless(ProtocolVersion),
}

impl Era {
    pub(super) fn of(version: ProtocolVersion) -> Self {
        if version.has_initialize() { Self::Handshake(version) } else { Self::Stateless(version) }
    }

    pub fn version(&self) -> &str {
        match self {
            Self::Handshake(version) | Self::Stateless(version) => version.as_str(),
        }
    }
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Handshake(_) => "handshake",
            Self::Stateless(_) => "stateless",
        };
        // The version is what the server said.
        write!(f, "{name} {}", crate::text::headline(self.version(), 20))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_others_refused() {
        assert_eq!("auto".parse(), Ok(Protocol::Auto));
        assert_eq!("2026-07-28".parse(), Ok(Protocol::Only(ProtocolVersion::V_2026_07_28)));
        let error = "2027".parse::<Protocol>().expect_err("there is none");
        assert!(error.to_string().contains("`2025-11-25`"), "{error}");
    }

    #[test]
    fn an_era_is_told_by_its_version() {
        assert_eq!(Era::of(ProtocolVersion::V_2024_11_05).to_string(), "handshake 2024-11-05");
        assert_eq!(Era::of(ProtocolVersion::V_2026_07_28).to_string(), "stateless 2026-07-28");
    }
}

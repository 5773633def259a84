//! Versions of CraftOS-PC, and the oldest that is taken.

use std::fmt;

/// The release whose command line, exit codes and WebSocket behaviour were measured. Older ones differ in all three.
pub const MINIMUM: Version = Version([2, 8, 3]);

/// A version of three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub [u32; 3]);

impl Version {
    /// Reads the version out of what `--version` printed: `CraftOS-PC v2.8.3`, with anything around it.
    pub fn read(text: &str) -> Option<Self> {
        let after = text.split("CraftOS-PC").nth(1)?.trim_start_matches([' ', 'v', '\t']);
        let end = after.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(after.len());
        let mut numbers = after[..end].split('.').map(str::parse::<u32>);
        let first = numbers.next()?.ok()?;
        let mut rest = || numbers.next().and_then(Result::ok).unwrap_or(0);
        Some(Self([first, rest(), rest()]))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(f, "{major}.{minor}.{patch}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_from_what_is_printed() {
        assert_eq!(Version::read("CraftOS-PC v2.8.3\nBuilt with: cli"), Some(Version([2, 8, 3])));
        assert_eq!(Version::read("CraftOS-PC Accelerated v2.9"), None);
        assert_eq!(Version::read("CraftOS-PC v2.9"), Some(Version([2, 9, 0])));
        assert_eq!(Version::read("cat (GNU coreutils) 9.1"), None);
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert!(Version([2, 10, 0]) > MINIMUM);
        assert!(Version([2, 8, 2]) < MINIMUM);
    }
}

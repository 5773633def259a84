//! A token that is compared in constant time and never printed.

use std::fmt;

use subtle::ConstantTimeEq as _;

/// Holds a token. Its `Debug` shows none of it.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Takes a token; an empty one is none.
    pub fn new(token: impl Into<String>) -> Option<Self> {
        let token = token.into();
        (!token.is_empty()).then_some(Self(token))
    }

    /// Compares in a time that does not depend on where the two differ.
    pub fn matches(&self, given: &str) -> bool {
        self.0.as_bytes().ct_eq(given.as_bytes()).into()
    }

    /// Tells whether an `Authorization` header carries this token.
    pub fn matches_bearer(&self, header: &str) -> bool {
        bearer(header).is_some_and(|token| self.matches(token))
    }
}

/// The token of an `Authorization` header.
pub fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_token_matches() {
        let secret = Secret::new("s3cret").expect("not empty");
        assert!(secret.matches("s3cret"));
        assert!(!secret.matches("s3cre"));
        assert!(!secret.matches("s3crets"));
        assert!(!secret.matches(""));
        assert!(Secret::new("").is_none());
    }

    #[test]
    fn a_bearer_header_is_read_whatever_its_case() {
        let secret = Secret::new("s3cret").expect("not empty");
        assert!(secret.matches_bearer("Bearer s3cret"));
        assert!(secret.matches_bearer("bearer  s3cret "));
        assert!(!secret.matches_bearer("Basic s3cret"));
        assert!(!secret.matches_bearer("s3cret"));
    }

    #[test]
    fn debug_shows_nothing_of_it() {
        assert_eq!(format!("{:?}", Secret::new("s3cret")), "Some(Secret(…))");
    }
}

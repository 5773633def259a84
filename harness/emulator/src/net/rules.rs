//! Which hosts and addresses computers may reach.
//!
//! A host must be on the list of what is allowed and not on the list of what is denied. Names are checked
//! before they are resolved and addresses after, on every redirect again, and the connection goes to the
//! address that was checked: a name cannot lead elsewhere.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use ipnet::IpNet;

use super::Trust;
use crate::config::Settings;
use crate::surroundings::Surroundings;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    Everything,
    /// Loopback, link-local, private, multicast and unspecified addresses, and those of cloud providers' own services.
    Private,
    Network(IpNet),
    /// A host's name, where `*` stands for anything.
    Host(String),
}

impl Pattern {
    fn parse(text: &str) -> Self {
        let text = text.trim().to_ascii_lowercase();
        if text == "*" {
            return Self::Everything;
        }
        if text == "$private" {
            return Self::Private;
        }
        if let Ok(network) = text.parse::<IpNet>() {
            return Self::Network(network);
        }
        match text.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(address) => Self::Network(address.into()),
            Err(_) => Self::Host(text),
        }
    }

    fn matches_host(&self, host: &str) -> bool {
        match self {
            Self::Everything => true,
            Self::Host(pattern) => wild(pattern.as_bytes(), host.as_bytes()),
            Self::Private | Self::Network(_) => false,
        }
    }

    fn matches_address(&self, address: IpAddr) -> bool {
        match self {
            Self::Everything => true,
            Self::Private => is_private(address),
            Self::Network(network) => network.contains(&address),
            Self::Host(_) => false,
        }
    }
}

/// What computers may reach, as the settings say.
#[derive(Debug, Clone)]
pub struct Rules {
    allowed: Vec<Pattern>,
    denied: Vec<Pattern>,
    trust: Option<Trust>,
    /// The network of a simulation, in place of the machine's.
    network: Option<Arc<dyn Surroundings>>,
}

impl Rules {
    pub fn new(allowed: &[String], denied: &[String]) -> Self {
        let parse = |list: &[String]| list.iter().map(|text| Pattern::parse(text)).collect();
        Self { allowed: parse(allowed), denied: parse(denied), trust: None, network: None }
    }

    /// With certificates to trust besides the usual ones.
    #[must_use]
    pub fn trusting(mut self, trust: Option<Trust>) -> Self {
        self.trust = trust;
        self
    }

    /// With the network of a simulation in place of the machine's.
    #[must_use]
    pub fn through(mut self, network: Option<Arc<dyn Surroundings>>) -> Self {
        self.network = network;
        self
    }

    pub fn network(&self) -> Option<&Arc<dyn Surroundings>> {
        self.network.as_ref()
    }

    pub fn trust(&self) -> Option<&Trust> {
        self.trust.as_ref()
    }

    pub fn from_settings(settings: &Settings) -> Self {
        Self::new(&settings.list("http_whitelist"), &settings.list("http_blacklist"))
    }

    /// Whether a name is denied whatever address it has.
    pub fn denies_host(&self, host: &str) -> bool {
        let host = plain(host);
        self.denied.iter().any(|pattern| pattern.matches_host(&host))
    }

    /// Whether a host may be reached at an address.
    pub fn allows(&self, host: &str, address: IpAddr) -> bool {
        let host = plain(host);
        // An IPv4 address in IPv6 clothes is the IPv4 address.
        let address = address.to_canonical();
        let fits = |pattern: &Pattern| pattern.matches_host(&host) || pattern.matches_address(address);
        self.allowed.iter().any(fits) && !self.denied.iter().any(fits)
    }
}

/// A name as patterns have it: `Example.com.` is `example.com`.
fn plain(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// Whether a name fits a pattern; the time grows with both lengths only, as programs may add patterns.
fn wild(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut position, mut retry) = (0, 0, None);
    while position < text.len() {
        if pattern.get(at) == Some(&b'*') {
            retry = Some((at + 1, position));
            at += 1;
        } else if pattern.get(at) == Some(&text[position]) {
            at += 1;
            position += 1;
        } else if let Some((star, from)) = retry {
            retry = Some((star, from + 1));
            at = star;
            position = from + 1;
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|&byte| byte == b'*')
}

fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

/// Addresses at which cloud providers tell their machines secrets, and which are in no network that is private anyway:
/// Oracle's and Azure's.
const CLOUD_SERVICES: [Ipv4Addr; 2] = [Ipv4Addr::new(192, 0, 0, 192), Ipv4Addr::new(168, 63, 129, 16)];

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || first == 0
        // Shared between a provider and its customers.
        || (first == 100 && second & 0xC0 == 64)
        || CLOUD_SERVICES.contains(&address)
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    // Addresses that carry an IPv4 address in them: translated (64:ff9b::/96), 6to4 (2002::/16), compatible.
    let embedded = match segments {
        [0x64, 0xFF9B, 0, 0, 0, 0, high, low] | [0, 0, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            Some((high, low))
        }
        _ => None,
    };
    if let Some((high, low)) = embedded {
        let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
        if is_private_v4(Ipv4Addr::new(a, b, c, d)) {
            return true;
        }
    }
    address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || address.is_unique_local()
        || address.is_unicast_link_local()
        // Site-local, which was private before there was `fc00::/7`.
        || segments[0] & 0xFFC0 == 0xFEC0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(allowed: &[&str], denied: &[&str]) -> Rules {
        let owned = |list: &[&str]| -> Vec<String> { list.iter().map(|text| (*text).to_owned()).collect() };
        Rules::new(&owned(allowed), &owned(denied))
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect("it is an address")
    }

    #[test]
    fn private_addresses_are_denied_in_every_disguise() {
        let rules = rules(&["*"], &["$private"]);
        for text in [
            "127.0.0.1",
            "127.9.9.9",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "fc00::1",
            "fec0::1",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "ff02::1",
            "224.0.0.1",
            "255.255.255.255",
        ] {
            assert!(!rules.allows("example.com", address(text)), "{text} is private");
        }
        for text in ["1.1.1.1", "100.128.0.1", "2606:4700::1111"] {
            assert!(rules.allows("example.com", address(text)), "{text} is public");
        }
    }

    #[test]
    fn names_and_networks_are_matched() {
        let rules = rules(&["*.example.com", "10.0.0.0/8"], &["bad.example.com"]);
        assert!(rules.allows("www.Example.com", address("1.1.1.1")));
        assert!(!rules.allows("example.com", address("1.1.1.1")));
        assert!(!rules.allows("bad.example.com", address("1.1.1.1")));
        assert!(rules.denies_host("BAD.example.com"));
        assert!(rules.denies_host("bad.example.com."));
        assert!(rules.allows("other.org", address("10.2.3.4")));
        assert!(!rules.allows("other.org", address("11.2.3.4")));
    }

    #[test]
    fn an_allowed_loopback_address_needs_its_own_entry() {
        let rules = rules(&["127.0.0.1"], &[]);
        assert!(rules.allows("localhost", address("127.0.0.1")));
        assert!(!rules.allows("localhost", address("127.0.0.2")));
    }

    #[test]
    fn many_stars_cost_no_more_than_few() {
        let pattern = "*a".repeat(40);
        assert!(!wild(pattern.as_bytes(), "a".repeat(39).as_bytes()));
        assert!(wild(pattern.as_bytes(), "ba".repeat(40).as_bytes()));
        assert!(wild(b"a*", b"a") && wild(b"*", b"") && !wild(b"", b"a") && !wild(b"a*b", b"ac"));
    }

    proptest::proptest! {
        #[test]
        fn any_pattern_is_understood(text in ".{0,20}", host in "[a-z.]{0,12}") {
            let rules = rules(&[&text], &[]);
            let _ = rules.allows(&host, address("1.1.1.1"));
        }
    }
}

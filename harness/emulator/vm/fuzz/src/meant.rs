//! Differences that are meant. Each has its reason; what is not here is a finding.

use crate::machines::Other;

/// Stock Lua names the function in a message about an argument, and says first what it wants; CraftOS-PC does neither. Both are
/// brought into the second form.
pub fn normalize(result: &str) -> String {
    expected_first(&without_function_names(result))
}

/// `bad argument #1 to 'find' (` becomes `bad argument #1 (`.
fn without_function_names(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("bad argument #") {
        let (before, after) = rest.split_at(at + "bad argument #".len());
        out.push_str(before);
        rest = after;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        out.push_str(&rest[..digits]);
        rest = &rest[digits..];
        if let Some(named) = rest.strip_prefix(" to '")
            && let Some(end) = named.find("' (")
        {
            rest = &named[end + 1..];
        }
    }
    out + rest
}

/// `(string expected, got nil)` becomes `(expected string, got nil)`.
fn expected_first(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(" expected, got ") {
        let (before, after) = rest.split_at(at);
        let open = before.rfind('(').map_or(0, |open| open + 1);
        out.push_str(&before[..open]);
        out.push_str("expected ");
        out.push_str(&before[open..]);
        out.push_str(", got ");
        rest = &after[" expected, got ".len()..];
    }
    out + rest
}

/// The reason why a difference is meant, if it is.
pub fn reason(case: &str, ours: &str, theirs: &str, other: &Other) -> Option<&'static str> {
    let has = |part: &str| case.contains(part);
    let rules: &[(bool, &'static str)] = match other {
        Other::Stock(_) => &[
            (has("%q"), "`%q` takes numbers, and escapes as CraftOS-PC does"),
            (has("ipairs("), "`ipairs` honours `__index`"),
            (has(" % "), "`%` of numbers is exact"),
        ],
        Other::Craftos(_) => &[],
    };
    let _ = (ours, theirs);
    rules.iter().find(|(applies, _)| *applies).map(|(_, reason)| *reason)
}

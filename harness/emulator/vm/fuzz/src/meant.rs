//! Differences that are known: meant, or open. Each has its reason; what is not here is a finding.

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

/// Why a difference is known: it is meant, or it waits to be mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Known {
    Meant(&'static str),
    Open(&'static str),
}

use Known::{Meant, Open};

/// What is known of a difference, if it is known.
pub fn known(case: &str, ours: &str, theirs: &str, other: &Other) -> Option<Known> {
    let bad = "bad argument #";
    if without_numbers(ours) == without_numbers(theirs) || other_argument(ours, theirs) {
        return Some(Meant("of several bad arguments C names one in an order of its own"));
    }
    let has = |part: &str| case.contains(part);
    let both = [
        (
            has("table.sort("),
            Meant("an order that is none, or an error in it, shows which pairs are compared first"),
        ),
        (has("select"), Meant("`select` sees all of a number; C sees its lowest 32 bits")),
        (
            without_names(ours) == without_names(theirs),
            Open("an operand behind `and` or `or`, or an iterator, is named on one machine alone"),
        ),
        (has("table.insert(setmetatable("), Open("`insert` checks positions of tables with `__index` too")),
        (has("load(function() return coroutine.yield"), Meant("a reader may yield")),
        (has("table.unpack("), Meant("`unpack` sees all of a number; C sees its lowest 32 bits")),
        (has("\\0"), Meant("a byte of value 0 does not end a text that is printed or named")),
        (
            ours.contains("\\239\\191\\189"),
            Open("bytes of a name that are not UTF-8 are shown as `\u{fffd}` in messages"),
        ),
        (ours.contains("not enough memory"), Meant("memory has a limit")),
        (
            has("error(") || has("pcall(error"),
            Meant("`error` sees all of its level; C sees its lowest 32 bits"),
        ),
    ];
    let stock = [
        (has("getmetatable("), Meant("`string` has `pack`, `packsize` and `unpack`")),
        (has("%q"), Meant("`%q` takes numbers, and escapes as CraftOS-PC does")),
        (has("ipairs("), Meant("`ipairs` honours `__index`")),
        (has(" % "), Meant("`%` of numbers is exact")),
        (has("assert("), Meant("`assert` adds no position to a message")),
        (
            has("bit32."),
            Meant(
                "`bit32` drops fractions as CraftOS-PC does; stock Lua rounds, and past 2^53 keeps no bits",
            ),
        ),
        (has("coroutine.yield"), Meant("a handler of errors may yield")),
        (theirs.contains("'_G."), Meant("functions that no name leads to are named without `_G.`")),
        (has("table.remove(") && theirs.contains(bad), Meant("`remove` names its second argument")),
    ];
    let craftos = [
        (
            has("bit32.extract(") || has("bit32.replace("),
            Meant("`extract` and `replace` of CraftOS-PC give more than 32 bits of negative numbers"),
        ),
        (has(" % "), Meant("`%` of CraftOS-PC gives a negative divisor itself where nothing is left")),
        (has("bit32."), Meant("`bit32` sees all of a shift; C sees its lowest 32 bits")),
        (
            has("string.format(") && theirs.contains("no value"),
            Meant("`format` of CraftOS-PC takes what follows a nil for missing"),
        ),
        (
            (has("table.remove(") || has("ipairs(")) && theirs.contains("attempt to call a table value"),
            Meant("`ipairs` and `remove` of CraftOS-PC call an `__index` that is a table"),
        ),
        (
            has("string.pack(") && theirs.contains("got nil"),
            Meant("`string.pack` of CraftOS-PC takes a marker of its own for a missing argument"),
        ),
    ];
    let own: &[(bool, Known)] = if let Other::Stock(_) = other { &stock } else { &craftos };
    both.iter().chain(own).find(|(applies, _)| *applies).map(|(_, known)| *known)
}

/// Whether both complain about an argument, and not about the same one.
fn other_argument(ours: &str, theirs: &str) -> bool {
    let number = |result: &str| {
        let (_, after) = result.split_once("bad argument #")?;
        Some(after.bytes().take_while(u8::is_ascii_digit).collect::<Vec<u8>>())
    };
    matches!((number(ours), number(theirs)), (Some(one), Some(other)) if one != other)
}

/// A result without what its messages call a variable: `global 'x' (a nil value)` becomes `a nil value`.
fn without_names(result: &str) -> String {
    let mut out = String::new();
    let mut rest = result;
    let kinds = ["global '", "local '", "field '", "upvalue '", "method '", "constant '"];
    while let Some((at, kind)) = kinds.iter().filter_map(|kind| rest.find(kind).map(|at| (at, kind))).min() {
        out.push_str(&rest[..at]);
        let after = &rest[at + kind.len()..];
        let Some((_, (value, more))) =
            after.split_once("' (").and_then(|(name, more)| Some((name, more.split_once(')')?)))
        else {
            return out + &rest[at..];
        };
        out.push_str(value);
        rest = more;
    }
    out + rest
}

/// A result without the numbers of the arguments that its messages name.
fn without_numbers(result: &str) -> String {
    let mut parts = result.split("bad argument #");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + "bad argument #" + part.trim_start_matches(|digit: char| digit.is_ascii_digit())
    })
}

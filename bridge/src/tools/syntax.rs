//! Whether a file is Lua, without running it, and which modules it asks for.
//!
//! The compiler is that of the embedded emulator: it takes what a computer takes, and neither the depth nor the length of
//! a file can harm it.

use craftos_lua::Dialect;

use super::yaml::Problem;
use crate::text::shown;

/// Checks a file; `must_return` says whether it is of no use unless it returns something.
pub fn check(code: &str, must_return: bool) -> Result<(), Problem> {
    let checked = craftos_lua::check(code.as_bytes(), b"=handler", Dialect::CraftosPc).map_err(|error| {
        let reason = String::from_utf8_lossy(&error.reason);
        Problem::new(error.line.max(1) as usize, format!("this is not Lua: {}", shown(&reason)))
    })?;
    if must_return && !checked.returns {
        let last = code.lines().count().max(1);
        return Err(Problem::new(last, "a handler ends with `return { call = function(arguments) … end }`"));
    }
    Ok(())
}

/// The names in `require("…")`, where they are written out, in order.
pub fn required(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("require") {
        let before = rest[..at].chars().next_back();
        rest = &rest[at + "require".len()..];
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.') {
            continue;
        }
        let call = rest.trim_start();
        let call = call.strip_prefix('(').map_or(call, str::trim_start);
        let Some(quote) = call.chars().next().filter(|c| matches!(c, '"' | '\'')) else { continue };
        if let Some((name, _)) = call[1..].split_once(quote)
            && !name.is_empty()
            && !name.contains(['\n', '\\'])
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("return { call = function(arguments) return 'hi' end }", true)]
    #[case("local x <const> = 1 return x", false)]
    #[case("goto done\n::done::\nreturn {}", true)]
    #[case("return { call = function() return \"\\u{1F422}\" end }", true)]
    #[case("local mcp = ...\nreturn 1", true)]
    #[case("return { call = function( }", false)]
    fn what_a_computer_compiles_is_lua(#[case] code: &str, #[case] is_lua: bool) {
        assert_eq!(check(code, true).is_ok(), is_lua, "{code}");
    }

    #[test]
    fn an_error_has_its_line() {
        let problem = check("local a = 1\nlocal b = = 2\nreturn {}", true).expect_err("no Lua");
        assert_eq!(problem.line, 2, "{problem:?}");
        assert!(problem.message.starts_with("this is not Lua: "), "{problem:?}");
        let problem = check("return { call = function()\n  print('x)\nend }", true).expect_err("no Lua");
        assert_eq!(problem.line, 2, "{problem:?}");
    }

    #[test]
    fn an_error_does_not_repeat_a_megabyte_of_the_file() {
        let problem = check(&format!("return [{}", "=".repeat(900_000)), true).expect_err("no Lua");
        assert!(problem.message.len() < 400, "{} bytes", problem.message.len());
    }

    #[test]
    fn a_handler_must_return_something_and_a_module_need_not() {
        let problem = check("local a = 1\nprint(a)\n", true).expect_err("nothing is returned");
        assert_eq!(problem.line, 2);
        assert_eq!(check("print(1)", false), Ok(()));
    }

    #[test]
    fn modules_are_found_however_they_are_asked_for() {
        let code = "local a = require(\"a\")\nlocal b = require 'lib.b'\nrequire( \"a\" )\nprerequire('x') y.require('x')\nrequire(name) require(\"c\\n\")";
        assert_eq!(required(code), ["a", "lib.b"]);
    }

    #[rstest]
    #[case::brackets("return ", "(", "1", ")")]
    #[case::tables("return ", "{", "", "}")]
    #[case::fields("return a", "[b", "", "]")]
    #[case::calls("return ", "f(", "1", ")")]
    #[case::blocks("", "do ", "", " end")]
    #[case::loops("", "while true do ", "", " end")]
    #[case::counts("", "for i = 1, 2 do ", "", " end")]
    #[case::branches("", "if true then ", "", " end")]
    #[case::other_branches("", "if true then else ", "", " end")]
    #[case::repeats("", "repeat ", "", " until true")]
    #[case::functions("return ", "function() return ", "1", " end")]
    #[case::not("return ", "not ", "1", "")]
    #[case::minus("return ", "- ", "1", "")]
    #[case::length("return ", "#", "a", "")]
    #[case::mixed("return ", "not -#", "a", "")]
    #[case::concatenation("return ", "1 .. ", "1", "")]
    #[case::powers("return ", "2 ^ ", "1", "")]
    #[case::negative_powers("return ", "2 ^ -", "1", "")]
    #[case::sums("return ", "1 + ", "1", "")]
    #[case::comparisons("return ", "1 < ", "1", "")]
    #[case::conjunctions("return ", "a and ", "a", "")]
    #[case::sums_in_brackets("return ", "1 + 1 + 1 + 1 + (", "1", ")")]
    #[case::hidden_by_comments("return ", "--[[)]](--)\n", "1", ")")]
    fn a_megabyte_of_anything_kills_nobody(
        #[case] before: &str,
        #[case] open: &str,
        #[case] inside: &str,
        #[case] close: &str,
    ) {
        let times = 1_000_000 / open.len();
        let code = [before, &open.repeat(times), inside, &close.repeat(times)].concat();
        let small_stack = std::thread::Builder::new().stack_size(1 << 20);
        let checked = small_stack.spawn(move || check(&code, false)).expect("a thread").join();
        // A sum may be as long as it likes; all else is too deep.
        let is_flat = open.contains(" + ") && close.is_empty() || ["1 < ", "a and "].contains(&open);
        assert!(checked.expect("it ends").is_err() || is_flat);
        let few = [before, &open.repeat(3), inside, &close.repeat(3)].concat();
        assert_eq!(check(&few, false), Ok(()), "{few}");
    }
}

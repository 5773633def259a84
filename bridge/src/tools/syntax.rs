//! Whether a file is Lua, without running it, and which modules it asks for.
//!
//! The parser is one for Lua 5.2 and knows no more than the grammar: what it lets pass, such as a `break` outside of a
//! loop, the computer itself reports when it is called.

use std::thread;

use full_moon::LuaVersion;

use super::nesting;
use super::yaml::Problem;

/// The parser calls itself for everything that is nested, some kilobytes each time. Only what is used takes memory.
const STACK_BYTES: usize = 512 * 1024 * 1024;

/// Checks a file; `must_return` says whether it is of no use unless it returns something.
pub fn check(code: &str, must_return: bool) -> Result<(), Problem> {
    nesting::check(code)?;
    thread::scope(|scope| {
        let parser = thread::Builder::new().name("lua parser".to_owned()).stack_size(STACK_BYTES);
        let parsing = parser.spawn_scoped(scope, || parse(code, must_return));
        let parsed = parsing.ok().and_then(|parsing| parsing.join().ok());
        parsed.unwrap_or_else(|| Err(Problem::new(1, "the parser failed on this file")))
    })
}

fn parse(code: &str, must_return: bool) -> Result<(), Problem> {
    let parsed = full_moon::parse_fallible(code, LuaVersion::lua52());
    if let Some(error) = parsed.errors().first() {
        let line = error.range().0.line();
        return Err(Problem::new(line, format!("this is not Lua: {}", error.error_message())));
    }
    if must_return && parsed.ast().nodes().last_stmt().is_none() {
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
}

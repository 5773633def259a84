//! What keeps one computer from harming another, or the host.

use std::time::{Duration, Instant};

use crate::context::{TestContext, text};

#[test]
fn a_loop_that_does_not_yield_is_aborted_and_can_catch_it() {
    let context = TestContext::new();
    context.settings(r#"{"abortTimeout": 200}"#);
    let started = Instant::now();
    let lua =
        "local ok, why = pcall(function() while true do end end) term.write(why .. '\\n') os.shutdown()";
    let output = context.bios(lua, &[]);
    assert_eq!(text(&output.stdout), "bios.lua:1: Too long without yielding\n");
    assert!(started.elapsed() > Duration::from_millis(200));
}

#[test]
fn a_busy_computer_does_not_hold_up_the_others() {
    let context = TestContext::new();
    let lua = "if os.getComputerID() == 0 then while true do end end
        if os.getComputerID() == 1 then error('crash') end
        local t = os.startTimer(0.05) repeat local e, id = coroutine.yield('timer') until id == t
        term.write('fine ' .. os.getComputerID() .. '\\n') os.shutdown()";
    context.settings(r#"{"abortTimeout": 1500}"#);
    let output = context.bios(lua, &["-i", "0-5"]);
    let mut lines: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["fine 2", "fine 3", "fine 4", "fine 5"]);
    let errors = text(&output.stderr);
    assert!(
        errors.contains("computer 0: bios.lua:1: Too long without yielding"),
        "{errors}"
    );
    assert!(errors.contains("computer 1: bios.lua:2: crash"), "{errors}");
}

#[test]
fn memory_is_limited_for_each_computer() {
    let context = TestContext::new();
    context.settings(r#"{"memoryLimit": 8000000}"#);
    let lua = "local ok, why = pcall(function() local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end end)
        term.write(tostring(why) .. '\\n') local ok, why = pcall(string.rep, 'x', 1e8) term.write(tostring(why) .. '\\n')
        term.write(collectgarbage('count') < 8000 and 'alive\\n' or 'too much\\n') os.shutdown()";
    let output = context.bios(lua, &[]);
    assert_eq!(
        text(&output.stdout),
        "not enough memory\nnot enough memory\nalive\n",
        "{output:?}"
    );
}

#[test]
fn bytecode_is_refused_and_the_host_cannot_be_reached() {
    let lua = r#"
        local function show(...) local r = table.pack(...) for i = 1, r.n do r[i] = tostring(r[i]) end term.write(table.concat(r, " ") .. "\n") end
        show(load("\27Lua"))
        show(load("\27Lua", "x", "b"))
        show(load("\27Lua", "x", "bt"))
        show(load((function() local done return function() if not done then done = true return "\27Lua" end end end)()))
        show(string.dump, io, package, require, os.execute, os.getenv, os.exit, loadfile, dofile, os.remove)
        show(debug.getupvalue(fs.open, 1), pcall(debug.setupvalue, fs.open, 1, nil))
        show(next(debug.getregistry()))
        show(pcall(debug.upvaluejoin, fs.open, 1, function() return show end, 1))
        os.shutdown()"#;
    let output = TestContext::new().bios(lua, &[]);
    let lines: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    assert_eq!(lines[0], "nil attempt to load a binary chunk (mode is 't')");
    assert_eq!(lines[1], "nil attempt to load a text chunk (mode is 'b')");
    assert_eq!(lines[2], "nil attempt to load a binary chunk (mode is 't')");
    assert_eq!(lines[3], "nil attempt to load a binary chunk (mode is 't')");
    assert_eq!(lines[4], "nil nil nil nil nil nil nil nil nil nil");
    assert_eq!(lines[5], "nil true nil");
    assert_eq!(lines[6], "nil");
    assert!(lines[7].starts_with("false "), "{lines:?}");
}

#[test]
fn deep_recursion_is_an_error_and_not_a_crash() {
    let lua = r#"
        local function show(f) local ok, why = pcall(f) term.write(tostring(why):match("[^:]*$"):sub(1, 40) .. "\n") end
        show(function() local function r() return 1 + r() end return r() end)
        show(function() local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k .. "x"] end return t.a end)
        show(function() local s = ("a"):rep(300000) return s:find((".-"):rep(20000) .. "b") end)
        show(function() return load(("("):rep(100000) .. "1" .. (")"):rep(100000))() end)
        show(function() local co co = coroutine.wrap(function() local c = coroutine.wrap(function() return pcall(co) end) return c() end) return co() end)
        term.write("alive\n") os.shutdown()"#;
    let output = TestContext::new().bios(lua, &[]);
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stdout).ends_with("alive\n"), "{output:?}");
}

#[test]
fn a_hundred_computers_start_and_end() {
    let context = TestContext::new();
    let output = context
        .command()
        .args([
            "-i",
            "0-99",
            "--exec",
            "print('id ' .. os.getComputerID()) os.shutdown()",
        ])
        .output();
    let output = output.expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        text(&output.stdout)
            .lines()
            .filter(|line| line.starts_with("id "))
            .count(),
        100
    );
}

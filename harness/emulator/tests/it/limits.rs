//! What keeps one computer from harming another, or the host.

use crate::context::{TestContext, text};

#[test]
fn a_loop_that_does_not_yield_is_aborted_and_can_catch_it() {
    let context = TestContext::new();
    context.settings(r#"{"abortTimeout": 200}"#);
    let lua =
        "local ok, why = pcall(function() while true do end end) term.write(why .. '\\n') os.shutdown()";
    let output = context.bios(lua, &[]);
    assert_eq!(text(&output.stdout), "bios.lua:1: Too long without yielding\n");
}

#[test]
fn a_busy_computer_does_not_hold_up_the_others() {
    let context = TestContext::new();
    // The busy one never yields, and ends once it sees what the others have done: were they held up, its time would end.
    let lua = "local id = os.getComputerID()
        if id == 0 then
            for other = 2, 5 do while not fs.exists('/computers/' .. other .. '/done') do end end
            term.write('saw all\\n') os.shutdown()
        end
        if id == 1 then error('crash') end
        local t = os.startTimer(0.05) repeat local e, id = coroutine.yield('timer') until id == t
        fs.makeDir('/done') os.shutdown()";
    let computers = context.path().join("computer");
    std::fs::create_dir_all(&computers).expect("a folder can be made");
    let mount = format!("computers={}", computers.display());
    let output = context.bios(lua, &["-i", "0-5", "--mount-ro", &mount]);
    assert_eq!(text(&output.stdout), "saw all\n", "{output:?}");
    assert!(text(&output.stderr).contains("computer 1: bios.lua:6: crash"), "{output:?}");
}

#[test]
fn memory_is_limited_for_each_computer() {
    let context = TestContext::new();
    context.settings(r#"{"memoryLimit": 8000000}"#);
    let lua = "local ok, why = pcall(function() local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end end)
        term.write(tostring(why) .. '\\n') local ok, why = pcall(string.rep, 'x', 1e8) term.write(tostring(why) .. '\\n')
        term.write(collectgarbage('count') < 8000 and 'alive\\n' or 'too much\\n') os.shutdown()";
    let output = context.bios(lua, &[]);
    assert_eq!(text(&output.stdout), "not enough memory\nnot enough memory\nalive\n", "{output:?}");
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
    assert_eq!(lines[1], "nil attempt to load a binary chunk (mode is 't')");
    assert_eq!(lines[2], "nil attempt to load a binary chunk (mode is 't')");
    assert_eq!(lines[3], "nil attempt to load a binary chunk (mode is 't')");
    assert_eq!(lines[4], "nil nil nil nil nil nil nil nil nil nil");
    assert_eq!(lines[5], "nil true");
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
        .args(["-i", "0-99", "--exec", "print('id ' .. os.getComputerID()) os.shutdown()"])
        .output();
    let output = output.expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(text(&output.stdout).lines().filter(|line| line.starts_with("id ")).count(), 100);
}

#[test]
fn a_pattern_without_end_is_aborted() {
    let context = TestContext::new();
    context.settings(r#"{"abortTimeout": 200}"#);
    let lua = r#"
        local text, pattern = ("a"):rep(40), ("a?"):rep(40) .. ("a"):rep(40) .. "b"
        for _, call in ipairs({
            function() return text:find(pattern) end,
            function() return text:match(pattern) end,
            function() return text:gmatch(pattern)() end,
            function() return text:gsub(pattern, "x") end,
            function() return ("x"):rep(1e5):find((".-"):rep(8) .. "b") end,
        }) do
            local ok, why = pcall(call)
            term.write(tostring(why):match("[^:]*$") .. "\n")
        end
        os.shutdown()"#;
    let output = context.bios(lua, &[]);
    assert_eq!(text(&output.stdout), " Too long without yielding\n".repeat(5), "{output:?}");
}

#[test]
fn a_computer_in_a_pattern_without_end_can_be_stopped() {
    use embedded_craftos::{Emulator, Options};
    let context = TestContext::new();
    let mut options = Options::new(context.path());
    options.rom = Some(context.rom(
        "local text = ('a'):rep(40) while true do pcall(string.find, text, ('a?'):rep(40) .. text .. 'b') end",
    ));
    let emulator = Emulator::new(options).expect("the options are good");
    let computer = emulator.boot(0).expect("it starts");
    computer.shut_down();
    assert!(computer.wait_timeout(crate::context::TIMEOUT).is_some(), "it stops");
}

#[test]
fn texts_that_are_made_count_as_memory() {
    let context = TestContext::new();
    context.settings(r#"{"memoryLimit": 8000000}"#);
    let lua = r#"
        local long = ("x"):rep(1e5)
        for _, call in ipairs({
            function() return ("a"):rep(1e5):gsub("a", long) end,
            function() return ("a"):rep(1e5):gsub("a", function() return long end) end,
            function() return ("a"):rep(1e5):gsub("a", { a = long }) end,
            function() return ("a"):rep(1e9, "b") end,
            function() local t = {} for i = 1, 1000 do t[i] = long end return table.concat(t) end,
            function() return ("%99s"):rep(1e4):format(table.unpack({}, 1, 200)) end,
        }) do
            local ok, why = pcall(call)
            term.write(tostring(ok) .. " " .. (tostring(why):match("not enough memory") or "?") .. "\n")
        end
        term.write(#string.rep("", 2 ^ 31 - 1) .. "\n")
        os.shutdown()"#;
    let output = context.bios(lua, &[]);
    let lines = text(&output.stdout);
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines[..5], ["false not enough memory"; 5], "{output:?}");
    assert!(lines[5].starts_with("false"), "{output:?}");
    assert_eq!(lines[6], "0");
}

#[test]
fn programs_change_settings_of_their_own_computer_only_and_never_what_guards_the_host() {
    let context = TestContext::new();
    let lua = r#"
        local function show(...) local r = table.pack(...) for i = 1, r.n do r[i] = tostring(r[i]) end term.write(table.concat(r, " ") .. "\n") end
        if os.getComputerID() == 0 then
            config.set("abortTimeout", 1e300)
            for _, name in ipairs({ "http_blacklist", "http_whitelist", "http_enable", "memoryLimit", "http_max_download" }) do
                show(name, (pcall(config.set, name, config.get(name))))
            end
            config.add("http_blacklist", ("*a"):rep(40))
            show(#config.get("http_blacklist"))
            fs.makeDir("/done")
        else
            repeat local t = os.startTimer(0.02) repeat local _, id = coroutine.yield("timer") until id == t until fs.exists("/zero/done")
            show("one", config.get("abortTimeout"), #config.get("http_blacklist"))
        end
        os.shutdown()"#;
    context.write("computer/0/x", "");
    let zero = format!("zero={}", context.path().join("computer/0").display());
    let output = context.bios(lua, &["-i", "0,1", "--mount-ro", &zero]);
    let mut lines: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(
        lines,
        [
            "1",
            "http_blacklist false",
            "http_enable false",
            "http_max_download false",
            "http_whitelist false",
            "memoryLimit false",
            "one 17000 0",
        ],
        "{output:?}"
    );
}

#[test]
fn nothing_that_a_program_can_look_at_leads_to_bytecode_or_pointers() {
    let lua = r#"
        local seen, found = {}, {}
        local function note(value)
            if type(value) == "function" and not seen[value] then
                seen[value] = true
                found[#found + 1] = value
            end
        end
        -- Everything that is reachable through tables and upvalues.
        local function walk(value)
            if seen[value] then return end
            if type(value) == "table" then
                seen[value] = true
                for key, inner in next, value do walk(key) walk(inner) end
                walk(debug.getmetatable(value))
            elseif type(value) == "function" then
                note(value)
                for index = 1, 60 do
                    local name, inner = debug.getupvalue(value, index)
                    if not name then break end
                    walk(inner)
                end
            end
        end
        walk(_G) walk(debug.getmetatable(""))
        -- Everything that can be seen at work.
        debug.sethook(function()
            for level = 2, 5 do
                local info = debug.getinfo(level, "f")
                if not info then break end
                note(info.func)
                for index = 1, 20 do
                    local name, value = debug.getlocal(level, index)
                    if not name then break end
                    note(value)
                end
            end
        end, "cr")
        local done
        load("return 1") loadstring("return 1") load(function() if not done then done = true return "return 1" end end)
        debug.getupvalue(walk, 1) debug.setupvalue(walk, 60, 1) debug.setlocal(1, 1, seen) pcall(setfenv, load, {})
        debug.sethook(nil) collectgarbage("count") table.sort({ 3, 2, 1 }, function(a, b) return a < b end)
        debug.sethook()
        local bad = 0
        for _, fn in ipairs(found) do
            local own = debug.getinfo(fn, "S").source == "@bios.lua"
            if not own and fn ~= os.shutdown and fn ~= os.reboot then
                local co = coroutine.create(fn)
                local results = table.pack(coroutine.resume(co, "\27Lua", "x", "b"))
                for index = 1, results.n do
                    if tostring(results[index]):find("precompiled", 1, true) then bad = bad + 1 end
                end
                coroutine.resume(coroutine.create(fn), fs.open, 1, "x")
            end
        end
        term.write("\n" .. #found .. " " .. bad .. " " .. tostring((debug.getupvalue(load, 1))) .. "\n")
        setfenv(load, {}) term.write(tostring(getfenv(load) == _G) .. "\n")
        os.shutdown()"#;
    let output = TestContext::new().bios(lua, &[]);
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    let last = lines.len().checked_sub(2).unwrap_or_else(|| panic!("it was cut off: {output:?}"));
    assert!(lines[last].ends_with(" 0 nil"), "{output:?}");
    assert_eq!(lines[last + 1], "true", "{output:?}");
}

#[test]
fn what_waits_for_a_computer_is_bounded() {
    let context = TestContext::new();
    context.settings(r#"{"memoryLimit": 32000000}"#);
    let lua = r#"
        local count = 0
        for i = 1, 5000 do if not periphemu.create("monitor_" .. i, "monitor") then count = count + 1 end end
        term.write(count .. "\n")
        local name, text = ("x"):rep(1e6), "memory\n"
        if not pcall(function() while true do os.queueEvent(name, {}) end end) then term.write(text) end
        os.shutdown()"#;
    let output = context.bios(lua, &[]);
    assert_eq!(text(&output.stdout), "3976\nmemory\n", "{output:?}");
}

#[test]
fn tables_have_no_finalizers() {
    let lua = r#"
        local meta = { __gc = function() while true do end end, __index = { x = 1 } }
        local first, second = setmetatable({}, meta), debug.setmetatable({}, meta)
        term.write(tostring(first.x) .. tostring(second.x) .. type(meta.__gc) .. tostring(getmetatable(first) == meta) .. "\n")
        first, second = nil, nil
        collectgarbage() collectgarbage()
        term.write(tostring(pcall(setmetatable, 1, meta)) .. "\n")
        local seen, protected = {}, setmetatable({}, { __metatable = false })
        debug.sethook(function() seen[debug.getinfo(2, "f").func] = true end, "c")
        setmetatable({}, meta)
        debug.sethook()
        local leaked
        for f in pairs(seen) do
            local mine = {}
            if f ~= setmetatable and pcall(f, {}, mine) and pcall(f, mine, meta) and getmetatable(mine) == meta then
                leaked = f
            end
        end
        term.write(tostring(leaked) .. tostring(pcall(setmetatable, protected, meta)) .. type(meta.__gc) .. "\n")
        debug.setmetatable(protected, meta)
        protected = nil
        collectgarbage() collectgarbage()
        os.shutdown()"#;
    let output = TestContext::new().bios(lua, &[]);
    assert_eq!(text(&output.stdout), "11functiontrue\nfalse\nnilfalsefunction\n", "{output:?}");
}

#[test]
fn copies_for_the_host_are_no_larger_than_the_computers_memory() {
    let context = TestContext::new();
    context.settings(r#"{"memoryLimit": 32000000}"#);
    let lua = r#"
        local long, many = ("x"):rep(1e6), {}
        for i = 1, 10000 do many[i] = long end
        local texts = {} for i = 1, 200 do texts[i] = long end
        periphemu.create("top", "modem") periphemu.create("left", "drive")
        for _, call in ipairs({
            function() return peripheral.call("top", "transmit", 1, 1, many) end,
            function() return http.request({ url = "http://127.0.0.1:1/", headers = many }) end,
            function() return string.pack(("z"):rep(200), table.unpack(texts)) end,
            function() return config.set("default_computer_settings", long) end,
            function() return os.date(("%c"):rep(1e6)) end,
            function() return error(many) end,
            function()
                local file = fs.open("sparse", "w") file.seek("set", 1e10) file.write("x") file.close()
                return fs.open("sparse", "r").readLine()
            end,
        }) do
            local ok, why = pcall(call)
            term.write(tostring(ok) .. " " .. (tostring(why):match("not enough memory") or type(why)) .. "\n")
        end
        term.write(tostring(periphemu.create(long, "chest")) .. "\n")
        fs.delete("sparse")
        error(many)"#;
    let output = context.bios(lua, &[]);
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[..3], ["false not enough memory"; 3], "{output:?}");
    assert_eq!(
        lines[3..],
        ["false string", "false string", "false table", "false not enough memory", "false"],
        "{output:?}"
    );
    assert!(text(&output.stderr).contains("(error object is a table value)"), "{output:?}");
}

//! `--profile game`: a program that passes only in the emulator is caught.

use std::time::Duration;

use embedded_craftos::config::Profile;

use crate::context::{TestContext, text};

#[test]
fn labels_and_names_of_files_have_a_byte_for_each_character() {
    let context = TestContext::new();
    context.write("config/0.json", r#"{"label": "base-türtle €"}"#);
    context.write("computer/0/größe.txt", "x");
    let lua = r#"
        local function bytes(text) return table.concat({ text:byte(1, -1) }, " ") end
        term.write(bytes(os.getComputerLabel()) .. "\n")
        term.write(bytes(fs.list("/")[1]) .. " " .. tostring(fs.exists("gr\246\223e.txt")) .. "\n")
        term.write(bytes(fs.find("gr*")[1]) .. "\n")
        term.write(bytes(select(2, pcall(fs.list, "\252")):match("/.*")) .. "\n")
        local file = fs.open("\228\255", "w") file.write("\228\255") file.close()
        os.setComputerLabel("\252\0x") os.shutdown()"#;
    let output = context.bios(lua, &["--profile", "game"]);
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "98 97 115 101 45 116 252 114 116 108 101 32 63", "{output:?}");
    assert_eq!(lines[1], "103 114 246 223 101 46 116 120 116 true");
    assert_eq!(lines[2], "103 114 246 223 101 46 116 120 116");
    assert!(lines[3].starts_with("47 252 58 "), "{printed}");
    assert_eq!(std::fs::read(context.path().join("computer/0/äÿ")).expect("it is there"), b"\xe4\xff");
    assert!(context.read("config/0.json").contains("ü\\u0000x"));
}

#[test]
fn the_reference_has_utf_8_in_the_same_places() {
    let context = TestContext::new();
    context.write("config/0.json", r#"{"label": "türtle"}"#);
    context.write("computer/0/größe.txt", "x");
    let lua = "term.write(#os.getComputerLabel() .. ' ' .. #fs.list('/')[1] .. '\\n') os.shutdown()";
    assert_eq!(text(&context.bios(lua, &[]).stdout), "7 11\n");
}

#[test]
fn a_url_that_is_no_text_is_answered() {
    for profile in ["craftos-pc", "game"] {
        let context = TestContext::new();
        let lua = "local ok, why = http.get('http://127.0.0.1:1/\\255\\252') print(ok, why)
            print(http.checkURL('http://127.0.0.1:1/\\255')) print((http.websocket('ws://127.0.0.1:1/\\255'))) os.shutdown()";
        let output =
            context.command().args(["--profile", profile, "--exec", lua]).output().expect("the program runs");
        let printed = text(&output.stdout);
        assert!(printed.contains("nil\t") && printed.ends_with("false\n"), "{profile}: {output:?}");
    }
}

/// Runs Lua with the embedded ROM and that profile.
fn exec(profile: &str, context: &TestContext, lua: &str) -> String {
    let output =
        context.command().args(["--profile", profile, "--exec", lua]).output().expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    text(&output.stdout).split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap_or_default()
}

#[test]
fn the_limits_are_those_of_the_game() {
    let settings = Profile::Game.settings();
    assert_eq!(settings.abort_timeout(), Duration::from_secs(7));
    assert_eq!(settings.size("http_max_websocket_message"), 131_072);
    assert_eq!(settings.size("http_max_websockets"), 4);
    assert_eq!(settings.size("computerSpaceLimit"), 1_000_000);
    assert_eq!(settings.list("http_blacklist"), ["$private"]);
}

#[test]
fn the_game_has_no_apis_of_an_emulator() {
    let lua = "local there = {}
        for _, name in ipairs({ 'periphemu', 'mounter', 'config' }) do if _G[name] then table.insert(there, name) end end
        for _, name in ipairs({ 'setGraphicsMode', 'getGraphicsMode', 'setPixel', 'getPixel', 'drawPixels', 'getPixels',
            'screenshot', 'setFrozen', 'getFrozen', 'showMouse', 'relativeMouse' }) do
            if term[name] or term.native()[name] or term.current()[name] then table.insert(there, name) end
        end
        print(#there, term.nativePaletteColour ~= nil) os.shutdown()";
    assert_eq!(exec("game", &TestContext::new(), lua), "0\ttrue\n");
    assert_eq!(exec("craftos-pc", &TestContext::new(), lua), "14\ttrue\n");
}

#[test]
fn the_game_has_no_settings_of_an_emulator() {
    let lua = "local count = 0 for _, name in ipairs(settings.getNames()) do
        if name:find('cash') or name:find('mobile') or name:find('plugin') then count = count + 1 end end
        print(count, settings.get('shell.allow_startup')) os.shutdown()";
    assert_eq!(exec("game", &TestContext::new(), lua), "0\ttrue\n");
    assert_eq!(exec("craftos-pc", &TestContext::new(), lua), "3\ttrue\n");
}

#[test]
fn programs_of_the_emulator_say_that_they_cannot_do_anything_in_the_game() {
    let lua = "for _, program in ipairs({ 'attach left modem', 'detach left', 'config list', 'mount', 'unmount x' }) do
        shell.run(program) end os.shutdown()";
    assert_eq!(
        exec("game", &TestContext::new(), lua),
        "Peripherals cannot be emulated here\nPeripherals cannot be emulated here\nThe emulator cannot be configured here\n\
         Folders cannot be mounted here\nFolders cannot be mounted here\n"
    );
}

#[test]
fn numbers_are_no_texts_and_texts_are_no_numbers_in_the_game() {
    let lua = r#"
        for _, call in ipairs({ { fs.exists, 5 }, { os.startTimer, "1" }, { os.queueEvent, 5 }, { os.setComputerLabel, 5 },
            { redstone.setOutput, "left", 1 }, { redstone.setAnalogOutput, "left", "5" }, { term.native().setCursorPos, "1", 1 } }) do
            local ok, problem = pcall(table.unpack(call))
            print(ok, (tostring(problem):gsub("^%d+$", "a number")))
        end
        term.native().write(5) os.shutdown()"#;
    assert_eq!(
        exec("game", &TestContext::new(), lua),
        "false\tbad argument #1 (string expected, got number)\n\
         false\tbad argument #1 (number expected, got string)\n\
         false\tbad argument #1 (string expected, got number)\n\
         false\tbad argument #1 (string expected, got number)\n\
         false\tbad argument #2 (boolean expected, got number)\n\
         false\tbad argument #2 (number expected, got string)\n\
         false\tbad argument #1 (number expected, got string)\n5\n"
    );
    assert_eq!(
        exec("craftos-pc", &TestContext::new(), lua),
        "true\tfalse\ntrue\ta number\ntrue\tnil\ntrue\tnil\ntrue\tnil\ntrue\tnil\ntrue\tnil\n5\n"
    );
}

#[test]
fn a_computer_that_goes_on_after_the_error_is_turned_off() {
    let context = TestContext::new();
    context.settings(r#"{"abortTimeout": 200, "default_computer_settings": "bios.use_multishell=false"}"#);
    let lua = "while true do pcall(function() while true do end end) end";
    let output =
        context.command().args(["--profile", "game", "--exec", lua]).output().expect("the program runs");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let problem = text(&output.stderr);
    assert!(problem.contains("it went on after `Too long without yielding`"), "{problem}");
}

#[test]
fn every_network_that_the_game_denies_is_denied() {
    let lua = "for _, host in ipairs({ '127.0.0.1', '127.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.1', '192.168.0.1',
            '169.254.169.254', '0.0.0.0', '100.64.0.1', '100.127.255.1', '100.100.100.200', '192.0.0.192', '224.0.0.1',
            '[::1]', '[::]', '[fe80::1]', '[fec0::1]', '[fc00::1]', '[fd00::1]', '[ff02::1]', '[::ffff:127.0.0.1]', 'localhost' }) do
            local ok, why = http.checkURL('http://' .. host .. ':1/')
            if ok or why ~= 'Domain not permitted' then print('check', host, ok, why) end
            ok, why = http.get('http://' .. host .. ':1/')
            if ok or why ~= 'Domain not permitted' then print('get', host, ok, why) end
            ok, why = http.websocket('ws://' .. host .. ':1/')
            if ok or why ~= 'Domain not permitted' then print('websocket', host, ok, why) end
        end os.shutdown()";
    assert_eq!(exec("game", &TestContext::new(), lua), "");
}

#[test]
fn the_reference_reaches_the_loopback_address() {
    let lua = "print(http.checkURL('http://127.0.0.1:1/')) os.shutdown()";
    assert_eq!(exec("craftos-pc", &TestContext::new(), lua), "true\tnil\n");
}

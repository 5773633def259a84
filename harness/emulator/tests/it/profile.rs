//! `--profile game`: a program that passes only in the emulator is caught.

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

#[test]
fn the_limits_are_those_of_the_game() {
    let context = TestContext::new();
    let lua = "for _, name in ipairs({ 'abortTimeout', 'http_max_websocket_message', 'http_max_websockets', 'computerSpaceLimit' }) do
        term.write(name .. ' ' .. config.get(name) .. '\\n') end term.write(config.get('http_blacklist')[1] .. '\\n') os.shutdown()";
    let output = context.bios(lua, &["--profile", "game"]);
    assert_eq!(
        text(&output.stdout),
        "abortTimeout 7000\nhttp_max_websocket_message 131072\nhttp_max_websockets 4\ncomputerSpaceLimit 1000000\n$private\n"
    );
}

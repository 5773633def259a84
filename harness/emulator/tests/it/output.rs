//! stdout carries exactly what was printed.

use crate::context::{TestContext, text};

#[test]
fn what_is_printed_goes_out_once_and_unwrapped() {
    let long = "word ".repeat(40);
    let context = TestContext::new();
    let printed = context
        .exec(&format!("print('{long}') print() print('a', 1, nil) write('x') write('y\\n') os.shutdown()"));
    assert_eq!(printed, format!("{long}\n\na\t1\tnil\nxy\n"));
}

#[test]
fn a_thousand_lines_scroll_by_without_loss() {
    let printed = TestContext::new().exec("for i = 1, 1000 do print('line ' .. i) end os.shutdown()");
    let lines: Vec<&str> = printed.lines().collect();
    let expected: Vec<String> = (1..=1000).map(|line| format!("line {line}")).collect();
    assert_eq!(lines, expected);
}

#[test]
fn every_byte_survives() {
    let lua = "local all = {} for i = 0, 255 do if i ~= 10 then all[#all + 1] = string.char(i) end end
        term.write(table.concat(all)) os.shutdown()";
    let output = TestContext::new().bios(lua, &[]);
    let expected: Vec<u8> = (0..=255_u8).filter(|&byte| byte != 10).chain([10]).collect();
    assert_eq!(output.stdout, expected);
}

#[test]
fn text_in_a_hidden_window_does_not_go_out() {
    let lua = "local hidden = window.create(term.current(), 1, 1, 20, 5, false)
        local old = term.redirect(hidden) print('hidden') term.redirect(old)
        local shown = window.create(term.current(), 1, 1, 20, 5, true)
        term.redirect(shown) print('in a window') term.redirect(old) print('plain') os.shutdown()";
    assert_eq!(TestContext::new().exec(lua), "in a window\nplain\n");
}

#[test]
fn raw_writes_with_line_ends_are_exact() {
    let lua = "for i = 1, 50 do term.write('raw ' .. i .. '\\n') term.setCursorPos(term.getCursorPos()) end os.shutdown()";
    let output = TestContext::new().bios(lua, &[]);
    let expected: Vec<String> = (1..=50).map(|line| format!("raw {line}")).collect();
    assert_eq!(text(&output.stdout), expected.join("\n") + "\n");
}

#[test]
fn lines_of_several_computers_stay_whole() {
    let context = TestContext::new();
    let lua = "for i = 1, 100 do term.write(('x'):rep(40)) term.setCursorPos(1, i % 2 + 1) end os.shutdown()";
    let output = context.bios(lua, &["-i", "0-7"]);
    let printed = text(&output.stdout);
    assert_eq!(printed.lines().count(), 800, "{printed}");
    assert!(printed.lines().all(|line| line == "x".repeat(40)));
}

#[cfg(unix)]
#[test]
fn what_a_busy_computer_printed_goes_out_when_the_process_is_ended() {
    use std::process::{Command, Stdio};
    let context = TestContext::new();
    let lua = "term.write('first') term.setCursorPos(1, 2) term.write('last') fs.makeDir('busy')
        local a, b = ('x'):rep(2e7) .. 'a', ('x'):rep(2e7) .. 'b' while true do local _ = a == b end";
    let rom = context.rom(lua);
    let mut command = Command::new(env!("CARGO_BIN_EXE_embedded-craftos"));
    command.arg("--headless").arg("-d").arg(context.path()).arg("--rom").arg(rom);
    let child = command.stdout(Stdio::piped()).spawn().expect("the program runs");
    while !context.path().join("computer/0/busy").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    Command::new("kill").arg("-TERM").arg(child.id().to_string()).status().expect("there is a kill");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(text(&output.stdout), "first\nlast\n");
}

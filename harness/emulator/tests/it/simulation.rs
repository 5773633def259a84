//! A simulated world: virtual time, and an order that the seed decides.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use embedded_craftos::{Emulator, Options, Standstill};

use crate::context::{TestContext, text};

/// A hundred computers: a token goes round, everybody answers whom it meets first, and all have timers and random numbers.
const HUNDRED: &str = r#"
    local id = os.getComputerID()
    periphemu.create("top", "modem") rednet.open("top")
    print(id, "up", os.clock() > 0, math.random(1000))
    if id == 0 then sleep(1) rednet.broadcast("hello", "greet") end
    local from = rednet.receive("greet")
    if id ~= 0 then print(id, "greeted by", from) rednet.send(from, id, "answer") sleep(math.random()) print(id, os.clock(), os.epoch("utc")) end
    os.shutdown()
"#;

/// What computer 0 does: it hears the first ten answers.
const ZERO: &str = r#"
    periphemu.create("top", "modem") rednet.open("top")
    print("0 up") sleep(1) rednet.broadcast("hello", "greet")
    for _ = 1, 10 do print("first answers", rednet.receive("answer")) end
    os.shutdown()
"#;

fn hundred(seed: &str) -> String {
    let context = TestContext::new();
    context.write("hundred.lua", &format!("if os.getComputerID() == 0 then {ZERO} else {HUNDRED} end"));
    let script = context.path().join("hundred.lua");
    let output = context
        .command()
        .args(["--simulate", "--seed", seed, "-i", "0-99", "--script"])
        .arg(script)
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    text(&output.stdout)
}

/// The lines that begin so, in order.
fn lines<'a>(printed: &'a str, start: &str) -> Vec<&'a str> {
    printed.lines().filter(|line| line.starts_with(start)).collect()
}

#[test]
fn a_hundred_computers_print_the_same_bytes_with_one_seed_and_others_with_another() {
    let first = hundred("1");
    assert_eq!(first, hundred("1"));
    let answers = lines(&first, "first answers");
    assert_eq!(answers.len(), 10, "{first}");
    let other = hundred("2");
    assert_ne!(answers, lines(&other, "first answers"), "the order of equals follows from the seed");
    // Whatever the order, the same things happen.
    let all = |printed: &str| -> BTreeSet<String> {
        lines(printed, "").into_iter().filter(|line| line.contains("greeted by")).map(str::to_owned).collect()
    };
    assert_eq!(all(&first).len(), 99, "{first}");
    assert_eq!(all(&first), all(&other));
}

/// A simulated world with a bios of the test's own, and what it prints.
fn world(context: &TestContext, bios: &str) -> (Emulator, Arc<Mutex<Vec<u8>>>) {
    let printed = Arc::new(Mutex::new(Vec::new()));
    let mut options = Options::new(context.path());
    options.rom = Some(context.rom(bios));
    options.output = Some(printed.clone());
    options.whole_lines = true;
    options.simulate = true;
    (Emulator::new(options).expect("the options are good"), printed)
}

fn printed(output: &Arc<Mutex<Vec<u8>>>) -> String {
    text(&output.lock().expect("nobody panicked"))
}

#[test]
fn every_clock_follows_virtual_time() {
    let context = TestContext::new();
    let bios = "local function sleep(time) local timer = os.startTimer(time) repeat local _, id = coroutine.yield('timer') until id == timer end
        local function show() term.write(table.concat({ math.floor(os.clock()), math.floor(os.epoch('utc') / 1000), math.floor(os.time() * 10),
            os.day(), os.date('%F %T') }, ' ') .. '\\n') end
        show() sleep(3600) show() sleep(86400 * 365) show() os.shutdown()";
    let (emulator, output) = world(&context, bios);
    let computer = emulator.boot(0).expect("it starts");
    let began = Instant::now();
    assert_eq!(computer.wait().code, 0);
    assert!(began.elapsed() < Duration::from_secs(3600), "nobody waits for virtual time");
    let shown = "0 1704067200 60 1 2024-01-01 00:00:00\n\
        3600 1704070800 60 4 2024-01-01 01:00:00\n\
        31539600 1735606800 60 26284 2024-12-31 01:00:00\n";
    assert_eq!(printed(&output), shown);
    assert_eq!(emulator.time().as_secs(), 31_539_600);
}

#[test]
fn files_tell_nothing_of_the_host() {
    let context = TestContext::new();
    context.write("computer/0/old", "12");
    context.write("computer/0/folder/x", "3");
    let bios = "local function sleep(time) local timer = os.startTimer(time) repeat local _, id = coroutine.yield('timer') until id == timer end
        local function show(path)
            local found = fs.attributes(path)
            assert(found.modification == found.modified)
            term.write(path .. ' ' .. math.floor(found.created / 1000) - 1704067200 .. ' ' .. math.floor(found.modified / 1000) - 1704067200 .. '\\n')
        end
        local function write(path, mode) local file = fs.open(path, mode) file.write('12345') return file end
        sleep(100) local open = write('new', 'w') show('new')
        sleep(100) open.flush() show('new') sleep(100) show('new') open.close() fs.move('new', 'folder/moved') fs.copy('old', 'copied')
        for _, path in ipairs({ 'old', 'folder', 'folder/x', 'folder/moved', 'copied' }) do show(path) end
        sleep(100) fs.open('old', 'a').close() show('old') write('old', 'a').close() show('old')
        term.write(('%d %d\\n'):format(fs.getCapacity('/'), fs.getCapacity('/') - fs.getFreeSpace('/'))) os.shutdown()";
    let (emulator, output) = world(&context, bios);
    assert_eq!(emulator.boot(0).expect("it starts").wait().code, 0);
    let shown = "new 100 100\nnew 200 200\nnew 200 200\nold 0 0\nfolder 0 0\nfolder/x 0 0\nfolder/moved 200 200\ncopied 300 300\n\
        old 0 0\nold 400 400\n1099511627776 15\n";
    assert_eq!(printed(&output), shown);
}

#[test]
fn a_read_only_folder_stays_as_it_was_found() {
    let script = r#"
        local function read(path) local f = fs.open(path, "r") local all = f.readAll() f.close() return all end
        print(dofile("/r/f.lua"), read("/r/f.lua"), fs.exists("/r/g.lua"))
        for name, all in pairs({ ["f.lua"] = "return 'edited'", ["g.lua"] = "" }) do local f = fs.open("/w/" .. name, "w") f.write(all) f.close() end
        print(dofile("/w/f.lua"), dofile("/r/f.lua"), read("/r/f.lua"), fs.getSize("/r/f.lua"), fs.exists("/r/g.lua"))
        os.shutdown()"#;
    let run = |flags: &[&str]| {
        let context = TestContext::new();
        context.write("shared/f.lua", "return 1");
        context.write("script.lua", script);
        let shared = context.path().join("shared");
        let mut command = context.command();
        command.args(flags).arg("--mount-ro").arg(format!("r={}", shared.display()));
        command.arg("--mount-rw").arg(format!("w={}", shared.display()));
        let output = command.arg("--script").arg(context.path().join("script.lua")).output();
        text(&output.expect("the program runs").stdout)
    };
    let simulated = run(&["--simulate"]);
    let expected = "1\treturn 1\tfalse\nedited\t1\treturn 1\t8\tfalse\n";
    assert!(simulated.ends_with(expected), "whatever is edited while it lasts: {simulated}");
    let real = run(&[]);
    assert!(real.ends_with("edited\tedited\treturn 'edited'\t15\ttrue\n"), "{real}");
}

#[test]
fn a_computer_that_never_yields_is_aborted_by_virtual_time_and_holds_up_nobody() {
    let context = TestContext::new();
    context.settings(r#"{"abortTimeout": 1000}"#);
    let bios = "if os.getComputerID() == 0 then
            local _, message = pcall(function() while true do end end)
            term.write('aborted ' .. math.floor(os.clock() * 10) .. ' ' .. message .. '\\n') os.shutdown()
        end
        for i = 1, 3 do os.startTimer(0.4) coroutine.yield('timer') term.write('tick ' .. i .. '\\n') end os.shutdown()";
    let (emulator, output) = world(&context, bios);
    emulator.boot(0).expect("it starts");
    emulator.boot(1).expect("it starts");
    assert_eq!(emulator.simulate(None), Standstill::Done);
    assert_eq!(
        printed(&output),
        "tick 1\ntick 2\naborted 10 bios.lua:2: Too long without yielding\ntick 3\n"
    );
}

#[test]
fn what_was_sent_is_seen_at_its_time_and_not_before() {
    // Computer 0 runs ahead within its slice, and sends in the midst of it; 1 wakes before that time and must not see it.
    let context = TestContext::new();
    let bios = "periphemu.create('top', 'modem') peripheral.call('top', 'open', 1)
        if os.getComputerID() == 0 then
            os.startTimer(0.1) coroutine.yield('timer')
            for _ = 1, 3000 do end peripheral.call('top', 'transmit', 1, 1, 'sent')
            os.shutdown()
        end
        os.startTimer(0.1001) os.startTimer(0.2)
        local seen = 0 while seen < 3 do
            local event = coroutine.yield() if event ~= 'peripheral' then seen = seen + 1 term.write(event .. '\\n') end
        end os.shutdown()";
    let (emulator, output) = world(&context, bios);
    emulator.boot(0).expect("it starts");
    emulator.boot(1).expect("it starts");
    assert_eq!(emulator.simulate(None), Standstill::Done);
    assert_eq!(printed(&output), "timer\nmodem_message\ntimer\n");
}

#[test]
fn a_simulation_stops_when_nothing_more_can_happen_or_its_time_is_over() {
    let context = TestContext::new();
    let (emulator, _) = world(
        &context,
        "os.startTimer(5) coroutine.yield('timer') term.write('five') coroutine.yield('never')",
    );
    let computer = emulator.boot(0).expect("it starts");
    assert_eq!(emulator.simulate(Some(Duration::from_secs(2))), Standstill::TimeOver);
    assert_eq!((emulator.time(), computer.screen_text()), (Duration::from_secs(2), String::new()));
    assert_eq!(emulator.simulate(None), Standstill::Forever);
    assert_eq!((emulator.time().as_secs(), computer.screen_text()), (5, "five\n".to_owned()));
    computer.queue_event("never", []);
    assert_eq!(emulator.simulate(None), Standstill::Done);
    assert!(!computer.is_on());
}

#[test]
fn fifty_computers_on_rednet_have_an_hour_in_seconds() {
    let context = TestContext::new();
    let lua = r#"periphemu.create("top", "modem") rednet.open("top")
        local id, heard = os.getComputerID(), 0
        local function speak() for round = 1, 12 do sleep(300) rednet.send((id + 1) % 50, { round = round }) end sleep(1) end
        local function listen() while true do rednet.receive() heard = heard + 1 end end
        parallel.waitForAny(speak, listen) print(id, "heard", heard) os.shutdown()"#;
    let output = context
        .command()
        .args(["--simulate", "-i", "0-49", "--exec", lua])
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    let printed = text(&output.stdout);
    let heard = printed.lines().filter(|line| line.ends_with("heard\t12")).count();
    assert_eq!(heard, 50, "{printed}");
}

//! What goes wrong in a world: each dial, and plans that bring it about again.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use embedded_craftos::{Emulator, FaultKind, Faults, Options, Standstill};

use crate::context::{TestContext, text};

/// A simulated world with a bios of the test's own, in which that goes wrong.
struct World {
    context: TestContext,
    emulator: Emulator,
    output: Arc<Mutex<Vec<u8>>>,
}

/// What every bios of these tests has.
const HELPERS: &str = "local function say(...) local words = table.pack(...)
        for i = 1, words.n do words[i] = tostring(words[i]) end term.write(table.concat(words, ' ') .. '\\n') end
    local function sleep(time) local timer = os.startTimer(time) repeat local _, id = coroutine.yield('timer') until id == timer end ";

impl World {
    fn new(bios: &str, faults: &str) -> Self {
        let context = TestContext::new();
        context.settings(r#"{"standardsMode": true, "computerSpaceLimit": 1000000}"#);
        let output = Arc::new(Mutex::new(Vec::new()));
        let mut options = Options::new(context.path());
        options.rom = Some(context.rom(&format!("{HELPERS}{bios}")));
        options.output = Some(output.clone());
        options.whole_lines = true;
        options.simulate = true;
        options.faults = Some(toml::from_str(faults).expect("the dials are good"));
        Self { emulator: Emulator::new(options).expect("the options are good"), context, output }
    }

    /// Boots so many computers, runs them to the end, and tells what they printed.
    fn run(&self, computers: u32) -> String {
        for id in 0..computers {
            self.emulator.boot(id).expect("it starts");
        }
        assert_eq!(self.emulator.simulate(Some(Duration::from_secs(3600))), Standstill::Done);
        text(&self.output.lock().expect("nobody panicked"))
    }

    fn kinds(&self) -> Vec<FaultKind> {
        self.emulator.faults().into_iter().map(|injected| injected.fault.fault).collect()
    }
}

/// Computer 0 sends ten messages, one a second; 1 says what it hears and when, until nothing comes for a minute.
const RADIO: &str = "periphemu.create('top', 'modem') peripheral.call('top', 'open', 1)
    if os.getComputerID() == 0 then
        for i = 1, 10 do sleep(1) peripheral.call('top', 'transmit', 1, 1, i) end os.shutdown()
    end
    local last = os.startTimer(60)
    while true do
        local event, _, _, _, message, distance = coroutine.yield()
        if event == 'modem_message' then say(message, math.floor(os.clock() * 10) / 10, distance)
        elseif event == 'timer' then os.shutdown() end
    end";

#[test]
fn messages_are_lost_doubled_and_delayed_as_a_plan_says() {
    let plan = r#"plan = [
        { fault = "message-lost", computer = 1, number = 2 },
        { fault = "message-doubled", computer = 1, number = 3, seconds = 0.5 },
        { fault = "message-delayed", computer = 1, number = 5, seconds = 1.5 },
        { fault = "message-lost", computer = 7, number = 1 },
    ]"#;
    let world = World::new(RADIO, plan);
    let heard = world.run(2);
    let expected = "1 1 0\n3 3 0\n3 3.5 0\n4 4 0\n6 6 0\n5 6.5 0\n7 7 0\n8 8 0\n9 9 0\n10 10 0\n";
    assert_eq!(heard, expected);
    let happened = [FaultKind::MessageLost, FaultKind::MessageDoubled, FaultKind::MessageDelayed];
    assert_eq!(world.kinds(), happened, "nobody listens on computer 7");
}

#[test]
fn half_of_all_messages_are_lost_by_the_seed() {
    let world = World::new(RADIO, "modem = { lost = 0.5 }");
    let heard = world.run(2).lines().count();
    assert_eq!(heard + world.kinds().len(), 10);
    assert!((1..10).contains(&heard), "{heard} of 10 were heard");
}

#[test]
fn messages_take_longer_from_afar() {
    let far = "[modem]\nseconds_per_block = 0.01\n[modem.positions]\n0 = [0, 0, 0]\n1 = [30, 0, 40]";
    let heard = World::new(RADIO, far).run(2);
    assert!(heard.starts_with("1 1.5 50\n2 2.5 50\n"), "{heard}");
}

#[test]
fn a_disk_is_full_from_a_moment_on_or_for_one_write() {
    let bios = "local file = fs.open('log', 'w')
        for i = 1, 4 do sleep(1) say(pcall(file.write, 'x')) end
        say(fs.getFreeSpace('/') == 0, pcall(fs.copy, 'log', 'copy')) file.close() os.shutdown()";
    let world = World::new(bios, "disk = { full_from = 2.5 }");
    let full = "true\ntrue\nfalse Out of space\nfalse Out of space\ntrue false /log: Out of space\n";
    assert_eq!(world.run(1), full);
    let log = std::fs::read(world.context.path().join("computer/0/log")).expect("it was written");
    assert_eq!(log, b"xx");
    let one = World::new(bios, "plan = [{ fault = \"write-refused\", computer = 0, number = 2 }]");
    assert_eq!(one.run(1), "true\nfalse Out of space\ntrue\ntrue\nfalse true\n");
}

#[test]
fn requests_and_sockets_are_refused() {
    let context = TestContext::new();
    context.settings(r#"{"http_blacklist": ["*"]}"#);
    context.write("faults.toml", "plan = [{ fault = \"request-refused\", computer = 0, number = 1 }, { fault = \"request-refused\", computer = 0, number = 4 }]");
    let lua = "for _ = 1, 2 do print((select(2, http.get('http://127.0.0.1:9/')))) end
        for _ = 1, 2 do print((select(2, http.websocket('ws://127.0.0.1:9/')))) end os.shutdown()";
    let mut command = context.command();
    let output =
        command.arg("--faults").arg(context.path().join("faults.toml")).args(["--exec", lua]).output();
    let printed = text(&output.expect("the program runs").stdout);
    let expected = "Connection refused\nDomain not permitted\nDomain not permitted\nConnection refused\n";
    assert!(printed.ends_with(expected), "{printed}");
}

#[test]
fn the_calendar_jumps_and_the_clock_does_not() {
    let bios = "local before = os.epoch('utc')
        for _ = 1, 3 do sleep(10) say(math.floor(os.clock()), math.floor((os.epoch('utc') - before) / 1000), math.floor(os.time() * 10)) end
        os.shutdown()";
    let plan = r#"plan = [
        { fault = "clock-jumped", computer = 0, number = 2, seconds = 3600 },
        { fault = "clock-jumped", computer = 0, number = 3, seconds = -4000 },
    ]"#;
    // Hours of the game are 50 seconds: 72 hours on are the same time of day, 8 back are not.
    assert_eq!(World::new(bios, plan).run(1), "10 10 62\n20 3620 64\n30 -370 226\n");
}

#[test]
fn a_frozen_computer_has_its_events_when_it_goes_on() {
    let bios = "local timers = { os.startTimer(1), os.startTimer(2), os.startTimer(40) }
        for _ = 1, 3 do local _, id = coroutine.yield('timer') say(id == table.remove(timers, 1), math.floor(os.clock())) end os.shutdown()";
    let plan = "plan = [{ fault = \"frozen\", computer = 0, number = 1, seconds = 30 }]";
    assert_eq!(World::new(bios, plan).run(1), "true 30\ntrue 30\ntrue 40\n");
}

/// Writes a file that it does not flush, and waits; the second boot says what is left of it.
const WRITER: &str = "say('boot', fs.exists('kept') and fs.getSize('kept'), fs.exists('kept') and fs.getSize('flushed'), math.floor(os.epoch('utc') / 1000) % 100)
    if fs.exists('kept') then os.shutdown() end
    local kept, flushed = fs.open('kept', 'w'), fs.open('flushed', 'w')
    kept.write('hello') flushed.write('abc') flushed.flush() flushed.write('def')
    sleep(1) say('not reached') os.shutdown()";

#[test]
fn a_computer_that_is_killed_loses_what_was_not_flushed() {
    let killed = World::new(WRITER, "plan = [{ fault = \"killed\", computer = 0, number = 1, seconds = 5 }]");
    assert_eq!(killed.run(1), "boot false false 0\nboot 0 3 5\n");
    let rebooted = World::new(WRITER, "plan = [{ fault = \"rebooted\", computer = 0, number = 1 }]");
    assert_eq!(rebooted.run(1), "boot false false 0\nboot 5 6 0\n");
}

#[test]
fn a_disk_with_a_limit_does_not_flush_what_programs_write() {
    let bios = "if fs.exists('log') then say(fs.getSize('log')) os.shutdown() end
        local log = fs.open('log', 'w') for _ = 1, 5 do log.write('x') sleep(1) end os.shutdown()";
    let world = World::new(bios, "plan = [{ fault = \"killed\", computer = 0, number = 4, seconds = 1 }]");
    assert_eq!(world.run(1), "0\n");
    // The disk is nearly full: what is written has to be known.
    let full = "local log = fs.open('log', 'w') local ok, problem
        repeat ok, problem = pcall(log.write, ('x'):rep(1000)) until not ok say(problem, fs.getSize('log') > 990000) os.shutdown()";
    let context = TestContext::new();
    let output = context.bios(&format!("{HELPERS}{full}"), &["--profile", "game"]);
    assert_eq!(text(&output.stdout), "Out of space true\n");
}

#[test]
fn a_power_cut_loses_what_was_not_flushed_on_every_computer() {
    let world = World::new(WRITER, "");
    world.emulator.boot(0).expect("it starts");
    world.emulator.boot(1).expect("it starts");
    assert_eq!(world.emulator.simulate(Some(Duration::from_millis(500))), Standstill::TimeOver);
    world.emulator.cut_power();
    let read =
        |name: &str| std::fs::read(world.context.path().join("computer").join(name)).expect("it is there");
    assert_eq!(
        [read("0/kept"), read("1/kept"), read("0/flushed")],
        [&b""[..], b"", b"abc"].map(<[u8]>::to_vec)
    );
}

#[test]
fn a_computer_that_is_killed_for_good_stays_off() {
    let world = World::new(WRITER, "plan = [{ fault = \"killed\", computer = 0, number = 1 }]");
    assert_eq!(world.run(1), "boot false false 0\n");
    let computer = &world.emulator.computers()[0];
    assert!(!computer.is_on());
    assert_eq!(computer.wait().error.as_deref(), Some("a fault killed it"));
}

#[test]
fn one_seed_gives_the_same_bytes_and_so_does_its_plan() {
    let context = TestContext::new();
    let dials = "[modem]\nlost = 0.2\ndoubled = 0.2\ndelayed = 0.3\n[disk]\nfull = 0.1\n[clock]\njumps = 0.1\n\
        [power]\nfrozen = 0.05\nkilled = 0.02\nrebooted = 0.02\n";
    context.write("faults.toml", dials);
    let lua = r#"periphemu.create("top", "modem") rednet.open("top")
        local id, heard, log = os.getComputerID(), 0, fs.open("log", "a")
        local function speak() for round = 1, 20 do sleep(1) rednet.send((id + 1) % 4, round) end end
        local function listen() while true do print(id, os.clock(), os.epoch("utc"), rednet.receive()) pcall(log.write, "x") end end
        parallel.waitForAny(speak, listen) os.shutdown()"#;
    let run = |faults: &str, seed: &str, plan: &str| {
        let computers = TestContext::new();
        let mut command = computers.command();
        command.args(["--simulate", "--seed", seed, "-i", "0-3", "--until", "200", "--exec", lua]);
        command.arg("--faults").arg(context.path().join(faults));
        command.arg("--fault-plan").arg(context.path().join(format!("{plan}.toml")));
        text(&command.output().expect("the program runs").stdout)
    };
    let first = run("faults.toml", "7", "first");
    let read = |name: &str| std::fs::read_to_string(context.path().join(name)).expect("it was written");
    let plan: Faults = toml::from_str(&read("first.toml")).expect("it is a plan");
    assert!(plan.plan.is_some_and(|plan| plan.len() > 20), "{}", read("first.toml"));
    assert_eq!(first, run("faults.toml", "7", "again"));
    assert_ne!(first, run("faults.toml", "8", "other"));
    assert_eq!(first, run("first.toml", "7", "planned"), "the plan alone brings about the same");
    assert_eq!(read("first.toml"), read("planned.toml"));
}

#[test]
fn dials_that_cannot_be_end_the_program_before_it_begins() {
    let context = TestContext::new();
    context.write("faults.toml", "modem = { lsot = 1 }");
    let output = context.command().arg("--faults").arg(context.path().join("faults.toml")).output();
    let output = output.expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    let error = text(&output.stderr);
    assert!(error.contains("faults.toml") && error.contains("unknown field `lsot`"), "{error}");
}

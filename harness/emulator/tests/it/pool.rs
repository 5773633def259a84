//! Computers share a few threads, and none of them holds up another.

use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use embedded_craftos::{Computer, Emulator, Options};

use crate::context::{TIMEOUT, TestContext};

/// More than there are threads, on any machine.
const CROWD: u32 = 40;

fn emulator(context: &TestContext, bios: &str, output: Option<Arc<Mutex<Gate>>>) -> Emulator {
    let mut options = Options::new(context.path());
    options.rom = Some(context.rom(bios));
    options.output = output.map(|gate| gate as _);
    Emulator::new(options).expect("the options are good")
}

fn boot(emulator: &Emulator, ids: std::ops::Range<u32>) -> Vec<Computer> {
    ids.map(|id| emulator.boot(id).expect("it starts")).collect()
}

fn code_of(computer: &Computer) -> i32 {
    let exit = computer.wait_timeout(TIMEOUT);
    exit.unwrap_or_else(|| panic!("computer {} did not end in {TIMEOUT:?}", computer.id())).code
}

#[test]
fn computers_that_never_yield_starve_nobody() {
    let context = TestContext::new();
    let bios = "if os.getComputerID() < 40 then while true do pcall(function() while true do end end) end end
        for _ = 1, 20 do local timer = os.startTimer(0.001) repeat local _, id = coroutine.yield('timer') until id == timer end
        os.shutdown(5)";
    let emulator = emulator(&context, bios, None);
    let busy = boot(&emulator, 0..CROWD);
    let other = emulator.boot(99).expect("it starts");
    assert_eq!(code_of(&other), 5);
    assert!(busy.iter().all(Computer::is_on));
    emulator.shut_down();
    assert!(emulator.wait_timeout(TIMEOUT));
}

/// An output that takes nothing until it is opened.
#[derive(Clone, Default)]
struct Gate {
    state: Arc<(Mutex<(bool, usize)>, Condvar)>,
}

impl Gate {
    fn open(&self) {
        self.state.0.lock().expect("nobody panicked").0 = true;
        self.state.1.notify_all();
    }

    fn written(&self) -> usize {
        self.state.0.lock().expect("nobody panicked").1
    }
}

impl io::Write for Gate {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let state = self.state.0.lock().expect("nobody panicked");
        let mut state = self.state.1.wait_while(state, |state| !state.0).expect("nobody panicked");
        state.1 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn computers_that_wait_for_the_host_hold_up_nobody() {
    let context = TestContext::new();
    let bios = "if os.getComputerID() < 40 then fs.makeDir('up') term.write('held') end
        os.startTimer(0) coroutine.yield('timer') os.shutdown(5)";
    let gate = Gate::default();
    let emulator = emulator(&context, bios, Some(Arc::new(Mutex::new(gate.clone()))));
    let held = boot(&emulator, 0..CROWD);
    let began = Instant::now();
    let is_up = |id: u32| context.path().join(format!("computer/{id}/up")).exists();
    while !(0..CROWD).all(is_up) {
        assert!(began.elapsed() < TIMEOUT, "those that have not begun wait for those that print");
        std::thread::sleep(Duration::from_millis(5));
    }
    let other = emulator.boot(99).expect("it starts");
    assert_eq!(code_of(&other), 5);
    assert!(held.iter().all(Computer::is_on));
    gate.open();
    assert!(held.iter().all(|computer| code_of(computer) == 5));
    assert_eq!(gate.written(), held.len() * "held\n".len());
}

#[cfg(target_os = "linux")]
#[test]
fn hundreds_of_computers_run_on_a_few_threads() {
    use std::process::{Command, Stdio};
    let context = TestContext::new();
    let rom = context.rom("fs.open('/ready', 'w').close() while true do coroutine.yield() end");
    let mut command = Command::new(env!("CARGO_BIN_EXE_embedded-craftos"));
    command.arg("-d").arg(context.path()).arg("--rom").arg(rom).args(["-i", "0-299"]);
    let mut child = command.stdout(Stdio::null()).spawn().expect("the program runs");
    for id in 0..300 {
        let ready = context.path().join(format!("computer/{id}/ready"));
        while !ready.exists() {
            assert!(child.try_wait().expect("it can be asked").is_none(), "the program ended");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    let threads = std::fs::read_dir(format!("/proc/{}/task", child.id())).expect("it runs").count();
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert!(threads < 100, "{threads} threads");
}

//! A computer that does not yield is stopped soon after its time, whatever it is busy with.

use std::time::Duration;

use embedded_craftos::{Emulator, Options};

use crate::context::{TIMEOUT, TestContext, text};

/// What is tested here takes long in a few instructions, and the clock is looked at once in many thousands: a chunk that
/// counts more rounds than this was stopped late, as the work of its natives was not counted.
const MOST_ROUNDS: u32 = 900;

/// How often it is looked whether a computer is busy.
const PACE: Duration = Duration::from_millis(5);

/// No chunk here may run into the limit of memory before its time is up, however quick the machine is: each keeps less than
/// a quarter of this.
const MEMORY: usize = 1024 * 1024 * 1024;

/// Runs each chunk for longer than its time, and returns the message that ended it. A chunk that goes on in rounds counts
/// them with `rounds = rounds + 1`.
fn stopped(chunks: &[&str]) -> Vec<String> {
    let context = TestContext::new();
    context.settings(&format!(r#"{{"abortTimeout": 300, "memoryLimit": {MEMORY}}}"#));
    let list: Vec<String> = chunks.iter().map(|chunk| format!("function() {chunk} end,\n")).collect();
    let bios = format!(
        "local rounds
        local chunks = {{ {} }}
        local function pause() local t = os.startTimer(0) repeat local _, id = coroutine.yield('timer') until id == t end
        for index, chunk in ipairs(chunks) do
            pause()
            rounds = 0
            local ok, why = pcall(chunk)
            pause()
            local late = rounds > {MOST_ROUNDS} and ' after ' .. rounds .. ' rounds' or ''
            term.write(tostring(why):match('[^:]*$'):match('%S.*') .. late .. '\\n')
            collectgarbage()
        end
        os.shutdown()",
        list.concat()
    );
    let output = context.bios(&bios, &[]);
    assert!(output.status.success(), "{output:?}");
    text(&output.stdout).lines().map(str::to_owned).collect()
}

fn assert_stopped(chunks: &[&str]) {
    let found = stopped(chunks);
    assert_eq!(found, vec!["Too long without yielding"; chunks.len()], "{chunks:#?}");
}

#[test]
fn functions_that_go_through_long_texts_are_stopped() {
    assert_stopped(&[
        "local s = ('x'):rep(2e7) while true do rounds = rounds + 1 s:lower() end",
        "local s = ('x'):rep(2e7) while true do rounds = rounds + 1 s:reverse() end",
        "local s = ('x'):rep(8e7) while true do rounds = rounds + 1 s:find('y', 1, true) end",
        "while true do rounds = rounds + 1 ('x'):rep(2e7) end",
        "local s = (' '):rep(2e7) while true do rounds = rounds + 1 tonumber(s) end",
        "local s = ('x'):rep(2e7) while true do rounds = rounds + 1 ('%s'):format(s) end",
        "local set = '[' .. ('a'):rep(2e7) .. 'x]*' while true do rounds = rounds + 1 ('x'):rep(1024):match(set) end",
        "local set = '[' .. ('a'):rep(2e7) .. ']' while true do rounds = rounds + 1 ('x'):rep(1024):find(set) end",
    ]);
}

#[test]
fn instructions_that_go_through_long_texts_are_stopped() {
    assert_stopped(&[
        "local a, b = ('x'):rep(3e7) .. 'a', ('x'):rep(3e7) .. 'b' while true do rounds = rounds + 1 local _ = a < b end",
        "local a = ('x'):rep(2e7) while true do rounds = rounds + 1 local _ = a .. 'y' end",
        "local a = (' '):rep(2e7) .. '1' while true do rounds = rounds + 1 local _ = a + 1 end",
    ]);
}

#[test]
fn functions_of_the_computer_that_are_given_long_texts_are_stopped() {
    assert_stopped(&[
        "local s = ('x'):rep(2e7) while true do rounds = rounds + 1 fs.combine(s) end",
        "local s = ('x'):rep(2e7) while true do rounds = rounds + 1 fs.exists(s) end",
        "local s = ('x'):rep(2e7) while true do rounds = rounds + 1 peripheral.isPresent(s) end",
    ]);
}

#[test]
fn lists_of_long_texts_are_sorted_until_the_time_is_up() {
    assert_stopped(&[
        "local a, b = ('x'):rep(5e7), ('x'):rep(5e7) local t = {} for i = 1, 20000 do t[i] = i % 2 == 0 and a or b end table.sort(t)",
        "local t = {} for i = 1, 300 do t[i] = ('\\0'):rep(3e5) .. i end while true do rounds = rounds + 1 table.sort(t) end",
    ]);
}

#[test]
fn functions_in_c_that_call_or_count_without_end_are_stopped() {
    assert_stopped(&[
        "while true do rounds = rounds + 1 coroutine.wrap(string.rep)('x', 2e7) end",
        "local t = setmetatable({ 1, 2 }, { __len = function() return 2 ^ 31 - 2 end }) table.insert(t, 1, 0)",
        "local t = setmetatable({ 1, 2 }, { __len = function() return 2 ^ 31 - 2 end }) table.remove(t, 1)",
        "os.setComputerLabel(' ') local _, why = load(os.getComputerLabel) error(why, 0)",
        "while true do rounds = rounds + 1 ('x'):rep(8000):gsub('(.)()', string.rep) end",
        "local t = {} for i = 1, 32000 do t[i] = '::l' .. i .. ':: goto l' .. i end
        t = table.concat(t, ' ') while true do rounds = rounds + 1 load(t) end",
        "local s = ('x'):rep(1000) while true do rounds = rounds + 1 s:find('[' .. ('a'):rep(1e7) .. ']') end",
    ]);
}

#[test]
fn a_hook_that_does_not_end_is_stopped_and_stays_set() {
    assert_stopped(&[
        "local first = true
        debug.sethook(function() if first then first = false while true do end end end, 'l')
        local x = 1",
        "if not debug.gethook() then error('the hook is gone') end
        local inner = 0
        debug.sethook()
        -- One that a hook sets counts from the end of that on.
        debug.sethook(function() debug.sethook(function() inner = inner + 1 end, 'l') end, 'l')
        local x = 1
        x = 2
        local hook, mask = debug.gethook()
        debug.sethook()
        if inner < 2 or not hook or mask ~= 'l' then error('the hook saw ' .. inner) end
        while true do end",
    ]);
}

#[test]
fn a_computer_that_compares_long_texts_can_be_turned_off() {
    let context = TestContext::new();
    let mut options = Options::new(context.path());
    options.rom = Some(context.rom(
        "local a, b = ('x'):rep(3e7) .. 'a', ('x'):rep(3e7) .. 'b' fs.makeDir('busy') while true do local _ = a < b end",
    ));
    let emulator = Emulator::new(options).expect("the options are good");
    let computer = emulator.boot(0).expect("it starts");
    while !context.path().join("computer/0/busy").exists() {
        assert!(computer.is_on(), "it was busy until it was turned off");
        std::thread::sleep(PACE);
    }
    computer.shut_down();
    assert!(computer.wait_timeout(TIMEOUT).is_some(), "it stops");
}

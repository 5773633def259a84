//! Faults: the project's own bridge and program hold what they promise. Wrong ones are in `wrong_sides`.

use std::path::PathBuf;
use std::sync::Arc;

use craftos_harness::faults::{Invariant, Plan, Profile, When, Wrong, shrink};
use craftos_harness::places::Places;
use craftos_harness::report::Shard;
use craftos_harness::scenario::{self, Scenario};
use craftos_harness::simulate::{self, Once, One, Seeds, simulate};
use craftos_harness::suite::{Outcome, Suite};
use rstest::rstest;

use crate::context::{Fixtures, places};

/// Seeds within which what is wrong has to be found.
const SEEDS: u64 = 1000;

/// What is left of a plan that was shrunk.
const EVENTS: usize = 10;

const PAIR: &str = "about = \"Two computers.\"\n[[computers]]\nid = 12\n[[computers]]\nid = 13\n";

/// A pair of computers, with what is wrong about them.
pub struct Pair {
    scenario: Arc<Scenario>,
    places: Places,
    profile: Profile,
    make_wrong: Box<dyn Fn() -> Wrong>,
    _fixtures: Fixtures,
}

impl Pair {
    /// A pair that should hold what is promised.
    fn right(profile: Profile) -> Self {
        Self::new(profile, None, Wrong::default)
    }

    /// A pair with a program of its own, and with what is made wrong anew for each play.
    pub fn new(profile: Profile, program: Option<PathBuf>, make_wrong: impl Fn() -> Wrong + 'static) -> Self {
        Self::of(PAIR, profile, program, make_wrong)
    }

    /// The same of a scenario, whose computers are 12 and 13.
    fn of(
        scenario: &str,
        profile: Profile,
        program: Option<PathBuf>,
        make_wrong: impl Fn() -> Wrong + 'static,
    ) -> Self {
        let fixtures = Fixtures::with("pair", scenario);
        let program = program.unwrap_or_else(|| places().program);
        let places = Places::find(Some(program), Some(fixtures.path("")));
        let scenario = Arc::new(scenario::all(&places, &[]).expect("it is ours").remove(0));
        Self { scenario, places, profile, make_wrong: Box::new(make_wrong), _fixtures: fixtures }
    }

    fn plan(&self, seed: u64) -> Plan {
        Plan::draw(self.profile, seed, &["12".to_owned(), "13".to_owned()])
    }

    fn play(&self, seed: u64, plan: &Plan) -> Once {
        let mut suite = Suite::new(Vec::new(), Vec::new(), self.places.clone(), 1);
        suite.wrong = (self.make_wrong)();
        let plan = Some(Arc::new(plan.clone()));
        let one = One { scenario: self.scenario.clone(), seed, proves: false, plan };
        simulate(&suite, &one).expect("a runtime")
    }

    /// Why a plan fails; nothing where it holds.
    fn why(&self, seed: u64, plan: &Plan) -> Option<String> {
        match self.play(seed, plan).report.outcome {
            Outcome::Passed => None,
            Outcome::Failed(why) => Some(why),
            other => panic!("seed {seed}: {other:?}"),
        }
    }

    /// Finds what is wrong, and the least that shows it.
    pub fn found(&self, invariant: &str) {
        let found = (1..=SEEDS).find(|seed| {
            let why = self.why(*seed, &self.plan(*seed));
            why.is_some_and(|why| why.contains(invariant))
        });
        let seed = found.unwrap_or_else(|| panic!("no seed of {SEEDS} violates `{invariant}`"));
        let fails = |plan: &Plan| self.why(seed, plan).is_some_and(|why| why.contains(invariant));
        let least = shrink(&self.plan(seed), fails);
        assert!(least.len() <= EVENTS, "{least:?}");
        assert!(fails(&least), "{least:?}");
        for place in 0..least.len() {
            let mut smaller = least.clone();
            if place < least.faults.len() {
                smaller.faults.remove(place);
            } else {
                smaller.calls.remove(place - least.faults.len());
            }
            assert!(!fails(&smaller), "it fails without {place} as well: {least:?}");
        }
    }
}

#[test]
fn the_project_s_own_bridge_and_program_hold_what_they_promise() {
    let pair = Pair::right(Profile::All);
    for seed in 1..=6 {
        let plan = pair.plan(seed);
        assert_eq!(pair.why(seed, &plan), None, "seed {seed}: {plan:?}");
    }
}

/// A plan that is written down.
fn written(text: &str) -> Plan {
    toml::from_str(text).expect("a plan")
}

/// Each failed before what it found was mended.
#[test]
fn what_seeds_have_found_in_this_project_holds() {
    let places = Places::find(Some(places().program), Some(places().fixtures.join("found")));
    let scenarios: Vec<_> =
        scenario::all(&places, &[]).expect("they are ours").into_iter().map(Arc::new).collect();
    let count = scenarios.len();
    let suite = Suite::new(Vec::new(), Vec::new(), places, 1);
    let plan = simulate::Plan {
        scenarios,
        seeds: Seeds { first: 1, end: Some(4) },
        time: None,
        shard: Shard { index: 1, of: 1 },
        // One of them was another play each time.
        repeat: 10,
        jobs: 2,
        stop: tokio_util::sync::CancellationToken::new(),
    };
    let all = plan.play(&suite, |played| {
        assert!(played.plan.is_some(), "{} has no faults", played.scenario.name);
        assert_eq!(played.outcome, Outcome::Passed, "{}, seed {}", played.scenario.name, played.seed);
    });
    assert_eq!(all.passed, 3 * count);
}

const CALL: &str = r#"
    [[calls]]
    at_ms = 500
    client = 0
    computer = "12"
    sleep_ms = 1000
    timeout_ms = 5000
"#;

/// Something that is called on computer 12 while something else is the case.
fn during(fault: &str) -> Plan {
    written(&format!("{CALL}\n[[faults]]\ncomputer = \"12\"\n{fault}"))
}

/// What users want to hold, in Lua.
fn wanting(lua: &str, when: When, plan: Plan) -> Plan {
    let (about, lua) = ("it is well".to_owned(), lua.to_owned());
    let invariant = Invariant { about, computer: Some("12".to_owned()), lua, when };
    Plan { invariants: vec![invariant], ..plan }
}

#[rstest]
#[case::holds("return true", When::Always, None)]
#[case::says_why("return false, 'it burns'", When::Always, Some("violated: it is well: on 12: it burns"))]
#[case::raises("error('boom', 0)", When::After, Some("on 12: boom"))]
#[case::waits("sleep(1) return true", When::After, Some("on 12: it waits, which it must not"))]
#[case::is_no_lua("return return", When::After, Some("on 12: invariant:1:"))]
#[case::says_nothing("", When::After, Some("on 12: it returned nil"))]
// Only while the chunk runs, which has written that it began and not that it ended.
#[case::for_a_moment(
    "local f = fs.open('ran.log', 'r') local text = f and f.readAll() or '' if f then f.close() end
    return not (text:find('call%-0') and not text:find('end')), 'in the midst of it'",
    When::Always,
    Some("on 12: in the midst of it")
)]
#[case::not_in_the_end(
    "local f = fs.open('ran.log', 'r') local text = f.readAll() f.close() return text:find('end') ~= nil",
    When::After,
    None
)]
fn what_users_want_to_hold_is_asked_of_their_computers(
    #[case] lua: &str,
    #[case] when: When,
    #[case] said: Option<&str>,
) {
    let plan = wanting(lua, when, written(CALL));
    let why = Pair::right(Profile::Calm).why(1, &plan);
    match (why, said) {
        (None, None) => {}
        (Some(why), Some(said)) => assert!(why.contains(said), "{why}"),
        (why, said) => panic!("{why:?} and not {said:?}"),
    }
}

/// What a fault does to a computer, as its own Lua sees it.
#[rstest]
#[case::full_disk(
    "kind = \"full-disk\"\nat_ms = 100\nfor_ms = 3000",
    "local f = fs.open('x', 'w') local ok, why = pcall(f.write, 'x') f.close() return ok, why",
    "on 12: Out of space"
)]
#[case::clock_jump(
    "kind = \"clock-jump\"\nat_ms = 100\njump_ms = 50000",
    "return os.epoch('utc') / 1000 - os.clock() < 1704067230, 'it is late'",
    "on 12: it is late"
)]
fn a_fault_does_what_it_says(#[case] fault: &str, #[case] lua: &str, #[case] said: &str) {
    let pair = Pair::right(Profile::Calm);
    assert_eq!(pair.why(1, &during(fault)), None, "the project's own side copes with it");
    let why = pair.why(1, &wanting(lua, When::Always, during(fault)));
    assert!(why.as_ref().is_some_and(|why| why.contains(said)), "{why:?}");
    let calm = pair.why(1, &wanting(lua, When::Always, written(CALL)));
    assert_eq!(calm, None, "without the fault it holds");
}

#[test]
fn requests_that_are_refused_do_not_reach_the_network() {
    let once =
        Pair::right(Profile::Calm).play(1, &during("kind = \"refuse-http\"\nat_ms = 100\nfor_ms = 3000"));
    assert_eq!(once.report.outcome, Outcome::Passed);
    let trace = once.record.trace();
    assert!(trace.contains("RefuseHttp of 12 begins") && trace.contains("Connection refused"), "{trace}");
    // The proxy would have refused them too, and have written that down.
    assert!(!trace.contains("\"refused\""), "{trace}");
}

#[test]
fn a_computer_that_is_frozen_answers_afterwards() {
    let fault = "kind = \"freeze\"\nat_ms = 100\nfor_ms = 3000";
    let once = Pair::right(Profile::Calm).play(1, &during(fault));
    assert_eq!(once.report.outcome, Outcome::Passed);
    // The chunk begins when the computer goes on, and sleeps a second then.
    let late = answered(&once) - answered(&Pair::right(Profile::Calm).play(1, &written(CALL)));
    assert!((2_400.0..2_900.0).contains(&late), "{late} ms");
}

/// When the answer of the call crossed the link, in milliseconds.
fn answered(once: &Once) -> f64 {
    let lines = once.record.trace();
    let answer = lines.lines().find(|line| line.contains("response") && line.contains("call-0"));
    let line: serde_json::Value = serde_json::from_str(answer.expect("it answers")).expect("JSON");
    line["at_ms"].as_f64().expect("a time")
}

/// The request is sent at 500 ms, and its answer a second later.
#[rstest]
#[case::late_requests(
    "kind = \"delay\"\ntowards = \"computer\"\nat_ms = 100\nfor_ms = 6000\ndelay_ms = 700",
    700.0
)]
#[case::late_answers(
    "kind = \"delay\"\ntowards = \"bridge\"\nat_ms = 100\nfor_ms = 6000\ndelay_ms = 700",
    700.0
)]
#[case::unread_requests("kind = \"unread\"\ntowards = \"computer\"\nat_ms = 100\nfor_ms = 3000", 2600.0)]
#[case::unread_answers("kind = \"unread\"\ntowards = \"bridge\"\nat_ms = 100\nfor_ms = 3000", 1600.0)]
fn a_link_that_is_slow_or_not_read_is_late_and_loses_nothing(#[case] fault: &str, #[case] late: f64) {
    let pair = Pair::right(Profile::Calm);
    let once = pair.play(1, &during(fault));
    assert_eq!(once.report.outcome, Outcome::Passed);
    let found = answered(&once) - answered(&pair.play(1, &written(CALL)));
    assert!((late - 100.0..late + 100.0).contains(&found), "{found} ms");
    assert_eq!(hellos(&once), 1, "the link is the same");
}

/// How often computer 12 has greeted the bridge.
fn hellos(once: &Once) -> usize {
    let trace = once.record.trace();
    let is_hello =
        |line: &&str| ["\"computer\":\"12\"", "to_bridge", "hello"].iter().all(|word| line.contains(word));
    trace.lines().filter(is_hello).count()
}

#[rstest]
#[case::a_request_cut_short(
    "kind = \"cut\"\ntowards = \"computer\"\nat_ms = 100\nfor_ms = 3000",
    "disconnected from 12",
    false
)]
#[case::an_answer_cut_short(
    "kind = \"cut\"\ntowards = \"bridge\"\nat_ms = 100\nfor_ms = 3000",
    "disconnected from 12",
    true
)]
#[case::lost_by_the_computer(
    "kind = \"half-open\"\ntowards = \"computer\"\nat_ms = 100\nfor_ms = 3000",
    "disconnected from 12",
    false
)]
#[case::lost_by_the_bridge(
    "kind = \"half-open\"\ntowards = \"bridge\"\nat_ms = 100\nfor_ms = 3000",
    "computer 12 is not connected",
    false
)]
#[case::bridge_killed("kind = \"kill-bridge\"\nat_ms = 1000\nfor_ms = 1000", "KillBridge of 12 begins", true)]
#[case::computer_killed(
    "kind = \"kill-computer\"\nat_ms = 1000\nfor_ms = 1000",
    "disconnected from 12",
    true
)]
#[case::computer_rebooted("kind = \"reboot\"\nat_ms = 1000", "disconnected from 12", true)]
fn a_link_that_is_lost_is_told_and_comes_back(
    #[case] fault: &str,
    #[case] said: &str,
    #[case] has_begun: bool,
) {
    let pair = Pair::right(Profile::Calm);
    let once = pair.play(1, &during(fault));
    assert_eq!(once.report.outcome, Outcome::Passed);
    let trace = once.record.trace();
    assert!(trace.contains(said) && hellos(&once) >= 2, "{trace}");
    // What the chunk has written shows whether it began; the call has no right answer either way.
    let log =
        "return not (fs.exists('ran.log') and io.open('ran.log'):read('a'):find('call%-0')), 'it began'";
    let began = pair.why(1, &wanting(log, When::After, during(fault)));
    assert_eq!(began.is_some_and(|why| why.contains("on 12: it began")), has_begun);
    let calm = pair.play(1, &written(CALL));
    assert!(!calm.record.trace().contains(said) && hellos(&calm) == 1, "without the fault nothing is lost");
}

/// Two computers, of which 12 sends a message ten times a second, and 13 counts what it hears and what was overtaken.
const RADIO: &str = r#"
    about = "Two computers with modems."
    [[computers]]
    ids = "12-13"
    process = "pair"
    start = "/radio.lua"
    [computers.files]
    "radio.lua" = """
    local arguments = table.pack(...)
    periphemu.create("top", "modem")
    peripheral.call("top", "open", 1)
    local function radio()
        local sent, heard, last, overtaken = 0, 0, 0, 0
        local timer = os.startTimer(0.1)
        while true do
            local event, number, _, _, message = os.pullEvent()
            if event == "timer" and number == timer and os.getComputerID() == 12 and sent < 100 then
                sent, timer = sent + 1, os.startTimer(0.1)
                peripheral.call("top", "transmit", 1, 1, sent)
            elseif event == "modem_message" then
                heard = heard + 1
                if message < last then overtaken = overtaken + 1 end
                last = math.max(last, message)
                local file = fs.open("heard", "w") file.write(heard .. " " .. overtaken) file.close()
            end
        end
    end
    parallel.waitForAny(radio, function()
        shell.run("/programs/mcp-computer.lua", table.unpack(arguments, 1, arguments.n))
    end)
    """
"#;

#[rstest]
#[case::calm("", 100..101, 0..1)]
#[case::lost("[[faults]]\ncomputer = \"13\"\nkind = \"lose-messages\"\nat_ms = 0\nfor_ms = 15000", 20..80, 0..1)]
#[case::doubled("[[faults]]\ncomputer = \"13\"\nkind = \"double-messages\"\nat_ms = 0\nfor_ms = 15000", 120..180, 1..101)]
#[case::delayed(
    "[[faults]]\ncomputer = \"13\"\nkind = \"delay-messages\"\nat_ms = 0\nfor_ms = 15000\ndelay_ms = 500\njitter_ms = 1000",
    100..101,
    20..101
)]
#[case::of_another("[[faults]]\ncomputer = \"12\"\nkind = \"lose-messages\"\nat_ms = 0\nfor_ms = 15000", 100..101, 0..1)]
fn messages_of_modems_suffer(
    #[case] fault: &str,
    #[case] heard: std::ops::Range<u32>,
    #[case] overtaken: std::ops::Range<u32>,
) {
    let pair = Pair::of(RADIO, Profile::Calm, None, Wrong::default);
    // Something at the end, so that all of it has been sent.
    let end = "[[faults]]\ncomputer = \"12\"\nkind = \"clock-jump\"\nat_ms = 16000\n";
    let invariant = "[[invariants]]\nabout = \"heard\"\ncomputer = \"13\"\nwhen = \"after\"\n\
        lua = \"return false, fs.open('heard', 'r').readAll()\"\n";
    let why = pair.why(1, &written(&format!("{fault}\n{end}{invariant}"))).expect("it always says");
    let numbers: Vec<u32> = why
        .lines()
        .next()
        .and_then(|line| line.split("on 13: ").nth(1))
        .into_iter()
        .flat_map(|numbers| numbers.split(' ').filter_map(|number| number.parse().ok()))
        .collect();
    assert!(numbers.len() == 2 && heard.contains(&numbers[0]) && overtaken.contains(&numbers[1]), "{why}");
}

/// The proxy, the bridge and the processes suffer the same in real time, on every emulator.
#[rstest]
#[case::embedded("embedded")]
#[case::craftos_pc("craftos-pc")]
fn faults_happen_on_real_sockets_as_well(#[case] emulator: &str) {
    let call = |at: u64| {
        format!("{{ at_ms = {at}, client = 0, computer = \"12\", sleep_ms = 600, timeout_ms = 8000 }}")
    };
    let fault = |kind: &str, at: u64, more: &str| {
        format!("{{ kind = \"{kind}\", computer = \"12\", at_ms = {at}, for_ms = 500{more} }}")
    };
    let scenario = format!(
        "about = \"Faults in real time.\"\n[[computers]]\nid = 12\n[faults]\ncalls = [{}, {}, {}]\nfaults = [{}, {}, {}, {}]\n",
        call(100),
        call(1500),
        call(7000),
        fault("delay", 50, ", towards = \"computer\", delay_ms = 300, jitter_ms = 100"),
        fault("cut", 1600, ", towards = \"bridge\""),
        fault("full-disk", 1700, ""),
        "{ kind = \"kill-bridge\", at_ms = 4000, for_ms = 500 }",
    )
    .replace("for_ms = 500, towards = \"bridge\"", "for_ms = 2000, towards = \"bridge\"");
    let fixtures = Fixtures::with("real", &scenario);
    let output = fixtures.harness_on(emulator, &["run"]).output().expect("it runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    if output.status.code() == Some(2) && emulator == "craftos-pc" {
        eprintln!("did not run on {emulator}: {output:?}");
        return;
    }
    assert!(output.status.success(), "{printed}");
    let trace =
        walk(&fixtures.report()).into_iter().find(|path| path.ends_with("trace.jsonl")).expect("a trace");
    let trace = std::fs::read_to_string(trace).expect("it is there");
    for said in
        ["Cut of 12 begins", "\"event\":\"cut\"", "disconnected from 12", "KillBridge of the bridge ends"]
    {
        assert!(trace.contains(said), "{said}: {trace}");
    }
    assert!(trace.contains("FullDisk of 12 cannot be: it needs a simulation"), "{trace}");
}

/// All files below a folder.
fn walk(folder: &std::path::Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("it is there").flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

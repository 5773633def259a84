//! `simulate --kill-everywhere`: programs that survive a restart, those that do not, and those that cannot be judged.

use std::path::Path;

use rstest::rstest;
use serde_json::Value;

use crate::project::Project;

/// A file of the fixtures.
fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../craftos-fixtures/kill-everywhere");
    std::fs::read_to_string(folder.join(name)).expect("the fixture is there")
}

fn fixtures() -> Project {
    let files = ["fragile.lua", "repaired.lua", "check.lua"].map(|name| (name, fixture(name)));
    Project::with(&files.each_ref().map(|(name, text)| (*name, text.as_str())))
}

/// Kills a program everywhere; stdout and stderr.
fn kill(project: &Project, program: &str, arguments: &[&str], code: i32) -> (String, String) {
    project.said(&[&["simulate", "--kill-everywhere", program], arguments].concat(), code)
}

fn rows(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

#[test]
fn a_program_that_does_not_survive_is_shown_with_the_line_and_replays() {
    let project = fixtures();
    let (stdout, stderr) = kill(&project, "fragile.lua", &["--check", "check.lua"], 1);
    assert!(stdout.contains("32 yields; killed at 32: 10 passed, 22 failed"), "{stdout}");
    assert!(stdout.contains("no error, and the check `check.lua` holds"), "{stdout}");
    for expected in [
        "of 32, after 0.505 s, at fragile.lua:17\n        failed after the restart: /fragile.lua:10: attempt to compare nil with number\n",
        "at fragile.lua:14\n        the check does not hold: check.lua:5: item 1 was delivered twice\n        | CraftOS",
        "        | delivered everything\n",
        "alike at 9 more: yield 7, 10, 13, 16, 19, 22, 25, 28, 31\n",
    ] {
        assert!(stderr.contains(expected), "{expected}\nis not in\n{stderr}");
    }
    let replay = stderr.lines().find_map(|line| line.trim().strip_prefix("replay: craftos-harness "));
    let words: Vec<&str> = replay.expect("there is a command").split(' ').collect();
    let (stdout, again) = project.said(&words, 1);
    assert!(stdout.contains("killed at 1: 0 passed, 1 failed"), "{stdout}");
    let first = |text: &str| text.lines().take(3).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(first(&again), first(&stderr));
}

#[test]
fn a_program_that_survives_passes_at_every_yield_and_the_same_every_time() {
    let project = fixtures();
    let (stdout, stderr) =
        kill(&project, "repaired.lua", &["--check", "check.lua", "--json", "--seed", "5"], 0);
    let all = rows(&stdout);
    assert!(stderr.contains(&format!("killed at {0}: {0} passed, 0 failed", all.len())), "{stderr}");
    let numbers: Vec<u64> = all.iter().filter_map(|row| row["yield"].as_u64()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    let last = all.last().expect("there are yields");
    assert_eq!(
        (&last["outcome"], &last["file"], &last["line"]),
        (&"passed".into(), &"repaired.lua".into(), &19.into())
    );
    let (again, _) = kill(&project, "repaired.lua", &["--check", "check.lua", "--json", "--seed", "5"], 0);
    assert_eq!(stdout, again);
    let (few, _) = kill(&project, "repaired.lua", &["--kills", "4", "--json"], 0);
    let few: Vec<_> = rows(&few).iter().filter_map(|row| row["yield"].as_u64()).collect();
    assert_eq!((few.len(), few[0], few[3]), (4, 1, numbers.len() as u64), "they are spread over the run");
}

#[test]
fn the_disk_is_what_it_was_at_the_kill_without_what_was_not_flushed() {
    let project = Project::with(&[
        (
            "log.lua",
            "if fs.exists('log') then return end
            local log = fs.open('log', 'w')
            for i = 1, 4 do log.write(i) sleep(1) if i == 2 then log.flush() end end
            log.close()",
        ),
        (
            "check.lua",
            "local run = ...
            local file = fs.open('/log', 'r') local text = file.readAll() file.close()
            error(('%s %s'):format(run.killed_at, text))",
        ),
        // Without a kill the check holds.
        ("checked.lua", "local run = ... if run.killed_at then loadfile('/check.lua', nil, _ENV)(run) end"),
        ("craftos.toml", ""),
    ]);
    let (stdout, _) = kill(&project, "log.lua", &["--check", "checked.lua", "--json"], 1);
    let told: Vec<_> = rows(&stdout)
        .iter()
        .map(|row| {
            let problem = row["problem"].as_str().expect("all fail").to_owned();
            (row["seconds"].as_f64().map_or(0.0, f64::round), problem)
        })
        .collect();
    let at = |second: f64| {
        let problem =
            told.iter().rfind(|(time, _)| (*time - second).abs() < 0.5).expect("it yields each second");
        problem.1.rsplit(' ').next().expect("a text").to_owned()
    };
    // At second 2 it waits again with `3` written; the flush before that has handed over `12`.
    assert_eq!([at(0.0), at(1.0), at(2.0), at(3.0)].map(|text| text.trim().to_owned()), ["", "", "12", "12"]);
}

#[test]
fn files_are_as_old_after_the_restart_as_they_were() {
    let project = Project::with(&[
        (
            "age.lua",
            "if fs.exists('log') then
                local file = fs.open('log', 'r') local noted = tonumber(file.readAll()) file.close()
                local age = os.epoch('utc') - fs.attributes('log').modified
                if age < 1000 or age > os.epoch('utc') - noted then error('it is ' .. age .. ' ms old') end
                return
            end
            sleep(20)
            local file = fs.open('log', 'w') file.write(os.epoch('utc')) file.close() sleep(1)",
        ),
        ("craftos.toml", ""),
    ]);
    let (stdout, stderr) = kill(&project, "age.lua", &[], 0);
    assert!(stdout.contains(" 0 failed"), "{stdout}{stderr}");
}

#[test]
fn a_project_gives_its_files_and_settings_and_a_program_may_be_started_in_another_way() {
    let project = Project::with(&[
        ("craftos.toml", "files = { \"src\" = \"/\" }\nsettings = { \"my.steps\" = \"3\" }"),
        ("src/lib/steps.lua", "return { wait = function()\n    sleep(1)\nend }"),
        (
            "src/main.lua",
            "local steps = require('lib.steps')
            local mode = ...
            if fs.exists('begun') ~= (mode == 'resume') then error('started as ' .. tostring(mode)) end
            local file = fs.open('begun', 'w') file.close()
            for _ = 1, settings.get('my.steps') do steps.wait() end",
        ),
    ]);
    let (stdout, _) =
        kill(&project, "src/main.lua", &["--arguments", "new", "--again", "main resume", "--json"], 0);
    let lines: Vec<_> = rows(&stdout).iter().map(|row| (row["file"].clone(), row["line"].clone())).collect();
    assert!(lines.contains(&("src/lib/steps.lua".into(), 2.into())), "{lines:?}");
    let (_, stderr) = kill(&project, "src/main.lua", &["--arguments", "new"], 1);
    assert!(stderr.contains("failed after the restart: /main.lua:3: started as new"), "{stderr}");
    assert!(stderr.contains("--arguments new "), "{stderr}");
}

#[test]
fn a_program_that_never_ends_is_turned_off_and_checked() {
    let project = Project::with(&[
        (
            "farm.lua",
            "local count = 0
            if fs.exists('count') then local file = fs.open('count', 'r') count = file.readAll() + 0 file.close() end
            while true do
                count = count + 1
                local file = fs.open('count', 'w') file.write(count) file.close()
                sleep(10)
            end",
        ),
        ("craftos.toml", ""),
    ]);
    let check = "tonumber(io.lines('/count')()) >= 6, 'it was at ' .. io.lines('/count')()";
    let (stdout, _) = kill(&project, "farm.lua", &["--until", "55", "--check", check], 0);
    assert!(stdout.contains("farm.lua: still runs after 55.0 s of virtual time"), "{stdout}");
    let worse = check.replace(">= 6", "== 6");
    let (_, stderr) = kill(&project, "farm.lua", &["--until", "55", "--check", &worse], 1);
    assert!(stderr.contains("the check does not hold: it was at 7"), "{stderr}");
}

#[rstest]
#[case::missing("nowhere.lua", "", &[], "there is no file `nowhere.lua`")]
#[case::no_lua("a.lua", "print(", &[], "`a.lua` is not Lua: a.lua:1:")]
#[case::check_no_lua("a.lua", "sleep(1)", &["--check", "1 +"], "the check `1 +` is neither a file nor Lua: check:1:")]
#[case::check_missing("a.lua", "sleep(1)", &["--check", "b.lua"], "failed to read the check `b.lua`")]
#[case::check_false("a.lua", "sleep(1)", &["--check", "false, 'so it is'"], "`a.lua`, without being killed: the check does not hold: so it is")]
#[case::fails("a.lua", "sleep(1) error('boom')", &[], "`a.lua` fails without being killed: /a.lua:1: boom\n| CraftOS")]
#[case::code("a.lua", "sleep(1) os.shutdown(3)", &[], "fails without being killed: it turned its computer off with code 3")]
#[case::no_yield("a.lua", "os.shutdown()", &[], "the program never yields")]
#[case::never_yields("a.lua", "while true do end", &[], "/a.lua:1: Too long without yielding")]
#[case::computes("a.lua", "while true do pcall(function() while true do end end) end", &[], "it computed for 60 s of virtual time")]
#[case::reboots("a.lua", "sleep(0) os.reboot()", &[], "it rebooted its computer 50 times")]
#[case::reboot_hint("a.lua", "sleep(0) os.reboot()", &[], "hint: a program that reboots its computer has to find out")]
#[case::compute_hint("a.lua", "while true do pcall(function() while true do end end) end", &[], "hint: a program that never ends has to wait")]
#[case::fills("a.lua", "local f = fs.open('f', 'w') while true do f.write(('x'):rep(1e5)) sleep(0) end", &[], "Out of space")]
#[case::no_such_yield("a.lua", "sleep(1)", &["--at", "99"], "there is no yield 99")]
#[case::at_zero("a.lua", "sleep(1)", &["--at", "0"], "invalid value '0' for '--at <N>'")]
#[case::scenario("a.lua", "sleep(1)", &["probe"], "cannot be used with")]
#[case::bad_project("a.lua", "sleep(1)", &["--check", "true"], "unknown field `fils`")]
fn what_cannot_be_judged_is_said(
    #[case] program: &str,
    #[case] code: &str,
    #[case] arguments: &[&str],
    #[case] message: &str,
) {
    let project_file = if message.contains("fils") { "fils = 1" } else { "" };
    let project = Project::with(&[("a.lua", code), ("craftos.toml", project_file)]);
    let (stdout, stderr) = kill(&project, program, arguments, 2);
    assert!(stderr.contains(message) && stdout.is_empty(), "{stdout}{stderr}");
}

#[test]
fn a_program_that_hangs_after_a_restart_has_failed() {
    let project = Project::with(&[
        (
            "waits.lua",
            "if fs.exists('begun') then os.pullEvent('never') end
            local file = fs.open('begun', 'w') file.close() sleep(1)",
        ),
        (
            "counts.lua",
            "while fs.exists('begun') do sleep(1) end
            local file = fs.open('begun', 'w') file.close() sleep(1)",
        ),
        (
            "spins.lua",
            "if fs.exists('begun') then while true do pcall(function() while true do end end) end end
            local file = fs.open('begun', 'w') file.close() sleep(1)",
        ),
        ("craftos.toml", ""),
    ]);
    let (_, stderr) = kill(&project, "waits.lua", &["--kills", "1"], 1);
    let waits = "did not end after the restart: it waits for what nobody does";
    assert!(stderr.contains(waits), "{stderr}");
    let (_, stderr) = kill(&project, "counts.lua", &["--kills", "1"], 1);
    assert!(stderr.contains("did not end after the restart: it still runs 600 s later"), "{stderr}");
    let (_, stderr) = kill(&project, "spins.lua", &["--kills", "1"], 1);
    assert!(
        stderr.contains("did not end after the restart: it computed for 60 s of virtual time"),
        "{stderr}"
    );
}

/// Reads how far it is, in Lua that stands before the rest.
const STATE: &str = "
    local function state()
        if not fs.exists('state') then return { n = 0 } end
        local file = fs.open('state', 'r')
        local read = textutils.unserialize(file.readAll())
        file.close()
        return read
    end
    local function add(name, text)
        local file = fs.open(name, 'a') file.write(text) file.close()
    end ";

/// What has to hold: each of three things was done once.
const ONCE: &str = "io.lines('/done')() == '123', 'done: ' .. io.lines('/done')()";

/// How programs keep what they know over a restart, and how they do not.
#[rstest]
#[case::a_state_that_is_replaced_whole(
    "for i = state().n + 1, 3 do
        local file = fs.open('new', 'w') file.write('{ n = ') sleep(0) file.write(i .. ' }') file.close()
        fs.delete('state') fs.move('new', 'state') add('done', i)
        sleep(1)
    end",
    &[],
    None
)]
#[case::a_state_that_is_half_written(
    "for i = state().n + 1, 3 do
        local file = fs.open('state', 'w') file.write('{ n = ') file.flush() sleep(0) file.write(i .. ' }') file.close()
        add('done', i)
        sleep(1)
    end",
    &[],
    Some("failed after the restart: /a.lua:12: attempt to index a nil value")
)]
#[case::a_state_that_is_deleted_before_the_new_one_is_there(
    "for i = state().n + 1, 3 do
        local file = fs.open('new', 'w') file.write('{ n = ' .. i .. ' }') file.close()
        add('done', i)
        fs.delete('state') sleep(1) fs.move('new', 'state')
        sleep(1)
    end",
    &[],
    Some("the check does not hold: done: 1123")
)]
#[case::a_state_that_is_not_flushed(
    "local before = state().n
    local file = fs.open('state', 'w')
    for i = before + 1, 3 do file.write('{ n = ' .. i .. ' }') add('done', i) sleep(1) end
    file.close()",
    &[],
    Some("attempt to index a nil value")
)]
#[case::a_counter_that_is_in_memory_only(
    "for i = 1, 3 do add('done', i) sleep(1) end",
    &[],
    Some("the check does not hold: done: 1123")
)]
#[case::a_startup_file_that_is_there_in_time(
    "add('startup.lua', fs.exists('startup.lua') and '' or 'shell.run(\"a\")')
    for i = state().n + 1, 3 do
        add('done', i) local file = fs.open('state', 'w') file.write('{ n = ' .. i .. ' }') file.close()
        sleep(1)
    end",
    &["--again", "startup"],
    None
)]
#[case::a_startup_file_that_is_missing(
    "sleep(1) add('startup.lua', 'shell.run(\"a\")') add('done', '123') sleep(1)",
    &["--again", "startup"],
    Some("failed after the restart: No such program")
)]
#[case::a_program_that_reboots_and_goes_on(
    "for i = state().n + 1, 3 do
        add('done', i) local file = fs.open('state', 'w') file.write('{ n = ' .. i .. ' }') file.close()
        sleep(1)
        if i == 2 then os.reboot() end
    end",
    &[],
    None
)]
#[case::a_program_that_waits_for_ever_in_the_end(
    "for i = state().n + 1, 3 do
        add('done', i) local file = fs.open('state', 'w') file.write('{ n = ' .. i .. ' }') file.close()
    end
    os.pullEvent('never')",
    &[],
    None
)]
fn a_program_survives_or_it_is_shown_where_it_does_not(
    #[case] code: &str,
    #[case] arguments: &[&str],
    #[case] message: Option<&str>,
) {
    let project = Project::with(&[("a.lua", &format!("{STATE}\n{code}")), ("craftos.toml", "")]);
    let arguments = [&["--check", ONCE], arguments].concat();
    let (stdout, stderr) = kill(&project, "a.lua", &arguments, i32::from(message.is_some()));
    match message {
        None => assert!(stdout.contains(" 0 failed"), "{stdout}{stderr}"),
        Some(message) => {
            assert!(stderr.contains(message) && stderr.contains(" at a.lua:"), "{stdout}{stderr}");
        }
    }
    let waits = code.contains("never");
    assert_eq!(stdout.contains("a.lua: waits for what nobody does after 0.0 s"), waits, "{stdout}");
}

//! `test --coverage`: which lines of somebody's project its specs run.

use craftos_harness::emulators::Kind;
use rstest::rstest;

use crate::context::emulator;
use crate::project::Project;

const MODULE: &str = "local module = {}
function module.add(a, b)
    return a + b
end
function module.never()
    return 1
end
function module.in_coroutine()
    local thread = coroutine.wrap(function()
        coroutine.yield()
        module.after = true
    end)
    thread()
    thread()
end
function module.hang()
    module.hung = true
    while true do
        os.pullEvent('never')
    end
end
function module.reboot()
    os.reboot()
end
return module";

const SPEC: &str = "local module = require('module')
it('adds', function() expect(module.add(1, 2)):eq(3) end)
it('goes on', module.in_coroutine)
it('runs a program', function() shell.run('/program') end)
it('hangs', module.hang)
it('reboots', module.reboot)";

/// The records of a tracefile: each file with its lines, as the format's own words are.
fn records(lcov: &str) -> Vec<(String, Vec<(u32, u32)>)> {
    let records = lcov.split_terminator("end_of_record\n").map(|record| {
        let field =
            |name: &str| record.lines().find_map(|line| line.strip_prefix(name)).expect("it is there");
        let lines: Vec<(u32, u32)> = record
            .lines()
            .filter_map(|line| line.strip_prefix("DA:")?.split_once(','))
            .map(|(line, count)| (line.parse().expect("a number"), count.parse().expect("a number")))
            .collect();
        assert_eq!(field("LF:"), lines.len().to_string());
        assert_eq!(field("LH:"), lines.iter().filter(|(_, count)| *count > 0).count().to_string());
        (field("SF:").to_owned(), lines)
    });
    records.collect()
}

#[test]
fn lines_count_in_coroutines_programs_reboots_and_tests_that_hang() {
    let project = Project::with(&[
        (
            "craftos.toml",
            "files = { \"src\" = \"/\", \"lib\" = { path = \"/lib\", mount = true } }\ntimeout_s = 3\ncoverage = { exclude = [\"src/left_*\"] }\n",
        ),
        ("src/module.lua", MODULE),
        ("src/program.lua", "local lib = require('/lib.mounted')\nif lib == 2 then\n    print(lib)\nend"),
        ("src/unused.lua", "-- nothing\nreturn 1"),
        ("src/left_out.lua", "return 1"),
        ("lib/mounted.lua", "return 1"),
        ("spec/a_spec.lua", SPEC),
    ]);
    let (stdout, stderr) = project.said(&["test", "--emulator", "embedded", "--coverage=out.info"], 1);
    assert!(stdout.starts_with("embedded: 3 passed, 2 failed\n"), "{stdout}\n{stderr}");
    let found = records(&project.read("out.info"));
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["lib/mounted.lua", "src/module.lua", "src/program.lua", "src/unused.lua"]);
    let missed = |name: &str| -> Vec<u32> {
        let (_, lines) = found.iter().find(|(found, _)| found == name).expect("it is there");
        lines.iter().filter(|(_, count)| *count == 0).map(|(line, _)| *line).collect()
    };
    // Only what nobody calls; the body of the test that hangs and of the one that reboots ran.
    assert_eq!(missed("src/module.lua"), [6], "{stdout}");
    assert_eq!(missed("src/program.lua"), [3]);
    assert_eq!(missed("src/unused.lua"), [2]);
    assert_eq!(missed("lib/mounted.lua"), Vec::<u32>::new());
    assert!(stdout.contains("src/unused.lua") && stdout.contains("0.0 %  missed 2\n"), "{stdout}");
    assert_eq!(project.read(".craftos/test/lcov.info"), project.read("out.info"));
    let page = project.read(".craftos/test/coverage/files/src/module.lua.html");
    assert!(page.contains("never"), "{page}");
    assert!(project.read(".craftos/test/index.html").contains("did not end within 3 s"));
    assert_eq!(project.read(".craftos/.gitignore"), "*\n");
}

#[test]
fn lines_count_on_other_computers_of_a_test_too() {
    let project = Project::with(&[
        ("craftos.toml", ""),
        ("other.lua", "print('other')\nlocal name = os.pullEvent('go')\nprint(name)"),
        (
            "spec/a_spec.lua",
            "local test = require('craftos.test')\nit('starts one', function() test.computer({ program = '/other.lua' }):shows('other') end)",
        ),
    ]);
    let (stdout, stderr) = project.said(&["test", "--emulator", "embedded", "--coverage=out.info"], 0);
    assert!(stdout.contains("embedded: 1 passed"), "{stderr}");
    let expected = vec![("other.lua".to_owned(), vec![(1, 1), (2, 1), (3, 0)])];
    assert_eq!(records(&project.read("out.info")), expected);
}

#[test]
fn less_than_the_project_wants_is_a_failure_unless_only_a_part_ran() {
    let project = Project::with(&[
        ("craftos.toml", "coverage = { minimum_percent = 60 }\n"),
        ("a.lua", "local a = ...\nif a then\n    print(a)\n    print(a)\nend"),
        ("spec/a_spec.lua", "it('runs', function() dofile('a.lua') end) it('does nothing', function() end)"),
    ]);
    let (_, stderr) = project.said(&["test", "--emulator", "embedded", "--coverage"], 1);
    assert!(stderr.contains("error: less than `minimum_percent = 60` of the lines ran"), "{stderr}");
    project.said(&["test", "--emulator", "embedded", "--coverage", "does nothing"], 0);
    // Nothing is counted unless it is asked for.
    let (stdout, _) = project.said(&["test", "--emulator", "embedded"], 0);
    assert_eq!(stdout, "embedded: 2 passed, 0 failed\n");
}

#[rstest]
#[case::alone(&["--emulator", "craftos-pc"], 2, "only the embedded emulator counts lines, and the tests run on another")]
#[case::beside(&["--emulator", "embedded", "--emulator", "craftos-pc"], 0, "what runs on craftos-pc is not counted")]
#[tokio::test]
async fn what_craftos_pc_runs_is_said_not_to_count(
    #[case] emulators: &[&str],
    #[case] code: i32,
    #[case] message: &str,
) {
    if emulator(Kind::CraftosPc).await.is_none() {
        return;
    }
    let project = Project::with(&[
        ("craftos.toml", ""),
        ("a.lua", "return 1"),
        ("spec/a_spec.lua", "it('x', function() end)"),
    ]);
    let (_, stderr) = project.said(&[&["test"], emulators, &["--coverage"]].concat(), code);
    assert!(stderr.contains(message), "{stderr}");
}

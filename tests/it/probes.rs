//! Probes: programs on bare computers, whose output is compared with what is recorded beside them.

use craftos_harness::emulators::Kind;
use rstest::rstest;
use serde_json::Value;

use crate::context::emulator;
use crate::project::Project;

const TOML: &str = "timeout_s = 30\nprobes = { folder = \"probes\" }\n";

/// Shows what only a computer without the harness has: no files of it, no Lua around the emulator's functions.
const BARE: &str = "local files = fs.list('/')\ntable.sort(files)\nprint(table.concat(files, ' '))\n\
    for _, f in ipairs({ os.startTimer, os.queueEvent, fs.open }) do print((pcall(string.dump, f))) end\n\
    print(...)\n";

fn named<'a>(results: &'a [Value], name: &str) -> &'a Value {
    let found = results.iter().find(|result| {
        let words: Vec<&str> =
            result["name"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        words.join(" ") == name
    });
    found.unwrap_or_else(|| panic!("no result is called {name}: {results:?}"))
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_probe_sees_a_bare_computer_and_is_compared_with_what_was_recorded(#[case] kind: Kind) {
    if emulator(kind).await.is_none() {
        return;
    }
    let project = Project::with(&[
        ("craftos.toml", TOML),
        ("probes/bare.lua", BARE),
        ("probes/throws.lua", "print('before') error('on its way')"),
    ]);
    let (results, _) = project.test(kind, &[], 1);
    let said = named(&results, "bare")["message"].as_str().unwrap_or_default();
    assert!(said.contains("nothing is recorded") && said.contains("--accept"), "{said}");

    let (results, stderr) = project.test(kind, &["--accept"], 0);
    assert_eq!(results.len(), 2, "{stderr}");
    assert!(stderr.contains(&format!("what they print on {kind} is recorded")), "{stderr}");
    let recorded = project.read("probes/bare.recorded");
    let lines: Vec<&str> = recorded.lines().collect();
    assert_eq!(lines[0], "out.txt probe.lua rom startup.lua");
    assert_eq!(lines[1..], ["false", "false", "false", "nil"], "functions of the emulator itself");
    assert_eq!(project.read("probes/throws.recorded"), "before\n/probe.lua:1: on its way\n");

    project.test(kind, &[], 0);
    project.write("probes/throws.recorded", "before\nsomething else\n");
    let (results, stderr) = project.test(kind, &["--junit", "out.xml"], 1);
    assert_eq!(named(&results, "bare")["outcome"], "passed");
    let failed = named(&results, "throws");
    assert_eq!(failed["outcome"], "failed", "{stderr}");
    assert_eq!(failed["expected"], "before\nsomething else");
    assert_eq!(failed["actual"], "before\n/probe.lua:1: on its way");
    assert!(project.read("out.xml").contains("probes/throws.recorded"));
    assert!(project.read(".craftos/test/index.html").contains("on its way"));
}

#[test]
fn a_probe_that_misbehaves_fails_by_name_and_the_rest_goes_on() {
    let project = Project::with(&[
        ("craftos.toml", "timeout_s = 3\nprobes = { folder = \"probes\" }\n"),
        ("probes/hangs.lua", "print('waits') os.pullEvent('never')"),
        ("probes/turns_off.lua", "print('off') os.shutdown() os.pullEvent('never')"),
        ("probes/no_lua.lua", "this is no Lua"),
        (
            "probes/takes_all.lua",
            "local all = _G for name in pairs(all) do all[name] = nil end print('gone')",
        ),
        ("probes/right.lua", "print('right')"),
        ("probes/right.recorded", "right\n"),
        ("probes/takes_all.recorded", "gone\n"),
    ]);
    let (results, stderr) = project.test(Kind::Embedded, &[], 1);
    let outcome = |name: &str| named(&results, name)["outcome"].as_str().unwrap_or_default().to_owned();
    let names = ["hangs", "turns_off", "no_lua", "takes_all", "right"];
    let outcomes = names.map(outcome);
    assert_eq!(outcomes, ["failed", "failed", "failed", "passed", "passed"], "{stderr}");
    let says = |name: &str, text: &str| {
        let result = named(&results, name).to_string();
        assert!(result.contains(text), "{result}");
    };
    says("hangs", "did not end within 3 s");
    says("hangs", "waits");
    says("turns_off", "the computer ended before the probe did");
    says("no_lua", "nothing is recorded");
}

#[cfg(unix)]
#[test]
fn cases_and_a_server_reach_the_probe() {
    let server = "#!/bin/sh\necho 127.0.0.1:4711\ncat >/dev/null\n";
    let toml = "[probes]\nfolder = \"probes\"\nserver = \"serve\"\ncases = { \"deep/each.lua\" = [\"one\", \"two\"] }\n";
    let each = "local file = fs.open('/server', 'r')\nprint(..., 'talks to', file.readAll())\nfile.close()\n";
    let project = Project::with(&[("craftos.toml", toml), ("probes/deep/each.lua", each)]);
    project.write_program("serve", server);
    let (results, stderr) = project.test(Kind::Embedded, &["--accept"], 0);
    assert_eq!(results.len(), 2, "{stderr}");
    assert_eq!(project.read("probes/deep/each.one.recorded"), "one talks to SERVER\n");
    assert_eq!(project.read("probes/deep/each.two.recorded"), "two talks to SERVER\n");
    // Only the one that is asked for runs.
    let (results, _) = project.test(Kind::Embedded, &["each two"], 0);
    assert_eq!((results.len(), &named(&results, "each two")["outcome"]), (1, &Value::from("passed")));

    project.write("serve", "#!/bin/sh\nexit 3\n");
    let (_, stderr) = project.test(Kind::Embedded, &[], 2);
    assert!(stderr.contains("did not print its address"), "{stderr}");
    project.write("probes/deep/each.three.recorded", "");
    let (_, stderr) = project.test(Kind::Embedded, &[], 2);
    assert!(
        stderr.contains("each.three.recorded` is the recording of a probe that does not exist"),
        "{stderr}"
    );
}

#[test]
fn there_is_nothing_to_record_without_probes() {
    let project = Project::with(&[("craftos.toml", ""), ("spec/a_spec.lua", "it('x', function() end)")]);
    let (_, stderr) = project.test(Kind::Embedded, &["--accept"], 2);
    assert!(stderr.contains("the project has none") && stderr.contains("hint: "), "{stderr}");
}

//! `init` and `test`: the specs of somebody's project, and what its tests may do to their computers.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;

use craftos_harness::emulators::Kind;
use rstest::rstest;

use crate::context::{PROGRAM, emulator, harness};
use crate::project::{Project, outcomes};

/// Whether an emulator is there; why not is printed, and it is an error where it is required.
pub async fn is_there(kind: Kind) -> bool {
    emulator(kind).await.is_some()
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn init_writes_a_project_whose_specs_pass(#[case] kind: Kind) {
    if !is_there(kind).await {
        return;
    }
    let project = Project::new();
    project.harness(&["init"]).assert().success();
    let (results, _) = project.test(kind, &[], 0);
    assert_eq!(outcomes(&results), [("adds", "passed"), ("asks for a name and greets", "passed")]);
    // What is there stays.
    project.write("craftos.toml", "timeout_s = 5\n");
    project.harness(&["init"]).assert().success();
    let kept = std::fs::read_to_string(project.root.join("craftos.toml")).expect("it is there");
    assert_eq!(kept, "timeout_s = 5\n");
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_failure_has_its_line_its_values_and_its_screen(#[case] kind: Kind) {
    if !is_there(kind).await {
        return;
    }
    let spec = "local greeting = require('greeting')\n\
        describe('greeting', function()\n\
        it('differs', function()\n\
        term.write('on the screen')\n\
        expect({ greeting.of('Ada'), 'x' }):same({ 'Hello, Ada', 'x' })\n\
        end)\n\
        it('throws in a module', function() greeting.broken() end)\n\
        it('shows the program', function()\n\
        require('craftos.test').start(function() print('a program') read() end)\n\
        fail('see its screen')\n\
        end)\n\
        end)\n";
    let module = "return {\n    of = function(name) return 'Hullo, ' .. name end,\n    broken = function() local x x.y = 1 end,\n}\n";
    let project = Project::with(&[
        ("craftos.toml", "files = { \"src\" = \"/\" }\n"),
        ("src/greeting.lua", module),
        ("spec/greeting_spec.lua", spec),
    ]);
    let (results, stderr) = project.test(kind, &[], 1);
    let names = ["differs", "throws in a module", "shows the program"];
    assert_eq!(outcomes(&results), names.map(|name| (name, "failed")), "{stderr}");
    let [differs, throws, shows] = &results[..] else { panic!("three results: {results:?}") };
    assert_eq!(differs["place"], serde_json::json!({ "file": "spec/greeting_spec.lua", "line": 5 }));
    assert!(differs["expected"].as_str().is_some_and(|text| text.contains("\"Hello, Ada\"")), "{differs}");
    assert!(differs["actual"].as_str().is_some_and(|text| text.contains("\"Hullo, Ada\"")), "{differs}");
    assert_eq!(differs["screen"], "on the screen");
    assert_eq!(throws["place"], serde_json::json!({ "file": "src/greeting.lua", "line": 3 }));
    assert_eq!(shows["screen"], "a program");
    assert!(throws["traceback"].as_str().is_some_and(|text| !text.contains(".harness")), "{throws}");
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_test_that_harms_its_computer_fails_by_name_and_the_rest_goes_on(#[case] kind: Kind) {
    if !is_there(kind).await {
        return;
    }
    let spec = "describe('bad', function()\n\
        it('hangs', function() while true do os.pullEvent('never') end end)\n\
        it('turns off', function() os.shutdown() end)\n\
        it('reboots', function() os.reboot() end)\n\
        it('takes the globals away', function() _G.string = nil _G.table = nil _G.fs = nil _G.os.epoch = nil end)\n\
        it('leaves a timer', function() os.startTimer(0) end)\n\
        it('goes on', function() expect(1):eq(1) end)\n\
        end)\n";
    let project = Project::with(&[
        ("craftos.toml", "timeout_s = 3\n"),
        ("spec/bad_spec.lua", spec),
        ("spec/syntax_spec.lua", "describe('x', function(\n"),
        ("spec/throws_spec.lua", "error('while it loads')\n"),
    ]);
    let (results, stderr) = project.test(kind, &[], 1);
    let ended = outcomes(&results);
    for expected in [
        ("hangs", "failed"),
        ("turns off", "failed"),
        ("reboots", "failed"),
        ("takes the globals away", "passed"),
        ("leaves a timer", "passed"),
        ("goes on", "passed"),
    ] {
        assert!(ended.contains(&expected), "{expected:?} is missing: {ended:?}\n{stderr}");
    }
    let says = |name: &str, why: &str| {
        results.iter().any(|result| {
            result["name"][1] == name
                && result["message"].as_str().is_some_and(|message| message.contains(why))
        })
    };
    assert!(says("reboots", "the computer was rebooted during the test"), "{stderr}");
    assert!(says("hangs", "the test did not end within 3 s"), "{stderr}");
    assert_eq!(ended.iter().filter(|(name, _)| *name == "(the file)").count(), 2, "{ended:?}");
    assert_eq!(results.len(), 8, "every test has one result: {ended:?}");
}

#[test]
fn the_body_of_a_group_runs_after_the_tests_before_it() {
    let spec = "local seen = {}\n\
        local function see(what) seen[#seen + 1] = what end\n\
        describe('first', function()\n\
        see('first')\n\
        before_each(function() see('before') end)\n\
        it('one', function() see('one') end)\n\
        describe('inner', function() see('inner') it('two', function() see('two') end) end)\n\
        end)\n\
        describe('broken', function() it('never runs', function() end) error('no body') end)\n\
        describe('second', function()\n\
        see('second')\n\
        it('saw all of it', function()\n\
        expect(table.concat(seen, ' ')):eq('first before one inner before two second')\n\
        end)\n\
        it('adds no test', function() it('inside', function() end) end)\n\
        end)\n";
    let project = Project::with(&[("craftos.toml", ""), ("spec/a_spec.lua", spec)]);
    let (results, stderr) = project.test(Kind::Embedded, &[], 1);
    let expected = [
        ("one", "passed"),
        ("two", "passed"),
        ("(the group)", "failed"),
        ("saw all of it", "passed"),
        ("adds no test", "failed"),
    ];
    assert_eq!(outcomes(&results), expected, "{results:#?}\n{stderr}");
    assert!(
        results[2]["message"].as_str().is_some_and(|message| message.contains("no body")),
        "{results:#?}"
    );
    assert!(
        results[4]["message"].as_str().is_some_and(|message| message.contains("not into a test")),
        "{results:#?}"
    );
}

#[test]
fn filters_orders_and_files_for_others() {
    let spec =
        "for _, name in ipairs({ 'a', 'b', 'c', 'd', 'e' }) do it(name, function() end) end pending('later')";
    let project = Project::with(&[("craftos.toml", ""), ("spec/many_spec.lua", spec)]);
    let names = |arguments: &[&str]| {
        let (results, _) = project.test(Kind::Embedded, arguments, 0);
        outcomes(&results).iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>().concat()
    };
    assert_eq!(names(&[]), "abcdelater");
    assert_eq!(names(&["many_spec.lua c"]), "c");
    let (one, again, other) =
        (names(&["--shuffle", "1"]), names(&["--shuffle", "1"]), names(&["--shuffle", "2"]));
    assert!(one == again && one != other && one != "abcdelater", "{one} {again} {other}");
    let (_, stderr) = project.test(Kind::Embedded, &["nothing has this name"], 2);
    assert!(stderr.contains("no test ran"), "{stderr}");
    let junit = project.root.join("results.xml");
    project.test(Kind::Embedded, &["--junit", junit.to_str().expect("the path is text")], 0);
    let text = std::fs::read_to_string(junit).expect("it was written");
    let document = roxmltree::Document::parse(&text).expect("it is XML");
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("testcase")).count(), 6);
}

#[rstest]
#[case::no_project(None, "no `craftos.toml` is here")]
#[case::unknown_key(Some("fils = {}\n"), "did you mean `files`?")]
#[case::no_specs(Some(""), "there are no specs")]
fn what_is_wrong_with_a_project_is_said(#[case] file: Option<&str>, #[case] message: &str) {
    let project = Project::new();
    if let Some(text) = file {
        project.write("craftos.toml", text);
    }
    let output = project.harness(&["test", "--emulator", "embedded"]).assert().code(2).get_output().clone();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains(message) && stderr.contains("hint: "), "{stderr}");
    assert!(!Path::new(&project.root).join("target").exists());
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn the_example_project_passes(#[case] kind: Kind) {
    if !is_there(kind).await {
        return;
    }
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../craftos-fixtures/example");
    let kind = kind.to_string();
    let arguments = ["test", "--emulator", &kind, "--profile", "craftos-pc"];
    let output = harness().current_dir(example).args(arguments).assert().success().get_output().clone();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(stdout, format!("{kind}: 17 passed, 0 failed\n"));
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn the_runners_own_specs_pass(#[case] kind: Kind) {
    if !is_there(kind).await {
        return;
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../harness/specs");
    let report = tempfile::tempdir().expect("a folder");
    let mut command = harness();
    command.current_dir(own).args(["test", "--emulator", &kind.to_string(), "--report"]).arg(report.path());
    let output = command.assert().success().get_output().clone();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(stdout, format!("{kind}: 28 passed, 0 failed\n"));
}

#[rstest]
#[case::no_type("test.attach('left', { methods = { a = print } })", "it needs a `type`")]
#[case::no_methods("test.attach('left', { type = 'x' })", "it needs `methods`")]
#[case::no_function(
    "test.attach('left', { type = 'x', methods = { a = 1 } })",
    "the method a is not a function"
)]
#[case::unknown("test.attach('left', { type = 'x', methods = { a = print }, b = 1 })", "it has no `b`")]
#[case::twice("test.modem('left') test.modem('left')", "there is a peripheral left already")]
#[case::no_such_method("test.modem('left'):fail('fly')", "has no method fly")]
#[case::gone("test.modem('left'):detach():detach()", "is not attached")]
#[case::no_file("test.attach('left', 'none.lua')", "failed to read none.lua")]
#[case::no_lua(
    "test.attach('left', '/devices/syntax.lua')",
    "failed to read /devices/syntax.lua: devices/syntax.lua:2:"
)]
#[case::throws("test.attach('left', '/devices/throws.lua')", "devices/throws.lua:1: no power")]
#[case::no_table("test.attach('left', '/devices/number.lua')", "it returns no table")]
#[case::state(
    "test.attach('left', { type = 'x', methods = { a = print }, state = 1 })",
    "its `state` is not a table"
)]
#[case::latency(
    "test.attach('left', { type = 'x', methods = { a = { latency = -1, call = print } } })",
    "the `latency` of the method a is not a number"
)]
#[case::no_such_kind(
    "test.emulated('left', 'reactor')",
    "did not create a reactor at left: No peripheral named"
)]
#[case::answer("test.http('http://a.example/', { stats = 1 })", "has no `stats`")]
#[case::method("test.http('FETCH http://a.example/', {})", "there is no method FETCH")]
#[case::body("test.http('http://a.example/', { file = '/none' })", "there is no file /none")]
#[case::stub_that_throws(
    "test.http('http://a.example/', function() error('oh no', 0) end) http.get('http://a.example/')",
    "the stub of http://a.example/ failed: oh no"
)]
#[case::script(
    "test.websocket('ws://a.example/', { { receive = 'a' } }) http.websocket('ws://a.example/').send('b')",
    "step 1 wants to receive \"a\", and the program sent \"b\""
)]
fn what_is_wrong_with_a_stub_fails_the_test_by_name(#[case] body: &str, #[case] message: &str) {
    let spec = format!("local test = require('craftos.test')\nit('does it', function() {body} end)\n");
    let project = Project::with(&[
        ("craftos.toml", ""),
        ("spec/a_spec.lua", &spec),
        ("devices/syntax.lua", "return {\n    type = }\n"),
        ("devices/throws.lua", "error('no power')\n"),
        ("devices/number.lua", "return 7\n"),
    ]);
    let (results, stderr) = project.test(Kind::Embedded, &[], 1);
    assert_eq!(outcomes(&results), [("does it", "failed")], "{stderr}");
    let said = results[0]["message"].as_str().unwrap_or_default();
    assert!(said.contains(message), "{said}");
}

#[test]
fn a_stub_ends_with_its_test_and_the_network_is_for_those_who_allow_it() {
    let spec = "local test = require('craftos.test')\n\
        it('attaches', function() test.modem('left') test.http('http://127.0.0.1:1/', {}) end)\n\
        it('is alone', function()\n\
        expect(peripheral.isPresent('left')):eq(false)\n\
        local _, why = http.get('http://127.0.0.1:1/')\n\
        fail(why)\n\
        end)\n";
    let said = |settings: &str| {
        let project = Project::with(&[("craftos.toml", settings), ("spec/a_spec.lua", spec)]);
        let (results, _) = project.test(Kind::Embedded, &[], 1);
        assert_eq!(outcomes(&results), [("attaches", "passed"), ("is alone", "failed")]);
        results[1]["message"].as_str().unwrap_or_default().to_owned()
    };
    assert!(said("").contains("no stub answers GET http://127.0.0.1:1/"));
    assert!(!said("network = true\n").contains("no stub"));
}

#[test]
fn a_step_of_a_workflow_annotates_the_line() {
    let project = Project::with(&[
        ("craftos.toml", ""),
        ("spec/a_spec.lua", "it('fails', function()\nfail('no') end)"),
    ]);
    let mut command = project.harness(&["test", "--emulator", "embedded"]);
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_WORKSPACE", project.root.parent().expect("it has one"));
    let stderr = String::from_utf8_lossy(&command.assert().code(1).get_output().stderr).into_owned();
    let expected = "::error file=my pröject/spec/a_spec.lua,line=2,title=fails (embedded)::";
    assert!(stderr.contains(expected), "{stderr}");
    let quiet = project.harness(&["test", "--emulator", "embedded"]).assert().code(1).get_output().clone();
    assert!(!String::from_utf8_lossy(&quiet.stderr).contains("::error"));
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_project_may_turn_on_multishell(#[case] kind: Kind) {
    if !is_there(kind).await {
        return;
    }
    let spec = "local test = require('craftos.test')\n\
        it('opens tabs', function()\n\
        local before = multishell.getCount()\n\
        expect(multishell.getTitle(multishell.launch({}, '/waits.lua'))):eq('waits.lua')\n\
        expect(multishell.getTitle(shell.openTab('waits'))):eq('waits')\n\
        expect(multishell.getCount()):eq(before + 2)\n\
        end)\n\
        it('has tabs on another computer', function()\n\
        test.computer({ program = '/says.lua' }):shows('table')\n\
        end)\n";
    let files = [
        ("craftos.toml", "settings = { \"bios.use_multishell\" = \"true\" }\n"),
        ("waits.lua", "os.pullEvent('never')"),
        ("says.lua", "print(type(multishell))"),
        ("spec/a_spec.lua", spec),
    ];
    let (results, stderr) = Project::with(&files).test(kind, &[], 0);
    assert_eq!(results.len(), 2, "{stderr}");
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_spec_may_run_multishell_as_a_program(#[case] kind: Kind) {
    if !is_there(kind).await {
        return;
    }
    let spec = "local test = require('craftos.test')\n\
        it('uses tabs', function()\n\
        expect(multishell):eq(nil)\n\
        local tabs = test.start('multishell')\n\
        tabs:type('fg says\\n'):shows('tab 2')\n\
        expect(tabs:line(1)):contains('shell  says')\n\
        tabs:click(2, 1):type('id\\n'):shows('This is computer #')\n\
        end)\n";
    let files = [
        ("craftos.toml", ""),
        ("says.lua", "print('tab ' .. multishell.getCurrent()) os.pullEvent('never')"),
        ("spec/a_spec.lua", spec),
    ];
    let (results, stderr) = Project::with(&files).test(kind, &[], 0);
    assert_eq!(results.len(), 1, "{stderr}");
}

/// A process that is killed with the test.
struct Running(std::process::Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_edit_runs_what_it_touches_again() {
    let project = Project::with(&[
        ("craftos.toml", "files = { \"src\" = \"/\" }\n"),
        ("src/number.lua", "return 1"),
        ("spec/a_spec.lua", "it('is a', function() expect(require('number')):eq(2) end)"),
        ("spec/b_spec.lua", "it('is b', function() end)"),
    ]);
    let mut command = std::process::Command::new(PROGRAM);
    command.current_dir(&project.root).args(["test", "--watch", "--emulator", "embedded"]);
    let mut running =
        Running(command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it was built"));
    let mut lines =
        BufReader::new(running.0.stderr.take().expect("it is piped")).lines().map_while(Result::ok);
    let mut round = || -> Vec<String> {
        let told = lines.by_ref().take_while(|line| !line.starts_with("watching "));
        let mut tests: Vec<String> =
            told.filter(|line| line.starts_with("passed") || line.starts_with("FAILED")).collect();
        tests.sort();
        tests.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    let (a, b) = ("embedded spec/a_spec.lua: is a", "passed embedded spec/b_spec.lua: is b");
    assert_eq!(round(), [format!("FAILED {a}"), b.to_owned()]);
    project.replace("src/number.lua", "return 2");
    assert_eq!(round(), [format!("passed {a}"), b.to_owned()]);
    project.replace("spec/b_spec.lua", "it('is b', function() end) ");
    assert_eq!(round(), [b]);
    // What cannot be read now is read after the next edit.
    project.replace("craftos.toml", "fils = {}");
    assert_eq!(round(), Vec::<String>::new());
    project.replace("craftos.toml", "files = { \"src\" = \"/\" }\n");
    assert_eq!(round(), [format!("passed {a}"), b.to_owned()]);
}

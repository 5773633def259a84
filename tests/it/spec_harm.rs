//! Specs and peripherals that do harm: what they do is said by name, and the tests behind them go on.

use std::collections::BTreeMap;
use std::path::Path;

use craftos_harness::emulators::Kind;
use rstest::rstest;

use crate::context::PROGRAM;
use crate::project::{Project, outcomes};
use crate::specs::is_there;

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn what_a_test_leaves_behind_is_not_the_next_ones(#[case] kind: Kind) {
    if !is_there(kind).await {
        return;
    }
    let spec = "local test = require('craftos.test')\n\
        it('prints a flood', function() for i = 1, 3000 do print('line', i) end end)\n\
        it('has a clean screen', function() expect((term.getCursorPos())):eq(1) expect(({ term.getCursorPos() })[2]):eq(1) end)\n\
        it('queues events', function() for i = 1, 200 do os.queueEvent('left_behind', i) end end)\n\
        it('gets none of them', function()\n\
        os.queueEvent('own')\n\
        expect(os.pullEvent()):eq('own')\n\
        end)\n\
        it('overrides what specs and programs use', function()\n\
        os.pullEvent, os.startTimer, os.queueEvent, print, write = error, error, error, error, error\n\
        term.write, keys.enter, peripheral.call, http.get = error, nil, error, error\n\
        coroutine.yield, pcall, type, ipairs = error, error, error, error\n\
        end)\n\
        it('still ends', function() expect(1):eq(1) end)\n";
    let project = Project::with(&[("craftos.toml", ""), ("spec/a_spec.lua", spec)]);
    let (results, stderr) = project.test(kind, &[], 0);
    assert!(outcomes(&results).iter().all(|(_, outcome)| *outcome == "passed"), "{results:#?}\n{stderr}");
    assert_eq!(results.len(), 6, "{results:#?}");
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_test_may_play_a_socket_or_queue_nonsense_about_one(#[case] kind: Kind) {
    if !is_there(kind).await {
        return;
    }
    let spec = "local function seen(...)\n\
        os.queueEvent('websocket_success', ...)\n\
        return select(3, os.pullEvent('websocket_success'))\n\
        end\n\
        it('sends', function() expect(type(seen('ws://h', { send = function() end }).send)):eq('function') end)\n\
        it('receives', function() seen('ws://h', { receive = function() return 'x' end, close = error }) end)\n\
        it('is odd', function()\n\
        seen(nil, {})\n\
        seen('ws://h', { 0 / 0, true, receive = 'text' })\n\
        seen('ws://h', setmetatable({}, { __index = error, __pairs = error }))\n\
        seen({}, 5)\n\
        os.queueEvent('websocket_closed')\n\
        os.pullEvent('websocket_closed')\n\
        end)\n";
    let project = Project::with(&[("craftos.toml", ""), ("spec/a_spec.lua", spec)]);
    let (results, stderr) = project.test(kind, &[], 0);
    assert!(outcomes(&results).iter().all(|(_, outcome)| *outcome == "passed"), "{results:#?}\n{stderr}");
    assert_eq!(results.len(), 3, "{results:#?}");
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_method_may_throw_wait_or_never_return(#[case] kind: Kind) {
    if !is_there(kind).await {
        return;
    }
    let device = "return { type = 'odd', methods = {\n\
        throws = function() error('out of order', 0) end,\n\
        waits = function() return select(2, os.pullEvent('go')) end,\n\
        hangs = function() while true do os.pullEvent('never') end end,\n\
        } }\n";
    let spec = "local test = require('craftos.test')\n\
        before_each(function() test.attach('left', '/devices/odd.lua') end)\n\
        it('throws', function()\n\
        expect.error(peripheral.call, 'left', 'throws'):eq('out of order')\n\
        end)\n\
        it('waits', function()\n\
        os.queueEvent('go', 42)\n\
        expect(peripheral.call('left', 'waits')):eq(42)\n\
        end)\n\
        it('hangs', function() peripheral.call('left', 'hangs') end)\n\
        it('goes on', function() expect(peripheral.getType('left')):eq('odd') end)\n";
    let project = Project::with(&[
        ("craftos.toml", "timeout_s = 2\n"),
        ("devices/odd.lua", device),
        ("spec/a_spec.lua", spec),
    ]);
    let (results, stderr) = project.test(kind, &[], 1);
    let expected = [("throws", "passed"), ("waits", "passed"), ("hangs", "failed"), ("goes on", "passed")];
    assert_eq!(outcomes(&results), expected, "{results:#?}\n{stderr}");
    let said = results[2]["message"].as_str().unwrap_or_default();
    assert_eq!(said, "the test did not end within 2 s");
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_test_cannot_take_away_what_is_told_of_it(#[case] kind: Kind) {
    if !is_there(kind).await {
        return;
    }
    let spec = "it('goes before', function() end)\n\
        it('deletes the disk', function() fs.delete('/') end)\n\
        it('finds nothing', function() expect(fs.exists('/spec/a_spec.lua')):eq(false) end)\n\
        it('deletes all that it may', function()\n\
        for _, name in ipairs(fs.list('/')) do if not fs.isReadOnly(name) then fs.delete(name) end end\n\
        end)\n\
        it('deletes by force', function() shell.run('delete /.harness') fs.delete('/x/../.harness/specs') end)\n\
        it('moves', function() fs.move('/.harness', '/gone') end)\n\
        it('overwrites', function() expect(fs.open('.harness/specs/results', 'w')):eq(nil) end)\n\
        it('misuses', function() fs.delete({}) end)\n\
        it('goes on', function() fs.makeDir('x') expect(fs.isReadOnly('x')):eq(false) end)\n";
    let project = Project::with(&[("craftos.toml", ""), ("spec/a_spec.lua", spec)]);
    let (results, stderr) = project.test(kind, &[], 1);
    let expected = [
        ("goes before", "passed"),
        ("deletes the disk", "passed"),
        ("finds nothing", "passed"),
        ("deletes all that it may", "passed"),
        ("deletes by force", "failed"),
        ("moves", "failed"),
        ("overwrites", "passed"),
        ("misuses", "failed"),
        ("goes on", "passed"),
    ];
    assert_eq!(outcomes(&results), expected, "{results:#?}\n{stderr}");
    let said = results[4]["message"].as_str().unwrap_or_default();
    assert!(said.contains("/.harness/specs: Access denied"), "{said}");
    let said = results[7]["message"].as_str().unwrap_or_default();
    assert!(said.starts_with("spec/a_spec.lua:10: bad argument #1"), "it is the line of the caller: {said}");
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn no_failure_shows_the_runners_own_frames(#[case] kind: Kind) {
    if !is_there(kind).await {
        return;
    }
    let spec = "local test = require('craftos.test')\n\
        it('attaches', function() test.attach('left', 7) end)\n\
        it('emulates', function() test.emulated('left', 'reactor') end)\n\
        it('waits', function() test.start(read):shows('never', 0.1) end)\n\
        it('calls', function() test.attach('left', { type = 'x', methods = { a = function() error('in it') end } }) peripheral.call('left', 'a') end)\n\
        it('starts', function() test.computer({ program = 7 }) end)\n";
    let project = Project::with(&[("craftos.toml", ""), ("spec/a_spec.lua", spec)]);
    let (results, stderr) = project.test(kind, &[], 1);
    assert_eq!(results.len(), 5, "{stderr}");
    for (index, result) in results.iter().enumerate() {
        assert_eq!(result["outcome"], "failed", "{result}");
        assert!(!result.to_string().contains("ness/"), "{result}");
        assert_eq!(result["place"]["line"], 2 + index, "{result}");
    }
}

#[test]
fn a_teardown_that_fails_is_told_of_the_test_before_it() {
    let spec = "describe('group', function()\n\
        teardown(function() error('in the teardown') end)\n\
        it('is inside', function() end)\n\
        end)\n\
        it('is behind', function() end)\n";
    let project = Project::with(&[("craftos.toml", ""), ("spec/a_spec.lua", spec)]);
    let (results, stderr) = project.test(Kind::Embedded, &[], 1);
    let expected = [("is inside", "passed"), ("is inside", "failed"), ("is behind", "passed")];
    assert_eq!(outcomes(&results), expected, "{results:#?}\n{stderr}");
}

/// Every file below a folder, with what is in it; the report has a folder of its own, which is left out.
fn contents(folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).expect("the folder is ours") {
        let path = entry.expect("the folder is ours").path();
        if path.ends_with(".craftos") {
            continue;
        }
        if path.is_dir() {
            contents(&path, found);
        } else {
            found.insert(path.display().to_string(), std::fs::read(&path).expect("the file is ours"));
        }
    }
}

/// The program as somebody who may not write everything. Root may, so it becomes another user; nothing where it cannot.
#[cfg(unix)]
fn as_a_user(project: &Project, arguments: &[&str]) -> Option<assert_cmd::Command> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    const NOBODY: u32 = 65534;
    let folder = project.root.parent().expect("it is in a folder of its own");
    if std::fs::metadata(folder).expect("it is there").uid() != 0 {
        return Some(project.harness(arguments));
    }
    // The folder of a test is its user's alone, and so may that of the program be.
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    let program = folder.join("craftos-harness");
    std::fs::hard_link(PROGRAM, &program)
        .or_else(|_| std::fs::copy(PROGRAM, &program).map(|_| ()))
        .expect("the program can be copied");
    let mut command = assert_cmd::Command::new("setpriv");
    command.args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"), "--clear-groups".to_owned()]);
    command.current_dir(&project.root).env_remove("HARNESS_REQUIRE").env_remove("CRAFTOS_PC");
    if let Err(error) = assert_cmd::Command::new("setpriv").arg("--version").ok() {
        eprintln!("did not run: this is root, who may write everything, and `setpriv` is not there: {error}");
        return None;
    }
    command.arg(program).args(arguments);
    Some(command)
}

#[cfg(unix)]
#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_checkout_that_cannot_be_written_is_tested_and_stays_as_it_is(#[case] kind: Kind) {
    use std::os::unix::fs::PermissionsExt as _;

    if !is_there(kind).await {
        return;
    }
    let project = Project::with(&[
        ("craftos.toml", "files = { \"src\" = \"/\", \"lib\" = { path = \"/lib\", mount = true } }\n"),
        ("src/answer.lua", "return { answer = 42 }\n"),
        ("lib/more.lua", "return 1\n"),
        (
            "spec/a_spec.lua",
            "it('reads', function() expect(require('answer').answer):eq(42) end)\n\
            it('reads what is mounted', function() expect(dofile('/lib/more.lua')):eq(1) end)\n\
            it('writes its own copy', function() fs.open('/answer.lua', 'w').close() end)\n",
        ),
    ]);
    let folders = ["", "src", "lib", "spec"].map(|folder| project.root.join(folder));
    let set = |mode: u32| {
        for folder in &folders {
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode)).expect("it is ours");
        }
    };
    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    contents(&project.root, &mut before);
    set(0o555);
    let kind = kind.to_string();
    let command = as_a_user(&project, &["test", "--emulator", &kind]);
    let said = command.map(|mut command| command.assert().code(0).get_output().clone());
    contents(&project.root, &mut after);
    set(0o755);
    let Some(said) = said else { return };
    let (stdout, stderr) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    assert!(stdout.contains(": 3 passed, 0 failed"), "{stdout}{stderr}");
    assert!(stderr.contains("cannot be written to\nhint: `--report DIR` names another place"), "{stderr}");
    assert!(before == after, "{:?} became {:?}", before.keys(), after.keys());
    assert!(!project.root.join(".craftos").exists());
}

//! Specs and peripherals that do harm: what they do is said by name, and the tests behind them go on.

use std::collections::BTreeMap;
use std::path::Path;

use craftos_harness::emulators::Kind;
use rstest::rstest;

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

#[cfg(unix)]
#[test]
fn a_checkout_that_cannot_be_written_is_tested_and_stays_as_it_is() {
    use std::os::unix::fs::PermissionsExt as _;

    let project = Project::with(&[
        ("craftos.toml", "files = { \"src\" = \"/\" }\n"),
        ("src/lib.lua", "return { answer = 42 }\n"),
        ("spec/a_spec.lua", "it('reads', function() expect(require('lib').answer):eq(42) end)\n"),
    ]);
    let folders = ["", "src", "spec"].map(|folder| project.root.join(folder));
    let set = |mode: u32| {
        for folder in &folders {
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode)).expect("it is ours");
        }
    };
    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    contents(&project.root, &mut before);
    set(0o555);
    let (results, stderr) = project.test(Kind::Embedded, &[], 0);
    // Whoever may write everything, such as root, is told by what is there.
    contents(&project.root, &mut after);
    set(0o755);
    assert_eq!(outcomes(&results), [("reads", "passed")], "{stderr}");
    assert!(before == after, "{:?} became {:?}", before.keys(), after.keys());
}

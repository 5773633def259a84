//! Computers that are copies of an image: no program can tell.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use embedded_craftos::emulator::Emulator;
use embedded_craftos::options::Options;

use crate::context::TestContext;

/// Far longer than any probe takes.
const PATIENCE: Duration = Duration::from_secs(60);
/// Most probes wait for something now and then.
const AT_ONCE: usize = 8;

fn probes() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../craftos-fixtures/probes");
    let files = fs::read_dir(folder).expect("the probes are there").flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "lua")).collect();
    files.sort();
    files
}

/// What a probe prints on a computer that is the first of its process, or a copy.
fn printed(probe: &Path, copies_after: usize) -> String {
    let context = TestContext::new();
    context.write(
        "computer/0/startup.lua",
        include_str!("../../../../craftos-fixtures/probes/startup/startup.lua"),
    );
    fs::copy(probe, context.path().join("computer/0/probe.lua")).expect("the probe can be copied");
    let options = Options { copies_after, ..Options::new(context.path()) };
    let emulator = Emulator::new(options).expect("the options are right");
    emulator.boot(0).expect("it starts");
    assert!(emulator.wait_timeout(PATIENCE), "{} does not end", probe.display());
    let out = fs::read(context.path().join("computer/0/out.txt")).unwrap_or_default();
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn every_probe_prints_the_same_on_a_copy() {
    let left = Mutex::new(probes());
    let different = Mutex::new(BTreeMap::new());
    let compared = Mutex::new(0);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some(probe) = left.lock().expect("no panic").pop() else { break };
                    let (first, copy) = (printed(&probe, usize::MAX), printed(&probe, 0));
                    assert!(!first.is_empty(), "{}", probe.display());
                    *compared.lock().expect("no panic") += 1;
                    if first != copy {
                        different.lock().expect("no panic").insert(probe, (first, copy));
                    }
                }
            });
        }
    });
    let different = different.into_inner().expect("no panic");
    assert!(different.is_empty(), "{different:#?}");
    assert!(compared.into_inner().expect("no panic") > 100);
}

/// What is loaded ahead is what was asked for: functions of another text, name or computer never come.
#[test]
fn a_copy_loads_what_it_asks_for() {
    let context = TestContext::new();
    let script = "local file = fs.open('out.txt', 'w') \
        for round = 1, 3 do \
            for which = 1, 4 do \
                local text = ('-'):rep(600) .. '\\nlocal own = ... own = (own or 0) + ' .. which .. ' return own, _ENV.mark' \
                local mark = os.getComputerID() * 100 + round * 10 + which \
                local chunk = load(text, '=which' .. which % 2, 't', { mark = mark }) \
                local again = load(text, '=which' .. which % 2, 't', { mark = mark }) \
                assert(chunk ~= again, 'functions are shared') \
                local value, seen = chunk(round) \
                assert(value == round + which and seen == mark, 'another chunk') \
                assert(debug.getinfo(chunk, 'S').short_src == 'which' .. which % 2, 'another name') \
            end \
        end \
        file.write('right') file.close() os.shutdown()";
    let options = Options { script: Some(script.as_bytes().to_vec()), ..Options::new(context.path()) };
    let emulator = Emulator::new(options).expect("the options are right");
    for id in 0..40 {
        emulator.boot(id).expect("it starts");
    }
    assert!(emulator.wait_timeout(PATIENCE));
    for id in 0..40 {
        assert_eq!(context.read(&format!("computer/{id}/out.txt")), "right", "computer {id}");
    }
}

/// A copy has its own memory, which is limited like any other's, and goes on after it was full.
#[test]
fn a_copy_has_no_more_memory_than_others() {
    let context = TestContext::new();
    context.settings(r#"{"memoryLimit": 4000000}"#);
    let fill = "local ok, message = pcall(string.rep, 'x', 8000000) \
        local kept = {} \
        local filled, problem = pcall(function() while true do kept[#kept + 1] = {} end end) \
        kept = nil \
        local file = fs.open('out.txt', 'w') \
        file.write(tostring(message) .. '; ' .. tostring(problem)) \
        file.close() os.shutdown()";
    let options =
        Options { copies_after: 0, script: Some(fill.as_bytes().to_vec()), ..Options::new(context.path()) };
    let emulator = Emulator::new(options).expect("the options are right");
    for id in 0..4 {
        emulator.boot(id).expect("it starts");
    }
    assert!(emulator.wait_timeout(PATIENCE));
    for id in 0..4 {
        let out = context.read(&format!("computer/{id}/out.txt"));
        assert_eq!(out, "not enough memory; not enough memory", "computer {id}");
    }
}

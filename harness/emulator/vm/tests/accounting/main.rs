//! What a state counts is what the process takes for it, to within a tenth.
//!
//! Each kind of object is made in a process of its own: memory that another has let go of would be used again.
#![cfg(target_os = "linux")]

use std::process::Command;

use craftos_lua::{NoHost, Run, State};

/// A name for each kind of object, and what makes very many of them.
const KINDS: [(&str, &str); 9] = [
    ("empty functions", "for i = 1, 400000 do list[i] = function() end end"),
    ("functions with a variable", "for i = 1, 200000 do list[i] = function() return i end end"),
    (
        "functions with many",
        "for i = 1, 100000 do local a, b, c, d, e, f = i, i, i, i, i, i
        list[i] = function() return a, b, c, d, e, f end end",
    ),
    ("empty tables", "for i = 1, 200000 do list[i] = {} end"),
    ("tables with a list", "for i = 1, 100000 do list[i] = { i, i, i, i } end"),
    ("tables with names", "for i = 1, 60000 do list[i] = { a = i, b = i, c = i, d = i } end"),
    ("short texts", "for i = 1, 400000 do list[i] = 'text' .. i end"),
    ("long texts", "for i = 1, 100000 do list[i] = ('x'):rep(100) .. i end"),
    ("coroutines", "for i = 1, 5000 do list[i] = coroutine.create(type) end"),
];

/// Says which kind the child makes.
const KIND: &str = "ACCOUNTING_KIND";
/// Far above what is made.
const MEMORY: usize = 1 << 30;
const PAGE: usize = 4096;

/// How many bytes of memory this process takes.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux tells it");
    let pages: usize =
        text.split(' ').nth(1).and_then(|field| field.parse().ok()).expect("the second field is a number");
    pages * PAGE
}

#[test]
#[ignore = "the other test starts it"]
fn one_kind() {
    let name = std::env::var(KIND).expect("the other test sets it");
    let (_, make) = KINDS.iter().find(|(kind, _)| *kind == name).expect("it is one of the kinds");
    let mut state = State::new(MEMORY);
    let program = format!("local list = {{}} coroutine.yield() {make} coroutine.yield() return #list");
    let main = state.load(program.as_bytes(), "=main").expect("it is Lua");
    state.start(main, &[]).expect("there is room");
    assert!(matches!(state.run(&mut NoHost, u64::MAX), Run::Yielded(_)));
    let before = (resident(), state.used());
    state.resume(&[]).expect("there is room");
    assert!(matches!(state.run(&mut NoHost, u64::MAX), Run::Yielded(_)));
    state.collect();
    println!("measured {} {}", resident() - before.0, state.used() - before.1);
}

#[test]
fn what_is_counted_is_what_the_process_takes() {
    let mut wrong = Vec::new();
    for (kind, _) in KINDS {
        let own = std::env::current_exe().expect("this program is a file");
        let child = Command::new(own)
            .args(["--exact", "one_kind", "--ignored", "--nocapture"])
            .env(KIND, kind)
            .output()
            .expect("this program can be started again");
        let output = String::from_utf8_lossy(&child.stdout);
        let line = output.lines().find_map(|line| line.split_once("measured ")).map(|(_, rest)| rest);
        let line =
            line.unwrap_or_else(|| panic!("{kind}: {output}{}", String::from_utf8_lossy(&child.stderr)));
        let numbers: Vec<f64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        let ratio = numbers[1] / numbers[0];
        println!("{kind}: {ratio:.3} of {:.1} MiB", numbers[0] / 1_048_576.0);
        if !(0.9..=1.1).contains(&ratio) {
            wrong.push(format!("{kind}: {ratio:.3} of what the process takes"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

//! The program on trees made for it: what is over a limit, and what is not.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

/// A function whose statements differ from those of every other number.
fn function(name: &str, number: usize) -> String {
    let mut text = format!("local function {name}(a, b)\n");
    for bit in 0..8 {
        let operator =
            if number >> bit & 1 == 1 { "if a then b = a end" } else { "while b do a[b] = {b, a} end" };
        writeln!(text, "    {operator}").expect("a text takes everything");
    }
    text + "end\n"
}

fn write(root: &Path, name: &str, functions: &[String]) {
    fs::create_dir_all(root).expect("a folder");
    fs::write(root.join(name), functions.concat()).expect("a file");
}

fn likeness(ours: &Path, theirs: &Path) -> (Option<i32>, String) {
    let mut command = Command::cargo_bin("likeness").expect("the program is built");
    let output = command.arg("--ours").arg(ours).arg(theirs).output().expect("the program runs");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_copy_with_other_names_is_over_every_limit() {
    let root = TempDir::new().expect("a folder");
    let (ours, theirs) = (root.path().join("ours"), root.path().join("theirs"));
    write(&ours, "copy.lua", &[function("ours", 0b1010_0110), function("more", 0b0110_1001)]);
    write(&theirs, "original.lua", &[function("theirs", 0b1010_0110), function("other", 0b0110_1001)]);
    let (code, report) = likeness(&ours, &theirs);
    assert_eq!(code, Some(1), "{report}");
    assert!(report.contains("copy.lua`: 100.0 % is over 30 %"), "{report}");
    assert!(report.contains("tokens is over 64"), "{report}");
    assert!(report.contains("in all: 100.0 % is over 12 %"), "{report}");
}

#[test]
fn other_control_flow_is_below_the_limits() {
    let root = TempDir::new().expect("a folder");
    let (ours, theirs) = (root.path().join("ours"), root.path().join("theirs"));
    write(&ours, "own.lua", &[function("ours", 0b0000_0000), function("more", 0b1111_1111)]);
    write(
        &theirs,
        "other.lua",
        &["return { 1, 2, 3, a = function() end }\n".to_owned(), "x = 1 + 2 ".repeat(90)],
    );
    let (code, report) = likeness(&ours, &theirs);
    assert_eq!(code, Some(0), "{report}");
    assert!(report.contains("in all: 0 of"), "{report}");
}

#[test]
fn a_folder_without_source_could_not_run() {
    let root = TempDir::new().expect("a folder");
    let ours = root.path().join("ours");
    write(&ours, "own.lua", &[function("ours", 1)]);
    let (code, _) = likeness(&ours, &root.path().join("nothing"));
    assert_eq!(code, Some(2));
}

//! What a computer is given arrives as it was given, or is refused.

use std::collections::BTreeMap;

use craftos_computers::computer::{Computer, ComputerError, Exit, Limits, Profile, Spec};
use craftos_computers::emulators::{Emulator, Kind};
use rstest::rstest;

use crate::context::{PATIENCE, boot, emulator, running};

async fn printed(emulator: &Emulator, spec: Spec) -> String {
    let computer = Computer::boot(emulator, spec).expect("it starts");
    let exit = computer.exited(PATIENCE).await.expect("it ends");
    assert_eq!(exit, Exit::Code(0), "{}", computer.last());
    computer.printed()
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn arguments_arrive_exactly(#[case] kind: Kind) {
    let Some(emulator) = emulator(kind).await else { return };
    let arguments = ["two words", "", "\"quoted\"", "it's", "a\\b", "tab\there", "line\nbreak", "ü", " "];
    let chunk = "local all = table.pack(...) for i = 1, all.n do
        print((all[i]:gsub('.', function(c) return ('%02x'):format(c:byte()) end))) end";
    let spec = Spec { arguments: arguments.map(ToOwned::to_owned).to_vec(), ..running(12, chunk) };
    let bytes = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    assert_eq!(printed(&emulator, spec).await.lines().collect::<Vec<_>>(), arguments.map(bytes));
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn settings_arrive_exactly(#[case] kind: Kind) {
    let Some(emulator) = emulator(kind).await else { return };
    let settings =
        [("list", "a,b=c, d"), ("rows", "7"), ("on", "true"), ("name", " x "), ("a=b", "1.5"), ("empty", "")];
    let chunk = "for _, name in ipairs({ 'list', 'rows', 'on', 'name', 'a=b', 'empty', 'd' }) do
        local value = settings.get(name) print(type(value), ('[%s]'):format(tostring(value))) end";
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let spec = Spec { settings: BTreeMap::from(settings), ..running(12, chunk) };
    assert_eq!(
        printed(&emulator, spec).await,
        "string\t[a,b=c, d]\nnumber\t[7]\nboolean\t[true]\nstring\t[ x ]\nnumber\t[1.5]\nstring\t[]\nnil\t[nil]\n"
    );
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn startup_files_run_before_the_program_and_stay_as_they_are(#[case] kind: Kind) {
    let Some(emulator) = emulator(kind).await else { return };
    let mut spec = running(12, "print('the program')");
    let startup = "print('startup.lua')";
    spec.files.insert("startup.lua".to_owned(), startup.to_owned());
    spec.files.insert("startup/20.lua".to_owned(), "print('twenty')".to_owned());
    spec.files.insert("startup/10.lua".to_owned(), "print('ten') error('it fails', 0)".to_owned());
    let computer = Computer::boot(&emulator, spec).expect("it starts");
    assert_eq!(computer.exited(PATIENCE).await.expect("it ends"), Exit::Code(0), "{}", computer.last());
    assert_eq!(computer.printed(), "startup.lua\nten\nit fails\ntwenty\nthe program\n");
    assert_eq!(computer.folder().read("startup.lua").expect("readable"), Some(startup.into()));
}

#[rstest]
#[case::at_once("os.shutdown(6) print('not reached')", "")]
#[case::beside_others(
    "parallel.waitForAny(function() os.shutdown(6) end, function() print('the other') end) print('after')",
    "the other\nafter\n"
)]
#[case::with_a_text("os.shutdown('6')", "")]
#[tokio::test]
async fn a_program_turns_its_computer_off_when_it_yields(
    #[case] chunk: &str,
    #[case] printed: &str,
    #[values(Kind::Embedded, Kind::CraftosPc)] kind: Kind,
) {
    let Some(emulator) = emulator(kind).await else { return };
    let computer = boot(&emulator, chunk);
    assert_eq!(computer.exited(PATIENCE).await.expect("it ends"), Exit::Code(6), "{}", computer.last());
    assert_eq!(computer.printed(), printed);
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_program_that_fails_or_is_not_there_is_told_by_its_code(#[case] kind: Kind) {
    let Some(emulator) = emulator(kind).await else { return };
    let failing = boot(&emulator, "error('broken on purpose', 0)");
    assert_eq!(failing.exited(PATIENCE).await.expect("it ends"), Exit::Code(1));
    assert_eq!(failing.printed(), "broken on purpose\n");
    let missing = Spec { program: "/two words.lua".to_owned(), ..Spec::new(12) };
    let missing = Computer::boot(&emulator, missing).expect("it starts");
    assert_eq!(missing.exited(PATIENCE).await.expect("it ends"), Exit::Code(1));
    assert_eq!(missing.printed(), "No such program\n");
}

/// Only the game limits what the files of a computer take.
#[tokio::test]
async fn a_full_disk_does_not_hide_how_a_computer_ended() {
    let emulator = emulator(Kind::Embedded).await.expect("it is always there");
    let chunk = "local file = fs.open('/fill', 'w')
        for _ = 1, 200 do pcall(file.write, ('x'):rep(1024)) pcall(file.flush) end
        for _ = 1, 2000 do pcall(file.write, 'x') pcall(file.flush) end
        pcall(file.close)
        os.shutdown(5)";
    let limits = Limits { space_bytes: Some(60_000), ..Limits::default() };
    let spec = Spec { limits, profile: Profile::Game, ..running(12, chunk) };
    let computer = Computer::boot(&emulator, spec).expect("it starts");
    assert_eq!(computer.exited(PATIENCE).await.expect("it ends"), Exit::Code(5), "{}", computer.last());
    let filled = computer.folder().read("fill").expect("readable").expect("it was written").len();
    assert!((30_000..60_000).contains(&filled), "the disk was not full: {filled}");
}

#[tokio::test]
async fn what_cannot_be_given_is_refused_before_anything_starts() {
    let emulator = emulator(Kind::Embedded).await.expect("it is always there");
    let refused = |spec: Spec| {
        let error = Computer::boot(&emulator, spec).map(|_| ()).expect_err("it cannot be booted");
        assert!(matches!(error, ComputerError::Folder(_)) && !error.is_broken(), "{error}");
        let source = std::error::Error::source(&error).map(ToString::to_string);
        source.unwrap_or_default()
    };
    let folder = tempfile::tempdir().expect("a folder");
    let nothing = Spec { install: Some(folder.path().to_owned()), ..Spec::new(1) };
    assert!(refused(nothing).contains("neither `programs/` nor `apis/`"));
    let mut outside = Spec::new(1);
    outside.files.insert("../x".to_owned(), String::new());
    assert!(refused(outside).contains("`../x` is not a path inside a computer"));
}

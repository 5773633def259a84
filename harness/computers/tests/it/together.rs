//! Several computers in one process.

use craftos_computers::computer::{Command, Computer, ComputerError, Exit, FolderError, Spec};
use craftos_computers::emulators::Kind;
use rstest::rstest;

use crate::context::{PATIENCE, emulator, running};

fn sharing(id: u32, chunk: &str) -> Spec {
    Spec { process: Some("one".to_owned()), ..running(id, chunk) }
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn each_ends_for_itself_and_the_process_with_the_last(#[case] kind: Kind) {
    let Some(emulator) = emulator(kind).await else { return };
    let waiting = "print('up') local _, code = os.pullEvent('end') os.shutdown(code)";
    let specs = [1, 2, 3].map(|id| sharing(id, waiting)).to_vec();
    let computers = Computer::boot_together(&emulator, specs).await.expect("they start");
    for computer in &computers {
        computer.shows("up", 1, PATIENCE).await.expect("it runs");
    }
    computers[0].command(&Command::event("end", &[7.into()])).await.expect("it is done");
    assert_eq!(computers[0].exited(PATIENCE).await.expect("it ends"), Exit::Code(7));
    let error = computers[0].command(&Command::event("end", &[])).await.expect_err("it has ended");
    assert!(matches!(error, ComputerError::NotRunning { exit: Exit::Code(7), .. }), "{error}");
    assert_eq!(computers[1].exit(), None);
    assert_eq!(computers[1].end().await, Exit::Stopped);
    assert_eq!(computers[2].end().await, Exit::Stopped);
    assert_eq!(computers[0].exit(), Some(Exit::Code(7)));
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn files_in_the_folders_of_a_program_are_seen_beside_it(#[case] kind: Kind) {
    let Some(emulator) = emulator(kind).await else { return };
    let program = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(program.path().join("programs")).expect("the folder is ours");
    std::fs::write(program.path().join("programs/theirs.lua"), "print('theirs')")
        .expect("the folder is ours");
    let chunk =
        "shell.run('/programs/theirs.lua') print(fs.exists('/programs/own.lua')) os.pullEvent('never')";
    let boot = async |with_own: bool| {
        let mut specs = [1, 2].map(|id| sharing(id, chunk));
        for spec in &mut specs {
            spec.install = Some(program.path().to_owned());
        }
        if with_own {
            specs[1].files.insert("programs/own.lua".to_owned(), "print('own')".to_owned());
        }
        Computer::boot_together(&emulator, specs.to_vec()).await.expect("they start")
    };
    let copied = boot(true).await;
    copied[0].shows("theirs\nfalse\n", 1, PATIENCE).await.expect("only the program is there");
    copied[1].shows("theirs\ntrue\n", 1, PATIENCE).await.expect("both are there");

    let mounted = boot(false).await;
    mounted[0].shows("theirs\nfalse\n", 1, PATIENCE).await.expect("the program is there");
    let theirs = mounted[0].folder().read("programs/theirs.lua").expect("readable");
    assert_eq!(theirs.as_deref(), Some(&b"print('theirs')"[..]));
    let error = mounted[0].folder().put("programs/own.lua", b"").expect_err("it would not be seen");
    assert!(matches!(error, FolderError::Mounted { .. }), "{error}");
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_kill_of_the_process_is_told_of_those_that_ran(#[case] kind: Kind) {
    let Some(emulator) = emulator(kind).await else { return };
    let first = sharing(1, "os.pullEvent('end') os.shutdown(7)");
    let specs = vec![first, sharing(2, "print('up') os.pullEvent('never')")];
    let computers = Computer::boot_together(&emulator, specs).await.expect("they start");
    computers[0].command(&Command::event("end", &[])).await.expect("it is done");
    assert_eq!(computers[0].exited(PATIENCE).await.expect("it ends"), Exit::Code(7));
    computers[1].shows("up", 1, PATIENCE).await.expect("it runs");
    computers[1].kill().await.expect("it runs");
    assert_eq!(computers[1].exit(), Some(Exit::Killed));
    assert_eq!(computers[0].exit(), Some(Exit::Code(7)));
}

//! The second wall holds when the first one is down: a process that has confined itself runs Rust, which may call anything.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;

use embedded_craftos::Options;
use embedded_craftos::confine::{Confinement, Places, confine, support};

use crate::context::{TestContext, text};

/// Tells the test below that it is the process that confines itself: the folder that it may have.
const FOLDER: &str = "CONFINED_FOLDER";
/// A port of the host that answers.
const PORT: &str = "CONFINED_PORT";

/// Writes how an attempt ended, for the test outside.
fn attempt<T>(name: &str, outcome: std::io::Result<T>) {
    let shown = match outcome {
        Ok(_) => "done".to_owned(),
        Err(error) => error.kind().to_string(),
    };
    println!("{name}: {shown}");
}

/// What a system call gave, as the standard library says it.
fn checked(result: impl Into<i64>) -> std::io::Result<()> {
    if result.into() < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}

/// Makes a process as a C program does.
#[expect(unsafe_code, reason = "there is no safe way to do what must not be possible")]
fn fork() -> std::io::Result<()> {
    // SAFETY: the new process, if there is one, ends at once.
    unsafe {
        let process = libc::fork();
        if process == 0 {
            libc::_exit(0);
        }
        checked(process)
    }
}

#[expect(unsafe_code, reason = "there is no safe way to do what must not be possible")]
fn call(number: libc::c_long, arguments: [libc::c_long; 3]) -> std::io::Result<()> {
    // SAFETY: the calls that are tried here do nothing with these arguments but fail.
    checked(unsafe { libc::syscall(number, arguments[0], arguments[1], arguments[2]) })
}

/// Is nothing by itself: [`what_the_first_wall_lets_through_the_second_stops`] runs it in a process of its own.
#[test]
fn a_confined_process_tries_everything() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let port: u16 = std::env::var(PORT).ok().and_then(|port| port.parse().ok()).expect("a port is given");
    let mut options = Options::new(folder.join("data"));
    options.rom = Some(folder.join("readable"));
    let stands = confine(&Places::new(&options, [0], None));
    assert_eq!(stands, support(), "what this kernel can do is done");
    attempt("read own file", fs::read(folder.join("data/computer/0/file")));
    attempt("write own file", fs::write(folder.join("data/computer/0/new"), "x"));
    attempt(
        "rename own file",
        fs::rename(folder.join("data/computer/0/new"), folder.join("data/config/new")),
    );
    attempt("read ROM", fs::read(folder.join("readable/file")));
    attempt("write ROM", fs::write(folder.join("readable/file"), "x"));
    attempt("read file beside", fs::read(folder.join("beside")));
    attempt("write file beside", fs::write(folder.join("new"), "x"));
    attempt("delete file beside", fs::remove_file(folder.join("beside")));
    attempt("read passwords", fs::read("/etc/passwd"));
    attempt("list root", fs::read_dir("/"));
    attempt("read other processes", fs::read("/proc/1/cmdline"));
    attempt("start program", Command::new("/bin/true").status());
    attempt("start thread", std::thread::Builder::new().spawn(|| ()).map(|thread| thread.join().is_ok()));
    attempt("fork", fork());
    attempt("execve", call(libc::SYS_execve, [0, 0, 0]));
    attempt("ptrace", call(libc::SYS_ptrace, [0, 0, 0]));
    attempt("unshare", call(libc::SYS_unshare, [0, 0, 0]));
    attempt("io_uring", call(libc::SYS_io_uring_setup, [1, 0, 0]));
    attempt("other kind of socket", call(libc::SYS_socket, [libc::AF_VSOCK.into(), 1, 0]));
    attempt("listen", TcpListener::bind("127.0.0.1:0"));
    attempt("connect", TcpStream::connect(("127.0.0.1", port)));
}

#[test]
fn what_the_first_wall_lets_through_the_second_stops() {
    let Confinement { files, calls } = support();
    if !files || !calls {
        eprintln!("not run in full: this kernel confines {}", support());
    }
    let context = TestContext::new();
    context.write("data/computer/0/file", "own");
    context.write("data/config/global.json", "{}");
    context.write("readable/file", "readable");
    context.write("beside", "not for computers");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    let output = Command::new(std::env::current_exe().expect("this test is a program"))
        .args(["--exact", "confinement::a_confined_process_tries_everything", "--nocapture"])
        .env(FOLDER, context.path())
        .env(PORT, port.to_string())
        .output()
        .expect("the program runs");
    let printed = text(&output.stdout);
    let ended = |name: &str| {
        let found = printed.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        found.unwrap_or_else(|| panic!("no attempt `{name}`: {output:?}")).to_owned()
    };
    for name in ["read own file", "write own file", "rename own file", "read ROM", "start thread", "connect"]
    {
        assert_eq!(ended(name), "done", "{name}");
    }
    let by_files = [
        "write ROM",
        "read file beside",
        "write file beside",
        "delete file beside",
        "read passwords",
        "list root",
        "read other processes",
    ];
    let by_calls = [
        "start program",
        "fork",
        "execve",
        "ptrace",
        "unshare",
        "io_uring",
        "other kind of socket",
        "listen",
    ];
    for name in by_files.iter().filter(|_| files).chain(by_calls.iter().filter(|_| calls)) {
        assert_eq!(ended(name), "permission denied", "{name}");
    }
    assert!(context.path().join("beside").exists() && !context.path().join("new").exists());
}

#[test]
fn a_confined_emulator_resolves_names_and_writes_labels_and_screens() {
    let context = TestContext::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("the computer connects");
        let mut head = [0; 1024];
        let _ = stream.read(&mut head);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
    let screens = context.path().join("screens/below");
    let lua = format!(
        "os.setComputerLabel('named') print(http.get('http://localhost:{port}/').readAll(), os.date('%Y') ~= nil)
        fs.makeDir('/a/b') fs.move('/a', '/c') print(fs.isDir('/c/b')) os.shutdown()"
    );
    let output = context.command().arg("--screen-dump").arg(&screens).args(["--exec", &lua]).output();
    let output = output.expect("the program runs");
    assert!(text(&output.stdout).ends_with("ok\ttrue\ntrue\n"), "{output:?}");
    assert!(context.read("config/0.json").contains("named") && screens.join("0.png").exists());
    server.join().expect("the server has answered");
}

/// Whether a process is confined, as the kernel tells it.
fn filters(arguments: &[&str]) -> String {
    let context = TestContext::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_embedded-craftos"))
        .arg("-d")
        .arg(context.path())
        .args(arguments)
        .args(["--exec", "fs.makeDir('/up') while true do os.pullEvent() end"])
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("the program runs");
    while !context.path().join("computer/0/up").exists() {
        assert!(child.try_wait().expect("it is a child").is_none(), "the emulator has ended");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("the process is there");
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let line = status.lines().find_map(|line| line.strip_prefix("Seccomp:"));
    line.unwrap_or_default().trim().to_owned()
}

#[test]
fn the_program_confines_itself_unless_it_is_told_not_to() {
    let on = if support().calls { "2" } else { "0" };
    assert_eq!(filters(&[]), on);
    // The test itself may run in a process that is confined.
    let own = fs::read_to_string("/proc/self/status").expect("the process is there");
    let own =
        own.lines().find_map(|line| line.strip_prefix("Seccomp:")).unwrap_or_default().trim().to_owned();
    assert_eq!(filters(&["--no-confine"]), own);
}

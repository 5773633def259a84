//! Files: what a computer may reach, and that everything else is out of reach.

use crate::context::{TestContext, text};

/// Shows the outcome of each of a list of expressions.
fn outcomes(context: &TestContext, expressions: &[&str], arguments: &[&str]) -> Vec<String> {
    let list: Vec<String> = expressions.iter().map(|text| format!("function() return {text} end")).collect();
    let list = list.join(", ");
    let bios = format!(
        "for _, f in ipairs({{ {list} }}) do local r = table.pack(pcall(f)) for i = 1, r.n do r[i] = tostring(r[i]) end
        term.write(table.concat(r, ' ') .. '\\n') end os.shutdown()"
    );
    text(&context.bios(&bios, arguments).stdout).lines().map(str::to_owned).collect()
}

#[test]
fn no_path_leads_out_of_the_computer() {
    let context = TestContext::new();
    context.write("secret.txt", "secret");
    let paths = [
        "../../secret.txt",
        "..\\\\..\\\\secret.txt",
        "a/../../../secret.txt",
        "/../secret.txt",
        ".\\0./secret.txt",
        " .. / .. /secret.txt",
    ];
    for path in paths {
        let open = format!("fs.open('{path}', 'r') == nil");
        let write = format!("fs.open('{path}.new', 'w') == nil");
        let exists = format!("fs.exists('{path}')");
        let found = outcomes(&context, &[&open, &write, &exists], &[]);
        assert_eq!(found, ["true true", "true true", "true false"], "{path}");
    }
    assert!(!context.path().join("secret.txt.new").exists());
}

#[cfg(unix)]
#[test]
fn links_out_of_the_computer_are_refused() {
    let context = TestContext::new();
    context.write("secret.txt", "secret");
    context.write("computer/0/x", "");
    std::os::unix::fs::symlink(context.path(), context.path().join("computer/0/link"))
        .expect("a link can be made");
    let found = outcomes(
        &context,
        &[
            "fs.open('link/secret.txt', 'r') == nil",
            "(pcall(fs.list, 'link'))",
            "fs.exists('link/secret.txt')",
        ],
        &[],
    );
    assert_eq!(found, ["true true", "true false", "true false"]);
}

#[test]
fn mounts_are_there_and_read_only_ones_stay_so() {
    let context = TestContext::new();
    context.write("shared/lib.lua", "return 5");
    let folder = context.path().join("shared");
    let folder = folder.to_str().expect("the path is text");
    let (ro, rw) = (format!("ro={folder}"), format!("a/rw={folder}"));
    let found = outcomes(
        &context,
        &[
            "fs.open('ro/lib.lua', 'r').readAll()",
            "fs.open('ro/new', 'w')",
            "fs.isReadOnly('ro')",
            "fs.open('a/rw/new', 'w').close()",
            "fs.exists('ro/new')",
            "table.concat(fs.list('a'), ',')",
            "fs.delete('ro')",
        ],
        &["--mount-ro", &ro, "--mount-rw", &rw],
    );
    assert_eq!(
        found,
        [
            "true return 5",
            "true nil /ro/new: Access denied",
            "true true",
            "true",
            "true true",
            "true rw",
            "false bios.lua:1: /ro: Access denied"
        ]
    );
}

#[test]
fn the_game_profile_limits_the_disk() {
    let context = TestContext::new();
    context.settings(r#"{"computerSpaceLimit": 1000}"#);
    let found = outcomes(
        &context,
        &[
            "fs.getCapacity('/')",
            "(function() local f = fs.open('x', 'w') f.write(('x'):rep(900)) f.close() end)()",
            "(function() local f = fs.open('y', 'w') f.write(('x'):rep(900)) f.close() end)()",
        ],
        &["--profile", "game"],
    );
    assert_eq!(found[0], "true 1000");
    assert_eq!(found[1], "true");
    assert!(found[2].ends_with("Out of space"), "{found:?}");
}

/// The program with a limit on how large its files may grow, in blocks of 512 or 1024 bytes: a disk that is full.
#[cfg(unix)]
fn on_a_full_disk(context: &TestContext, bios: &str, arguments: &[&str]) -> std::process::Output {
    let rom = context.rom(bios);
    let mut command = assert_cmd::Command::new("/bin/sh");
    command.timeout(crate::context::TIMEOUT).args(["-c", r#"ulimit -f 100 && exec "$0" "$@""#]);
    command.arg(env!("CARGO_BIN_EXE_embedded-craftos")).arg("--headless").arg("-d").arg(context.path());
    command.arg("--rom").arg(rom).args(arguments).output().expect("the program runs")
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_and_nothing_is_lost() {
    let context = TestContext::new();
    context.write("config/0.json", "{\"label\": \"base\"}");
    context.write("computer/0/old", "kept");
    context.write("computer/0/big", &"x".repeat(300_000));
    context.write("other/x", "");
    let other = format!("other={}", context.path().join("other").display());
    let bios = r#"
        local function show(...) local r = table.pack(...) for i = 1, r.n do r[i] = tostring(r[i]) end term.write(table.concat(r, " ") .. "\n") end
        local function append(text)
            local file = fs.open("old", "a")
            local ok, why = pcall(file.write, text)
            local closed, why_closed = pcall(file.close)
            return ok and closed, why or why_closed
        end
        show(append(("y"):rep(300000)))
        local file = fs.open("old", "r") show(file.read(4), fs.getSize("old") < 110000) file.close()
        local file = fs.open("new", "w")
        show(pcall(function() for i = 1, 300 do file.write(("z"):rep(1000)) end end))
        show(pcall(file.close))
        show(pcall(fs.copy, "big", "copy")) show(fs.exists("copy"))
        show(pcall(fs.move, "big", "other/big")) show(fs.exists("big"), fs.exists("other/big"))
        show(pcall(os.setComputerLabel, ("l"):rep(300000))) show(os.getComputerLabel())
        os.setComputerLabel("short") show(os.getComputerLabel())
        os.shutdown()"#;
    let output = on_a_full_disk(&context, bios, &["--mount-rw", &other]);
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(
        lines,
        [
            "false Out of space",
            "kept true",
            "false bios.lua:12: Out of space",
            "true",
            "false /big: Out of space",
            "false",
            "false Out of space",
            "true false",
            "false bad argument #1 (label is too long)",
            "base",
            "short",
        ],
        "{output:?}"
    );
    assert!(context.read("config/0.json").contains("\"short\""));
    let left = std::fs::read_dir(context.path().join("config")).expect("it is there").count();
    assert_eq!(left, 2, "only global.json and 0.json");
}

#[cfg(unix)]
#[test]
fn pipes_of_the_host_hold_up_nobody() {
    let context = TestContext::new();
    context.write("computer/0/x", "");
    let pipe = context.path().join("computer/0/pipe");
    std::process::Command::new("mkfifo").arg(&pipe).status().expect("there is a mkfifo");
    let found =
        outcomes(&context, &["fs.open('pipe', 'r')", "fs.open('pipe', 'w')", "fs.open('pipe', 'a')"], &[]);
    assert_eq!(found, ["true nil /pipe: Not a file"; 3]);
}

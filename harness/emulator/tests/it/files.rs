//! Files: what a computer may reach, and that everything else is out of reach.

use crate::context::{TestContext, text};

/// Shows the outcome of each of a list of expressions.
fn outcomes(context: &TestContext, expressions: &[&str], arguments: &[&str]) -> Vec<String> {
    let list: Vec<String> = expressions
        .iter()
        .map(|text| format!("function() return {text} end"))
        .collect();
    let list = list.join(", ");
    let bios = format!(
        "for _, f in ipairs({{ {list} }}) do local r = table.pack(pcall(f)) for i = 1, r.n do r[i] = tostring(r[i]) end
        term.write(table.concat(r, ' ') .. '\\n') end os.shutdown()"
    );
    text(&context.bios(&bios, arguments).stdout)
        .lines()
        .map(str::to_owned)
        .collect()
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

//! Configuration files of each kind, wrong ones included, and which of them counts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_host::config::{ConfigError, Entry};
use mcp_host::spec::{LocalSpec, RemoteSpec, ServerSpec, TransportSpec};
use mcp_host::{Configuration, Host, Settings, State, Surroundings};
use rstest::rstest;
use serde_json::json;

use crate::support::{path_text, settings};

/// A folder with files in it.
struct Project(tempfile::TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self(tempfile::tempdir().expect("a folder"));
        for (name, text) in files {
            let path = project.path(name);
            std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder is ours");
            std::fs::write(path, text).expect("the folder is ours");
        }
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn surroundings(&self, folder: &str) -> Surroundings {
        let mut surroundings =
            Surroundings::bare(if folder.is_empty() { self.0.path().into() } else { self.path(folder) });
        surroundings.home = Some(self.path("home"));
        surroundings.variables.insert("TOKEN".to_owned(), "s3cret".to_owned());
        surroundings
    }

    fn resolve(&self) -> Configuration {
        Configuration::resolve(&self.surroundings(""), None).expect("it can be read")
    }

    fn error(&self) -> String {
        Configuration::resolve(&self.surroundings(""), None).expect_err("it cannot be read").to_string()
    }
}

fn servers<'a>(configuration: &'a Configuration) -> Vec<&'a ServerSpec> {
    let server = |entry: &'a Entry| match entry {
        Entry::Server(spec) => Some(spec),
        Entry::Disabled { .. } | Entry::Broken { .. } => None,
    };
    configuration.entries.iter().filter_map(server).collect()
}

fn local(spec: &ServerSpec) -> &LocalSpec {
    let TransportSpec::Local(local) = &spec.transport else { panic!("{} is local", spec.id) };
    local
}

fn remote(spec: &ServerSpec) -> &RemoteSpec {
    let TransportSpec::Remote(remote) = &spec.transport else { panic!("{} is remote", spec.id) };
    remote
}

#[test]
fn opencode_is_read_in_its_first_layout() {
    let project = Project::new(&[(
        "opencode.json",
        r#"{
          // what agents see
          "$schema": "https://opencode.ai/config.json",
          "model": "some/model",
          "mcp": {
            "here": { "type": "local", "command": ["npx", "-y", "thing"], "environment": { "KEY": "{env:TOKEN}" }, "timeout": 5000 },
            "there": { "type": "remote", "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer {env:TOKEN}" }, "enabled": true },
            "off": { "type": "local", "command": ["x"], "enabled": false },
            "only-off": { "enabled": false },
          },
        }"#,
    )]);
    let configuration = project.resolve();
    let found = servers(&configuration);
    assert_eq!(found.iter().map(|spec| spec.id.as_str()).collect::<Vec<_>>(), ["here", "there"]);
    assert_eq!(local(found[0]).program, "npx");
    assert_eq!(local(found[0]).arguments, ["-y", "thing"]);
    assert_eq!(local(found[0]).environment["KEY"].reveal(), "s3cret");
    assert_eq!(local(found[0]).folder, project.0.path());
    assert_eq!(found[0].timeouts.start, Some(Duration::from_secs(5)));
    assert_eq!(remote(found[1]).url, "https://example.com/mcp");
    assert_eq!(remote(found[1]).headers["Authorization"].reveal(), "Bearer s3cret");
    let off: Vec<&str> = configuration
        .entries
        .iter()
        .filter(|it| matches!(it, Entry::Disabled { .. }))
        .map(Entry::id)
        .collect();
    assert_eq!(off, ["off", "only-off"]);
    assert!(!format!("{configuration:?}").contains("s3cret"), "secrets are not shown");
}

#[test]
fn opencode_is_read_in_its_second_layout() {
    let project = Project::new(&[
        (
            "opencode.jsonc",
            r#"{ "mcp": { "timeout": { "startup": 1000 }, "servers": {
              "here": { "type": "local", "command": ["thing"], "cwd": "below", "timeout": { "startup": 7, "request": 8 } },
              "there": { "type": "remote", "url": "http://127.0.0.1:1/mcp", "headers": { "X-Key": "{file:key.txt}" } },
              "off": { "type": "local", "command": ["thing"], "disabled": true } } } }"#,
        ),
        ("key.txt", "from a file\n"),
    ]);
    let configuration = project.resolve();
    let found = servers(&configuration);
    assert_eq!(found.len(), 2);
    assert_eq!(local(found[0]).folder, project.path("below"));
    assert_eq!(found[0].timeouts.start, Some(Duration::from_millis(7)));
    assert_eq!(found[0].timeouts.call, Some(Duration::from_millis(8)));
    assert_eq!(remote(found[1]).headers["X-Key"].reveal(), "from a file");
}

#[test]
fn a_server_called_servers_is_one() {
    let project = Project::new(&[(
        "opencode.json",
        r#"{ "mcp": { "servers": { "type": "local", "command": ["x"] }, "other": { "type": "local", "command": ["y"] } } }"#,
    )]);
    let configuration = project.resolve();
    assert_eq!(servers(&configuration).iter().map(|spec| &spec.id).collect::<Vec<_>>(), ["servers", "other"]);
}

#[test]
fn opencode_also_takes_a_program_with_its_arguments_apart() {
    let project = Project::new(&[(
        "opencode.json",
        r#"{ "mcp": { "freecad": { "command": "uvx", "args": ["freecad-mcp"], "env": { "A": "b" } } } }"#,
    )]);
    let configuration = project.resolve();
    let spec = local(servers(&configuration)[0]).clone();
    assert_eq!((spec.program.as_str(), spec.arguments.as_slice()), ("uvx", &["freecad-mcp".to_owned()][..]));
}

#[test]
fn dispatch_is_read() {
    let project = Project::new(&[(
        ".dispatch/mcp.json",
        r#"{ "servers": {
            "freecad": { "command": "uvx", "args": ["freecad-mcp"], "env": { "HOST": "${TOKEN}" } },
            "far": { "transport": "http", "url": "http://127.0.0.1:9876/mcp", "headers": { "A": "b" } },
            "off": { "command": "x", "disabled": true } } }"#,
    )]);
    let configuration = project.resolve();
    let found = servers(&configuration);
    assert_eq!(local(found[0]).environment["HOST"].reveal(), "${TOKEN}", "it has no variables");
    assert_eq!(local(found[0]).folder, project.0.path());
    assert_eq!(remote(found[1]).url, "http://127.0.0.1:9876/mcp");
    assert_eq!(configuration.entries.len(), 3);
}

#[test]
fn claude_code_is_read() {
    let project = Project::new(&[(
        ".mcp.json",
        r#"{ "mcpServers": {
            "a": { "command": "${CMD:-node}", "args": ["${TOKEN}"], "env": { "K": "${NONE:-d}" }, "timeout": 9 },
            "b": { "type": "http", "url": "https://${HOST:-example.com}/mcp", "headers": { "X": "${TOKEN}" }, "oauth": {} } } }"#,
    )]);
    let configuration = project.resolve();
    let found = servers(&configuration);
    assert_eq!((local(found[0]).program.as_str(), local(found[0]).arguments[0].as_str()), ("node", "s3cret"));
    assert_eq!(local(found[0]).environment["K"].reveal(), "d");
    assert_eq!(found[0].timeouts.call, Some(Duration::from_millis(9)));
    assert_eq!(remote(found[1]).url, "https://example.com/mcp");
    assert_eq!(configuration.notes.len(), 1);
    assert!(configuration.notes[0].to_string().contains("`oauth` is not followed here"));
}

#[test]
fn cursor_is_read() {
    let project = Project::new(&[
        (
            ".cursor/mcp.json",
            r#"{ "mcpServers": {
                "a": { "command": "${workspaceFolder}/run", "args": ["${userHome}"], "env": { "K": "${env:TOKEN}" }, "envFile": "${workspaceFolder}/.env" },
                "b": { "url": "http://127.0.0.1:1/mcp" }, } }"#,
        ),
        (".env", "# keys\nFROM_FILE='x y'\nK=overridden\n"),
    ]);
    let configuration = project.resolve();
    let found = servers(&configuration);
    assert_eq!(Path::new(&local(found[0]).program), project.path("run"));
    assert_eq!(Path::new(&local(found[0]).arguments[0]), project.path("home"));
    assert_eq!(local(found[0]).environment["K"].reveal(), "s3cret");
    assert_eq!(local(found[0]).environment["FROM_FILE"].reveal(), "x y");
    assert_eq!(remote(found[1]).url, "http://127.0.0.1:1/mcp");
}

const ONE: &str = r#"{ "mcpServers": { "one": { "command": "x" } } }"#;
const OTHER: &str = r#"{ "mcp": { "other": { "command": "x" } } }"#;

#[test]
fn the_first_file_counts_and_what_it_shadows_is_said() {
    let dispatch = r#"{ "servers": { "d": { "command": "x" } } }"#;
    let all = [
        (".dispatch/mcp.json", dispatch),
        ("opencode.json", OTHER),
        (".mcp.json", ONE),
        (".cursor/mcp.json", ONE),
    ];
    for from in 0..all.len() {
        let project = Project::new(&all[from..]);
        let configuration = project.resolve();
        assert_eq!(configuration.file, Some(project.path(all[from].0)));
        let shadowed: Vec<PathBuf> = all[from + 1..].iter().map(|(name, _)| project.path(name)).collect();
        assert_eq!(configuration.shadowed, shadowed);
    }
}

#[test]
fn settings_of_opencode_without_servers_do_not_count() {
    let project = Project::new(&[("opencode.json", r#"{ "model": "x" }"#), (".mcp.json", ONE)]);
    assert_eq!(project.resolve().file, Some(project.path(".mcp.json")));
}

#[test]
fn a_file_that_is_named_counts_and_shadows_the_others() {
    let project = Project::new(&[("my.json", OTHER), (".mcp.json", ONE)]);
    let surroundings = project.surroundings("");
    let configuration =
        Configuration::resolve(&surroundings, Some(Path::new("my.json"))).expect("it can be read");
    assert_eq!(configuration.entries[0].id(), "other");
    assert_eq!(configuration.shadowed, [project.path(".mcp.json")]);
    let missing =
        Configuration::resolve(&surroundings, Some(Path::new("none.json"))).expect_err("it is not there");
    assert!(matches!(missing, ConfigError::Read { .. }), "{missing}");
}

#[test]
fn folders_above_count_up_to_the_root_of_the_project() {
    let project = Project::new(&[
        ("outer/.mcp.json", ONE),
        ("outer/project/.git/HEAD", ""),
        ("outer/project/a/b/x", ""),
    ]);
    let inside = project.surroundings("outer/project/a/b");
    let none =
        Configuration::resolve(&inside, None).expect_err("what lies above the project is a stranger's");
    assert!(none.to_string().contains("no configuration of MCP servers for"), "{none}");
    std::fs::write(project.path("outer/project/opencode.json"), OTHER).expect("the folder is ours");
    let found = Configuration::resolve(&inside, None).expect("it is in the project");
    assert_eq!(found.file, Some(project.path("outer/project/opencode.json")));
    assert_eq!(local(servers(&found)[0]).folder, project.path("outer/project"));
    std::fs::write(project.path("outer/project/a/.mcp.json"), ONE).expect("the folder is ours");
    let nearer = Configuration::resolve(&inside, None).expect("the nearer counts");
    assert_eq!(nearer.file, Some(project.path("outer/project/a/.mcp.json")));
    assert_eq!(nearer.shadowed, [project.path("outer/project/opencode.json")]);
}

#[rstest]
#[case::not_json(".mcp.json", "{ \"mcpServers\": {\n  \"a\": }", &["line 2, column 8"])]
#[case::empty(".mcp.json", "", &["the file is empty"])]
#[case::a_comment_where_there_are_none(".mcp.json", "{\n// no\n\"mcpServers\": {} }", &["line 2"])]
#[case::no_object(".mcp.json", "[]", &["line 1, column 1", "this is an array, and has to be an object"])]
#[case::no_servers(".mcp.json", "{}", &["it names no servers", "hint: they stand in `mcpServers`"])]
#[case::servers_that_are_a_list(".mcp.json", "{\"mcpServers\":[]}", &["at `/mcpServers`", "this is an array"])]
#[case::not_text(".mcp.json", "\u{0}", &["line 1"])]
#[case::deep(".mcp.json", DEEP, &["line 1"])]
#[case::both_layouts("opencode.json", "{\"mcp\":{\"a\":{\"type\":\"local\",\"command\":[\"x\"]},\"servers\":{}}}", &["at `/mcp/a`", "both layouts"])]
fn a_file_that_is_wrong_is_shown_with_its_place(
    #[case] name: &str,
    #[case] text: &str,
    #[case] shown: &[&str],
) {
    let text = if text == DEEP { "[".repeat(100_000) } else { text.to_owned() };
    let error = Project::new(&[(name, &text), (".cursor/mcp.json", ONE)]).error();
    assert!(error.contains(name), "{error}");
    for part in shown {
        assert!(error.contains(part), "`{part}` is missing in\n{error}");
    }
}

const DEEP: &str = "a hundred thousand brackets";

#[rstest]
#[case::no_command_and_no_url("{}", &["at `/mcpServers/wrong`", "it has neither `command` nor `url`", "hint: "])]
#[case::both(r#"{ "command": "x", "url": "http://a/" }"#, &["/mcpServers/wrong/url", "this does not belong here"])]
#[case::a_mistyped_key(r#"{ "comand": "x" }"#, &["/wrong/comand", "`comand` is not a key of a server", "hint: did you mean `command`?"])]
#[case::a_number(r#"{ "command": 5 }"#, &["/wrong/command", "this is a number, and has to be a string"])]
#[case::an_argument_that_is_none(r#"{ "command": "x", "args": ["a", 7] }"#, &["/wrong/args/1", "a number"])]
#[case::an_empty_command(r#"{ "command": [] }"#, &["the command is empty"])]
#[case::a_variable_that_is_none(r#"{ "command": "x", "env": { "A=B": "c" } }"#, &["`A=B` cannot be a variable"])]
#[case::a_variable_that_is_a_number(r#"{ "command": "x", "env": { "A": 1 } }"#, &["/wrong/env/A", "a number"])]
#[case::an_unset_variable(r#"{ "command": "${UNSET}" }"#, &["the variable `UNSET` is not set", "hint: set it, or write `${UNSET:-default}`"])]
#[case::no_address(r#"{ "url": "nonsense" }"#, &["`nonsense` is not an address"])]
#[case::another_protocol(r#"{ "url": "file:///etc/passwd" }"#, &["not an HTTP address"])]
#[case::a_wrong_header(r#"{ "url": "http://a/", "headers": { "a b": "c" } }"#, &["`a b` cannot be set as a header"])]
#[case::a_header_of_the_protocol(r#"{ "url": "http://a/", "headers": { "Mcp-Session-Id": "c" } }"#, &["cannot be set as a header"])]
#[case::a_header_with_a_line_break(r#"{ "url": "http://a/", "headers": { "A": "b\nc" } }"#, &["a header cannot hold this"])]
#[case::the_old_transport(r#"{ "type": "sse", "url": "http://a/" }"#, &["HTTP+SSE", "hint: "])]
#[case::another_transport(r#"{ "type": "pigeon" }"#, &["`pigeon` is no kind of server"])]
#[case::a_key_twice(r#"{ "command": "x", "command": "y" }"#, &["`command` is there twice"])]
#[case::two_names_of_one_key(r#"{ "command": "x", "env": {}, "environment": {} }"#, &["says again what another key has said"])]
#[case::no_time(r#"{ "command": "x", "timeout": -1 }"#, &["a whole number of milliseconds"])]
#[case::enabled_by_a_word(r#"{ "command": "x", "enabled": "yes" }"#, &["has to be `true` or `false`"])]
#[case::null("null", &["this is null, and has to be an object"])]
#[tokio::test]
async fn a_wrong_entry_is_shown_and_disturbs_no_other(#[case] entry: &str, #[case] shown: &[&str]) {
    let program = env!("CARGO_BIN_EXE_mcp-test-server");
    let text = format!(
        "{{\n  \"mcpServers\": {{\n    \"wrong\": {entry},\n    \"right\": {{ \"command\": {program:?} }}\n  }}\n}}"
    );
    let project = Project::new(&[(".mcp.json", &text)]);
    let host = Host::new(project.resolve(), settings());
    host.start().await;
    let statuses = host.statuses();
    let State::Broken(why) = &statuses[0].state else { panic!("it is wrong") };
    assert!(why.contains(path_text(&project.path(".mcp.json"))) && why.contains("line 3, column "), "{why}");
    for part in shown {
        assert!(why.contains(part), "`{part}` is missing in\n{why}");
    }
    assert_eq!(statuses[1].state.word(), "ready");
    assert!(host.call("wrong__echo", json!({})).await.is_err());
    host.shutdown().await;
}

#[test]
fn two_servers_of_one_name_are_neither() {
    let text =
        r#"{ "mcpServers": { "a": { "command": "x" }, "b": { "command": "z" }, "a": { "command": "y" } } }"#;
    let configuration = Project::new(&[(".mcp.json", text)]).resolve();
    let Some(Entry::Broken { id, problem }) = configuration.entries.last() else { panic!("it is broken") };
    assert_eq!(id, "a");
    assert!(problem.to_string().contains("two servers are called `a`"), "{problem}");
    assert_eq!(servers(&configuration).len(), 1);
}

#[tokio::test]
async fn a_disabled_server_is_not_started() {
    let text = r#"{ "mcpServers": { "a": { "command": "no-such-program", "disabled": true } } }"#;
    let host = Host::new(Project::new(&[(".mcp.json", text)]).resolve(), Settings::default());
    host.start().await;
    assert_eq!(host.statuses()[0].state.word(), "disabled");
    assert!(host.servers().is_empty());
    let error = host.call("a__x", json!({})).await.expect_err("it is off").to_string();
    assert_eq!(error, "`a` is disabled in its configuration");
}

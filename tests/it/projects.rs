//! Scenarios of somebody's project: its `craftos.toml` says what is on the computers and what they start. No bridge is
//! involved unless a scenario asks for one.

use craftos_harness::emulators::Kind;
use rstest::rstest;

use crate::context::emulator;
use crate::project::Project;

/// Runs the program in the project; gives stdout and stderr together.
fn run(project: &Project, arguments: &[&str], code: i32) -> String {
    let (stdout, stderr) = project.said(arguments, code);
    stdout + &stderr
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn init_writes_a_scenario_that_passes(#[case] kind: Kind) {
    if emulator(kind).await.is_none() {
        return;
    }
    let project = Project::with(&[]);
    run(&project, &["init"], 0);
    let before = project.read("scenarios/greets/transcript.snap");
    let said = run(&project, &["run", "--emulator", &kind.to_string()], 0);
    assert!(said.contains("1 passed"), "{said}");
    assert!(project.read(".craftos/run/index.html").contains("greets"));
    assert!(!project.root.join("target").exists(), "a project has no folder of that name");
    run(&project, &["run", "--accept", "--emulator", &kind.to_string()], 0);
    assert_eq!(project.read("scenarios/greets/transcript.snap"), before, "it is what `--accept` writes");
}

const SCENARIO: &str = "about = \"What is there.\"
[[computers]]
id = 1
[computers.settings]
\"my.level\" = \"4\"
[[steps]]
wait = { ended = \"1\" }
expect = { exit = \"exit 0\" }
";

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_computer_has_what_the_project_says(#[case] kind: Kind) {
    if emulator(kind).await.is_none() {
        return;
    }
    let project = Project::with(&[
        (
            "craftos.toml",
            "start = \"/bin/main.lua\"\narguments = [\"one\", \"two words\"]\nscenarios = \"checks\"\n\
            settings = { \"my.level\" = \"3\", \"my.name\" = \"Ada\" }\n\
            files = { \"src\" = \"/bin\", \"lib\" = { path = \"/shared/lib\", mount = true } }\n",
        ),
        (
            "src/main.lua",
            "print(require('/shared.lib.mounted'))\nprint(settings.get('my.level'), settings.get('my.name'))\nprint(...)\nprint(fs.isReadOnly('/shared/lib/mounted.lua'))\n",
        ),
        ("lib/mounted.lua", "return 'mounted'"),
        ("checks/there/scenario.toml", SCENARIO),
    ]);
    let kind = kind.to_string();
    run(&project, &["run", "--accept", "--emulator", &kind], 0);
    let expected = "---\nsource: checks/there/scenario.toml\nexpression: transcript\n---\n# What is there.\n\n\
        1 has ended\n  exit 0\n\n== computer 1 (Label: null)\nscreen:\n  mounted\n  4\tAda\n  one\ttwo words\n  true\nexit 0\n";
    assert_eq!(project.read("checks/there/transcript.snap"), expected);
    project.write("src/main.lua", "print('another')");
    let said = run(&project, &["run", "--emulator", &kind], 1);
    assert!(said.contains("+   another"), "{said}");
}

#[test]
fn a_project_without_scenarios_says_so() {
    let project = Project::with(&[("craftos.toml", "")]);
    let said = run(&project, &["run"], 2);
    assert!(said.contains("the project has no scenarios") && said.contains("hint: "), "{said}");
    let said = run(&project, &["list"], 2);
    assert!(said.contains("the project has no scenarios"), "{said}");
    project.write("craftos.toml", "scenarios = \"nowhere\"\n");
    let said = run(&project, &["run"], 2);
    assert!(said.contains("craftos.toml`, line 1: `scenarios`: there is no folder `nowhere`"), "{said}");
}

#[test]
fn a_project_chooses_its_emulators() {
    let project = Project::with(&[
        ("craftos.toml", "emulators = [\"embedded\"]\nstart = \"/a.lua\"\n"),
        ("a.lua", "print('x')"),
        ("scenarios/there/scenario.toml", SCENARIO),
    ]);
    let said = run(&project, &["run", "--accept"], 0);
    assert!(said.contains("embedded: 1 passed") && !said.contains("craftos-pc"), "{said}");
}

const WITH_FILES: &str = "about = \"Files from disk.\"
[[computers]]
id = 1
[computers.files]
\"notes/said.txt\" = \"in the scenario\"
\"notes/beside.txt\" = { from = \"beside.txt\" }
\"data\" = { from = \"data\" }
\"main.lua\" = { from = \"../../elsewhere/main.lua\" }
[[steps]]
wait = { ended = \"1\" }
expect = { exit = \"exit 0\", screen = \"in the scenario, beside, deep\" }
";

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn files_of_a_computer_may_be_on_disk(#[case] kind: Kind) {
    if emulator(kind).await.is_none() {
        return;
    }
    let main = "local words = {}\nfor _, path in ipairs({ 'notes/said.txt', 'notes/beside.txt', 'data/in/deep.txt' }) do\n\
        local file = fs.open(path, 'r')\nwords[#words + 1] = file.readAll()\nfile.close()\nend\nprint(table.concat(words, ', '))\n";
    let project = Project::with(&[
        ("craftos.toml", "start = \"/main.lua\"\nfiles = { \"src\" = \"/\" }\n"),
        ("src/main.lua", "error('the scenario has another')"),
        ("elsewhere/main.lua", main),
        ("scenarios/there/scenario.toml", WITH_FILES),
        ("scenarios/there/beside.txt", "beside"),
        ("scenarios/there/data/in/deep.txt", "deep"),
    ]);
    run(&project, &["run", "--accept", "--emulator", &kind.to_string()], 0);
}

#[rstest]
#[case::not_there("{ from = \"none.txt\" }", "line 5: `files`: there is no `", "none.txt`")]
#[case::no_such_key("{ form = \"x\" }", "unknown field `form`", "`from`")]
#[case::of_another_type("7", "the text of a file, or `{ from = ", "")]
fn what_is_wrong_with_a_file_on_disk_is_named(#[case] file: &str, #[case] message: &str, #[case] also: &str) {
    let scenario = format!("about = \"x\"\n[[computers]]\nid = 1\n[computers.files]\n\"a.txt\" = {file}\n");
    let project = Project::with(&[("craftos.toml", ""), ("scenarios/there/scenario.toml", &scenario)]);
    let said = run(&project, &["run", "--emulator", "embedded"], 2);
    assert!(said.contains(message) && said.contains(also), "{said}");
}

#[test]
fn a_file_on_disk_cannot_be_put_outside_of_the_computer() {
    let scenario =
        "about = \"x\"\n[[computers]]\nid = 1\nfiles = { \"../a\" = { from = \"scenario.toml\" } }\n";
    let project = Project::with(&[("craftos.toml", ""), ("scenarios/there/scenario.toml", scenario)]);
    let said = run(&project, &["run", "--emulator", "embedded"], 2);
    assert!(said.contains("line 4: `../a` is not a path inside a computer"), "{said}");
}

//! Other computers that a spec starts.

use craftos_harness::emulators::Kind;
use rstest::rstest;

use crate::project::{Project, outcomes};
use crate::specs::is_there;

const LOOP: &str = "print('up') while true do os.pullEvent('go') print('gone') end";

fn spec(tests: &str) -> String {
    format!("local test = require('craftos.test')\nlocal LOOP = {{ ['loop.lua'] = [[{LOOP}]] }}\n{tests}\n")
}

#[rstest]
#[case::unknown("test.computer({ lable = 'x' })", "there is no `lable`")]
#[case::of_another_type("test.computer({ label = 7 })", "its `label` must be a string, not a number")]
#[case::no_program("test.computer({ program = '/none.lua' }):shows('x')", "ended before that: exit 1")]
#[case::a_program_that_fails(
    "test.computer({ program = '/bad.lua', files = { ['bad.lua'] = 'error([[boom]])' } }):shows('x')",
    "boom"
)]
#[case::an_end_that_is_an_error(
    "test.computer({ program = '/bad.lua', files = { ['bad.lua'] = 'error([[boom]])' } }):finish()",
    "ended with exit 1; its screen is:\n/bad.lua:1: boom"
)]
#[case::not_yet(
    "test.computer({ program = '/loop.lua', files = LOOP }):shows('never', 0.2)",
    "did not happen on the computer 1 within 0.2 s; its screen is:\nup"
)]
#[case::deaf(
    "test.computer({ program = '/loop.lua', files = LOOP }):shows('up'):type('x')",
    "the program did not take the character \"x\": it waits for `go`"
)]
#[case::its_own_id("test.computer({ id = 0 })", "a computer with this id runs already")]
#[case::an_id_twice(
    "test.computer({ id = 5 }) test.computer({ id = 5 })",
    "a computer with this id runs already"
)]
#[case::no_such_peripheral("test.computer({ peripherals = { left = '/no.lua' } })", "failed to read /no.lua")]
#[case::outside("test.computer({ files = { ['../x'] = '' } })", "`../x` is not a path inside a computer")]
#[case::ended(
    "local other = test.computer({ program = '/loop.lua', files = LOOP }) other:stop():give('go')",
    "is not running: stopped"
)]
fn what_is_wrong_with_another_computer_fails_the_test_by_name(#[case] body: &str, #[case] message: &str) {
    let spec = spec(&format!("it('does it', function() {body} end)"));
    let project = Project::with(&[("craftos.toml", ""), ("spec/a_spec.lua", &spec)]);
    let (results, stderr) = project.test(Kind::Embedded, &[], 1);
    assert_eq!(outcomes(&results), [("does it", "failed")], "{stderr}");
    let said = results[0]["message"].as_str().unwrap_or_default();
    assert!(said.contains(message), "{said}");
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn another_computer_ends_with_its_test_whatever_that_does(#[case] kind: Kind) {
    if !is_there(kind).await {
        return;
    }
    let tests = "it('leaves it', function()\n\
        local other = test.computer({ id = 4, program = '/loop.lua', files = LOOP })\n\
        other:shows('up'):give('go'):shows('gone')\n\
        expect(peripheral.call('computer_4', 'isOn')):eq(true)\n\
        end)\n\
        it('finds it off', function() expect(peripheral.call('computer_4', 'isOn')):ne(true) end)\n\
        it('turns itself off', function()\n\
        test.computer({ program = '/loop.lua', files = LOOP }):shows('up')\n\
        os.shutdown()\n\
        end)\n\
        it('is not there for another', function()\n\
        expect(peripheral.isPresent('computer_4')):eq(false)\n\
        test.computer({ id = 4 }):shows('>')\n\
        end)\n\
        it('reboots', function()\n\
        local other = test.computer({ files = { ['startup.lua'] = 'print(#fs.list([[/]]))' } })\n\
        other:reboot():shows('>')\n\
        end)";
    let project = Project::with(&[("craftos.toml", ""), ("spec/a_spec.lua", &spec(tests))]);
    let (results, stderr) = project.test(kind, &[], 1);
    let expected = [
        ("leaves it", "passed"),
        ("finds it off", "passed"),
        ("turns itself off", "failed"),
        ("is not there for another", "passed"),
        ("reboots", "passed"),
    ];
    assert_eq!(outcomes(&results), expected, "{stderr}");
}

#[test]
fn the_game_has_no_other_computers_and_says_so() {
    let tests = "it('starts', function() test.computer() end)\nit('attaches', function() test.emulated('left', 'modem') end)";
    let project = Project::with(&[("craftos.toml", ""), ("spec/a_spec.lua", &spec(tests))]);
    let (results, stderr) = project.test(Kind::Embedded, &["--profile", "game"], 1);
    assert_eq!(outcomes(&results), [("starts", "failed"), ("attaches", "failed")], "{stderr}");
    for result in &results {
        let said = result["message"].as_str().unwrap_or_default();
        assert!(said.contains("has no `periphemu`"), "{said}");
    }
}

//! Steps: what cannot have an effect is an error, expectations are named, and `must_fail` proves that a scenario can fail.

use rstest::rstest;

use crate::context::Fixtures;

fn printed(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const ALONE: &str = "about = \"x\"\n[[computers]]\nid = 3\nprogram = \"none\"\nstart = \"/a.lua\"\nboot = \"booted\"\nfiles = { \"a.lua\" = \"print('up') os.pullEvent('go') print('gone')\" }\n";
const LINKED: &str = "about = \"x\"\n[[computers]]\nid = 12\n";
const ENDED: &str =
    "[[steps]]\nevent = { computer = \"3\", name = \"go\" }\n[[steps]]\nwait = { ended = \"3\" }\n";

#[rstest]
#[case::no_such_computer("boot = \"9\"", "computer `9`, which is not there")]
#[case::an_empty_together("together = []", "`together` has two sequences or more")]
#[case::an_empty_sequence("together = [[{ say = \"x\" }], []]", "`together` has two sequences or more")]
#[case::an_empty_within("within = { seconds = 1, steps = [] }", "`within` has no step in it")]
#[case::no_time("within = { seconds = 0, steps = [{ say = \"x\" }] }", "nothing is done within 0 s")]
#[case::zero_greetings("wait = { computer = \"12\", greeted = 0 }", "count from 1")]
#[case::no_condition("wait = { computer = \"12\" }", "a wait has one condition")]
#[case::two_conditions("wait = { linked = \"12\", left = \"12\" }", "a wait has one condition")]
#[case::an_empty_text("wait = { computer = \"12\", shows = \"\" }", "every screen shows an empty text")]
#[case::an_empty_output("wait = { computer = \"12\", output = \"\" }", "an empty text is in everything")]
#[case::no_code("exec = { computer = \"12\", code = \"\" }", "there is no code to run")]
#[case::no_code_file("exec = { computer = \"12\", code_file = \"no.lua\" }", "failed to read `code_file`")]
#[case::nothing_to_type("type = { computer = \"12\", text = \"\" }", "there is no text to type")]
#[case::a_character_without_a_key("type = { computer = \"12\", text = \"€\" }", "`€` cannot be typed")]
#[case::no_such_key("key = { computer = \"12\", name = \"Enter\" }", "did you mean `enter`?")]
#[case::no_such_held_key("key = { computer = \"12\", name = \"a\", held = [\"ctrl\"] }", "no key `ctrl`")]
#[case::no_such_button("click = { computer = \"12\", x = 1, y = 1, button = 4 }", "there is no button 4")]
#[case::no_such_column("click = { computer = \"12\", x = 0, y = 1 }", "count from 1")]
#[case::a_drag_over_one_place("drag = { computer = \"12\", over = [[1, 1]] }", "two places or more")]
#[case::a_paste_of_lines("paste = { computer = \"12\", text = \"a\\nb\" }", "a paste has one line")]
#[case::an_empty_screen("wait = { computer = \"12\", screen = \"\" }", "every screen shows an empty text")]
#[case::no_change("peripheral = { computer = \"12\", name = \"left\" }", "nothing is changed")]
#[case::no_failure(
    "peripheral = { computer = \"12\", name = \"a\", fail = { method = \"x\", message = \"y\", times = 0 } }",
    "fails 0 times does not fail"
)]
#[case::values_without_an_event(
    "peripheral = { computer = \"12\", name = \"left\", mend = \"x\", values = [1] }",
    "`values` belongs to `event`"
)]
#[case::no_file_to_attach(
    "attach = { computer = \"12\", name = \"left\", file = \"no.lua\" }",
    "failed to read `"
)]
#[case::an_expectation_that_does_not_fit(
    "boot = \"12\"\nexpect = { text = \"x\" }",
    "this step has no `text` to expect"
)]
#[case::an_expected_empty_text(
    "exec = { computer = \"12\", code = \"return 1\" }\nexpect = { text = \"\" }",
    "an empty text is in everything"
)]
#[case::an_expected_empty_error(
    "exec = { computer = \"12\", code = \"return 1\" }\nexpect = { error = \"\" }",
    "an empty text is in everything"
)]
#[case::an_expected_empty_screen(
    "stop = \"12\"\nexpect = { screen = \"\" }",
    "an empty text is in everything"
)]
#[case::an_answer_to_a_cancelled_call(
    "exec = { computer = \"12\", code = \"sleep(9)\", cancel_after = { request = \"exec-lua\" } }\nexpect = { without = \"x\" }",
    "this step has no `text` to expect"
)]
fn a_step_that_cannot_be_meant_is_shown_with_its_line(#[case] step: &str, #[case] why: &str) {
    let fixtures = Fixtures::with("wrong", &format!("{LINKED}[[steps]]\n{step}\n"));
    let error = printed(&fixtures.harness(&["run"]).assert().code(2).get_output().stderr);
    assert!(error.contains("line 4: ") && error.contains(why), "{error}");
}

#[test]
fn an_expectation_of_nothing_is_refused() {
    let fixtures = Fixtures::with("wrong", &format!("{LINKED}[[steps]]\nstop = \"12\"\nexpect = {{}}\n"));
    let error = printed(&fixtures.harness(&["run"]).assert().code(2).get_output().stderr);
    assert!(error.contains("`expect` names nothing that is expected"), "{error}");
}

/// Steps after a chunk that was answered: nothing of that answer may cancel the next call.
#[rstest]
#[case::an_earlier_answer(
    "{ response = 1 }",
    "before the call of `exec-lua` began, 12 has answered request 1"
)]
#[case::an_earlier_greeting("{ greeted = 1 }", "before the call of `exec-lua` began, 12 has been greeted")]
fn a_call_is_not_cancelled_by_what_came_before_it(#[case] after: &str, #[case] why: &str) {
    let steps = format!(
        "[[steps]]\nexec = {{ computer = \"12\", code = \"return 1\" }}\n[[steps]]\nexec = {{ computer = \"12\", code = \"sleep(60)\", cancel_after = {after} }}\n"
    );
    let fixtures = Fixtures::with("early", &format!("{LINKED}{steps}"));
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    assert!(error.contains("step 2 (`") && error.contains(why), "{error}");
}

#[test]
fn a_call_is_not_cancelled_by_another_answer_than_the_one_that_was_named() {
    let other = "exec = { computer = \"12\", code = \"os.pullEvent('go')\" }";
    let waits =
        "exec = { computer = \"12\", code = \"sleep(60)\", cancel_after = { response = 1, ok = false } }";
    let both = format!(
        "[[steps]]\ntogether = [[{{ {other} }}], [{{ wait = {{ computer = \"12\", request = \"exec-lua\" }} }}, {{ {waits} }}], [{{ wait = {{ computer = \"12\", request = \"exec-lua\", contains = \"sleep(60)\" }} }}, {{ event = {{ computer = \"12\", name = \"go\" }} }}]]\n"
    );
    let fixtures = Fixtures::with("other", &format!("{LINKED}{both}"));
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    assert!(error.contains("the answer has `ok` = true, not false"), "{error}");
}

#[test]
fn what_an_earlier_boot_printed_is_not_expected_of_this_one() {
    let program =
        "if not fs.exists('/x') then fs.open('/x', 'w').close() print('once') end os.pullEvent('go')";
    let alone = ALONE.replace("print('up') os.pullEvent('go') print('gone')", program);
    let steps = "[[steps]]\nwait = { computer = \"3\", shows = \"once\" }\nexpect = { screen = \"once\" }\n[[steps]]\nreboot = \"3\"\n[[steps]]\nstop = \"3\"\nexpect = { screen = \"once\" }\n";
    let fixtures = Fixtures::with("boots", &format!("{alone}{steps}"));
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    assert!(error.contains("step 3 (`") && error.contains("expected screen: once"), "{error}");
}

#[rstest]
#[case::an_event("event = { computer = \"3\", name = \"x\" }")]
#[case::a_timer("timer = { computer = \"3\", seconds = 1 }")]
#[case::a_reboot("reboot = \"3\"")]
#[case::a_kill("kill = \"3\"")]
#[case::a_stop("stop = \"3\"")]
#[case::a_text("type = { computer = \"3\", text = \"x\" }")]
#[case::a_key("key = { computer = \"3\", name = \"enter\" }")]
#[case::a_click("click = { computer = \"3\", x = 1, y = 1 }")]
#[case::a_screen("screen = { computer = \"3\" }")]
fn a_computer_that_has_ended_takes_no_step(#[case] step: &str) {
    let fixtures = Fixtures::with("ended", &format!("{ALONE}{ENDED}[[steps]]\n{step}\n"));
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    assert!(error.contains("step 3 (`") && error.contains("computer 3 is not running"), "{error}");
}

#[rstest]
#[case::a_timer_that_was_not_started("timer = { computer = \"12\", seconds = 77 }", "refused `timer(77)`")]
#[case::nothing_to_restore("restore = \"12\"", "computer 12 is not cut off")]
#[case::nothing_to_unmute("unmute = \"12\"", "computer 12 is not muted")]
#[case::a_computer_that_a_step_has_ended(
    "kill = \"12\"\n[[steps]]\nwait = { ended = \"12\" }",
    "computer 12 has not ended by itself: killed"
)]
#[case::a_bridge_that_runs("bridge = \"start\"", "the bridge runs already")]
fn a_step_without_effect_fails_and_is_named(#[case] step: &str, #[case] why: &str) {
    let fixtures = Fixtures::with("idle", &format!("{LINKED}[[steps]]\n{step}\n"));
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    let number = step.matches("[[steps]]").count() + 1;
    assert!(error.contains(&format!("step {number} (`")) && error.contains(why), "{error}");
}

#[test]
fn a_timer_is_found_whose_time_is_a_sum_of_decimals() {
    let waits = ALONE.replace("os.pullEvent('go')", "os.startTimer(60.1 + 0.2) os.pullEvent('timer')");
    let steps = "[[steps]]\nwait = { computer = \"3\", shows = \"up\" }\n[[steps]]\ntimer = { computer = \"3\", seconds = 60.3 }\n[[steps]]\nwait = { computer = \"3\", shows = \"gone\" }\n";
    let fixtures = Fixtures::with("sum", &format!("{waits}{steps}"));
    fixtures.harness(&["run", "--accept"]).assert().success();
}

#[rstest]
#[case::a_text(
    "type = { computer = \"3\", text = \"x\" }",
    "the program did not take the character \"x\": it waits for `go`"
)]
#[case::a_key(
    "key = { computer = \"3\", name = \"up\" }",
    "the program did not take the key: it waits for `go`"
)]
#[case::a_click("click = { computer = \"3\", x = 1, y = 1 }", "the program did not take the click")]
#[case::a_drag("drag = { computer = \"3\", over = [[1, 1], [2, 1]] }", "the program did not take the drag")]
#[case::a_wheel(
    "scroll = { computer = \"3\", x = 1, y = 1, to = \"up\" }",
    "the program did not take the scroll"
)]
#[case::a_paste("paste = { computer = \"3\", text = \"x\" }", "the program did not take the paste")]
#[case::a_place(
    "click = { computer = \"3\", x = 99, y = 1 }",
    "there is no place 99, 1: the screen has 51 by 19"
)]
#[case::a_peripheral("detach = { computer = \"3\", name = \"left\" }", "there is no command `detach`")]
fn a_program_that_waits_for_something_else_takes_no_input(#[case] step: &str, #[case] why: &str) {
    let up = "[[steps]]\nwait = { computer = \"3\", shows = \"up\" }\n";
    let fixtures = Fixtures::with("deaf", &format!("{ALONE}{up}[[steps]]\n{step}\n"));
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    assert!(error.contains("step 2 (`") && error.contains(why), "{error}");
}

#[rstest]
#[case::one_that_is_not_there("detach = { computer = \"3\", name = \"right\" }", "has no peripheral right")]
#[case::one_that_is_attached(
    "attach = { computer = \"3\", name = \"left\" }",
    "there is a peripheral left already"
)]
#[case::one_that_nobody_knows(
    "attach = { computer = \"3\", name = \"back\" }",
    "no peripheral back to attach"
)]
#[case::a_method_that_works(
    "peripheral = { computer = \"3\", name = \"left\", mend = \"get\" }",
    "the method get of left does not fail"
)]
#[case::a_method_that_is_not_there(
    "peripheral = { computer = \"3\", name = \"left\", fail = { method = \"no\", message = \"x\" } }",
    "the peripheral left has no method no"
)]
#[case::an_event_of_one_that_is_not_attached(
    "peripheral = { computer = \"3\", name = \"top\", event = \"x\" }",
    "the peripheral top is not attached"
)]
fn a_change_of_a_peripheral_without_effect_is_an_error(#[case] step: &str, #[case] why: &str) {
    let given = "[[computers.peripherals]]\nname = \"left\"\nfile = \"x.lua\"\n[[computers.peripherals]]\nname = \"top\"\nfile = \"x.lua\"\nattached = false\n";
    let fixtures = Fixtures::with("still", &format!("{ALONE}{given}[[steps]]\n{step}\n"));
    let device = "return { type = 'x', methods = { get = function() return 1 end } }";
    std::fs::write(fixtures.scenario("still").join("x.lua"), device).expect("ours");
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    assert!(error.contains("step 1 (`") && error.contains(why), "{error}");
}

#[rstest]
#[case::not_a_table("return 7", "it returns no table")]
#[case::an_error("error('no power')", "no power")]
#[case::without_a_type("return { methods = { a = print } }", "it needs a `type`")]
#[case::without_methods("return { type = 'x', methods = {} }", "it needs `methods`")]
#[case::a_method_that_is_none("return { type = 'x', methods = { a = 1 } }", "the method a is not a function")]
#[case::an_unknown_key("return { type = 'x', methods = { a = print }, energy = 1 }", "it has no `energy`")]
#[case::a_state_that_is_none(
    "return { type = 'x', methods = { a = print }, state = 1 }",
    "its `state` is not a table"
)]
#[case::a_latency_that_is_none(
    "return { type = 'x', methods = { a = print }, latency = 'long' }",
    "its `latency` is not a number"
)]
fn a_file_that_is_no_peripheral_ends_its_computer_by_name(#[case] device: &str, #[case] why: &str) {
    let given = "[[computers.peripherals]]\nname = \"left\"\nfile = \"x.lua\"\n";
    let fixtures = Fixtures::with(
        "wrong",
        &format!("{ALONE}{given}[[steps]]\nwait = {{ computer = \"3\", shows = \"up\" }}\n"),
    );
    let device = if device.starts_with("return") { device.to_owned() } else { format!("{device} return 1") };
    std::fs::write(fixtures.scenario("wrong").join("x.lua"), device).expect("ours");
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    // A screen wraps what it shows.
    let error = error.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(error.contains("exit 1") && error.contains(why), "{error}");
}

#[test]
fn a_computer_that_was_never_linked_has_not_left() {
    let scenario = format!("{ALONE}[[steps]]\nwait = {{ left = \"3\" }}\n");
    let fixtures = Fixtures::with("never", &scenario);
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    assert!(error.contains("computer 3 was never linked"), "{error}");
}

#[test]
fn the_link_of_an_earlier_boot_is_not_the_one_that_is_waited_for() {
    let quit = "start = \"/quit.lua\"\nboot = \"booted\"\nfiles = { \"quit.lua\" = \"if not fs.exists('/x') then fs.open('/x', 'w').close() shell.run('/programs/mcp-computer.lua', ...) else os.pullEvent('go') end\" }\n";
    let steps = "[[steps]]\nwait = { linked = \"12\" }\n[[steps]]\nkill = \"12\"\n[[steps]]\nwait = { left = \"12\" }\n[[steps]]\nboot = \"12\"\n[[steps]]\nwait = { left = \"12\" }\n";
    let fixtures = Fixtures::with("earlier", &format!("{LINKED}{quit}{steps}"));
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    assert!(error.contains("step 5 (`12 has left`)"), "{error}");
    assert!(error.contains("computer 12 has not linked since it was booted"), "{error}");
}

#[rstest]
#[case::the_text(
    "exec = { computer = \"12\", code = \"return 1\" }\nexpect = { text = \"no such\" }",
    "expected text: no such"
)]
#[case::an_error(
    "exec = { computer = \"12\", code = \"return 1\" }\nexpect = { error = true }",
    "expected error: true"
)]
#[case::the_file(
    "read = { computer = \"12\", path = \"x\" }\nexpect = { file = true }",
    "found: no such file"
)]
#[case::what_a_file_holds(
    "read = { computer = \"12\", path = \"note\" }\nexpect = { file = \"another\" }",
    "expected file: another\nfound: one"
)]
#[case::what_a_file_begins_with(
    "read = { computer = \"12\", path = \"note\" }\nexpect = { file = \"on\" }",
    "expected file: on\nfound: one"
)]
#[case::a_line_that_a_file_has_not(
    "read = { computer = \"12\", path = \"note\" }\nexpect = { file = \"one\\n\" }",
    "expected file: text: \"one\\n\"\nfound: one"
)]
#[case::a_file_that_is_not_there(
    "read = { computer = \"12\", path = \"x\" }\nexpect = { file = \"no such file\" }",
    "expected file: text: \"no such file\"\nfound: no such file"
)]
#[case::a_text_that_should_not_be_there(
    "exec = { computer = \"12\", code = \"return 17\" }\nexpect = { without = \"17\" }",
    "expected a text without: 17"
)]
#[case::the_words_of_an_error_that_is_none(
    "exec = { computer = \"12\", code = \"return 'no door'\" }\nexpect = { error = \"no door\" }",
    "expected error: no door"
)]
#[case::the_exit("stop = \"12\"\nexpect = { exit = \"exit 1\" }", "expected exit: exit 1\nfound: stopped")]
#[case::the_screen(
    "exec = { computer = \"12\", code = \"return 1\" }\nexpect = { screen = \"purple\" }",
    "expected screen: purple"
)]
fn an_expectation_that_does_not_hold_is_named(#[case] step: &str, #[case] why: &str) {
    let scenario = format!("{LINKED}files = {{ note = \"one\" }}\n[[steps]]\n{step}\n");
    let fixtures = Fixtures::with("expects", &scenario);
    let error = printed(&fixtures.harness(&["run", "--accept"]).assert().code(1).get_output().stderr);
    assert!(error.contains("step 1 (`") && error.contains(why), "{error}");
}

#[test]
fn a_frame_contains_what_is_in_its_texts_however_json_writes_it() {
    let code = "print(\\\"two\\nlines\\\")";
    let exec = format!("exec = {{ computer = \"12\", code = \"{code}\" }}");
    let wait = format!("wait = {{ computer = \"12\", request = \"exec-lua\", contains = \"{code}\" }}");
    let both = format!("[[steps]]\ntogether = [[{{ {exec} }}], [{{ {wait} }}]]\n");
    let fixtures = Fixtures::with("written", &format!("{LINKED}{both}"));
    fixtures.harness(&["run", "--accept"]).assert().success();
}

#[test]
fn a_second_cancel_is_not_triggered_by_the_frames_of_the_first() {
    // Were the first request enough, the second call would be cancelled before it was sent.
    let exec = "[[steps]]\nexec = { computer = \"12\", code = \"sleep(120)\", cancel_after = { request = \"exec-lua\" } }\n";
    let fixtures = Fixtures::with(
        "twice",
        &format!("{LINKED}{exec}{exec}[[steps]]\nwait = {{ computer = \"12\", response = 2, ok = false }}\n"),
    );
    fixtures.harness(&["run", "--accept"]).assert().success();
}

#[test]
fn an_answer_that_is_not_the_awaited_one_fails_at_once() {
    let steps = "[[steps]]\nexec = { computer = \"12\", code = \"return 1\" }\n[[steps]]\nwait = { computer = \"12\", response = 1, ok = false }\n";
    let fixtures = Fixtures::with("otherwise", &format!("{LINKED}{steps}"));
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    assert!(error.contains("the answer has `ok` = true, not false"), "{error}");
}

#[rstest]
#[case::answered_before(
    "exec = { computer = \"12\", code = \"return 1\", cancel_after = { output = \"never\" } }",
    "was answered before it could be cancelled"
)]
#[case::asked_for_something_else(
    "exec = { computer = \"12\", code = \"sleep(1)\", cancel_after = { request = \"exec-lua\", contains = \"no such text\" } }",
    "was answered before it could be cancelled"
)]
#[case::too_late(
    "within = { seconds = 1, steps = [{ exec = { computer = \"12\", code = \"sleep(20)\" } }] }",
    "it took longer than the 1 s that the scenario gives it"
)]
fn a_step_that_does_not_do_what_it_says_fails(#[case] step: &str, #[case] why: &str) {
    let fixtures = Fixtures::with("says", &format!("{LINKED}[[steps]]\n{step}\n"));
    let error = printed(&fixtures.harness(&["run", "--accept"]).assert().code(1).get_output().stderr);
    assert!(error.contains("step 1 (`") && error.contains(why), "{error}");
}

#[test]
fn an_answer_in_parts_is_an_answer() {
    let exec = "[[steps]]\nexec = { computer = \"12\", code = \"return ('x'):rep(200000)\" }\n";
    let wait = "[[steps]]\nwait = { computer = \"12\", response = 1, ok = true }\n";
    let fixtures = Fixtures::with("parts", &format!("{LINKED}{exec}{wait}"));
    fixtures.harness(&["run", "--accept"]).assert().success();
}

#[test]
fn a_must_fail_that_fails_for_another_reason_fails_and_is_named() {
    let scenario = "about = \"x\"\n[[steps]]\nsay = \"one\"\n";
    let change = "[[must_fail]]\nabout = \"another word\"\nbecause = \"no such words\"\nset = { \"steps.1.say\" = \"two\" }\n";
    let fixtures = Fixtures::with("proof", scenario);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let fixtures = fixtures.and("proof", &format!("{scenario}{change}"));
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    assert!(
        error.contains("`must_fail` 1 (`another word`) fails, but does not say `no such words`"),
        "{error}"
    );
    let right = change.replace("no such words", "+ -- two");
    fixtures.and("proof", &format!("{scenario}{right}")).harness(&["run"]).assert().success();
}

#[rstest]
#[case::another_title("set = { \"steps.1.say\" = \"two\" }")]
#[case::a_step_less("remove = [\"steps.1\"]")]
#[case::a_computer_less("remove = [\"computers.4\"]")]
fn a_must_fail_that_only_the_transcript_names_proves_nothing(#[case] change: &str) {
    let other = "[[computers]]\nid = 4\nprogram = \"none\"\nstart = \"/a.lua\"\nboot = \"booted\"\nfiles = { \"a.lua\" = \"os.pullEvent('go')\" }\n";
    let scenario = format!("{ALONE}{other}[[steps]]\nsay = \"one\"\n[[steps]]\nsay = \"last\"\n");
    let change = format!("[[must_fail]]\nabout = \"another name\"\n{change}\n");
    let fixtures = Fixtures::with("proof", &scenario);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let fixtures = fixtures.and("proof", &format!("{scenario}{change}"));
    for accepting in [&["run"][..], &["run", "--accept"]] {
        let error = printed(&fixtures.harness(accepting).assert().code(1).get_output().stderr);
        let why = "`must_fail` 1 (`another name`) fails only because the transcript names what was changed";
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_must_fail_that_another_step_notices_needs_no_words() {
    let read = "[[steps]]\nread = { computer = \"3\", path = \"kept\" }\n";
    let scenario = format!(
        "about = \"x\"\n[[computers]]\nid = 3\nprogram = \"none\"\nstart = \"/a.lua\"\nboot = \"booted\"\nfiles = {{ \"a.lua\" = \"os.pullEvent('go')\", kept = \"one\" }}\n{read}"
    );
    let change = "[[must_fail]]\nabout = \"another file\"\nset = { \"computers.3.files.kept\" = \"two\" }\n";
    let fixtures = Fixtures::with("proof", &scenario);
    fixtures.harness(&["run", "--accept"]).assert().success();
    fixtures.and("proof", &format!("{scenario}{change}")).harness(&["run"]).assert().success();
}

#[test]
fn a_must_fail_that_stays_green_fails_and_is_named() {
    let change = "[[must_fail]]\nabout = \"another label\"\nset = { \"computers.3.settings\" = { \"a.b\" = \"1\" } }\n";
    let fixtures = Fixtures::with("proof", ALONE);
    fixtures.harness(&["run", "--accept"]).assert().success();
    std::fs::write(fixtures.scenario("proof").join("scenario.toml"), format!("{ALONE}{change}"))
        .expect("ours");
    let error = printed(&fixtures.harness(&["run"]).assert().code(1).get_output().stderr);
    assert!(error.contains("`must_fail` 1 (`another label`) has to fail and passes"), "{error}");
}

#[test]
fn a_scenario_without_links_starts_no_bridge() {
    let fixtures = Fixtures::with("alone", &format!("{ALONE}{ENDED}"));
    let mut command = fixtures.harness(&["run", "--accept", "--bridge", "no-such-bridge"]);
    command.assert().success();
}

//! With a seed, two runs print the same bytes.

use crate::context::{TestContext, text};

/// What a seed fixes on every system.
const ANYWHERE: &str = r#"
    local t = {} for i = 1, 200 do t["key" .. i] = i end
    local order = {} for k in pairs(t) do order[#order + 1] = k end
    print(table.concat(order, " "))
    print(math.random(), math.random(1000), os.startTimer(1), os.clock(), os.time(), os.epoch("utc"), os.date())
    sleep(0.1) print(os.clock(), os.time(), os.day())
    os.shutdown()
"#;

/// What follows from addresses, which are fixed on Linux only.
#[cfg(target_os = "linux")]
const ADDRESSES: &str = r#"
    local objects = {} for i = 1, 100 do objects[{}] = i objects[function() return i end] = -i end
    local order = {} for _, v in pairs(objects) do order[#order + 1] = v end
    print(table.concat(order, " "))
    print(tostring({}), tostring(print), tostring(coroutine.create(print)))
    os.shutdown()
"#;

fn run(seed: &str, lua: &str) -> String {
    let output = TestContext::new()
        .command()
        .args(["--seed", seed, "--exec", lua])
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    text(&output.stdout)
}

#[test]
fn two_runs_with_one_seed_print_the_same() {
    let first = run("42", ANYWHERE);
    assert_eq!(first, run("42", ANYWHERE));
    assert_ne!(first, run("43", ANYWHERE));
}

#[cfg(target_os = "linux")]
#[test]
fn two_runs_with_one_seed_have_their_objects_at_the_same_addresses() {
    assert_eq!(run("42", ADDRESSES), run("42", ADDRESSES));
}

#[test]
fn without_a_seed_random_numbers_differ() {
    let lua = "print(math.random(1e9)) os.shutdown()";
    let runs: std::collections::BTreeSet<String> = (0..4).map(|_| TestContext::new().exec(lua)).collect();
    assert!(runs.len() > 1, "{runs:?}");
}

//! With a seed, two runs print the same bytes.

use crate::context::{TestContext, text};

const LUA: &str = r#"
    local t = {} for i = 1, 200 do t["key" .. i] = i end
    local order = {} for k in pairs(t) do order[#order + 1] = k end
    print(table.concat(order, " "))
    local objects = {} for i = 1, 100 do objects[{}] = i objects[function() return i end] = -i end
    local order = {} for _, v in pairs(objects) do order[#order + 1] = v end
    print(table.concat(order, " "))
    print(tostring({}), tostring(print), tostring(coroutine.create(print)))
    print(math.random(), math.random(1000), os.startTimer(1), os.clock(), os.time(), os.epoch("utc"), os.date())
    sleep(0.1) print(os.clock(), os.time(), os.day())
    os.shutdown()
"#;

fn run(seed: &str) -> String {
    let output = TestContext::new()
        .command()
        .args(["--seed", seed, "--exec", LUA])
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    text(&output.stdout)
}

#[cfg(target_os = "linux")]
#[test]
fn two_runs_with_one_seed_print_the_same() {
    let first = run("42");
    assert_eq!(first, run("42"));
    assert_ne!(first, run("43"));
}

#[test]
fn without_a_seed_random_numbers_differ() {
    let lua = "print(math.random(1e9)) os.shutdown()";
    let runs: std::collections::BTreeSet<String> = (0..4).map(|_| TestContext::new().exec(lua)).collect();
    assert!(runs.len() > 1, "{runs:?}");
}

//! Keys that were chosen to collide take time to look for: the host still gets its turn soon.

use craftos_lua::{Dialect, Run};

use crate::common::{Console, state_of};

/// Makes a table of numbers whose halves hash to one place, or of others, and then looks for one more, again and again.
const PROGRAM: &str = r#"
local function key(number)
    local low = COLLIDE and bit32.bxor(12345, number * 31 % 2 ^ 32) or 0
    return (string.unpack("<d", string.pack("<I4I4", low, number)))
end
local keys = {}
for number = 1, 8000 do keys[key(2 ^ 30 + number)] = true end
local absent = key(2 ^ 29)
coroutine.yield()
while true do
    local _ = keys[absent]
    raw("x")
end
"#;

/// How often a program that looks for a key does so in the time of so many instructions.
fn looks(collide: bool, instructions: u64) -> usize {
    let program = format!("local COLLIDE = {collide} {PROGRAM}");
    let mut state = state_of(&program, Dialect::CraftosPc);
    let mut console = Console::default();
    while !matches!(state.run(&mut console, 100_000), Run::Yielded(_)) {}
    state.resume(&[]).expect("there is room");
    assert!(matches!(state.run(&mut console, instructions), Run::OutOfBudget));
    assert_eq!(state.instructions_left(), 0);
    console.0.len()
}

#[test]
fn a_program_whose_keys_collide_gives_way_after_fewer_instructions() {
    let (apart, colliding) = (looks(false, 20_000), looks(true, 20_000));
    assert!(apart > 1000, "{apart}");
    assert!((1..apart / 50).contains(&colliding), "{colliding} of {apart}");
}

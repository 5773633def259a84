//! Hooks by count: they run whole stretches of instructions, and are told of the same ones as if each were looked at.

use crate::common::{Console, finish, state};

/// Gives how often a hook is called by count while a function runs, alone and beside a hook by line, which looks at each
/// instruction.
const PROGRAM: &str = r##"
    local function work()
        local x = 0
        for i = 1, 500 do
            x = x + i % 3
            if x % 2 == 0 then x = x + #tostring(x) + select("#", pcall(string.rep, "x", i)) end
        end
        return x
    end
    local function told(mask, count)
        local calls = 0
        local thread = coroutine.create(work)
        debug.sethook(thread, function(event) if event == "count" then calls = calls + 1 end end, mask, count)
        assert(coroutine.resume(thread))
        return calls
    end
    local all = told("", 1)
    assert(all > 3000, all)
    for _, count in ipairs({ 1, 2, 3, 7, 64, 1000, all, all + 1 }) do
        assert(told("", count) == math.floor(all / count), count)
        assert(told("l", count) == math.floor(all / count), count)
    end
"##;

#[test]
fn a_hook_by_count_is_called_after_every_so_many_instructions() {
    finish(&mut state(PROGRAM), &mut Console::default(), u64::MAX);
}

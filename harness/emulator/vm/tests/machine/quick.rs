//! Natives that the loop runs in a short form do what they do in their long one.

use craftos_lua::Dialect;

use crate::common::{Console, finish, state_of};

/// Calls every function of the libraries with all pairs and triples of some values, in an instruction of its own and through
/// `pcall`, which has no short form. A call with too many results is cut to four.
const PROGRAM: &str = r##"
local names = { "abs", "ceil", "cos", "exp", "floor", "sin", "sqrt", "max", "min", "random" }
local functions = {}
for _, name in ipairs(names) do functions["math." .. name] = math[name] end
for name, f in pairs(bit32) do functions["bit32." .. name] = f end
for _, name in ipairs { "byte", "char", "len", "sub" } do functions["string." .. name] = string[name] end
for _, name in ipairs { "rawequal", "rawget", "rawlen", "type", "tonumber", "tostring", "select", "getmetatable", "next" } do
    functions[name] = _G[name]
end
local none = {}
local values = {
    none, 0, 1, -1, 2.5, 33, -31, 2 ^ 31, 2 ^ 32 + 5, -2 ^ 40, 1e300, -1 / 0, 0 / 0, "3", "0x10", "text", ("long"):rep(30),
    "#", true, { 1, 2, 3 }, setmetatable({}, { __metatable = "hidden", __len = function() return 7 end }), pairs,
}
local function show(ok, ...)
    -- Messages have the place of the call before them, which differs.
    if not ok then return "error" end
    local shown = { select("#", ...) }
    for i = 1, math.min(4, select("#", ...)) do shown[i + 1] = tostring((select(i, ...))) end
    return table.concat(shown, " ")
end
local function check(name, expected, found)
    if expected ~= found then write(name .. ": " .. expected .. " but " .. found) end
end
local calls = 0
local function try(name, f, ...)
    calls = calls + 1
    local function direct(...) local a, b, c = f(...) return a, b, c end
    math.randomseed(7)
    local expected = show(pcall(f, ...))
    math.randomseed(7)
    -- All results, as the arguments of another call.
    local found = show(pcall(function(...) local t = table.pack(f(...)) return table.unpack(t, 1, t.n) end, ...))
    check(name, expected, found)
    math.randomseed(7)
    expected = show(pcall(function(...) local t = table.pack(pcall(f, ...)) if not t[1] then error() end return t[2], t[3], t[4] end, ...))
    math.randomseed(7)
    check(name .. " with three results", expected, show(pcall(direct, ...)))
end
for name, f in pairs(functions) do
    try(name, f)
    for _, a in ipairs(values) do
        if a ~= none then try(name, f, a) end
        for _, b in ipairs(values) do
            if a ~= none and b ~= none then
                try(name, f, a, b)
                try(name, f, a, b, 2)
            end
        end
    end
end
-- Those that change something.
for _, call in ipairs { function(f, ...) f(...) end, function(f, ...) pcall(f, ...) end } do
    local list, guarded = { 1 }, setmetatable({}, { __metatable = false })
    call(table.insert, list, 2)
    call(table.insert, list, nil)
    call(table.insert, list, 1, 0)
    write(table.concat(list, " "))
    local meta = {}
    call(setmetatable, list, meta)
    write(tostring(getmetatable(list) == meta) .. tostring(select("#", table.insert(list, 5))))
    write(tostring(pcall(call, setmetatable, guarded, meta)) .. tostring(getmetatable(guarded)))
end
write(calls > 10000 and "many calls" or "few calls")
"##;

const EXPECTED: &str = "0 1 2\ntrue0\nfalsefalse\n0 1 2\ntrue0\ntruefalse\nmany calls\n";

#[test]
fn short_forms_of_natives_answer_as_the_natives_themselves() {
    for dialect in [Dialect::Stock, Dialect::CraftosPc] {
        let (mut state, mut console) = (state_of(PROGRAM, dialect), Console::default());
        finish(&mut state, &mut console, u64::MAX);
        assert_eq!(console.text(), EXPECTED, "{dialect:?}");
    }
}

//! Many cases in one Lua file, which writes a line for each.

use std::fmt::Write as _;

/// The function that runs a case, shows what it gave, and writes a line. It uses nothing that a case can change, and nothing that
/// differs between the machines. Keys of tables are shown in order, so that the order of `pairs` does not matter.
const RUNNER: &str = r##"
local write, type, tostring, pcall, load, rawget, next, select, setmetatable, getmetatable = write, type, tostring, pcall, load, rawget, next, select, setmetatable, getmetatable
local create, resume, status = coroutine.create, coroutine.resume, coroutine.status
local format, byte, gsub, sort, concat, find = string.format, string.byte, string.gsub, table.sort, table.concat, string.find
local function escape(text)
    return (gsub(text, "[^ -~]", function(c) return format("\\%03d", byte(c)) end))
end
local show
local function fields(value, depth)
    local parts = {}
    for k, v in next, value do parts[#parts + 1] = "[" .. show(k, depth + 1) .. "]=" .. show(v, depth + 1) end
    sort(parts)
    return "{" .. concat(parts, ",") .. "}"
end
function show(value, depth)
    local kind = type(value)
    if kind == "number" then return value % 1 == 0 and value < 1e15 and value > -1e15 and format("%d", value) or format("%.17g", value) end
    if kind == "string" then return '"' .. escape(value) .. '"' end
    if kind == "nil" or kind == "boolean" then return tostring(value) end
    if kind == "table" and depth < 3 then return fields(value, depth) end
    return kind
end
local trace
local function values(...)
    local given, parts = { ... }, {}
    for i = 1, select("#", ...) do parts[i] = show(given[i], 0) end
    return concat(parts, " ")
end
local function T(...)
    if #trace < 40 then trace[#trace + 1] = values(...) end
    return ...
end
local ticks
-- True when a loop or a function has run often enough.
local function tick()
    ticks = ticks + 1
    return ticks > 100
end
local globals = _G
local function case(number, source)
    trace, ticks = {}, 0
    local environment = setmetatable({ T = T, tick = tick }, { __index = globals })
    environment._G = environment
    local chunk, message = load(source, "=c", "t", environment)
    local result
    if chunk then
        local thread = create(chunk)
        result = values(resume(thread))
        -- A case may yield: it goes on a few times.
        for i = 1, 3 do
            if status(thread) ~= "suspended" then break end
            result = result .. " yielded " .. values(resume(thread, i))
        end
    else
        result = "does not load: " .. show(message, 0)
    end
    -- A table has another address on each machine.
    result = gsub(concat(trace, ";") .. " => " .. result, "(%a+): b?u?i?l?t?i?n?:? ?0?x?%x+", "%1: ?")
    write(number .. " " .. result .. "\n")
end
"##;

/// The Lua of a batch. `cases` are chunks; lines begin with their numbers.
pub fn source(cases: &[String]) -> String {
    let mut text = RUNNER.to_owned();
    for (number, case) in cases.iter().enumerate() {
        let mut level = String::new();
        while case.contains(&format!("]{level}]")) {
            level.push('=');
        }
        writeln!(text, "case({number}, [{level}[{case}\n]{level}])").expect("a text takes everything");
    }
    text
}

/// The lines of an output by the number of their case; none where the machine did not get there.
pub fn results(output: &[u8], count: usize) -> Vec<Option<String>> {
    let mut found = vec![None; count];
    for line in String::from_utf8_lossy(output).lines() {
        if let Some((number, result)) = line.split_once(' ')
            && let Ok(number) = number.parse::<usize>()
            && let Some(place) = found.get_mut(number)
        {
            *place = Some(result.to_owned());
        }
    }
    found
}

-- lua: a prompt for Lua. What is typed is run; the values of expressions are shown.

if select("#", ...) > 0 then
    print("This is an interactive Lua prompt.")
    print("To run a lua program, just type its name.")
    return
end

local pretty = require("cc.pretty")
local error_report = require("cc.internal.error_report")
local try = require("cc.internal.exception").try

local running = true
local history = {}
-- What was typed, by the number in the name of its chunk.
local inputs = {}
local chunk_number = 1

local env = {
    exit = setmetatable({}, {
        __tostring = function() return "Call exit() to exit." end,
        __call = function() running = false end,
    }),
    _echo = function(...) return ... end,
}
-- Modules are looked for where the user is, not where this program is.
local around = setmetatable({}, { __index = _ENV })
around.require, around.package = require("cc.require").make(env, shell.dir())
setmetatable(env, { __index = around })

local colour = term.isColour()
local function set_colour(value)
    if colour then term.setTextColour(value) end
end

--- Completes the name at the end of a line.
local function complete(line)
    if not settings.get("lua.autocomplete") then return nil end
    local start = line:find("[a-zA-Z0-9_%.:]+$")
    local name = start and line:sub(start)
    if name and #name > 0 then return textutils.complete(name, env) end
    return nil
end

set_colour(colors.yellow)
print("Interactive Lua prompt.")
print("Call exit() to exit.")
term.setTextColour(colors.white)

--- Shows a value.
local function show(value)
    local ok, document = pcall(pretty.pretty, value, {
        function_args = settings.get("lua.function_args"),
        function_source = settings.get("lua.function_source"),
    })
    if ok then pretty.print(document) else print(tostring(value)) end
end

--- Shows an error and the input that it came from.
local function show_error(problem)
    printError(problem)
    if type(problem) ~= "string" then return end
    local number, line = problem:match("^lua%[(%d+)%]:(%d+): ")
    local input = inputs[tonumber(number)]
    if input then error_report.show_line(tonumber(line), input, 1, 0, "", colors.red) end
end

--- Loads a line as an expression or, if it is none, as a statement.
---@return function|nil chunk, string|nil message
local function compile(line)
    local name = "=lua[" .. chunk_number .. "]"
    local as_expression = load("return " .. line, name, "t", env)
    if as_expression then return as_expression end
    return load(line, name, "t", env)
end

while running do
    write("lua> ")
    local line = read(nil, history, complete)
    if line:match("%S") and history[#history] ~= line then history[#history + 1] = line end
    if settings.get("lua.warn_against_use_of_local") and line:match("^%s*local%s+") then
        set_colour(colors.yellow)
        print("To access local variables in later inputs, remove the local keyword.")
        term.setTextColour(colors.white)
    end

    local chunk, message = compile(line)
    if chunk then
        inputs[chunk_number] = line
        chunk_number = chunk_number + 1
        local results = table.pack(try(chunk))
        if results[1] then
            for index = 2, results.n do show(results[index]) end
        else
            show_error(results[2])
        end
    else
        local explained = require("cc.internal.syntax").parse_repl(line) == false
        if not explained then printError(message) end
    end
end

-- cc.internal.syntax: explains errors of syntax in the words of people.

local require = require
if not require then
    -- Loaded with dofile: make a `require` for the other files of this module.
    local env = setmetatable({}, { __index = _G })
    env.require, env.package = dofile("rom/modules/main/cc/require.lua").make(env, "")
    require = env.require
end

local lex_one = require("cc.internal.syntax.lexer").lex_one
local parser = require("cc.internal.syntax.parser")
local show = require("cc.internal.error_printer")

local tokens = parser.tokens
local LAST_TOKEN = tokens.COMMENT

-- Raised after the first report: what follows it is often only its consequence.
local stop = {}

--- Keeps where the lines of a text begin, and the report about it.
local function make_context(input)
    local lines = { 1 }
    local context = {}

    function context.line(position)
        lines[#lines + 1] = position
    end

    function context.get_pos(position)
        for index = #lines, 1, -1 do
            if position >= lines[index] then return index, position - lines[index] + 1 end
        end
        return 1, position
    end

    function context.get_line(position)
        for index = #lines, 1, -1 do
            if position >= lines[index] then return input:match("^[^\r\n]*", lines[index]) end
        end
        return ""
    end

    function context.report(message, ...)
        if type(message) == "function" then message = message(...) end
        context.message = message
        error(stop, 0)
    end
    return context
end

--- Checks a text.
---@return boolean ok, table context, number position how far it was read
local function check(input, start)
    local context = make_context(input)
    local position = 1
    local ok, result = pcall(parser.parse, context, function()
        while true do
            local token, first, last = lex_one(context, input, position)
            if not token then return tokens.EOF, #input + 1, #input + 1 end
            position = last + 1
            if token < LAST_TOKEN then return token, first, last end
        end
    end, start)
    if not ok and result ~= stop then error(result, 0) end
    return ok and result, context, position
end

--- Checks a program; what is wrong is printed.
---@param input string
---@return boolean
local function parse_program(input)
    local ok, context = check(input, parser.program)
    if not ok then show(context, context.message) end
    return ok
end

--- Checks what was typed at the Lua prompt: expressions or statements.
---@param input string
---@return boolean
local function parse_repl(input)
    local ok, context, position = check(input, parser.program)
    if ok then return true end
    local expression_ok, expression_context, expression_position = check(input, parser.repl_exprs)
    if expression_ok then return true end
    if expression_position > position then context = expression_context end
    show(context, context.message)
    return false
end

return {
    parse_program = parse_program,
    parse_repl = parse_repl,
}

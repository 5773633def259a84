-- cc.internal.syntax.parser: checks whether tokens are Lua and says where they stop
-- being so. It builds nothing.

local kinds = require("cc.internal.syntax.tokens")
local errors = require("cc.internal.syntax.errors")

local tokens = kinds.tokens

-- What a text may be.
local PROGRAM, REPL_EXPRS = 1, 2

--- Turns names of tokens into a set.
local function set(names)
    local result = {}
    for name in names:gmatch("%S+") do result[tokens[name]] = true end
    return result
end

-- `goto` is also a name, as in older versions of Lua.
local starts_expression = set(
    "IDENT GOTO NUMBER STRING NIL TRUE FALSE DOTS FUNCTION OPAREN OBRACE NOT SUB LEN")
local starts_table_field = set(
    "IDENT GOTO NUMBER STRING NIL TRUE FALSE DOTS FUNCTION OPAREN OBRACE NOT SUB LEN OSQUARE")
-- Before these in a table, a comma was forgotten rather than a bracket.
local needs_comma = set("IDENT NUMBER STRING NIL TRUE FALSE OSQUARE OPAREN")
local unary_operators = set("NOT SUB LEN")
local literals = set("NUMBER STRING NIL TRUE FALSE DOTS")

-- How tightly an operator binds to its left and to its right.
local binary_operators = {
    [tokens.OR] = { 1, 1 },
    [tokens.AND] = { 2, 2 },
    [tokens.LT] = { 3, 3 },
    [tokens.GT] = { 3, 3 },
    [tokens.LE] = { 3, 3 },
    [tokens.GE] = { 3, 3 },
    [tokens.NE] = { 3, 3 },
    [tokens.EQ] = { 3, 3 },
    [tokens.CONCAT] = { 5, 4 },
    [tokens.ADD] = { 6, 6 },
    [tokens.SUB] = { 6, 6 },
    [tokens.MUL] = { 7, 7 },
    [tokens.DIV] = { 7, 7 },
    [tokens.MOD] = { 7, 7 },
    [tokens.POW] = { 10, 9 },
}
local UNARY_PRIORITY = 8

-- Raised after a report, to leave the parser.
local stop = {}

---@class Parser
---@field context table
---@field next_token fun(): number, number, number
---@field token { kind: number, start_pos: number, end_pos: number }
---@field last_end number where the token before ended
local Parser = {}
Parser.__index = Parser

-- Tokens -----------------------------------------------------------------

function Parser:advance()
    local previous = self.token
    if previous then self.last_end = previous.end_pos end
    local kind, start_pos, end_pos = self.next_token()
    self.token = { kind = kind, start_pos = start_pos, end_pos = end_pos }
    return previous
end

function Parser:at(name)
    return self.token.kind == tokens[name]
end

--- Takes a token if it is the next one.
---@return table|nil token
function Parser:accept(name)
    if self.token.kind ~= tokens[name] then return nil end
    return self:advance()
end

function Parser:fail(message, ...)
    self.context.report(message, ...)
    error(stop, 0)
end

--- Requires a token.
---@param wanted string|nil how a message names what was expected
function Parser:need(name, wanted)
    return self:accept(name) or self:fail(errors.unexpected_token, self.token, wanted)
end

--- Takes a name if it is next.
---@return table|nil token
function Parser:accept_name()
    return self:accept("IDENT") or self:accept("GOTO")
end

--- Requires a name.
---@param wanted string|nil how a message names what was expected
function Parser:need_name(wanted)
    return self:accept_name() or self:need("IDENT", wanted)
end

--- Requires the bracket that closes another.
function Parser:close(name, opener)
    return self:accept(name) or self:fail(errors.unclosed_brackets, opener, self.token)
end

--- Says whether the next token is on a later line than the last one.
function Parser:on_new_line()
    if self:at("EOF") then return true end
    local last_line = self.context.get_pos(self.last_end)
    local line = self.context.get_pos(self.token.start_pos)
    return line ~= last_line
end

-- Expressions ------------------------------------------------------------

function Parser:table_constructor()
    local opener = self:need("OBRACE")
    while not self:at("CBRACE") do
        if not starts_table_field[self.token.kind] then self:fail(errors.unclosed_brackets, opener, self.token) end
        self:table_field()
        if not self:accept("COMMA") and not self:accept("SEMICOLON") and not self:at("CBRACE") then
            if needs_comma[self.token.kind] then
                self:fail(errors.missing_table_comma, self.token, self.last_end + 1)
            end
            self:fail(errors.unclosed_brackets, opener, self.token)
        end
    end
    self:need("CBRACE")
end

function Parser:table_field()
    local opener = self:accept("OSQUARE")
    if opener then
        self:expression()
        self:close("CSQUARE", opener)
        self:need("EQUALS")
        return self:expression()
    end
    -- A single name before an equal sign is a key.
    local is_name = self:at("IDENT") or self:at("GOTO")
    local start = self.token.start_pos
    local last = self.token.end_pos
    self:binary_expression(0)
    if self:at("EQUALS") then
        if is_name and self.last_end == last and start <= last then
            self:advance()
            return self:expression()
        end
        self:fail(errors.table_key_equals, self.token)
    end
end

--- Reads the arguments of a call.
function Parser:call_arguments()
    if self:accept("STRING") then return end
    if self:at("OBRACE") then return self:table_constructor() end

    local opener = self:need("OPAREN")
    if self:accept("CPAREN") then return end
    if not starts_expression[self.token.kind] then self:fail(errors.unclosed_brackets, opener, self.token) end
    self:expression()
    while true do
        local comma = self:accept("COMMA")
        if not comma then break end
        if self:at("CPAREN") then self:fail(errors.trailing_call_comma, self.token, comma) end
        self:expression()
    end
    self:close("CPAREN", opener)
end

--- Reads a name or brackets and what follows: fields, indexes, calls.
---@return "name"|"brackets"|"call" kind
function Parser:suffixed_expression()
    local kind = "name"
    local opener = self:accept("OPAREN")
    if opener then
        kind = "brackets"
        self:expression()
        self:close("CPAREN", opener)
    else
        self:need_name("an expression")
    end

    while true do
        if self:accept("DOT") then
            self:need_name()
            kind = "name"
        elseif self:at("OSQUARE") then
            local square = self:advance()
            self:expression()
            self:close("CSQUARE", square)
            kind = "name"
        elseif self:accept("COLON") then
            self:need_name()
            if not (self:at("OPAREN") or self:at("STRING") or self:at("OBRACE")) then
                self:fail(errors.unexpected_token, self.token)
            end
            self:call_arguments()
            kind = "call"
        elseif self:at("OPAREN") or self:at("STRING") or self:at("OBRACE") then
            self:call_arguments()
            kind = "call"
        else
            return kind
        end
    end
end

function Parser:operand()
    if literals[self.token.kind] then
        self:advance()
    elseif self:at("OBRACE") then
        self:table_constructor()
    elseif self:at("FUNCTION") then
        self:function_body(self:advance())
    elseif self:at("IDENT") or self:at("OPAREN") or self:at("GOTO") then
        self:suffixed_expression()
    else
        self:fail(errors.unexpected_token, self.token, "an expression")
    end
end

function Parser:binary_expression(limit)
    if unary_operators[self.token.kind] then
        self:advance()
        self:binary_expression(UNARY_PRIORITY)
    else
        self:operand()
    end
    while true do
        local priority = binary_operators[self.token.kind]
        if not priority or priority[1] <= limit then return end
        self:advance()
        self:binary_expression(priority[2])
    end
end

function Parser:expression()
    self:binary_expression(0)
    if self:at("EQUALS") then self:fail(errors.use_double_equals, self.token) end
end

function Parser:expression_list()
    repeat self:expression() until not self:accept("COMMA")
end

--- Reads parameters and body of a function.
---@param block_start table what is marked when the body has no end
function Parser:function_body(block_start)
    local opener = self:need("OPAREN", "`(` to start function arguments")
    if not self:at("CPAREN") then
        if not self:at("IDENT") and not self:at("DOTS") and not self:at("GOTO") then
            self:fail(errors.unclosed_brackets, opener, self.token)
        end
        repeat
            if self:accept("DOTS") then break end
            self:need_name("a variable name")
        until not self:accept("COMMA")
    end
    self:close("CPAREN", opener)
    local any = self:block()
    if self:accept("END") then return end
    if any and not self:at("EOF") then self:fail(errors.unexpected_token, self.token, "a statement") end
    self:fail(errors.unclosed_block, block_start, self.token)
end

-- Statements -------------------------------------------------------------

--- Reads statements until something that is none.
---@return boolean whether there was any
function Parser:block()
    local any = false
    while true do
        if self:accept("RETURN") then
            if starts_expression[self.token.kind] then self:expression_list() end
            self:accept("SEMICOLON")
            return true
        end
        if not self:statement() then return any end
        any = true
    end
end

--- Reads a block and its `end`.
function Parser:block_until_end(block_start)
    self:block()
    if not self:accept("END") then self:fail(errors.unclosed_block, block_start, self.token) end
end

function Parser:if_statement(if_token)
    local block_start = if_token
    while true do
        self:expression()
        if not self:accept("THEN") then
            local position = self:on_new_line() and self.last_end + 1 or self.token.start_pos
            self:fail(errors.missing_then, block_start, position)
        end
        self:block()
        if not self:at("ELSEIF") then break end
        block_start = self:advance()
    end
    if self:at("ELSE") then
        block_start = self:advance()
        self:block()
    end
    if not self:accept("END") then self:fail(errors.unclosed_block, block_start, self.token) end
end

function Parser:for_statement(for_token)
    self:need_name("a variable name")
    if self:accept("EQUALS") then
        self:expression()
        self:need("COMMA")
        self:expression()
        if self:accept("COMMA") then self:expression() end
    else
        while self:accept("COMMA") do self:need_name("a variable name") end
        self:need("IN")
        self:expression_list()
    end
    self:need("DO")
    self:block_until_end(for_token)
end

function Parser:repeat_statement()
    self:block()
    if self:accept("UNTIL") then return self:expression() end
    if self:at("END") then self:fail(errors.extra_end, self.token) end
    self:fail(errors.unexpected_token, self.token, self:at("EOF") and "a variable name" or "a statement")
end

function Parser:local_statement(local_token)
    local function_token = self:accept("FUNCTION")
    if function_token then
        self:need_name("a variable name")
        if self:at("DOT") or self:at("COLON") then
            self:fail(errors.local_function_key, local_token, self.token)
        end
        return self:function_body({
            kind = tokens.FUNCTION,
            start_pos = local_token.start_pos,
            end_pos = function_token.end_pos,
        })
    end
    repeat
        self:need_name("a variable name")
    until not self:accept("COMMA")
    if self:accept("EQUALS") then self:expression_list() end
end

function Parser:function_statement(function_token)
    self:need_name("a variable name")
    -- Here, and here only, the reference does not take it for a name.
    while self:accept("DOT") do self:need("IDENT") end
    if self:accept("COLON") then self:need("IDENT") end
    self:function_body(function_token)
end

function Parser:label(opener)
    self:need_name()
    if not self:accept("DOUBLE_COLON") then self:fail(errors.unclosed_label, opener, self.token) end
end

--- Reads a call or an assignment.
function Parser:expression_statement()
    local kind = self:suffixed_expression()
    if kind == "call" then return end

    if self:at("COMMA") then
        while self:accept("COMMA") do
            if not (self:at("IDENT") or self:at("OPAREN") or self:at("GOTO")) then
                self:fail(errors.unexpected_token, self.token, "a variable name")
            end
            self:suffixed_expression()
        end
        if not self:at("EQUALS") then self:fail(errors.standalone_names, self.token) end
    end
    if self:accept("EQUALS") then return self:expression_list() end

    if self:on_new_line() then self:fail(errors.standalone_name_newline, self.token, self.last_end + 1) end
    if kind == "brackets" then self:fail(errors.unexpected_token, self.token) end
    self:fail(errors.standalone_name, self.token)
end

--- Statements by the keyword that begins them.
local statements = {
    [tokens.SEMICOLON] = function() end,
    [tokens.BREAK] = function() end,
    [tokens.DO] = Parser.block_until_end,
    [tokens.IF] = Parser.if_statement,
    [tokens.FOR] = Parser.for_statement,
    [tokens.REPEAT] = Parser.repeat_statement,
    [tokens.LOCAL] = Parser.local_statement,
    [tokens.FUNCTION] = Parser.function_statement,
    [tokens.DOUBLE_COLON] = Parser.label,
    [tokens.WHILE] = function(self, while_token)
        self:expression()
        self:need("DO")
        self:block_until_end(while_token)
    end,
}

--- Reads a statement.
---@return boolean whether there was one
function Parser:statement()
    local parse = statements[self.token.kind]
    if parse then
        parse(self, self:advance())
        return true
    end
    if self:at("GOTO") then
        -- `goto name` is a jump; anything else is a variable with that name.
        local start = self:advance()
        if self:accept_name() then return true end
        self:after_goto(start)
        return true
    end
    if self:at("IDENT") or self:at("OPAREN") then
        self:expression_statement()
        return true
    end
    return false
end

--- Goes on with a statement that begins with a variable named goto.
function Parser:after_goto(goto_token)
    local token, last_end, next_token = self.token, self.last_end, self.next_token
    self.token = goto_token
    self.next_token = function()
        self.next_token = next_token
        return token.kind, token.start_pos, token.end_pos
    end
    self.last_end = last_end
    self:expression_statement()
end

function Parser:program()
    self:block()
    if self:at("EOF") then return end
    if self:at("END") then self:fail(errors.extra_end, self.token) end
    self:fail(errors.unexpected_token, self.token, "a statement")
end

function Parser:repl_expressions()
    self:expression_list()
    if not self:at("EOF") then self:fail(errors.unexpected_token, self.token) end
end

-- The module -------------------------------------------------------------

--- Checks tokens. What is wrong is reported to the context.
---@param context { report: function, get_pos: function }
---@param next_token fun(): number, number, number
---@param start number|nil what the text is to be, by default a program
---@return boolean
local function parse(context, next_token, start)
    local parser = setmetatable({ context = context, next_token = next_token, last_end = 1 }, Parser)
    local ok, problem = pcall(function()
        parser:advance()
        if start == REPL_EXPRS then
            parser:repl_expressions()
        else
            parser:program()
        end
    end)
    if ok then return true end
    if problem == stop then return false end
    error(problem, 0)
end

return {
    tokens = tokens,
    parse = parse,
    program = PROGRAM,
    repl_exprs = REPL_EXPRS,
}

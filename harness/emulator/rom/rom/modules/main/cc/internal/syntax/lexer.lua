-- cc.internal.syntax.lexer: splits a source text into tokens and says what is wrong
-- with those that are malformed.

local kinds = require("cc.internal.syntax.tokens")
local errors = require("cc.internal.syntax.errors")

local tokens = kinds.tokens

--- Skips a line break and tells the context where the next line begins.
---@return number position after it
local function skip_newline(context, input, position)
    local pair = input:sub(position, position + 1)
    local after = position + ((pair == "\r\n" or pair == "\n\r") and 2 or 1)
    context.line(after)
    return after
end

--- Finds the end of a long string or comment.
---@param position number after the opening brackets
---@param level string the equal signs between the brackets
---@return number|nil last
local function long_end(context, input, position, level)
    local close = "]" .. level .. "]"
    while true do
        local found = input:find("[%]%[\r\n]", position)
        if not found then return nil end
        local char = input:sub(found, found)
        if char == "]" then
            if input:sub(found, found + #close - 1) == close then return found + #close - 1 end
            position = found + 1
        elseif char == "[" then
            if level == "" and input:sub(found + 1, found + 1) == "[" then
                context.report(errors.nested_long_string, found, found + 1)
                position = found + 2
            else
                position = found + 1
            end
        else
            position = skip_newline(context, input, found)
        end
    end
end

--- Reads a string in quotes.
local function lex_string(context, input, start, quote)
    local position = start + 1
    while true do
        local char = input:sub(position, position)
        if char == quote then
            return tokens.STRING, start, position
        elseif char == "" or char == "\n" or char == "\r" then
            context.report(errors.unfinished_string, start, position, quote)
            return tokens.STRING, start, position - 1
        elseif char == "\\" then
            local escape = input:sub(position + 1, position + 1)
            if escape == "" then
                context.report(errors.unfinished_string_escape, start, position)
                return tokens.STRING, start, position
            elseif escape == "\n" or escape == "\r" then
                position = skip_newline(context, input, position + 1)
            elseif escape == "z" then
                position = position + 2
                while input:find("^%s", position) do
                    -- A line break at the very end begins no line.
                    if position == #input then
                        context.report(errors.unfinished_string, start, position, quote)
                        return tokens.STRING, start, position
                    end
                    if input:find("^[\r\n]", position) then
                        position = skip_newline(context, input, position)
                    else
                        position = position + 1
                    end
                end
            else
                position = position + 2
            end
        else
            position = position + 1
        end
    end
end

--- Reads a number; a wrong one is reported and still counts as a number.
local function lex_number(context, input, start)
    local position = start
    while true do
        local exponent = input:match("^[eE][+-]()", position)
        if exponent and not input:find("^0[xX]", start) then
            position = exponent
        elseif input:find("^[%w_.]", position) then
            position = position + 1
        else
            break
        end
    end
    if not tonumber(input:sub(start, position - 1)) then
        context.report(errors.malformed_number, start, position - 1)
    end
    return tokens.NUMBER, start, position - 1
end

local function lex_comment(context, input, start)
    local level, after = input:match("^%[(=*)%[()", start + 2)
    if level then
        local last = long_end(context, input, after, level)
        if last then return tokens.COMMENT, start, last end
        context.report(errors.unfinished_long_comment, start, after - 1, level)
        return tokens.ERROR, start, #input
    end
    local last = input:match("^[^\r\n]*()", start) - 1
    return tokens.COMMENT, start, last
end

local function lex_bracket(context, input, start)
    local level, after = input:match("^%[(=*)%[()", start)
    if level then
        local last = long_end(context, input, after, level)
        if last then return tokens.STRING, start, last end
        context.report(errors.unfinished_long_string, start, after - 1, level)
        return tokens.ERROR, start, #input
    end
    local malformed = input:match("^%[=+()", start)
    if malformed then
        context.report(errors.malformed_long_string, start, malformed)
        return tokens.ERROR, start, malformed
    end
    return tokens.OSQUARE, start, start
end

-- What people write who know other languages, and what they mean.
local foreign = {
    { "!=", tokens.NE, errors.wrong_ne },
    { "&&", tokens.AND, errors.wrong_and },
    { "||", tokens.OR, errors.wrong_or },
    { "!", tokens.NOT, errors.wrong_not },
}

local function lex_unknown(context, input, start)
    for _, entry in ipairs(foreign) do
        local text, token, message = entry[1], entry[2], entry[3]
        if input:sub(start, start + #text - 1) == text then
            context.report(message, start, start + #text - 1)
            return token, start, start + #text - 1
        end
    end
    context.report(errors.unexpected_character, start)
    local last = input:match("^[^%s%w%(%)%[%]{}\"']+()", start)
    return tokens.ERROR, start, (last or start + 1) - 1
end

--- Reads the next token.
---@param context table
---@param input string
---@param position number
---@return number|nil token, number start, number last
local function lex_one(context, input, position)
    while true do
        local start = input:find("[^ \t\f\v]", position)
        if not start then return nil end
        local char = input:sub(start, start)

        if char == "\n" or char == "\r" then
            position = skip_newline(context, input, start)
        elseif char:find("[%a_]") then
            local word = input:match("^[%w_]+", start)
            return kinds.keywords[word] or tokens.IDENT, start, start + #word - 1
        elseif char:find("%d") or input:find("^%.%d", start) then
            return lex_number(context, input, start)
        elseif char == "\"" or char == "'" then
            return lex_string(context, input, start, char)
        elseif char == "[" then
            return lex_bracket(context, input, start)
        elseif input:sub(start, start + 1) == "--" then
            return lex_comment(context, input, start)
        else
            for length = 3, 1, -1 do
                local token = kinds.symbols[input:sub(start, start + length - 1)]
                if token and start + length - 1 <= #input then return token, start, start + length - 1 end
            end
            return lex_unknown(context, input, start)
        end
    end
end

return { lex_one = lex_one }

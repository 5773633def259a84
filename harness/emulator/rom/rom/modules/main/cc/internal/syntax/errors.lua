-- cc.internal.syntax.errors: the messages about wrong syntax. Each is a list of lines
-- and of marked places.

local pretty = require("cc.pretty")
local kinds = require("cc.internal.syntax.tokens")

local display, tokens = kinds.display, kinds.tokens

local errors = {}

-- Tokens that messages describe; all others they show as they are written.
local described = {
    [tokens.EOF] = true,
    [tokens.IDENT] = true,
    [tokens.NUMBER] = true,
    [tokens.STRING] = true,
}

--- Makes text in which what stands between backticks has the colour of code.
---@param text string
---@return string|Doc
local function message(text)
    if not text:find("`") then return text end
    local parts = {}
    local is_code = false
    for part in (text .. "`"):gmatch("([^`]*)`") do
        if part ~= "" then parts[#parts + 1] = pretty.text(part, is_code and colors.lightGray or nil) end
        is_code = not is_code
    end
    return pretty.concat(table.unpack(parts))
end

--- Names a token in a message.
local function name_of(token)
    local text = display[token.kind]
    if described[token.kind] then return text end
    return "`" .. text .. "`"
end

--- Marks a place of the source.
local function annotate(start_pos, end_pos, text)
    return { tag = "annotate", start_pos = start_pos, end_pos = end_pos, msg = message(text or "") }
end

-- Tokens -----------------------------------------------------------------

function errors.unfinished_string(start_pos, end_pos, quote)
    return {
        message("This string is not finished. Are you missing a closing quote (`" .. quote .. "`)?"),
        annotate(start_pos, start_pos, "String started here."),
        annotate(end_pos, end_pos, "Expected a closing quote here."),
    }
end

function errors.unfinished_string_escape(start_pos, end_pos)
    return {
        "This string is not finished.",
        annotate(start_pos, start_pos, "String started here."),
        annotate(end_pos, end_pos, "An escape sequence was started here, but with nothing following it."),
    }
end

function errors.unfinished_long_string(start_pos, end_pos, level)
    return {
        "This string was never finished.",
        annotate(start_pos, end_pos, "String was started here."),
        message("We expected a closing delimiter (`]" .. level .. "]`) somewhere after this string was started."),
    }
end

function errors.malformed_long_string(start_pos, end_pos)
    return {
        "Incorrect start of a long string.",
        annotate(start_pos, end_pos),
        message("Tip: If you wanted to start a long string here, add an extra `[` here."),
    }
end

function errors.nested_long_string(start_pos, end_pos)
    return {
        message("`[[` cannot be nested inside another `[[ ... ]]`"),
        annotate(start_pos, end_pos),
    }
end

function errors.unfinished_long_comment(start_pos, end_pos, level)
    return {
        "This comment was never finished.",
        annotate(start_pos, end_pos, "Comment was started here."),
        message("We expected a closing delimiter (`]" .. level .. "]`) somewhere after this comment was started."),
    }
end

function errors.malformed_number(start_pos, end_pos)
    return {
        "This isn't a valid number.",
        annotate(start_pos, end_pos),
        message("Numbers must be in one of the following formats: `123`, `3.14`, `23e35`, `0x01AF`."),
    }
end

--- Makes the message about an operator of another language.
local function wrong_operator(tip)
    return function(start_pos, end_pos)
        return {
            "Unexpected character.",
            annotate(start_pos, end_pos),
            message("Tip: Replace this with " .. tip),
        }
    end
end

errors.wrong_ne = wrong_operator("`~=` to check if two values are not equal.")
errors.wrong_and = wrong_operator("`and` to check if both values are true.")
errors.wrong_or = wrong_operator("`or` to check if either value is true.")
errors.wrong_not = wrong_operator("`not` to negate a boolean.")

function errors.unexpected_character(position)
    return {
        "Unexpected character.",
        annotate(position, position, "This character isn't usable in Lua code."),
    }
end

-- The parser. A token is { kind, start_pos, end_pos }. --------------------

local function unexpected(token, rest)
    return message("Unexpected " .. name_of(token) .. rest)
end

local function mark(token, msg)
    return annotate(token.start_pos, token.end_pos, msg)
end

--- Says what stands where something else was expected.
---@param wanted string|nil
function errors.unexpected_token(token, wanted)
    return { unexpected(token, wanted and ". Expected " .. wanted .. "." or "."), mark(token) }
end

function errors.unclosed_brackets(opener, token)
    return {
        unexpected(token, ". Are you missing a closing bracket?"),
        mark(opener, "Brackets were opened here."),
        mark(token, "Unexpected " .. name_of(token) .. " here."),
    }
end

function errors.unclosed_block(block_start, token)
    return {
        unexpected(token, ". Expected `end` or another statement."),
        mark(block_start, "Block started here."),
        mark(token, "Expected end of block here."),
    }
end

function errors.extra_end(token)
    return {
        message("Unexpected `end`."),
        mark(token),
        message("Your program contains more `end`s than needed. Check each block (`if`, `for`, `function`, ...) only has one `end`."),
    }
end

function errors.unclosed_label(opener, token)
    return {
        unexpected(token, "."),
        mark(opener, "Label was started here."),
        mark(token, "Tip: Try adding `::` here."),
    }
end

function errors.missing_then(if_token, position)
    return {
        message("Expected `then` after if condition."),
        mark(if_token, "If statement started here."),
        annotate(position, position, "Expected `then` before here."),
    }
end

function errors.use_double_equals(token)
    return {
        message("Unexpected `=` in expression."),
        mark(token),
        message("Tip: Replace this with `==` to check if two values are equal."),
    }
end

function errors.table_key_equals(token)
    return {
        message("Unexpected `=` in expression."),
        mark(token),
        message("Tip: Wrap the preceding expression in `[` and `]` to use it as a table key."),
    }
end

function errors.missing_table_comma(token, position)
    return {
        unexpected(token, " in table."),
        mark(token),
        annotate(position, position, "Are you missing a comma here?"),
    }
end

function errors.trailing_call_comma(token, comma)
    return {
        unexpected(token, " in function call."),
        mark(token),
        mark(comma, "Tip: Try removing this `,`."),
    }
end

function errors.local_function_key(local_token, dot)
    return {
        message("Cannot use `local function` with a table key."),
        mark(dot, "`.` appears here."),
        mark(local_token, "Tip: Try removing this `local` keyword."),
    }
end

function errors.standalone_name_newline(token, position)
    return {
        unexpected(token, " after name."),
        annotate(position, position, "Expected something before the end of the line."),
        message("Tip: Use `()` to call with no arguments."),
    }
end

function errors.standalone_name(token)
    return {
        unexpected(token, " after name."),
        annotate(token.start_pos, token.start_pos),
        "Did you mean to assign this or call it as a function?",
    }
end

function errors.standalone_names(token)
    return {
        unexpected(token, " after name."),
        annotate(token.start_pos, token.start_pos),
        "Did you mean to assign this?",
    }
end

return errors

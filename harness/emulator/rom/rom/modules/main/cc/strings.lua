-- cc.strings: wraps, pads and splits text.

local include = type((...)) == "function" and (...) or dofile
local expect_module = include("rom/modules/main/cc/expect.lua")
local expect, range = expect_module.expect, expect_module.range

--- Splits text into lines of no more than a width, at blanks where that is possible.
---@param text string
---@param width number|nil by default that of the terminal
---@return string[]
local function wrap(text, width)
    expect(1, text, "string")
    expect(2, width, "number", "nil")
    width = width or term.getSize()
    range(width, 1)

    local lines = {}
    local line = ""
    local function finish()
        lines[#lines + 1] = line
        line = ""
    end

    local position, length = 1, #text
    while position <= length do
        local blank = text:match("^[ \t]+", position)
        if blank then
            position = position + #blank
            -- Blanks that do not fit end the line and are dropped.
            line = line .. blank:sub(1, width - #line)
        elseif text:sub(position, position) == "\n" then
            finish()
            position = position + 1
        else
            local word = text:match("^[^ \t\n]+", position)
            position = position + #word
            if #word > width then
                -- The part on the first line leaves one column free, as the reference does.
                local room = math.max(width - #line - 1, 0)
                while #word > room do
                    line = line .. word:sub(1, room)
                    word = word:sub(room + 1)
                    finish()
                    room = width
                end
                line = word
            else
                if #line + #word > width then finish() end
                line = line .. word
            end
        end
    end
    finish()
    return lines
end

--- Makes text exactly as wide as asked: cuts it or adds blanks.
---@param line string
---@param width number|nil by default that of the terminal
---@return string
local function ensure_width(line, width)
    expect(1, line, "string")
    expect(2, width, "number", "nil")
    width = width or term.getSize()

    line = line:sub(1, width)
    if #line < width then line = line .. (" "):rep(width - #line) end
    return line
end

--- Splits text at a separator.
---@param text string
---@param separator string a pattern, or plain text
---@param plain boolean|nil
---@param limit number|nil the most parts
---@return string[]
local function split(text, separator, plain, limit)
    expect(1, text, "string")
    expect(2, separator, "string")
    expect(3, plain, "boolean", "nil")
    expect(4, limit, "number", "nil")

    local parts = {}
    local position = 1
    while not limit or #parts + 1 < limit do
        local first, last = text:find(separator, position, plain)
        if not first then break end
        if last < first then error("separator is empty", 2) end
        parts[#parts + 1] = text:sub(position, first - 1)
        position = last + 1
    end
    parts[#parts + 1] = text:sub(position)
    return parts
end

return {
    wrap = wrap,
    ensure_width = ensure_width,
    split = split,
}

-- cc.pretty: documents that are laid out to a width, and values as such documents.
--
-- A document is text, a line break, a sequence, a nested part or a group. A group
-- is written on one line where it fits; otherwise its line breaks are real.

local include = type((...)) == "function" and (...) or dofile
local expect_module = include("rom/modules/main/cc/expect.lua")
local expect, field = expect_module.expect, expect_module.field
local keywords = include("rom/modules/main/cc/internal/keywords.lua")

---@class Doc
---@field tag "nil"|"text"|"line"|"concat"|"nest"|"group"
local metatable = { __name = "document" }

local function make(doc)
    return setmetatable(doc, metatable)
end

local function is_doc(value)
    return getmetatable(value) == metatable
end

local empty = make({ tag = "nil" })
local space = make({ tag = "text", text = " " })
local line = make({ tag = "line", flat = empty })
local space_line = make({ tag = "line", flat = space })

-- Building ---------------------------------------------------------------

--- Joins documents; strings become text.
---@param ... Doc|string
---@return Doc
local function concat(...)
    local parts = table.pack(...)
    for index = 1, parts.n do
        local part = parts[index]
        if type(part) == "string" then
            parts[index] = make({ tag = "text", text = part })
        elseif not is_doc(part) then
            expect(index, part, "document")
        end
    end
    if parts.n == 0 then return empty end
    if parts.n == 1 then return parts[1] end
    parts.tag = "concat"
    return make(parts)
end

metatable.__concat = concat

--- Makes text, perhaps in a colour. Its newlines become line breaks.
---@param content string
---@param colour number|nil
---@return Doc
local function text(content, colour)
    expect(1, content, "string")
    expect(2, colour, "number", "nil")

    if content == "" then return empty end
    if content == " " and not colour then return space end
    if not content:find("\n") then return make({ tag = "text", text = content, colour = colour }) end

    local parts = {}
    local position = 1
    while true do
        local found = content:find("\n", position, true)
        local piece = content:sub(position, (found or 0) - 1)
        if piece ~= "" then parts[#parts + 1] = make({ tag = "text", text = piece, colour = colour }) end
        if not found then break end
        parts[#parts + 1] = space_line
        position = found + 1
    end
    return concat(table.unpack(parts))
end

--- Indents the line breaks of a document.
---@param depth number
---@param doc Doc
---@return Doc
local function nest(depth, doc)
    expect(1, depth, "number")
    if not is_doc(doc) then expect(2, doc, "document") end
    if depth <= 0 then error("depth must be a positive number", 2) end
    return make({ tag = "nest", depth = depth, doc })
end

--- Gives the form of a document that has no line breaks.
local function flatten(doc)
    if doc.flat then return doc.flat end
    local kind = doc.tag
    if kind == "nil" or kind == "text" then return doc end
    if kind == "group" or kind == "nest" then return flatten(doc[1]) end

    local flat = { tag = "concat", n = doc.n }
    local changed = false
    for index = 1, doc.n do
        flat[index] = flatten(doc[index])
        changed = changed or flat[index] ~= doc[index]
    end
    if not changed then return doc end
    return make(flat)
end

--- Makes a document that is written on one line where it fits.
---@param doc Doc
---@return Doc
local function group(doc)
    if not is_doc(doc) then expect(1, doc, "document") end
    if doc.tag == "group" then return doc end
    local flat = flatten(doc)
    if flat == doc then return doc end
    return make({ tag = "group", flat, doc })
end

-- Laying out -------------------------------------------------------------

--- Measures a document that has no line breaks.
local function flat_width(doc)
    if doc.tag == "text" then return #doc.text end
    local width = 0
    if doc.tag == "concat" then
        for index = 1, doc.n do width = width + flat_width(doc[index]) end
    end
    return width
end

--- Gives the pieces of a document, in order, to two functions.
---@param doc Doc
---@param column number where the first piece stands, from 0
---@param width number
---@param ribbon number how much of a line may be filled, without its indentation
---@param put_text fun(text: string, colour: number|nil)
---@param put_line fun(indent: number)
local function lay_out(doc, column, width, ribbon, put_text, put_line)
    local function go(node, indent)
        local kind = node.tag
        if kind == "text" then
            put_text(node.text, node.colour)
            column = column + #node.text
        elseif kind == "line" then
            put_line(indent)
            column = indent
        elseif kind == "concat" then
            for index = 1, node.n do go(node[index], indent) end
        elseif kind == "nest" then
            go(node[1], indent + node.depth)
        elseif kind == "group" then
            local limit = math.min(width, ribbon + indent)
            go(column + flat_width(node[1]) <= limit and node[1] or node[2], indent)
        end
    end
    go(doc, 0)
end

--- Writes a document at the cursor.
---@param doc Doc
---@param ribbon_frac number|nil how much of a line may be filled
local function write_doc(doc, ribbon_frac)
    if not is_doc(doc) then expect(1, doc, "document") end
    expect(2, ribbon_frac, "number", "nil")

    local width = term.getSize()
    local ribbon = (ribbon_frac or 0.6) * width
    if ribbon < 0 then ribbon = 0 end
    if ribbon > width then ribbon = width end

    local default_colour = term.getTextColour()
    local current_colour = default_colour
    local function set_colour(colour)
        colour = colour or default_colour
        if colour ~= current_colour then
            term.setTextColour(colour)
            current_colour = colour
        end
    end

    local column = term.getCursorPos()
    lay_out(doc, column - 1, width, ribbon, function(piece, colour)
        set_colour(colour)
        write(piece)
    end, function(indent)
        write("\n" .. (" "):rep(indent))
    end)
    set_colour(nil)
end

--- Writes a document and ends the line.
---@param doc Doc
---@param ribbon_frac number|nil
local function print_doc(doc, ribbon_frac)
    if not is_doc(doc) then expect(1, doc, "document") end
    expect(2, ribbon_frac, "number", "nil")
    write_doc(doc, ribbon_frac)
    print()
end

--- Turns a document into text.
---@param doc Doc
---@param width number|nil none for one that has no end
---@param ribbon_frac number|nil
---@return string
local function render(doc, width, ribbon_frac)
    if not is_doc(doc) then expect(1, doc, "document") end
    expect(2, width, "number", "nil")
    expect(3, ribbon_frac, "number", "nil")

    local ribbon = math.huge
    if width then ribbon = math.min(math.max((ribbon_frac or 0.6) * width, 0), width) end
    local parts = {}
    lay_out(doc, 0, width or math.huge, ribbon, function(piece)
        parts[#parts + 1] = piece
    end, function(indent)
        parts[#parts + 1] = "\n" .. (" "):rep(indent)
    end)
    return table.concat(parts)
end

metatable.__tostring = function(self) return render(self) end

-- Values -----------------------------------------------------------------

local comma, brace_open, brace_close = text(","), text("{"), text("}")

--- Orders keys: strings, then numbers, then the rest.
local function key_order(a, b)
    local kind_a, kind_b = type(a), type(b)
    if kind_a == "string" then return kind_b ~= "string" or a < b end
    if kind_b == "string" then return false end
    if kind_a == "number" then return kind_b ~= "number" or a < b end
    if kind_b == "number" then return false end
    return tostring(a) < tostring(b)
end

--- Shows a function, as the options say with its parameters and its place.
local function function_doc(value, options)
    local info = debug and debug.getinfo and debug.getinfo(value, "Su")
    local label
    if options.function_source and info and info.short_src and info.linedefined and info.linedefined >= 0 then
        label = "function<" .. info.short_src .. ":" .. info.linedefined .. ">"
    else
        label = tostring(value)
    end
    if options.function_args and info and info.what == "Lua" and info.nparams then
        local parameters = {}
        for index = 1, info.nparams do parameters[index] = debug.getlocal(value, index) or "?" end
        if info.isvararg then parameters[#parameters + 1] = "..." end
        label = label .. "(" .. table.concat(parameters, ", ") .. ")"
    end
    return text(label, colors.lightGray)
end

local value_doc

local function table_doc(value, options, open)
    local meta = getmetatable(value)
    if type(meta) == "table" and meta.__tostring then return text(tostring(value)) end
    if open[value] then return text(tostring(value), colors.lightGray) end
    if next(value) == nil then return text("{}") end
    open[value] = true

    local parts = {}
    local length = #value
    local listed = {}
    for index = 1, length do
        listed[index] = true
        if index > 1 then parts[#parts + 1] = comma end
        parts[#parts + 1] = space_line
        parts[#parts + 1] = value_doc(value[index], options, open)
    end

    local keys = {}
    for key in pairs(value) do
        if not listed[key] then keys[#keys + 1] = key end
    end
    table.sort(keys, key_order)
    for _, key in ipairs(keys) do
        if #parts > 0 then parts[#parts + 1] = comma end
        parts[#parts + 1] = space_line
        if type(key) == "string" and not keywords[key] and key:match("^[%a_][%w_]*$") then
            parts[#parts + 1] = text(key .. " = ")
        else
            parts[#parts + 1] = text("[")
            parts[#parts + 1] = value_doc(key, options, open)
            parts[#parts + 1] = text("] = ")
        end
        parts[#parts + 1] = value_doc(value[key], options, open)
    end

    open[value] = nil
    return group(concat(brace_open, nest(2, concat(table.unpack(parts))), space_line, brace_close))
end

value_doc = function(value, options, open)
    local kind = type(value)
    if kind == "string" then
        return make({ tag = "text", text = (("%q"):format(value):gsub("\\\n", "\\n")), colour = colors.red })
    elseif kind == "number" then
        return text(tostring(value), colors.magenta)
    elseif kind == "table" then
        return table_doc(value, options, open)
    elseif kind == "function" then
        return function_doc(value, options)
    end
    return text(tostring(value), colors.lightGray)
end

--- Makes a document of a value.
---@param value any
---@param options { function_args?: boolean, function_source?: boolean }|nil
---@return Doc
local function pretty(value, options)
    expect(2, options, "table", "nil")
    options = options or {}
    return value_doc(value, {
        function_args = field(options, "function_args", "boolean", "nil") or false,
        function_source = field(options, "function_source", "boolean", "nil") or false,
    }, {})
end

--- Prints a value.
---@param value any
---@param options table|nil
---@param ribbon_frac number|nil
local function pretty_print(value, options, ribbon_frac)
    expect(2, options, "table", "nil")
    expect(3, ribbon_frac, "number", "nil")
    return print_doc(pretty(value, options), ribbon_frac)
end

return {
    empty = empty,
    space = space,
    line = line,
    space_line = space_line,
    text = text,
    concat = concat,
    nest = nest,
    group = group,
    write = write_doc,
    print = print_doc,
    render = render,
    pretty = pretty,
    pretty_print = pretty_print,
}

-- cc.pretty: documents, which are text with places where lines may end, and values as
-- documents. After Wadler, "A prettier printer", with a list of what is still to be laid
-- out in place of lazy alternatives.

local include = type((...)) == "function" and (...) or dofile
local checks = include("rom/modules/main/cc/expect.lua")
local expect, field = checks.expect, checks.field
local keywords = include("rom/modules/main/cc/internal/keywords.lua")

---@class Doc one of: a text, the end of a line, several documents, an indented one, a group
---@field tag string|nil "text" of a text, which says for others what it is
---@field width number|nil how wide it is on one line; a text knows it anyway
---@field breaks boolean|nil whether it contains ends of lines
---@field text string|nil of a text; of the end of a line, what stands there if it is none
---@field colour number|nil
---@field depth number|nil
---@field inner Doc|nil of an indented one and of a group
local Doc = {}

local function make(doc)
    return setmetatable(doc, Doc)
end

local function width_of(doc)
    return doc.width or #doc.text
end


local empty, space = make({ tag = "text", text = "" }), make({ tag = "text", text = " " })
local line, space_line = make({ text = "", breaks = true }), make({ text = " ", breaks = true })
local constants = { [""] = empty, [" "] = space, ["\n"] = space_line }

--- Joins documents; a list of one is that one.
local function join(docs)
    if #docs < 2 then return docs[1] or empty end
    local width, breaks = 0, nil
    for index = 1, #docs do
        local doc = docs[index]
        width = width + (doc.width or #doc.text)
        breaks = breaks or doc.breaks
    end
    docs.width, docs.breaks = width, breaks
    return make(docs)
end

--- Makes a document of a text.
---@param words string
---@param colour number|nil
---@return Doc
local function text_of(words, colour)
    if constants[words] then return constants[words] end
    if not words:find("\n", 1, true) then return make({ tag = "text", text = words, colour = colour }) end

    local pieces, lines = {}, 0
    for piece, line_end in (words .. "\n"):gmatch("([^\n]*)(\n)") do
        if lines > 0 then table.insert(pieces, constants[line_end]) end
        lines = lines + 1
        if piece ~= "" then table.insert(pieces, make({ tag = "text", text = piece, colour = colour })) end
    end
    return join(pieces)
end

--- The same for others, who may be wrong.
---@param words string
---@param colour number|nil
---@return Doc
local function text(words, colour)
    expect(1, words, "string")
    expect(2, colour, "number", "nil")
    return text_of(words, colour)
end

--- Joins documents and texts.
---@param ... Doc|string
---@return Doc
local function concat(...)
    local docs = { ... }
    for index = 1, select("#", ...) do
        local doc = docs[index]
        if type(doc) == "string" then
            docs[index] = text_of(doc)
        elseif getmetatable(doc) ~= Doc then
            expect(index, doc, "document")
        end
    end
    return join(docs)
end
Doc.__concat = concat

--- Indents all lines of a document but its first.
---@param depth number
---@param doc Doc
---@return Doc
local function nest(depth, doc)
    expect(1, depth, "number")
    if getmetatable(doc) ~= Doc then expect(2, doc, "document") end
    if depth <= 0 then error("depth must be a positive number", 2) end
    return make({ depth = depth, inner = doc, width = width_of(doc), breaks = doc.breaks })
end

--- Makes a document that is shown on one line if there is room.
---@param doc Doc
---@return Doc
local function group(doc)
    if getmetatable(doc) ~= Doc then expect(1, doc, "document") end
    local is_group = doc.inner and not doc.depth
    if is_group or not doc.breaks then return doc end
    return make({ inner = doc, width = width_of(doc), breaks = true })
end

-- Layout -----------------------------------------------------------------

local DEFAULT_RIBBON = 0.6

--- Lays a document out.
---@param doc Doc
---@param width number
---@param ribbon number how much of a line may be used, without its indentation
---@param put fun(text: string, colour: number|nil)
local function lay_out(doc, width, ribbon, put)
    -- What is still to come, the next one last: documents, their indentation, and whether
    -- they stand on one line.
    local docs, indents, flats, count = { doc }, { 0 }, { false }, 1
    local column = 0

    while count > 0 do
        local current, indent, flat = docs[count], indents[count], flats[count]
        local words, inner = current.text, current.inner
        count = count - 1
        if words and current.breaks and not flat then
            put("\n" .. (" "):rep(indent))
            column = indent
        elseif words then
            put(words, current.colour)
            column = column + #words
        elseif inner then
            -- In the place of what it is around.
            local depth, needed = current.depth, current.width
            count = count + 1
            docs[count] = inner
            if depth then
                indents[count] = indent + depth
            elseif not flat then
                flats[count] = column + needed <= width and column - indent + needed <= ribbon
            end
        else
            for index = #current, 1, -1 do
                count = count + 1
                docs[count], indents[count], flats[count] = current[index], indent, flat
            end
        end
    end
end

--- Writes a document to the terminal.
---@param doc Doc
---@param ribbon_frac number|nil
local function write_doc(doc, ribbon_frac)
    if getmetatable(doc) ~= Doc then expect(1, doc, "document") end
    expect(2, ribbon_frac, "number", "nil")
    local width = term.getSize()
    local usual = term.getTextColour()
    local shown = usual
    lay_out(doc, width, width * (ribbon_frac or DEFAULT_RIBBON), function(piece, colour)
        colour = colour or usual
        if colour ~= shown then
            term.setTextColour(colour)
            shown = colour
        end
        write(piece)
    end)
    term.setTextColour(usual)
end

--- Writes a document and ends the line.
---@param doc Doc
---@param ribbon_frac number|nil
local function print_doc(doc, ribbon_frac)
    if getmetatable(doc) ~= Doc then expect(1, doc, "document") end
    expect(2, ribbon_frac, "number", "nil")
    write_doc(doc, ribbon_frac)
    print()
end

--- Makes a text of a document.
---@param doc Doc
---@param width number|nil
---@param ribbon_frac number|nil
---@return string
local function render(doc, width, ribbon_frac)
    if getmetatable(doc) ~= Doc then expect(1, doc, "document") end
    expect(2, width, "number", "nil")
    expect(3, ribbon_frac, "number", "nil")
    width = width or math.huge
    local pieces = {}
    lay_out(doc, width, width * (ribbon_frac or DEFAULT_RIBBON), function(piece)
        pieces[#pieces + 1] = piece
    end)
    return table.concat(pieces)
end
Doc.__tostring = function(doc) return render(doc) end

-- Values -----------------------------------------------------------------

local comma = concat(",", space_line)
local equals, opening, closing = text(" = "), text("["), text("]")
local open_brace, close_brace = text("{"), text("}")

--- Describes a function: its name or its place, and its parameters.
local function describe_function(fn, options)
    local info = debug and debug.getinfo and debug.getinfo(fn, "Su")
    local shown = tostring(fn)
    if options.function_source and info and info.short_src and info.linedefined and info.linedefined > 0 then
        shown = "function<" .. info.short_src .. ":" .. info.linedefined .. ">"
    end
    if not options.function_args or not info or not info.nparams then return shown end
    local parameters = {}
    for index = 1, info.nparams do parameters[index] = debug.getlocal(fn, index) or "?" end
    if info.isvararg then table.insert(parameters, "...") end
    -- What is no function of Lua does not say what it takes.
    if info.what == "main" then return shown end
    return shown .. "(" .. table.concat(parameters, ", ") .. ")"
end

local by_type = {
    number = function(value) return text_of(tostring(value), colors.magenta) end,
    string = function(value)
        return text_of((("%q"):format(value):gsub("\\\n", "\\n")), colors.red)
    end,
    ["function"] = function(value, options) return text(describe_function(value, options), colors.lightGray) end,
}

-- Keys are listed by their type, and those of one type in their order.
local rank_of = { string = 1, number = 2 }
local function comes_before(a, b)
    local rank_a, rank_b = rank_of[type(a)] or 3, rank_of[type(b)] or 3
    if rank_a ~= rank_b then return rank_a < rank_b end
    if rank_a == 3 then return tostring(a) < tostring(b) end
    return a < b
end

local document_of

--- Describes a table that is not inside of itself.
local function describe_table(value, options, around)
    local listed, keys, entries = #value, {}, {}
    for index = 1, listed do entries[index] = document_of(value[index], options, around) end
    for key in pairs(value) do
        local is_listed = type(key) == "number" and key % 1 == 0 and key >= 1 and key <= listed
        if not is_listed then keys[#keys + 1] = key end
    end
    table.sort(keys, comes_before)
    for _, key in ipairs(keys) do
        local is_name = type(key) == "string" and key:find("^[%a_][%w_]*$") and not keywords[key]
        local shown = is_name and text_of(key) or join({ opening, document_of(key, options, around), closing })
        entries[#entries + 1] = join({ shown, equals, document_of(value[key], options, around) })
    end
    if #entries == 0 then return text("{}") end

    local body = { space_line }
    for index, entry in ipairs(entries) do
        if index > 1 then body[#body + 1] = comma end
        body[#body + 1] = entry
    end
    return group(join({ open_brace, nest(2, join(body)), space_line, close_brace }))
end

--- Makes a document of a value. `around` has the tables that it stands in.
function document_of(value, options, around)
    local describe = by_type[type(value)]
    if describe then return describe(value, options) end

    local meta = type(value) == "table" and getmetatable(value)
    if type(meta) == "table" and meta.__tostring then return text(tostring(value)) end
    if type(value) ~= "table" or around[value] then return text(tostring(value), colors.lightGray) end

    around[value] = true
    local document = describe_table(value, options, around)
    around[value] = nil
    return document
end

--- Makes a document of any value.
---@param obj any
---@param options table|nil
---@return Doc
local function pretty(obj, options)
    expect(2, options, "table", "nil")
    local chosen = {}
    for _, name in ipairs({ "function_args", "function_source" }) do
        chosen[name] = options and field(options, name, "boolean", "nil")
    end
    return document_of(obj, chosen, {})
end

local module = { empty = empty, line = line, space = space, space_line = space_line }
module.text, module.concat, module.nest, module.group = text, concat, nest, group
module.write, module.print, module.render, module.pretty = write_doc, print_doc, render, pretty

--- Prints any value.
---@param obj any
---@param options table|nil
---@param ribbon_frac number|nil
function module.pretty_print(obj, options, ribbon_frac)
    expect(2, options, "table", "nil")
    expect(3, ribbon_frac, "number", "nil")
    local document = pretty(obj, options)
    print_doc(document, ribbon_frac)
end

return module

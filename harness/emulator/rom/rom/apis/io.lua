-- io: Lua's library of files on top of fs, with the terminal as the standard
-- streams.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local io = _ENV
-- `io.type` is a function of this API; Lua's own one is kept here.
local type_of = type

---@class Handle
---@field _handle table what fs.open returned
---@field _closed boolean|nil
---@field _standard boolean|nil
local methods = {}

local metatable = {
    __name = "FILE*",
    __index = methods,
    __tostring = function(self)
        if self._closed then return "file (closed)" end
        local address = tostring(self._handle):match(": *0?x?(.*)") or "0"
        return "file (" .. address .. ")"
    end,
}

--- Makes a file of what fs.open returned.
---@return Handle
local function make_file(handle)
    return setmetatable({ _handle = handle }, metatable)
end

local function is_file(value)
    return type_of(value) == "table" and getmetatable(value) == metatable
end

--- Requires a method to be called on an open file. Raised at the method's caller.
local function check_open(file)
    if not is_file(file) then
        error("bad argument #1 (FILE expected, got " .. type_of(file) .. ")", 3)
    end
    if file._closed then error("attempt to use a closed file", 3) end
end

-- Reading ----------------------------------------------------------------

--- Reads some characters. None at the end of the file gives nil, also where 0 were asked for.
local function read_count(handle, count)
    if not handle.read then return nil, "Not opened for reading" end
    if count ~= 0 then return handle.read(count) end
    if handle.read(1) == nil then return nil end
    handle.seek("cur", -1)
    return ""
end

local readers = {
    l = function(handle)
        if not handle.readLine then return nil, "Not opened for reading" end
        return handle.readLine(false)
    end,
    L = function(handle)
        if not handle.readLine then return nil, "Not opened for reading" end
        return handle.readLine(true)
    end,
    a = function(handle)
        if not handle.readAll then return nil, "Not opened for reading" end
        return handle.readAll() or ""
    end,
    -- Reading numbers is documented as not available.
    n = function()
        return nil
    end,
}

--- Turns a format into a function that reads it. `read_formats` is called as the last
--- thing of a method, so that level 3 is the method's caller.
---@param index number
---@param format string|number
local function reader_of(index, format)
    if type_of(format) == "number" then
        return function(handle) return read_count(handle, format) end
    end
    if type_of(format) ~= "string" then
        error(("bad argument #%d (string expected, got %s)"):format(index, type_of(format)), 3)
    end
    local name = format:gsub("^%*", "", 1):sub(1, 1)
    if not readers[name] then
        error(("bad argument #%d (invalid format)"):format(index), 3)
    end
    return readers[name]
end

--- Reads the formats one after the other, until one fails.
local function read_formats(handle, ...)
    local count = select("#", ...)
    if count == 0 then return readers.l(handle) end

    local results = { n = count }
    for index = 1, count do
        local value, message = reader_of(index, (select(index, ...)))(handle)
        if message then return nil, message end
        if value == nil then break end
        results[index] = value
    end
    return table.unpack(results, 1, results.n)
end

--- Reads from the file.
function methods:read(...)
    check_open(self)
    if not self._handle.read and not self._handle.readLine then return nil, "Not opened for reading" end
    return read_formats(self._handle, ...)
end

--- Iterates over the file; it stays open at its end.
function methods:lines(...)
    check_open(self)
    if not self._handle.read and not self._handle.readLine then return nil, "file is not readable" end
    local formats = table.pack(...)
    return function()
        if self._closed then error("file is already closed", 2) end
        return read_formats(self._handle, table.unpack(formats, 1, formats.n))
    end
end

-- Writing and the rest ---------------------------------------------------

--- Writes strings and numbers.
function methods:write(...)
    check_open(self)
    local handle = self._handle
    if not handle.write then return nil, "file is not writable" end
    for index = 1, select("#", ...) do
        local value = select(index, ...)
        if type_of(value) ~= "string" and type_of(value) ~= "number" then
            error(("bad argument #%d (string or number expected, got %s)"):format(index, type_of(value)), 2)
        end
        handle.write(tostring(value))
    end
    return self
end

--- Moves in the file.
function methods:seek(whence, offset)
    check_open(self)
    local handle = self._handle
    if not handle.seek then return nil, "file is not seekable" end
    return handle.seek(whence, offset)
end

--- Writes to the disk what was kept back.
function methods:flush()
    check_open(self)
    if self._handle.flush then self._handle.flush() end
    return true
end

--- Does nothing: buffers cannot be chosen here.
function methods.setvbuf() end

--- Closes the file.
function methods:close()
    check_open(self)
    if not self._handle.close then return nil, "attempt to close standard stream" end
    self._closed = true
    self._handle.close()
    return true
end

-- The standard streams ---------------------------------------------------

io.stdin = make_file({
    readLine = function() return _G.read() end,
})

io.stdout = make_file({
    write = function(text) _G.write(text) end,
})

io.stderr = make_file({
    write = function(text)
        local colour
        if term.isColour() then
            colour = term.getTextColour()
            term.setTextColour(colors.red)
        end
        _G.write(text)
        if colour then term.setTextColour(colour) end
    end,
})

local current_input, current_output = io.stdin, io.stdout

-- The library ------------------------------------------------------------

--- Opens a file.
---@param filename string
---@param mode string|nil
---@return Handle|nil, string|nil
function io.open(filename, mode)
    expect(1, filename, "string")
    expect(2, mode, "string", "nil")
    local handle, message = fs.open(filename, mode or "r")
    if not handle then return nil, message end
    return make_file(handle)
end

--- Says whether a value is an open file, a closed one, or none.
---@return string|nil
function io.type(value)
    if not is_file(value) then return nil end
    return value._closed and "closed file" or "file"
end

--- Returns the input, or makes a file the input.
---@param file Handle|string|nil
---@return Handle
function io.input(file)
    if type_of(file) == "string" then
        local handle, message = io.open(file, "r")
        if not handle then error(message, 2) end
        current_input = handle
    elseif is_file(file) then
        current_input = file
    elseif file ~= nil then
        error("bad argument #1 (FILE expected, got " .. type_of(file) .. ")", 2)
    end
    return current_input
end

--- Returns the output, or makes a file the output.
---@param file Handle|string|nil
---@return Handle
function io.output(file)
    if type_of(file) == "string" then
        local handle, message = io.open(file, "w")
        if not handle then error(message, 2) end
        current_output = handle
    elseif is_file(file) then
        current_output = file
    elseif file ~= nil then
        error("bad argument #1 (FILE expected, got " .. type_of(file) .. ")", 2)
    end
    return current_output
end

--- Closes a file, or the output.
---@param file Handle|nil
function io.close(file)
    if file == nil then return current_output:close() end
    if not is_file(file) then
        error("bad argument #1 (FILE expected, got " .. type_of(file) .. ")", 2)
    end
    return file:close()
end

--- Flushes the output.
function io.flush()
    return current_output:flush()
end

--- Reads from the input.
function io.read(...)
    return current_input:read(...)
end

--- Writes to the output.
function io.write(...)
    return current_output:write(...)
end

--- Iterates over a file and closes it at its end; with no name, over the input.
---@param filename string|nil
function io.lines(filename, ...)
    expect(1, filename, "string", "nil")
    if not filename then return io.input():lines(...) end

    local file, message = io.open(filename, "r")
    if not file then error(message, 2) end
    local formats = table.pack(...)
    return function()
        if file._closed then error("file is already closed", 2) end
        local results = table.pack(read_formats(file._handle, table.unpack(formats, 1, formats.n)))
        if results[1] == nil then file:close() end
        return table.unpack(results, 1, results.n)
    end
end

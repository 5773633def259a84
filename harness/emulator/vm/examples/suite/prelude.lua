-- What the files of a suite expect around them. A computer has these from its ROM, or not at all.
local write, tostring, select, load, read = write, tostring, select, load, read

function print(...)
    for i = 1, select("#", ...) do
        if i > 1 then
            write("\t")
        end
        local text = tostring((select(i, ...)))
        if type(text) ~= "string" then
            error("'tostring' must return a string to 'print'")
        end
        write(text)
    end
    write("\n")
end

-- Files that a test writes.
local written, output = {}, nil

function loadfile(name, mode, env)
    local text = written[name] and table.concat(written[name]) or read(name)
    if not text then
        return nil, "cannot open " .. name
    end
    text = text:gsub("^#[^\n]*", "")
    return load(text, "@" .. name, mode, env or _G)
end

function dofile(name)
    return assert(loadfile(name))()
end

package = { loaded = { _G = _G }, path = "?.lua", cpath = "", config = "/\n;\n?\n!\n-\n", preload = {} }
for _, name in ipairs({ "string", "table", "math", "coroutine", "debug", "bit32", "utf8" }) do
    package.loaded[name] = _G[name]
end
package.loaded.package = package

function require(name)
    if package.loaded[name] == nil then
        -- A module is beside the file, whatever path its name has.
        package.loaded[name] = dofile(name:match("[^.]*$") .. ".lua") or true
    end
    return package.loaded[name]
end

os = {
    clock = clock,
    time = now,
    -- There are no locales.
    setlocale = function() end,
    tmpname = function()
        return "written"
    end,
    remove = function(name)
        written[name] = nil
        return true
    end,
}
io = {
    write = function(...)
        for i = 1, select("#", ...) do
            local text = tostring((select(i, ...)))
            if output then
                output[#output + 1] = text
            else
                write(text)
            end
        end
    end,
    output = function(name)
        output = {}
        written[name] = output
    end,
    close = function()
        output = nil
    end,
}
io.stdout = {
    write = function(_, ...)
        io.write(...)
    end,
}
io.stderr = io.stdout
package.loaded.os, package.loaded.io = os, io
arg = { [0] = FILE }

local main = assert(loadfile(FILE))
_G.write, _G.read, _G.clock, _G.now, _G.FILE = nil, nil, nil, nil, nil
--BEFORE--

local ok, message = xpcall(main, function(message)
    return debug.traceback(tostring(message), 2)
end)
if not ok then
    error(message, 0)
end
if FAILURES and #FAILURES > 0 then
    error(("%d of %d tests fail: "):format(#FAILURES, TESTS) .. table.concat(FAILURES, "; "), 0)
end

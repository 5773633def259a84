-- Calls every function of a group with every kind of argument and prints what each call returns or raises.
-- The group is its case: craftos.toml beside this folder names them all.
local group = ...

-- Arguments --------------------------------------------------------------

local thread = coroutine.create(function() end)
local function noop() end

--- What is given to functions, with how it is shown. The first ones are given in more places. Tables are made anew for
--- each call, as functions change them.
local values = {
    { "nil", nil },
    { "1", 1 },
    { '"a"', "a" },
    { "{}", make = function() return {} end },
    { "true", true },
    { "-1", -1 },
    { "0.5", 0.5 },
    { "function", noop },
    { "nan", 0 / 0 },
    { "0", 0 },
    { "inf", math.huge },
    { "-inf", -math.huge },
    { "3.7", 3.7 },
    { "70000", 70000 },
    { '""', "" },
    { '"12"', "12" },
    { '"0x1F"', "0x1F" },
    { '"a b/c"', "a b/c" },
    { '"left"', "left" },
    { '"%d"', "%d" },
    { "{1,2}", make = function() return { 1, 2 } end },
    { "{a=1}", make = function() return { a = 1 } end },
    { "false", false },
    { "thread", thread },
}
-- How many of them are tried as the second and as the third argument.
local SECOND, THIRD = 7, 4

-- Printing ---------------------------------------------------------------

local LONGEST = 120

local function show_text(text)
    if #text > LONGEST then text = text:sub(1, LONGEST) .. "…" .. #text end
    return (("%q"):format(text):gsub("\\\n", "\\n"):gsub("[\128-\255]", "?"))
end

local function show(value, depth)
    local kind = type(value)
    if kind == "number" then return (("%.14g"):format(value):gsub("^%-nan$", "nan")) end
    if kind == "string" then return show_text(value) end
    if kind ~= "table" then return kind == "boolean" and tostring(value) or kind end
    if depth > 2 then return "{…}" end
    local entries = {}
    for key, entry in pairs(value) do
        entries[#entries + 1] = "[" .. show(key, depth + 1) .. "]=" .. show(entry, depth + 1)
    end
    table.sort(entries)
    local shown = table.concat(entries, ",", 1, math.min(#entries, 20))
    return "{" .. shown .. (#entries > 20 and ",…" .. #entries or "") .. "}"
end

--- Takes out what is not part of an API: positions in the ROM, addresses.
local function cleaned(message)
    if type(message) ~= "string" then return show(message, 0) end
    message = message:gsub("^%.?%.?%.?[%w_/]*/[%w_]+%.lua:%d+: ", function(place)
        return place:find("^/probe%.lua") and place or ""
    end)
    message = message:gsub("^bios%.lua:%d+: ", "")
    return show_text(message)
end

-- Groups -----------------------------------------------------------------

--- Takes the functions of a table, without those that wait, end the computer or cannot be compared.
local function functions_of(api, without)
    local names, left_out = {}, {}
    for name in (without or ""):gmatch("%S+") do left_out[name] = true end
    for name, value in pairs(api) do
        if type(name) == "string" and type(value) == "function" and not left_out[name] then names[#names + 1] = name end
    end
    table.sort(names)
    local list = {}
    for index, name in ipairs(names) do list[index] = { name, api[name] } end
    return list
end

--- Makes functions of methods of an object that is made anew for each call: of those that are named, or of all but some.
local function methods_of(make, names, without)
    local list = {}
    if not names then
        names = ""
        for _, entry in ipairs(functions_of(make(), without)) do names = names .. entry[1] .. " " end
    end
    for name in names:gmatch("%S+") do
        list[#list + 1] = { name, function(...)
            local object = make()
            local results = table.pack(pcall(object[name], ...))
            if object.close then pcall(object.close) end
            if not results[1] then error(results[2], 0) end
            return table.unpack(results, 2, results.n)
        end }
    end
    return list
end

local function hidden_window() return window.create(term.current(), 1, 1, 6, 3, false) end

--- A file with some text, opened in a mode.
local function open_file(mode)
    return function()
        local file = fs.open("/sweep.txt", "w")
        file.write("line one\nline two\n\nlast")
        file.close()
        return fs.open("/sweep.txt", mode)
    end
end

local function open_io(mode)
    return function()
        open_file("r")().close()
        local file = assert(io.open("/sweep.txt", mode))
        local bound = {}
        for name in ("close flush lines read seek setvbuf write"):gmatch("%S+") do
            bound[name] = function(...) return file[name](file, ...) end
        end
        return bound
    end
end

-- What only the emulator's own window has.
local GRAPHICS = "drawPixels getPixel getPixels setPixel screenshot showMouse relativeMouse setFrozen getFrozen "
    .. "setGraphicsMode getGraphicsMode "

--- Leaves out numbers that are no colours, fractions of lines, and the line that has no number: CraftOS-PC has no
--- checks there, or fails.
local function within_range(list)
    for _, entry in ipairs(list) do
        local name, call = entry[1], entry[2]
        local is_colour, is_scroll = name:find("Colou?r"), name == "scroll"
        entry[2] = function(first, ...)
            local number = type(first) == "number" and first or nil
            if number and is_colour and (number % 1 ~= 0 or number < 1 or number > 65535) then return "left out" end
            if number ~= number and name == "getLine" then return "left out" end
            if number and is_scroll and number % 1 ~= 0 then return "left out" end
            return call(first, ...)
        end
    end
    return list
end

--- The methods of a peripheral. It is attached once: CraftOS-PC crashes when it comes and goes all the time.
local function peripheral_methods(kind, without)
    periphemu.create("left", kind)
    return functions_of(peripheral.wrap("left"), without)
end

--- Functions of an API with the terminal redirected to a fresh window.
local function on_a_window(api, without)
    local list = functions_of(api, without)
    for _, entry in ipairs(list) do
        local call = entry[2]
        entry[2] = function(...)
            -- Wide enough for addresses, which are taken out of what is shown.
            local canvas = window.create(term.current(), 1, 1, 80, 3, false)
            local previous = term.redirect(canvas)
            local results = table.pack(pcall(call, ...))
            term.redirect(previous)
            if not results[1] then error(results[2], 0) end
            local line = canvas.getLine(1)
            return (line:gsub(" +$", "")), table.unpack(results, 2, results.n)
        end
    end
    return list
end

--- Functions that change files, each in a fresh folder. What is there afterwards is part of the result.
local function on_files(api, names)
    local list = {}
    local function clean()
        for _, name in ipairs(fs.list("/")) do
            if not ("rom startup.lua probe.lua out.txt sweep.txt"):find(name, 1, true) then fs.delete(name) end
        end
    end
    for name in names:gmatch("%S+") do
        list[#list + 1] = { name, function(...)
            fs.makeDir("a b")
            local file = fs.open("a", "w")
            file.write("text")
            file.close()
            local results = table.pack(pcall(api[name], ...))
            local found = fs.find("*/*")
            for _, top in ipairs(fs.find("*")) do found[#found + 1] = top end
            local shown = {}
            for _, path in ipairs(found) do
                if path:sub(1, 3) ~= "rom" then shown[#shown + 1] = path end
            end
            table.sort(shown)
            clean()
            if not results[1] then error(cleaned(results[2]) .. " " .. table.concat(shown, ","), 0) end
            return table.concat(shown, ","), table.unpack(results, 2, results.n)
        end }
    end
    return list
end

--- Functions whose results change from run to run: only what kinds of results they have is compared.
local function kinds_of(api, names)
    local list = {}
    for name in names:gmatch("%S+") do
        list[#list + 1] = { name, function(...)
            local results = table.pack(api[name](...))
            for index = 1, results.n do results[index] = type(results[index]) end
            return table.unpack(results, 1, results.n)
        end }
    end
    return list
end

--- A response of the web server of the probes.
local function get_response(path, binary)
    return function()
        local file = fs.open("/server", "r")
        local base = "http://" .. file.readAll() .. "/"
        file.close()
        return (http.get(base .. path, nil, binary))
    end
end

--- Functions of `http` that open sockets, without ports of servers, which CraftOS-PC would open, and without an empty
--- URL, for which it waits for ever.
local function without_ports(list)
    for _, entry in ipairs(list) do
        local call, is_socket = entry[2], entry[1]:find("^websocket")
        entry[2] = function(first, ...)
            if is_socket and (first == "" or type(first) == "string" and tonumber(first)) then return "left out" end
            return call(first, ...)
        end
    end
    return list
end

--- Functions that answer with events: those are over before the next call.
local function settled(list, events)
    for _, entry in ipairs(list) do
        local call = entry[2]
        entry[2] = function(...)
            local results = table.pack(call(...))
            if results[1] == true then
                local event
                repeat event = table.pack(os.pullEvent()) until events[event[1]]
                results.n = results.n + 3
                results[results.n - 2], results[results.n - 1], results[results.n] = event[1], event[3], event[4]
            end
            return table.unpack(results, 1, results.n)
        end
    end
    return list
end

-- What each group leaves out, and why, stands in README.md beside this file.
local groups = {
    base = function()
        return functions_of({
            assert = assert, ipairs = ipairs,
            loadfile = loadfile, loadstring = loadstring, next = next, pairs = pairs, pcall = pcall, rawequal = rawequal,
            rawget = rawget, rawlen = rawlen, rawset = rawset, select = select, setmetatable = setmetatable,
            tonumber = tonumber, tostring = tostring, type = type, unpack = unpack, write = write, xpcall = xpcall,
            dofile = dofile, printError = printError,
        })
    end,
    bit = function() return functions_of(bit) end,
    bit32 = function() return functions_of(bit32, "extract") end,
    colors = function() return functions_of(colors) end,
    colours = function() return functions_of(colours) end,
    disk = function() return functions_of(disk) end,
    fs = function() return functions_of(fs, "getFreeSpace getCapacity attributes delete move copy makeDir open") end,
    fs_open = function() return functions_of({ open = function(...)
        local file, problem = fs.open(...)
        if file then file.close() end
        return file and "opened", problem
    end }) end,
    file_read = function() return methods_of(open_file("r"), "close read readAll readLine seek") end,
    file_read_binary = function() return methods_of(open_file("rb"), "close read readAll readLine seek") end,
    file_write = function() return methods_of(open_file("w"), "close flush seek write writeLine") end,
    file_write_binary = function() return methods_of(open_file("wb"), "close flush seek write") end,
    file_update = function() return methods_of(open_file("r+"), "close flush read readAll readLine seek write writeLine") end,
    help = function() return functions_of(help, "setPath topics completeTopic lookup") end,
    http = function()
        return without_ports(functions_of(http,
            "listen addListener removeListener websocketServer websocketAsync request checkURLAsync"))
    end,
    http_events = function()
        local waiting = { request = http.request, checkURLAsync = http.checkURLAsync, websocketAsync = http.websocketAsync }
        return settled(without_ports(functions_of(waiting)),
            { http_failure = true, http_check = true, websocket_failure = true })
    end,
    response = function() return methods_of(get_response("lines"), "close getResponseCode readAll readLine") end,
    response_binary = function() return methods_of(get_response("lines", true), "close readAll readLine") end,
    io = function() return functions_of(io, "read lines input output close write open") end,
    io_read = function() return methods_of(open_io("r"), "close flush lines read seek setvbuf write") end,
    io_write = function() return methods_of(open_io("w"), "close flush lines read seek setvbuf write") end,
    keys = function() return functions_of(keys) end,
    math = function() return functions_of(math, "random randomseed") end,
    os = function() return functions_of(os,
        "shutdown reboot sleep pullEvent pullEventRaw queueEvent clock time date day epoch startTimer setAlarm about run loadAPI setComputerLabel cancelTimer cancelAlarm") end,
    os_label = function() return functions_of({ setComputerLabel = function(...)
        local results = table.pack(os.setComputerLabel(...))
        local label = os.getComputerLabel()
        os.setComputerLabel(nil)
        return label, table.unpack(results, 1, results.n)
    end }) end,
    paintutils = function()
        local list = functions_of(paintutils, "loadImage")
        for _, entry in ipairs(list) do
            local draw = entry[2]
            entry[2] = function(...)
                local previous = term.redirect(hidden_window())
                local results = table.pack(pcall(draw, ...))
                term.redirect(previous)
                if not results[1] then error(results[2], 0) end
                return table.unpack(results, 2, results.n)
            end
        end
        return list
    end,
    parallel = function() return functions_of(parallel) end,
    peripheral = function() return functions_of(peripheral) end,
    rednet = function() return functions_of(rednet, "receive run lookup send broadcast host unhost") end,
    redstone = function() return functions_of(redstone) end,
    settings = function() return functions_of(settings, "save load clear getNames") end,
    shell = function() return functions_of(shell,
        "exit run execute programs setPath complete completeProgram getCompletionInfo aliases openTab switchTab setDir") end,
    string = function() return functions_of(string, "dump rep gsub gmatch pack unpack packsize") end,
    string_rep = function() return functions_of({ rep = function(text, count, ...)
        if type(count) == "number" and count > 1000 then return "left out" end
        return string.rep(text, count, ...)
    end }) end,
    string_pack = function() return functions_of({ packsize = string.packsize, unpack = string.unpack }) end,
    string_gsub = function() return functions_of({ gsub = string.gsub }) end,
    table = function() return functions_of(table, "unpack foreach foreachi getn move remove setn sort") end,
    term = function() return functions_of(term,
        "redirect native current drawPixels getPixel getPixels setPixel screenshot showMouse relativeMouse setFrozen getFrozen setGraphicsMode getGraphicsMode blit setPaletteColor setPaletteColour getPaletteColor getPaletteColour nativePaletteColor nativePaletteColour setTextColor setTextColour setBackgroundColor setBackgroundColour getTextColor getTextColour getBackgroundColor getBackgroundColour getCursorPos write") end,
    textutils = function() return functions_of(textutils, "slowWrite slowPrint pagedPrint pagedTabulate tabulate") end,
    utf8 = function() return functions_of(utf8, "codes") end,
    vector = function() return functions_of(vector) end,
    vector_methods = function()
        return methods_of(function()
            local bound, made = {}, vector.new(1, 2, 3)
            for name in ("add cross div dot equals length mul normalize round sub tostring unm"):gmatch("%S+") do
                bound[name] = function(...) return made[name](made, ...) end
            end
            return bound
        end, "add cross div dot equals length mul normalize round sub tostring unm")
    end,
    window = function() return functions_of(window) end,
    window_methods = function() return within_range(methods_of(hidden_window, nil, GRAPHICS)) end,
    window_visible = function()
        return within_range(methods_of(function() return window.create(hidden_window(), 2, 1, 4, 2) end, nil, GRAPHICS))
    end,
    term_redirected = function()
        return within_range(on_a_window(term, GRAPHICS .. "redirect native current nativePaletteColor nativePaletteColour"))
    end,
    term_native = function()
        return within_range(functions_of(term.native(), GRAPHICS .. "blit getPaletteColor getPaletteColour setPaletteColor setPaletteColour"))
    end,
    term_redirect = function()
        return functions_of({ redirect = function(...)
            local previous = term.redirect(...)
            local ok, problem = pcall(term.write, "x")
            term.redirect(previous)
            return ok, problem
        end })
    end,
    printing = function() return on_a_window({ write = write, print = _G.print, printError = printError,
        tabulate = textutils.tabulate, slowWrite = function(text, rate) return textutils.slowWrite(text, rate and 1e9) end }) end,
    modem = function()
        return peripheral_methods("modem", "callRemote getMethodsRemote getTypeRemote hasTypeRemote isPresentRemote")
    end,
    drive = function() return peripheral_methods("drive", "insertDisk") end,
    chest = function() return peripheral_methods("chest") end,
    tank = function() return peripheral_methods("tank", "addFluid pullFluid pushFluid removeFluid") end,
    energy = function() return peripheral_methods("energy") end,
    peripheral_attached = function()
        return methods_of(function()
            if not peripheral.isPresent("left") then periphemu.create("left", "modem") end
            return peripheral
        end, nil, "getMethods")
    end,
    disk_drive = function()
        return methods_of(function()
            if not peripheral.isPresent("left") then periphemu.create("left", "drive") end
            return disk
        end, nil, "insertDisk")
    end,
    rednet_open = function()
        return methods_of(function()
            if not peripheral.isPresent("left") then
                periphemu.create("left", "modem")
                peripheral.call("left", "open", 1)
            end
            return rednet
        end, "isOpen close open send broadcast host unhost")
    end,
    fs_changes = function() return on_files(fs, "delete move copy makeDir") end,
    file_append = function() return methods_of(open_file("a")) end,
    file_rewrite = function() return methods_of(open_file("w+")) end,
    file_closed = function()
        return methods_of(function()
            local file = open_file("r+")()
            file.close()
            return file
        end)
    end,
    http_urls = function()
        return functions_of(http, "listen addListener removeListener websocketServer websocket websocketAsync trace")
    end,
    os_kinds = function()
        return kinds_of(os, "startTimer setAlarm cancelTimer cancelAlarm queueEvent clock time date day epoch version getComputerID computerID")
    end,
    settings_files = function() return on_files(settings, "save load") end,
    mounter = function() return functions_of(mounter, "mount list unmount") end,
    cc_completion = function() return functions_of(require("cc.completion")) end,
    cc_dfpwm = function() return functions_of(require("cc.audio.dfpwm")) end,
    cc_expect = function() return functions_of(require("cc.expect")) end,
    cc_nft = function() return functions_of(require("cc.image.nft"), "draw") end,
    cc_pretty = function()
        local list = functions_of(require("cc.pretty"), "pretty_print print write")
        -- What a document looks like is compared, not how it is kept.
        for _, entry in ipairs(list) do
            local make = entry[2]
            entry[2] = function(...)
                local result = make(...)
                return type(result) == "table" and tostring(result) or result
            end
        end
        return list
    end,
    cc_shell_completion = function() return functions_of(require("cc.shell.completion"), "help program programWithArgs") end,
    cc_strings = function() return functions_of(require("cc.strings")) end,
}

-- Calling ----------------------------------------------------------------

local real_term = term.current()
local quiet = window.create(real_term, 1, 1, 51, 19, false)

local calls = 0
local function try(name, fn, shown, ...)
    term.redirect(quiet)
    local results = table.pack(pcall(fn, ...))
    term.redirect(real_term)
    calls = calls + 1
    local words = {}
    for index = 2, results.n do words[index - 1] = results[1] and show(results[index], 0) or cleaned(results[index]) end
    local text = table.concat(words, " "):gsub("(%a+: ?)0?x?%x%x%x%x%x%x%x+", "%1ADDRESS"):gsub("%-nan", "nan")
    print(name .. "(" .. shown .. ")", (results[1] and "-> " or "!! ") .. text)
end

local function given(value)
    if value.make then return value.make() end
    return value[2]
end

for _, entry in ipairs(groups[group]()) do
    local name, fn = group .. "." .. entry[1], entry[2]
    try(name, fn, "")
    for _, first in ipairs(values) do
        try(name, fn, first[1], given(first))
        for second = 1, SECOND do
            local other = values[second]
            try(name, fn, first[1] .. ", " .. other[1], given(first), given(other))
        end
    end
    for first = 1, THIRD do
        for second = 1, THIRD do
            for third = 1, THIRD do
                local a, b, c = values[first], values[second], values[third]
                try(name, fn, a[1] .. ", " .. b[1] .. ", " .. c[1], given(a), given(b), given(c))
            end
        end
    end
end
print(group, calls, "calls")
fs.delete("/sweep.txt")

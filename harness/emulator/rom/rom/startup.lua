-- rom/startup.lua: sets up the first shell (search path, aliases, completion), then
-- runs what the emulator was given to run and the startup files.

local completion = require("cc.shell.completion")

-- Where programs are -----------------------------------------------------

local folders = { ".", "/rom/programs" }
if http then folders[#folders + 1] = "/rom/programs/http" end
if term.isColour() then folders[#folders + 1] = "/rom/programs/advanced" end
if turtle then
    folders[#folders + 1] = "/rom/programs/turtle"
else
    folders[#folders + 1] = "/rom/programs/rednet"
    folders[#folders + 1] = "/rom/programs/fun"
    if term.isColour() then folders[#folders + 1] = "/rom/programs/fun/advanced" end
end
if pocket then folders[#folders + 1] = "/rom/programs/pocket" end
if commands then folders[#folders + 1] = "/rom/programs/command" end
shell.setPath(table.concat(folders, ":"))
help.setPath("/rom/help")

local aliases = {
    ls = "list",
    dir = "list",
    cp = "copy",
    mv = "move",
    rm = "delete",
    clr = "clear",
    rs = "redstone",
    sh = "shell",
}
if term.isColour() then
    aliases.background = "bg"
    aliases.foreground = "fg"
end
for alias, program in pairs(aliases) do shell.setAlias(alias, program) end

-- Completion of arguments ------------------------------------------------

--- Sets how the arguments of a program of the ROM are completed.
local function set(program, ...)
    shell.setCompletionFunction("rom/programs/" .. program .. ".lua", completion.build(...))
end

--- Completes the types of peripherals that can be attached.
local function complete_peripheral_type(_, text, previous)
    return completion.choice(nil, text, previous, periphemu and periphemu.names() or {})
end

--- Completes the names of the emulator's options.
local function complete_option(_, text, previous)
    if previous[2] ~= "get" and previous[2] ~= "set" then return nil end
    return completion.choice(nil, text, previous, config and config.list() or {})
end

--- Completes what `monitor` takes: the word scale or a monitor, then the program that runs there.
local function complete_monitor(sh, text, previous)
    local endings = completion.choice(sh, text, previous, { "scale" }, true)
    for _, ending in ipairs(completion.peripheral(sh, text, previous, true)) do endings[#endings + 1] = ending end
    return endings
end

local function complete_monitor_argument(sh, text, previous)
    if previous[2] == "scale" then
        return #previous == 2 and completion.peripheral(sh, text, previous, true) or nil
    elseif peripheral.getType(previous[2]) == "monitor" then
        return completion.programWithArgs(sh, text, previous, 3)
    end
    return nil
end

set("alias", nil, completion.program)
set("cd", completion.dir)
set("clear", { completion.choice, { "screen", "palette", "all" } })
set("copy", { completion.dirOrFile, true }, completion.dirOrFile)
set("delete", { completion.dirOrFile, many = true })
set("drive", completion.dir)
set("edit", completion.file)
set("eject", completion.peripheral)
set("gps", { completion.choice, { "host", "host ", "locate" } })
set("help", completion.help)
set("id", completion.peripheral)
set("label", { completion.choice, { "get", "get ", "set ", "clear", "clear " } }, completion.peripheral)
set("list", completion.dir)
set("mkdir", { completion.dir, many = true })
set("monitor",
    complete_monitor,
    complete_monitor_argument,
    { complete_monitor_argument, many = true })
set("move", { completion.dirOrFile, true }, completion.dirOrFile)
set("redstone",
    { completion.choice, { "probe", "set ", "pulse " } },
    completion.side)
set("rename", { completion.dirOrFile, true }, completion.dirOrFile)
set("set", { completion.setting, true })
set("shell", { completion.programWithArgs, 2, many = true })
set("type", completion.dirOrFile)
set("attach", completion.peripheral, complete_peripheral_type)
set("detach", completion.peripheral)
set("mount", completion.dir)
set("unmount", completion.dir)
set("config", { completion.choice, { "get ", "set ", "list " } }, complete_option)
set("rednet/chat", { completion.choice, { "host ", "join " } })
set("fun/dj", { completion.choice, { "play", "play ", "stop " } }, completion.peripheral)
set("fun/speaker", { completion.choice, { "play ", "sound ", "stop " } })
set("fun/advanced/paint", completion.file)
set("command/exec", completion.command)
if term.isColour() then
    set("advanced/bg", { completion.programWithArgs, 2, many = true })
    set("advanced/fg", { completion.programWithArgs, 2, many = true })
end
if http then
    set("http/wget", { completion.choice, { "run " } })
    set("http/pastebin", { completion.choice, { "put ", "get ", "run " } }, function(sh, text, previous)
        if previous[2] == "put" then return completion.file(sh, text) end
        return nil
    end)
    set("http/gist", { completion.choice, { "put ", "get ", "run ", "edit ", "info ", "delete " } })
end

-- What runs first --------------------------------------------------------

for _, name in ipairs(fs.isDir("/rom/autorun") and fs.list("/rom/autorun") or {}) do
    local path = "/rom/autorun/" .. name
    if name:sub(1, 1) ~= "." and not fs.isDir(path) then shell.run(path) end
end

--- Runs the code of --exec or --script, with the words of --args.
---@return boolean go_on
local function run_given_code()
    local code, words = rawget(_G, "_CCPC_STARTUP_SCRIPT"), rawget(_G, "_CCPC_STARTUP_ARGS")
    if not code then return true end
    rawset(_G, "_CCPC_STARTUP_SCRIPT", nil)
    rawset(_G, "_CCPC_STARTUP_ARGS", nil)

    local chunk, message = load(code, "@startup.lua", "t", _ENV)
    if not chunk then
        printError("Could not load startup script: " .. message)
        return true
    end
    local arguments = {}
    for word in (words or ""):gmatch("[^ ]+") do arguments[#arguments + 1] = word end
    chunk(table.unpack(arguments))
    return true
end

rawset(_G, "_CCPC_FIRST_RUN", nil)
rawset(_G, "_CCPC_UPDATED_VERSION", nil)
rawset(_G, "_CCPC_PLUGIN_ERRORS", nil)

if settings.get("motd.enable") then shell.run("motd") end

run_given_code()

-- Startup files ----------------------------------------------------------

--- Lists the startup files of a folder: one file, or all in a folder with that name.
---@return string[]
local function startup_files(folder)
    local files = {}
    local base = "/" .. fs.combine(folder, "startup")
    if fs.exists(base) and not fs.isDir(base) then
        files[#files + 1] = base
    elseif fs.exists(base .. ".lua") and not fs.isDir(base .. ".lua") then
        files[#files + 1] = base .. ".lua"
    end
    if fs.isDir(base) then
        local names = fs.list(base)
        table.sort(names)
        for _, name in ipairs(names) do
            local path = fs.combine(base, name)
            if name:sub(1, 1) ~= "." and not fs.isDir(path) then files[#files + 1] = "/" .. path end
        end
    end
    return files
end

local function run_all(files)
    for _, file in ipairs(files) do shell.run(file) end
end

local found = {}
if settings.get("shell.allow_startup") then found = startup_files("/") end
if #found == 0 and settings.get("shell.allow_disk_startup") then
    for _, name in ipairs(peripheral.getNames()) do
        if disk.isPresent(name) and disk.hasData(name) then
            found = startup_files(disk.getMountPath(name))
            if #found > 0 then break end
        end
    end
end
run_all(found)

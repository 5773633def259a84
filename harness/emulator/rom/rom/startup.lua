-- rom/startup.lua: sets up the first shell (search path, aliases, completion), then
-- runs what the emulator was given to run and the startup files.

-- The emulator reports startup files that fail; it is told which these are, and what is wrong
-- with one that does not compile. Others know nothing of that.
local announce = rawget(_G, "_STARTUP_NEXT") or function() end
_G._STARTUP_NEXT = nil

-- Loads the code that the emulator was given, which is the same for all computers.
local load_given_code = rawget(_G, "_STARTUP_CODE")
_G._STARTUP_CODE = nil

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

local completed = "alias attach cd clear config copy delete detach drive edit eject gps help id label list mkdir "
    .. "monitor mount move redstone rename set shell type unmount rednet/chat fun/dj fun/speaker "
    .. "fun/advanced/paint command/exec"
if term.isColour() then completed = completed .. " advanced/bg advanced/fg" end
if http then completed = completed .. " http/gist http/pastebin http/wget" end

-- How each is completed is only read when a key is pressed.
for program in completed:gmatch("%S+") do
    shell.setCompletionFunction("rom/programs/" .. program .. ".lua", function(...)
        return require("cc.internal.program_completions")[program](...)
    end)
end

-- What runs first --------------------------------------------------------

for _, name in ipairs(fs.isDir("/rom/autorun") and fs.list("/rom/autorun") or {}) do
    local path = "/rom/autorun/" .. name
    if name:sub(1, 1) ~= "." and not fs.isDir(path) then shell.run(path) end
end

--- Runs the code of --exec or --script, with the words of --args. Its errors end this program.
local function run_given_code()
    local code = rawget(_G, "_CCPC_STARTUP_SCRIPT")
    if not code then return end
    announce("@startup.lua")
    local chunk, message
    if load_given_code then
        chunk, message = load_given_code("@startup.lua", _ENV)
    else
        chunk, message = load(code, "@startup.lua", "t", _ENV)
    end
    if not chunk then
        printError("Could not load startup script: " .. message)
        announce("@startup.lua", message)
        return
    end
    local words = {}
    for word in (rawget(_G, "_CCPC_STARTUP_ARGS") or ""):gmatch("[^ ]+") do words[#words + 1] = word end
    chunk(table.unpack(words))
end

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
            if not fs.isDir(path) then files[#files + 1] = "/" .. path end
        end
    end
    return files
end

local function run_all(files)
    for _, file in ipairs(files) do
        announce("@" .. file)
        shell.run(file)
    end
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

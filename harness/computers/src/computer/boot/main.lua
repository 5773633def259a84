-- Boots a computer of the harness: runs its startup files and its program, records what it shows, and takes commands.
-- Nothing that happens in the program may leave the computer waiting at a prompt: nobody sits there.

local FOLDER = "/.harness"
local BEGUN = "harness: the program has begun"
local BOOTED, EXIT, IDS = FOLDER .. "/booted", FOLDER .. "/exit", FOLDER .. "/ids"

-- What the harness wrote for this computer: `program`, `arguments`, `settings`, how often commands are looked for
-- (`tick`), how long the emulator may take to close sockets (`closing`), whether it takes timer numbers for itself
-- (`takes_numbers`), and a file that is run before the program (`extension`), where there is one.
local boot = dofile(FOLDER .. "/boot.lua")

local files = part("files")
local ids = part("ids", boot)
local screen = part("screen", files)
local sockets = part("sockets", ids, boot.closing, function(method)
    return type(method) == "function" and not pcall(string.dump, method)
end)
local commands = part("commands", files, ids)
local input = part("input", part("typing"), commands)

fs.delete(EXIT)
local number = tonumber((files.read(BOOTED) or ""):match("^%d+") or 0) + 1
files.reserve()
local tick = ids.start_tick(boot.tick)
ids.load(files.read(IDS))
fs.delete(IDS)
files.publish(BOOTED, ("%d %d"):format(number, screen.begin()))

local shut_down, reboot = os.shutdown, os.reboot

local function wait_for_ever()
    while true do
        coroutine.yield()
    end
end

--- Turns the computer off. How it ended is left in a file: the process's own code may be another computer's, or come
--- from a crash.
local function finish(code, word, others_close)
    screen.keep()
    sockets.close(others_close)
    local is_whole = code % 1 == 0 and math.abs(code) < 2 ^ 31
    files.publish(EXIT, word or ("%d"):format(is_whole and code or 0))
    ids.cancel_all()
    shut_down(is_whole and code or 0)
    wait_for_ever()
end

local function start_again(others_close)
    screen.keep()
    sockets.close(others_close)
    files.publish(IDS, ids.save())
    reboot()
    wait_for_ever()
end

-- What the program asked for; it is done when the program yields, as on any computer.
local power
function os.shutdown(code)
    power = function()
        finish(tonumber(code) or 0)
    end
    wait_for_ever()
end
function os.reboot()
    power = start_again
    wait_for_ever()
end

function commands.handlers.stop(others_close)
    return nil, function()
        finish(0, "stopped", others_close)
    end
end

function commands.handlers.reboot(others_close)
    return nil, function()
        start_again(others_close)
    end
end

function commands.handlers.screen()
    return screen.describe()
end

--- What a computer runs when it is turned on: `/startup.lua` or `/startup`, and then every file in `/startup/`.
local function startup_files()
    local found = {}
    if settings.get("shell.allow_startup") == false then
        return found
    end
    found[1] = shell.resolveProgram("/startup")
    if fs.isDir("/startup") then
        for _, name in ipairs(fs.list("/startup")) do
            local path = "/startup/" .. name
            if not fs.isDir(path) then
                found[#found + 1] = path
            end
        end
    end
    return found
end

local program = coroutine.create(function()
    for _, path in ipairs(startup_files()) do
        shell.execute(path)
    end
    return shell.execute(boot.program, table.unpack(boot.arguments, 1, boot.arguments.n))
end)

-- Settings that the harness sets, here and in what the emulator starts with. No program hears that they have changed.
-- What a program changes comes after `BEGUN`.
local unheard = { ["motd.enable"] = true, ["bios.use_multishell"] = true }
for name, value in pairs(boot.settings) do
    unheard[name] = true
    settings.set(name, value)
end
os.queueEvent(BEGUN)

term.redirect(screen.terminal)

--- Sees every event before the program does. Gives the event that the program gets; nothing where it gets none, and
--- then a reason where the computer has to end.
local function arrive(event)
    return event
end

if boot.extension then
    local path = FOLDER .. "/" .. boot.extension
    local ok, result = pcall(function()
        return assert(load(files.read(path) or "", "@" .. path:sub(2), "t", _ENV))(commands.handlers)
    end)
    if not ok then
        printError(type(result) == "table" and result.message or result)
        finish(1)
    end
    arrive = result
end

--- Waits for the next event of the program. What the harness types comes first.
local function next_event()
    while true do
        local typed = input.next()
        if typed then
            return typed
        end
        local event = table.pack(coroutine.yield())
        ids.watch(event)
        if event[1] == "timer" and event[2] == tick then
            tick = ids.start_tick(boot.tick)
            commands.take(number)
        elseif event[1] == BEGUN then
            unheard = {}
        elseif not (event[1] == "setting_changed" and unheard[event[2]]) then
            sockets.watch(event)
            event = ids.translate(event)
            ids.inside = true
            local problem
            event, problem = arrive(event)
            ids.inside = false
            if problem then
                printError(problem)
                finish(1)
            elseif event then
                return event
            end
        end
    end
end

local event, filter = { n = 0 }, nil
while true do
    local is_taken = filter == nil or event[1] == filter or event[1] == "terminate"
    local waited_for = filter
    if is_taken then
        ids.inside = true
        local ok, result = coroutine.resume(program, table.unpack(event, 1, event.n))
        ids.inside = false
        if power then
            input.ended()
            power()
        end
        if coroutine.status(program) == "dead" then
            if not ok then
                printError(result)
            end
            input.ended()
            finish(ok and result and 0 or 1)
        end
        filter = result
        screen.keep()
    end
    input.given(is_taken, waited_for)
    event = next_event()
end

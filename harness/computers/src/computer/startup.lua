-- Boots a computer of the harness: runs its program, keeps what it shows in files, and takes commands from a file.
-- Nothing that happens in the program may leave the computer waiting at a prompt: nobody sits there.

local FOLDER = "/.harness"
local LOG, SCREEN = FOLDER .. "/output.log", FOLDER .. "/screen.txt"
local COMMANDS, STOPPED = FOLDER .. "/commands", FOLDER .. "/stopped"
local BOOTED, EXIT = FOLDER .. "/booted", FOLDER .. "/exit"

-- `boot.tick`: commands are looked for this often. The timer is not seen by the program.
local boot = dofile(FOLDER .. "/boot.lua")

local function write_file(path, mode, text)
    local file = fs.open(path, mode)
    if file then
        file.write(text)
        file.close()
    end
end

local function read_file(path)
    local file = fs.open(path, "rb")
    if not file then
        return nil
    end
    local text = file.readAll()
    file.close()
    return text
end

-- The last screen of the boot before this one belongs to what was printed.
if fs.exists(SCREEN) then
    write_file(LOG, "ab", read_file(SCREEN) or "")
    fs.delete(SCREEN)
end

fs.delete(EXIT)
write_file(BOOTED, "wb", "")

-- A computer among others of one process ends without the process: its code is left in a file.
local shut_down = os.shutdown
function os.shutdown(code)
    write_file(EXIT, "wb", tostring(code or 0))
    return shut_down(code)
end

-- The newest timer of each duration, so that one can be raised before its time.
local timers, start_timer = {}, os.startTimer
function os.startTimer(seconds)
    local id = start_timer(seconds)
    timers[seconds] = id
    return id
end

local width, height = term.getSize()
local screen = window.create(term.current(), 1, 1, width, height, false)
local recorder, changed = {}, true

local function line(y)
    return (screen.getLine(y):gsub("%s+$", "")) .. "\n"
end

for name, method in pairs(screen) do
    recorder[name] = method
end
for _, name in ipairs({ "write", "blit", "clear", "clearLine" }) do
    recorder[name] = function(...)
        changed = true
        return screen[name](...)
    end
end
function recorder.scroll(count)
    changed = true
    local gone = {}
    for y = 1, math.min(count, height) do
        gone[#gone + 1] = line(y)
    end
    write_file(LOG, "ab", table.concat(gone))
    return screen.scroll(count)
end

local function keep_screen()
    if not changed then
        return
    end
    changed = false
    local lines, last = {}, 0
    for y = 1, height do
        lines[y] = line(y)
        if lines[y] ~= "\n" then
            last = y
        end
    end
    write_file(SCREEN, "wb", table.concat(lines, "", 1, last))
end

local function finish(code)
    keep_screen()
    os.shutdown(code)
    while true do
        coroutine.yield()
    end
end

local function take_commands()
    if not fs.exists(COMMANDS) then
        return
    end
    local commands = read_file(COMMANDS)
    fs.delete(COMMANDS)
    local taken = load(commands or "", "=commands", "t", {
        event = os.queueEvent,
        reboot = os.reboot,
        timer = function(seconds)
            if timers[seconds] then
                os.cancelTimer(timers[seconds])
                os.queueEvent("timer", timers[seconds])
            end
        end,
        -- Boots another computer in this process.
        create = function(id)
            periphemu.create(id, "computer")
        end,
        stop = function()
            keep_screen()
            write_file(STOPPED, "wb", "")
            finish(0)
        end,
    })
    if taken then
        taken()
    end
end

local program = coroutine.create(function()
    return shell.run(boot.program, table.unpack(boot.arguments, 1, #boot.arguments))
end)

term.redirect(recorder)
local event, filter = { n = 0 }, nil
local tick = start_timer(boot.tick)
while true do
    if filter == nil or event[1] == filter or event[1] == "terminate" then
        local ok, result = coroutine.resume(program, table.unpack(event, 1, event.n))
        if coroutine.status(program) == "dead" then
            if not ok then
                printError(result)
            end
            finish(ok and result and 0 or 1)
        end
        filter = result
        keep_screen()
    end
    repeat
        event = table.pack(coroutine.yield())
        local is_tick = event[1] == "timer" and event[2] == tick
        if is_tick then
            tick = start_timer(boot.tick)
            take_commands()
        end
    until not is_tick
end

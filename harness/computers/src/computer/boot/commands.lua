-- Takes commands of the harness from a file and answers each in another. A command has a name, an id, and the number
-- of the boot that it is meant for; one that has no effect is refused, with the reason.

local files, ids = ...

local COMMAND, TAKEN, ANSWER = "/.harness/command", "/.harness/command.taken", "/.harness/answer"

local commands = {
    -- By name. A handler gives a text for the answer, and what is to be done once it is written; or, as a third value,
    -- a function that answers later: it gets a function that takes `done` or `refused` and a text.
    handlers = {},
}

--- Refuses the command that is being handled.
---@param reason string
local function refuse(reason)
    error({ refused = reason }, 0)
end

function commands.handlers.event(name, ...)
    os.queueEvent(name, ...)
end

function commands.handlers.timer(seconds)
    local raised, durations = ids.raise(seconds)
    if not raised then
        local listed = #durations == 0 and "no timer is running"
            or "running: " .. table.concat(durations, " s, ") .. " s"
        refuse(("no timer of %s s is running (%s)"):format(seconds, listed))
    end
end

function commands.handlers.create(id)
    if not periphemu then
        refuse("the emulator cannot create another computer: it has no `periphemu`")
    end
    -- One that was here before, and is off, is put in its place.
    local name = "computer_" .. id
    if peripheral.isPresent(name) then
        periphemu.remove(name)
    end
    local created, reason = periphemu.create(id, "computer")
    if not created then
        refuse(("the emulator did not create computer %d: %s"):format(id, tostring(reason)))
    end
end

local function said(text)
    text = tostring(text)
    return text ~= "" and text or "it does not say why"
end

--- Runs Lua between two events of the program, which it gets none of: it must not wait. Gives nothing where it returns
--- true, and why not otherwise.
function commands.handlers.check(code)
    local chunk, problem = load(code, "=invariant", "t", setmetatable({}, { __index = _ENV }))
    if not chunk then
        return said(problem)
    end
    local run = coroutine.create(chunk)
    local ok, holds, why = coroutine.resume(run)
    if coroutine.status(run) ~= "dead" then
        return "it waits, which it must not"
    elseif not ok then
        return said(holds)
    elseif holds ~= true then
        return said(why or ("it returned " .. tostring(holds)))
    end
end

local function handle(command, boot)
    if command.boot ~= boot then
        refuse("the computer rebooted before it took the command")
    end
    local handler = commands.handlers[command.name]
    if not handler then
        refuse(("there is no command `%s`"):format(tostring(command.name)))
    end
    return handler(table.unpack(command.arguments, 1, command.arguments.n))
end

--- Does what a command asks for and answers it.
---@param boot number
function commands.take(boot)
    if not fs.exists(COMMAND) then
        return
    end
    -- In one step: a command that the harness takes back in time was never taken.
    pcall(fs.delete, TAKEN)
    if not pcall(fs.move, COMMAND, TAKEN) then
        return
    end
    local read = load(files.read(TAKEN) or "", "=command", "t", {})
    local command = read and read()
    if type(command) ~= "table" then
        return
    end
    local function answer(word, text)
        files.publish(ANSWER, ("%d %s\n%s"):format(command.id, word, text or ""))
        files.reserve()
    end
    local done, text, after, later = pcall(handle, command, boot)
    if not done then
        return answer("refused", type(text) == "table" and text.refused or tostring(text))
    elseif later then
        return later(answer)
    end
    answer("done", text)
    if after then
        after()
    end
end

return commands

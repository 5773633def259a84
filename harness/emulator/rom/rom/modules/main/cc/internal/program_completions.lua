-- cc.internal.program_completions: how the arguments of the ROM's programs are
-- completed, by program. The names that have an entry stand in rom/startup.lua.

local completion = require("cc.shell.completion")
local build = completion.build

--- Completes the types of peripherals that can be attached.
local function peripheral_type(_, text, previous)
    return completion.choice(nil, text, previous, periphemu and periphemu.names() or {})
end

--- Completes the names of the emulator's options.
local function option(_, text, previous)
    if previous[2] ~= "get" and previous[2] ~= "set" then return nil end
    return completion.choice(nil, text, previous, config and config.list() or {})
end

--- Completes the word scale or a monitor.
local function scale_or_monitor(shell, text, previous)
    local endings = completion.choice(shell, text, previous, { "scale" }, true)
    for _, ending in ipairs(completion.peripheral(shell, text, previous, true)) do
        endings[#endings + 1] = ending
    end
    return endings
end

--- Completes what follows a monitor: the program that runs there.
local function monitor_argument(shell, text, previous)
    if previous[2] == "scale" then
        return #previous == 2 and completion.peripheral(shell, text, previous, true) or nil
    elseif peripheral.getType(previous[2]) == "monitor" then
        return completion.programWithArgs(shell, text, previous, 3)
    end
    return nil
end

--- Completes the file that pastebin stores.
local function stored_file(shell, text, previous)
    if previous[2] ~= "put" then return nil end
    return completion.file(shell, text)
end

--- Makes the completion of a first word from a list.
local function words(...)
    return { completion.choice, { ... } }
end

local program_with_arguments = build({ completion.programWithArgs, 2, many = true })
local source_and_destination = build({ completion.dirOrFile, true }, completion.dirOrFile)

return {
    ["alias"] = build(nil, completion.program),
    ["attach"] = build(completion.peripheral, peripheral_type),
    ["cd"] = build(completion.dir),
    ["clear"] = build(words("screen", "palette", "all")),
    ["config"] = build(words("get ", "set ", "list "), option),
    ["copy"] = source_and_destination,
    ["delete"] = build({ completion.dirOrFile, many = true }),
    ["detach"] = build(completion.peripheral),
    ["drive"] = build(completion.dir),
    ["edit"] = build(completion.file),
    ["eject"] = build(completion.peripheral),
    ["gps"] = build(words("host", "host ", "locate")),
    ["help"] = build(completion.help),
    ["id"] = build(completion.peripheral),
    ["label"] = build(words("get", "get ", "set ", "clear", "clear "), completion.peripheral),
    ["list"] = build(completion.dir),
    ["mkdir"] = build({ completion.dir, many = true }),
    ["monitor"] = build(scale_or_monitor, { monitor_argument, many = true }),
    ["mount"] = build(completion.dir),
    ["move"] = source_and_destination,
    ["redstone"] = build(words("probe", "set ", "pulse "), completion.side),
    ["rename"] = source_and_destination,
    ["set"] = build({ completion.setting, true }),
    ["shell"] = program_with_arguments,
    ["type"] = build(completion.dirOrFile),
    ["unmount"] = build(completion.dir),
    ["rednet/chat"] = build(words("host ", "join ")),
    ["fun/dj"] = build(words("play", "play ", "stop "), completion.peripheral),
    ["fun/speaker"] = build(words("play ", "sound ", "stop "), function(shell, text, previous)
        return previous[2] == "play" and completion.file(shell, text) or nil
    end),
    ["fun/advanced/paint"] = build(completion.file),
    ["command/exec"] = build(completion.command),
    ["advanced/bg"] = program_with_arguments,
    ["advanced/fg"] = program_with_arguments,
    ["http/gist"] = build(words("put ", "get ", "run ", "edit ", "info ", "delete ")),
    ["http/pastebin"] = build(words("put ", "get ", "run "), stored_file),
    ["http/wget"] = build(words("run ")),
}

-- Computers begin with a copy of what one of them had after its bios: never with what a program has changed.
-- prints: nil	nil	nil	nil
-- prints: nil
if not fs.exists("/poisoned") then
    fs.makeDir("/poisoned")
    poisoned, string.poisoned, term.poisoned = true, true, true
    getmetatable("").__add = function() return "poisoned" end
    -- Whatever it finds in the functions that called it and in those around them, it calls.
    local level = 1
    while debug.getinfo(level) do
        for index = 1, 200 do
            local name, value = debug.getlocal(level, index)
            if not name then break end
            if name:find("checkpoint", 1, true) and type(value) == "function" then pcall(value) end
        end
        level = level + 1
    end
    if _CHECKPOINT then pcall(_CHECKPOINT) end
    os.reboot()
end
print(poisoned, string.poisoned, term.poisoned, getmetatable("").__add)
print(_CHECKPOINT)

-- A hook sees what `load` calls; none of it takes bytecode.
-- prints: 0
local seen, bad = {}, 0
debug.sethook(function()
    for level = 1, 6 do
        local info = debug.getinfo(level, "f")
        if info then seen[info.func] = true end
    end
end, "cr")
load("return 1") loadstring("return 1") load(function() end)
debug.sethook()
for fn in pairs(seen) do
    if debug.getinfo(fn, "S").what == "C" then
        local co = coroutine.create(fn)
        local _, _, message = coroutine.resume(co, "\27Lua", "x", "b")
        if tostring(message):find("precompiled", 1, true) then bad = bad + 1 end
    end
end
print(bad)

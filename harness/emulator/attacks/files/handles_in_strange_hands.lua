-- Methods of handles work on their own handle alone, however they are called, and what was closed stays closed.
-- prints: one two
-- prints: true	false	false
-- prints: alive
local function written(name, text)
    local file = assert(fs.open(name, "w"))
    file.write(text)
    file.close()
end
written("/a", "one")
written("/b", "two")
local a, b = fs.open("/a", "r"), fs.open("/b", "r")
-- They take no handle as an argument.
print(a.readAll(b), b.readAll(a))
local read, close, seek = a.read, a.close, a.seek
a = nil
collectgarbage()
collectgarbage()
-- Held by its methods alone, it is still the same file.
print(pcall(seek, "set", 0), (pcall(seek, "set", -1 / 0) and seek("set", -1) ~= nil), (pcall(seek, "anywhere")))
assert(read(3) == "one")
close()
for _, use in ipairs({ read, seek, close }) do assert(not pcall(use)) end
-- The files that are opened next are not reached through it.
local others = {}
for i = 1, 50 do others[i] = fs.open("/b", "r") end
assert(not pcall(read, 1))
for _, count in ipairs({ -1, 0 / 0, 1 / 0, 2 ^ 53, 2 ^ 63, "x", {}, false }) do pcall(others[1].read, count) end
for _, other in ipairs(others) do
    for _, method in pairs(other) do
        pcall(method, other, other, other)
        pcall(method, method)
        pcall(coroutine.wrap(method), 1)
    end
    pcall(other.close)
end
-- A handle whose file is gone, and one that is written in two ways at once.
local gone, both = fs.open("/a", "r"), fs.open("/b", "a")
fs.delete("/a")
fs.makeDir("/a")
pcall(gone.readAll)
written("/b", "other")
both.write("more")
both.close()
pcall(gone.close)
local response = http.get("http://127.0.0.1:1/") or { close = function() end, readAll = function() end }
pcall(response.close)
pcall(response.close)
pcall(response.readAll)
print("alive")

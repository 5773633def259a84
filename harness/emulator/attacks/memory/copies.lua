-- What natives copy of a text that takes most of the memory has to find room first.
-- settings: {"memoryLimit": 134217728}
-- memory: 165 MiB
-- prints: alive
local long = ("x"):rep(110000000)
local object = setmetatable({}, { __tostring = function() return long end, __name = long })
for _, call in ipairs({
    function() return long:sub(2) end,
    function() return long:match("x(.*)") end,
    function() return long:upper() end,
    function() return table.concat({ long, long }) end,
    function() return long .. "y" end,
    function() return string.pack("z", long) end,
    function() return string.unpack("c109000000", long) end,
    function() return string.format("%s", object) end,
    function() return string.format(long) end,
    function() return long:gsub("x", "yy", 2) end,
    function() error(long) end,
    function() assert(false, long) end,
    function() return object + 1 end,
    function() return load(long) end,
    function() return load("return", long) end,
    function() return load("return", "=x", long) end,
    function() return load(function() return long end) end,
    function() return debug.getinfo(1, long) end,
    function() return debug.traceback(long) end,
    function() return debug.sethook(function() end, long) end,
    function() return collectgarbage(long) end,
    function() return select(long) end,
    function() return math.floor(object) end,
    function() return utf8.len(long) end,
    function() return long < long .. "y" end,
}) do
    pcall(call)
end
debug.sethook()
print("alive")

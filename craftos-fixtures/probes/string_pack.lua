-- string.pack, unpack and packsize.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local function hex(text) return (text:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end
for _, case in ipairs({ { "<i4", 1 }, { ">i4", 1 }, { "<I2", 65535 }, { "b", -1 }, { "B", 255 }, { "<d", 1.5 }, { "<f", 1.5 }, { "z", "hi" }, { "s1", "hi" }, { "<s2", "hi" }, { "<i3", -2 }, { "!4 b i4", 1, 2 } }) do
    local ok, packed = pcall(string.pack, table.unpack(case))
    print(case[1], ok, ok and hex(packed) or packed)
end
print(string.unpack("<i4", "\1\0\0\0"))
print(string.unpack(">I2", "\1\2"))
print(string.unpack("z", "hi\0rest"))
print(string.unpack("s1", "\2hirest"))
print(string.packsize("<i4i2"))
try("too short", string.unpack, "<i4", "ab")
try("overflow", string.pack, "b", 300)
try("bad option", string.pack, "y", 1)
try("variable size", string.packsize, "s")

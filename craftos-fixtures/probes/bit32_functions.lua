-- bit32 and bit.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(bit32.band(12, 10), bit32.bor(12, 10), bit32.bxor(12, 10), bit32.bnot(0))
print(bit32.lshift(1, 31), bit32.lshift(1, 32), bit32.rshift(-1, 28), bit32.arshift(-8, 1), bit32.lshift(1, -1))
print(bit32.lrotate(0x80000001, 1), bit32.rrotate(1, 1), bit32.extract(0xABCD, 4, 8), bit32.replace(0, 15, 4, 4))
print(bit32.btest(6, 2), bit32.btest(6, 1), bit32.band(), bit32.bor(), bit32.band(-1), bit32.band(2 ^ 32 + 5))
print(bit.band(12, 10), bit.bor(12, 10), bit.bxor(12, 10), bit.bnot(5), bit.blshift(1, 4), bit.brshift(-16, 2), bit.blogic_rshift(-16, 28))
print(bit32.band(-76.5, 255), bit32.band(76.5, 255), bit32.band(127.5, 255), bit32.bor(0.999), bit32.band(2.5, 7), bit32.bnot(0.7))
try("extract", bit32.extract, 1, 32)
try("extract width", bit32.extract, 1, 30, 5)
try("text", bit32.band, "x")
try("nil", bit32.bnot)

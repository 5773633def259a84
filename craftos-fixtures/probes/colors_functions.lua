-- colors: sets and conversions at their edges.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(colors.combine(colors.red, colors.red, colors.blue), colors.combine(1.5, 2))
print(colors.subtract(0xFFFF, 1, 2, 4), colors.subtract(1, 1, 1))
print(colors.test(3, 1), colors.test(3, 4), colors.test(0, 0))
print(colors.packRGB(1, 1, 1), colors.packRGB(0, 0, 0), colors.packRGB(0.5, 0.25, 0.125), colors.packRGB(2, -1, 0.5))
print(colors.unpackRGB(0xFF8000))
print(colors.unpackRGB(0x1FFFFFF))
print(colors.rgb8(0x102030))
for index = 0, 15 do io.write("") print(2 ^ index, colors.toBlit(2 ^ index), colors.fromBlit(colors.toBlit(2 ^ index))) end
print(colors.toBlit(3), colors.toBlit(1.5), colors.toBlit(65535))
print(colors.fromBlit("A"), colors.fromBlit("g"), colors.fromBlit(""), colors.fromBlit("ab"), colors.fromBlit(" "))
try("zero", colors.toBlit, 0)
try("half", colors.toBlit, 0.5)
try("too large", colors.toBlit, 65536)
try("combine", colors.combine, 1, "x")
try("pack", colors.packRGB, 1, 1)
print(colours.grey, colours.lightGrey, colours.gray, colors.grey)

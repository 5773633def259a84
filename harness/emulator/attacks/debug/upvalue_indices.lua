-- Upvalues have numbers that are in range, or none.
-- prints: alive
local a, b = 1, 2
local function own() return a, b end
for _, index in ipairs({ 0, -1, 256, 2 ^ 31, -2 ^ 31, 1e300, 0 / 0, 1.5 }) do
    pcall(debug.getupvalue, own, index)
    pcall(debug.setupvalue, own, index, "x")
    pcall(debug.upvalueid, own, index)
    pcall(debug.upvaluejoin, own, index, own, 1)
    pcall(debug.upvaluejoin, own, 1, own, index)
end
own()
print("alive")

-- Comparisons that sort.
-- prints: alive
local function less(left, right)
    table.sort({ 2, 1 }, less)
    return left < right
end
print(pcall(table.sort, { 2, 1 }, less) and "no" or "alive")

-- An index above every value of the stack reads nothing.
-- prints: alive
local function look(...)
    for _, index in ipairs({ 2 ^ 31, 2 ^ 31 - 1, 2 ^ 32 - 1, 2 ^ 53, 1e300, 1 / 0, 0 / 0 }) do
        pcall(debug.getlocal, 1, index)
    end
    return ...
end
look(1, 2, 3)
print("alive")

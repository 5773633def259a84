-- An index outside of the stack writes nothing.
-- prints: 1	2	3
local function write(...)
    for _, index in ipairs({ -2 ^ 31, 2 ^ 31, -2 ^ 31 + 1, 2 ^ 31 - 1, 2 ^ 32, 1e300, 0 / 0, -1 / 0 }) do
        pcall(debug.setlocal, 1, index, "over")
        pcall(debug.setlocal, coroutine.running(), 1, index, "over")
    end
    return ...
end
print(write(1, 2, 3))

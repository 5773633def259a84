-- Levels that nobody has are none.
-- prints: nil	nil	nil	nil
local function info(level)
    local ok, found = pcall(debug.getinfo, level)
    return ok and found or nil
end
print(info(2 ^ 31), info(-2 ^ 31), info(1e300), info(0 / 0))

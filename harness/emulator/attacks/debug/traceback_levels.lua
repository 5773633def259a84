-- A trace from any level is a text.
-- prints: 6
local count = 0
for _, level in ipairs({ 2 ^ 31, -2 ^ 31, 1e300, 0 / 0, -1, 1 / 0 }) do
    local ok, text = pcall(debug.traceback, "x", level)
    if not ok or type(text) == "string" then count = count + 1 end
end
print(count)

-- Functions that count to a length that a table claims are stopped.
-- prints: Too long without yielding
-- prints: Too long without yielding
-- prints: Too long without yielding
local liar = setmetatable({ 1, 2 }, { __len = function() return 2 ^ 31 - 2 end })
for _, call in ipairs({
    function() table.insert(liar, 1, 0) end,
    function() table.remove(liar, 1) end,
    function() while true do table.sort(liar, function() return false end) end end,
}) do
    config.set("abortTimeout", 300)
    sleep(0)
    local ok, message = pcall(call)
    sleep(0)
    print((message:gsub("^.*: ", "")))
end

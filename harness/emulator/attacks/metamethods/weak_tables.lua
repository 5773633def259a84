-- Tables that turn weak and back while they are collected lose entries, and nothing else.
-- prints: alive
local meta = {}
local tables = {}
for i = 1, 200 do tables[i] = setmetatable({ [{}] = {}, {} }, meta) end
for _, mode in ipairs({ "k", "v", "kv", "", 5, "x" }) do
    meta.__mode = mode
    collectgarbage("step", 1)
    for i = 1, 200 do tables[i][{}] = {} end
    collectgarbage()
end
print("alive")

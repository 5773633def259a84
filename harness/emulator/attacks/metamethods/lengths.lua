-- Lengths that are no numbers are errors, and no counts.
-- prints: alive
for _, length in ipairs({ "x", {}, 0 / 0, 1e300, -1, 0.5, 2 ^ 31 }) do
    local t = setmetatable({ 1, 2, 3 }, { __len = function() return length end })
    config.set("abortTimeout", 200)
    for _, name in ipairs({ "sort", "concat", "unpack", "insert", "remove", "pack", "getn" }) do
        sleep(0)
        pcall(table[name], t, 1)
    end
    sleep(0)
end
print("alive")

-- Nor does it get time from numbers that are none.
-- settings: {"abortTimeout": 7000}
-- prints: alive
for _, time in ipairs({ 0 / 0, 1 / 0, "soon", {} }) do pcall(config.set, "abortTimeout", time) end
assert(config.get("abortTimeout") <= 7000)
print("alive")

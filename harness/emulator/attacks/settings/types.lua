-- A setting has the type that it had.
-- prints: 0
local set = 0
for _, value in ipairs({ {}, "x", print, 0 / 0, { [print] = {} }, coroutine.create(print) }) do
    if pcall(config.set, "abortTimeout", value) then set = set + 1 end
end
print(set)

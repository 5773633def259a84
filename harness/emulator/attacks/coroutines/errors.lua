-- An error of any kind ends a coroutine.
-- prints: alive
for _, value in ipairs({ {}, print, 1, true, "x", setmetatable({}, { __tostring = error }) }) do
    local co = coroutine.create(error)
    coroutine.resume(co, value)
    coroutine.resume(co)
    pcall(coroutine.wrap(error), value)
end
pcall(coroutine.wrap(error), nil)
print("alive")

-- Patterns that go back and forth use no stack of the process.
-- prints: alive
local text = ("a"):rep(300000)
for _, pattern in ipairs({ ("(a"):rep(40), ("a?"):rep(30000), ("(a)"):rep(32), (".-"):rep(5000) .. "b", "%b()" }) do
    config.set("abortTimeout", 300)
    sleep(0)
    pcall(string.find, text, pattern)
    sleep(0)
end
print("alive")

-- Wildcards that fit in many ways are looked for in a short time, or until the time is up.
-- prints: alive
for i = 1, 30 do fs.makeDir("/" .. ("a"):rep(40) .. i) end
for _, pattern in ipairs({ ("*a"):rep(40) .. "b", ("*"):rep(1000) }) do
    config.set("abortTimeout", 300)
    sleep(0)
    pcall(fs.find, "/" .. pattern)
    sleep(0)
end
print("alive")

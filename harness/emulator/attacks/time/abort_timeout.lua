-- A program cannot give itself more time than it has.
-- settings: {"abortTimeout": 7000}
-- prints: 7000
-- prints: 7000
-- prints: 7000
for _, time in ipairs({ 2 ^ 40, 1e300, 7001 }) do
    pcall(config.set, "abortTimeout", time)
    print(config.get("abortTimeout"))
end

-- Deep tables are no end of the serialiser.
-- prints: alive
local deep = {}
for _ = 1, 50000 do deep = { deep } end
for _, name in ipairs({ "serialise", "serialiseJSON" }) do
    config.set("abortTimeout", 300)
    sleep(0)
    pcall(textutils[name], deep)
    sleep(0)
end
print("alive")

-- Deep tables are no end of the serialiser.
-- prints: alive
local deep = {}
for _ = 1, 50000 do deep = { deep } end
for _, name in ipairs({ "serialise", "serialiseJSON" }) do
    config.set("abortTimeout", 1000)
    sleep(0)
    -- Without indentation, which would fill the memory: that is another attack.
    pcall(textutils[name], deep, { compact = true })
    sleep(0)
end
print("alive")

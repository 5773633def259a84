-- A table that is nested deeply is not sent.
-- prints: false	table is nested too deeply
periphemu.create("left", "modem")
local deep = {}
for _ = 1, 100000 do deep = { deep } end
local ok, message = pcall(peripheral.call, "left", "transmit", 1, 1, deep)
print(ok, (message:gsub("^.*: ", "")))

-- There is an end of peripherals.
-- prints: true
local refused = 0
for i = 1, 3000 do if not periphemu.create("monitor_" .. i, "monitor") then refused = refused + 1 end end
print(refused > 1000)

-- A program cannot start computers without end.
-- memory: 900 MiB
-- prints: true
local refused = 0
for id = 100, 2000 do
    local ok, made = pcall(periphemu.create, id, "computer")
    if not ok or not made then refused = refused + 1 end
end
for id = 100, 2000 do pcall(peripheral.call, "computer_" .. id, "shutdown") end
print(refused > 0)

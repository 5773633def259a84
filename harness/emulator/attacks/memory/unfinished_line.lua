-- A line that is never finished is not held for ever.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: alive
local text = (" "):rep(1e6)
for _ = 1, 150 do
    term.setCursorPos(1, 5)
    term.write(text)
end
print()
print("alive")

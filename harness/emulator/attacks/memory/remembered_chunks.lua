-- What the emulator remembers of chunks that were loaded is bounded.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: alive
for i = 1, 150 do
    local text = "--" .. i .. "\n" .. ("a() "):rep(50000)
    load(text) load(text)
    sleep(0)
end
print("alive")

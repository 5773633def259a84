-- What was written and not flushed is on the disk or bounded: it is not counted as the computer's memory.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: alive
local piece, kept = ("x"):rep(1e6), {}
for i = 1, 64 do
    kept[i] = fs.open("/file" .. i, "w")
    for _ = 1, 4 do kept[i].write(piece) end
end
for i = 1, 64 do
    kept[i].close()
    fs.delete("/file" .. i)
end
print("alive")

-- What files have read ahead does not stay for each of many files.
-- settings: {"memoryLimit": 33554432}
-- memory: 200 MiB
-- prints: alive
local file = fs.open("/lines", "w")
file.write(("x"):rep(5e6))
file.write("\n")
for _ = 1, 5 do file.write(("y"):rep(2e6)) end
file.close()
local files = {}
for i = 1, 60 do
    files[i] = fs.open("/lines", "r")
    if files[i] then files[i].readLine() end
    collectgarbage()
end
print("alive")

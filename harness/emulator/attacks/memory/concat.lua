-- A list of references to one text is not joined past the limit.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: false	not enough memory
local list, long = {}, ("x"):rep(1e5)
for i = 1, 10000 do list[i] = long end
local ok, message = pcall(table.concat, list)
print(ok, message)

-- Texts that are longer than the memory are not made.
-- settings: {"memoryLimit": 33554432}
-- memory: 140 MiB
-- prints: false	not enough memory
-- prints: false	not enough memory
-- prints: false	resulting string too large
print(pcall(string.rep, "x", 1e9))
print(pcall(string.rep, "x", 1e8, "yyyyyyyy"))
local ok, message = pcall(string.rep, ("x"):rep(1e6), 2 ^ 53)
print(ok, (message:gsub("^.*: ", "")))

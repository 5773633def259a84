-- Replacements that grow end with an error.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: false	not enough memory
local long = ("x"):rep(1e5)
local ok, message = pcall(string.gsub, ("a"):rep(1e5), "a", long)
print(ok, message)

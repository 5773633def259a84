-- A table is not unpacked past the stack.
-- prints: false	too many results to unpack
local ok, message = pcall(table.unpack, {}, 1, 1e7)
print(ok, (message:gsub("^.*: ", "")))

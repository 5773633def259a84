-- Bytecode that comes in pieces is refused.
-- prints: nil	attempt to load a binary chunk (mode is 't')
local pieces = { "\27", "Lua", "R\0\1\4\8\4\8\0" }
print(load(function() return table.remove(pieces, 1) end, "=x", "bt"))

-- Bytecode is refused in every mode.
-- prints: nil	attempt to load a binary chunk (mode is 't')
-- prints: nil	attempt to load a binary chunk (mode is 't')
-- prints: nil	attempt to load a binary chunk (mode is 't')
print(load("\27Lua"))
print(load("\27Lua", "=x", "bt"))
print(load("\27Lua", "=x", "b"))

-- The old name of `load` takes no bytecode either.
-- prints: nil	attempt to load a binary chunk (mode is 't')
print(loadstring("\27LuaR\0\1\4\8\4\8\0"))

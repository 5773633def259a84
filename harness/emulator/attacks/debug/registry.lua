-- The registry of Lua is not shown.
-- prints: nil
print((next(debug.getregistry())))

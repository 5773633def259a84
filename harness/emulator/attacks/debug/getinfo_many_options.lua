-- A long list of options is as good as a short one.
-- prints: Lua
print(debug.getinfo(function() end, ("nSltufL"):rep(100000)).what)

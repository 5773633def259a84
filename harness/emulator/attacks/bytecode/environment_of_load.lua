-- `load` cannot be given another environment.
-- prints: true	true
local ok = pcall(setfenv, load, {})
print(ok, getfenv(load) == _G)

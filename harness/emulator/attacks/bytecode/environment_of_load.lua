-- `load` cannot be given another environment.
-- prints: false	'setfenv' cannot change environment of given object
local ok, message = pcall(setfenv, load, {})
print(ok, (message:gsub("^.*: ", "")))

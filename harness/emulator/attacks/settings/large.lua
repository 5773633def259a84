-- A setting is not longer than any setting.
-- prints: false	value is too large
local ok, message = pcall(config.set, "default_computer_settings", ("x"):rep(1e7))
print(ok, (message:gsub("^.*: ", "")))

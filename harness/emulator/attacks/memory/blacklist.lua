-- The list of hosts that a program may add to is bounded.
-- prints: false	list is too long
local ok, message = pcall(function() for i = 1, 1e6 do config.add("http_blacklist", "host" .. i) end end)
print(ok, (message:gsub("^.*: ", "")))

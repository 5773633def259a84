-- The same, for packing.
-- prints: false	bad argument #1 (invalid next option for option 'X')
local ok, message = pcall(string.pack, ("X"):rep(1000000))
print(ok, (message:gsub("^.*: ", "")))

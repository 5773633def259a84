-- The same, for unpacking.
-- prints: false	bad argument #1 (invalid next option for option 'X')
local ok, message = pcall(string.unpack, ("X"):rep(1000000), "")
print(ok, (message:gsub("^.*: ", "")))

-- A million options that each wait for the next are no million calls.
-- prints: false	bad argument #1 (invalid next option for option 'X')
local ok, message = pcall(string.packsize, ("X"):rep(1000000))
print(ok, (message:gsub("^.*: ", "")))

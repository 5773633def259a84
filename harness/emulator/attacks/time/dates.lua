-- A date is not longer than any date.
-- prints: false	bad argument #1 (format is too long)
local ok, message = pcall(os.date, ("%c"):rep(1e6))
print(ok, (message:gsub("^.*: ", "")))

-- Widths and precisions have two digits, however they are written.
-- prints: false	invalid format (width or precision too long)
-- prints: false	invalid format (width or precision too long)
-- prints: false	invalid format (width or precision too long)
-- prints: 409
local function try(...)
    local ok, message = pcall(string.format, ...)
    print(ok, (message:gsub("^.*: ", "")))
end
try("%99999d", 1)
try("%.99999f", 1)
try("%099999999999999999999d", 1)
print(#("%99.99f"):format(1e308))

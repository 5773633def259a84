-- Modes are from a list.
-- prints: 0
local opened = 0
for _, mode in ipairs({ "", "x", "rr", "r\0", "wbx", "R", ("r"):rep(10000), "e", "+" }) do
    local ok, file = pcall(fs.open, "/x", mode)
    if ok and file then opened = opened + 1 end
end
print(opened)

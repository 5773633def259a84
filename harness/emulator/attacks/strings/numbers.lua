-- Texts of any kind are numbers or not.
-- prints: alive
for _, text in ipairs({ "", " ", "0x", "0x.p1", "1e999999", "-0x1p99999", ("9"):rep(100000), "0x" .. ("f"):rep(100000), "nan", "inf", "1e", "\0001" }) do
    tonumber(text)
    for _, base in ipairs({ 2, 36, 1, 37, 0 / 0, 1e300, -1, 16.5 }) do pcall(tonumber, text, base) end
    pcall(function() return text + 1 end)
end
print("alive")

-- Texts of any kind are JSON or refused.
-- prints: alive
for _, text in ipairs({
    "", "\0", "nul", "truex", "[1,]", '{"a"}', '"\\u12', '"\\ud800"', '"\255"', "1e999", "-", "0x10", ("1"):rep(100000), "[[]", '{"a":1,"a":2}',
}) do
    pcall(textutils.unserialiseJSON, text)
end
print("alive")

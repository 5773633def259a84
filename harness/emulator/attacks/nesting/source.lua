-- Sources that are nested in every way are refused or run.
-- prints: alive
for _, parts in ipairs({
    { "return ", "(", "1", ")" }, { "return ", "{", "", "}" }, { "return ", "-", "1", "" }, { "return ", "not ", "1", "" },
    { "return ", "1 .. ", "1", "" }, { "return ", "2 ^ ", "1", "" }, { "", "do ", "", " end" }, { "", "if x then ", "", " end" },
    { "", "while x do ", "", " end" }, { "", "for i = 1, 0 do ", "", " end" }, { "", "repeat ", "", " until x" },
    { "return ", "function() return ", "1", " end" }, { "x", "[x", "", "]" }, { "f", "(f", "", ")" }, { "return ", "#", "x", "" },
    { "", "local function f() ", "", " end" }, { "", "if x then else", "if x then", " end" }, { "return ", "a.", "a", "" },
}) do
    for _, depth in ipairs({ 150, 250, 50000 }) do
        config.set("abortTimeout", 300)
        sleep(0)
        load(parts[1] .. parts[2]:rep(depth) .. parts[3] .. parts[4]:rep(depth))
        sleep(0)
    end
end
print("alive")

-- Patterns of any kind match, do not, or are refused.
-- prints: alive
for _, pattern in ipairs({
    "%", "[", "[]", "[^", "[]]", "[a-]", "[%", "%b", "%bx", "%f", "%f[", "(", ")", "(()", "%1", "(%1)", "%9", "%0", "()%1", "^", "$",
    "^$", "*", "+", "-", "?", "a**", "[a-z", "[z-a]", "\0", "%z", "[\0-\255]", ("("):rep(33) .. (")"):rep(33), "(a(b(c)%3)%2)",
}) do
    for _, text in ipairs({ "", "a", "abc\0def", ("a"):rep(1000) }) do
        pcall(string.find, text, pattern) pcall(string.match, text, pattern)
        pcall(string.gsub, text, pattern, "%0%1%9") pcall(string.gsub, text, pattern, "%")
        pcall(function()
            local count = 0
            for _ in text:gmatch(pattern) do
                count = count + 1
                if count > 2000 then break end
            end
        end)
    end
end
print("alive")

-- Formats of any kind are texts or refused.
-- prints: alive
for _, format in ipairs({
    "%", "%99.99f", "%999d", "%-+ #0d", "%s%s%s", "%5$s", "%*d", "%n", "%p", "%lld", "%c", "%q", "%i", "%u", "%x", "%X", "%o",
    "%e", "%E", "%g", "%G", "%a", "%A", "%.99s", "%99s", "%.100f", "%\0", "%-99.99g", ("%"):rep(1001), "%s\0%s",
}) do
    for _, value in ipairs({ 0 / 0, 1 / 0, -1 / 0, 1e308, -2 ^ 63, 2 ^ 64, "x\0y", ("x"):rep(1000), true, {}, print }) do
        pcall(string.format, format, value)
        pcall(string.format, format, value, value, value)
    end
end
print("alive")

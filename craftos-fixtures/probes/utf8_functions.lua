-- utf8: encoding, decoding, invalid bytes.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

print(utf8.char(72, 228, 8364, 128512))
print(utf8.codepoint("h\u{E4}\u{20AC}", 1, -1))
print(utf8.len("h\u{E4}\u{20AC}"), utf8.len("\255"), utf8.len(""))
print(utf8.offset("a\u{E4}b", 3), utf8.offset("a\u{E4}b", -1))
for position, code in utf8.codes("a\u{E4}b") do print(position, code) end
print(#utf8.charpattern, ("x\u{20AC}y"):match(utf8.charpattern, 2) == "\u{20AC}")
try("bad code", utf8.codepoint, "\255")
try("range", utf8.codepoint, "abc", 10)
try("bad codes", function() for _ in utf8.codes("\255") do end end)
try("char", utf8.char, -1)

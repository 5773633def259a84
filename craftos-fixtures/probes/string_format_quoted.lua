-- string.format("%q"): what is escaped and how.

for _, text in ipairs({ "plain", "a\nb", "tab\t", "nul\0x", "nul\0001", "cr\r", "quote\"", "back\\slash", "\200\255", "\1\31\127" }) do
    print((("%q"):format(text):gsub("[^%g ]", function(c) return "<" .. c:byte() .. ">" end)))
end

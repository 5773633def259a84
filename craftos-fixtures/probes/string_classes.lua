-- Which bytes belong to the character classes.

for _, class in ipairs({ "%a", "%c", "%d", "%g", "%l", "%p", "%s", "%u", "%w", "%x" }) do
    local members = {}
    for byte = 0, 255 do
        if string.char(byte):find("^" .. class .. "$") then members[#members + 1] = byte end
    end
    print(class, #members, members[1], members[#members])
end

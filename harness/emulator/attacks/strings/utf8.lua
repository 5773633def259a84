-- Bytes of any kind are characters or refused.
-- prints: alive
for _, text in ipairs({ "\255", "\192\128", "\237\160\128", "\244\144\128\128", "\248\136\128\128\128", "\128", "a\128", ("\195"):rep(1000) }) do
    pcall(utf8.len, text) pcall(utf8.codepoint, text, 1, -1) pcall(utf8.offset, text, -1)
    pcall(function() for _ in utf8.codes(text) do end end)
    load("return '" .. text .. "'")
    load("return '\\u{" .. ("f"):rep(100) .. "}'")
    load("return '\\u{110000}'")
end
print("alive")

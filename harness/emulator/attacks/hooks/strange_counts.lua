-- Counts and masks of any kind are taken or refused.
-- prints: alive
for _, count in ipairs({ 0, -1, 0.5, 2 ^ 31, 2 ^ 53, 1 / 0, -1 / 0, 0 / 0, "1", {} }) do
    for _, mask in ipairs({ "", "l", "crl", ("l"):rep(10000), "\0", "xyz" }) do
        pcall(debug.sethook, function() end, mask, count)
        local x = count
        debug.sethook()
    end
end
print("alive")

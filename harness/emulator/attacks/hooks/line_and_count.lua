-- A hook for lines and for each instruction survives chunks that are loaded and thrown away.
-- prints: alive
debug.sethook(function() end, "l", 1)
for i = 1, 100 do
    load(("local a%d = 1\n"):format(i):rep(50))()
    if i % 20 == 0 then collectgarbage() end
end
debug.sethook()
print("alive")

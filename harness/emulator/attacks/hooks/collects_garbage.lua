-- Garbage is collected in hooks while chunks come and go.
-- prints: alive
debug.sethook(function() collectgarbage("step", 100) end, "crl", 7)
for i = 1, 100 do pcall(load("local t = {} for i = 1, 10 do t[i] = {} end error(t)")) end
debug.sethook()
print("alive")

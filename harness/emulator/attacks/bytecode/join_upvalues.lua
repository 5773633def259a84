-- An upvalue of the emulator cannot be shared with a function of the program.
-- prints: false
local own = load
print((pcall(debug.upvaluejoin, function() return own end, 1, load, 1)))

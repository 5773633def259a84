-- Keys that are no keys are errors.
-- prints: false	false	false
local t = {}
print((pcall(function() t[nil] = 1 end)), (pcall(function() t[0 / 0] = 1 end)), (pcall(rawset, t, 0 / 0, 1)))

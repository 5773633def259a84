-- A metatable of strings that fails breaks the program's own texts only.
-- prints: alive
local meta = getmetatable("")
local before = meta.__index
meta.__index = error
meta.__tostring = error
meta.__len = error
meta.__concat = error
pcall(function() return ("x"):upper() end)
meta.__index, meta.__tostring, meta.__len, meta.__concat = before, nil, nil, nil
print("alive")

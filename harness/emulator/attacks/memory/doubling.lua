-- A text that doubles ends with an error.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: false	not enough memory
local text = "x"
local ok, message = pcall(function() while true do text = text .. text end end)
text = nil
print(ok, message)

-- Protected calls in protected calls.
-- prints: alive
local function again() return pcall(again) end
again()
print("alive")

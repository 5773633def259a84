-- Callbacks of `gsub` that call `gsub`.
-- prints: alive
local function again(text) return (("x"):gsub("x", again)) end
print(pcall(again, "x") and "no" or "alive")

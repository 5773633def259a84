-- A table that changes while it is walked through is walked through or an error.
-- prints: alive
local t = {}
for i = 1, 1000 do t["k" .. i] = i end
pcall(function()
    for key in pairs(t) do
        t[key] = nil
        t[key .. "x"] = 1
        if math.random() < 0.1 then collectgarbage("step") end
    end
end)
pcall(next, t, "no such key")
pcall(next, t, 0 / 0)
print("alive")

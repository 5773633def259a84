-- A source that takes the compiler long is compiled until the time is up.
-- prints: Too long without yielding
local parts = {}
for i = 1, 32000 do parts[i] = "::l" .. i .. ":: goto l" .. i end
local text = table.concat(parts, " ")
config.set("abortTimeout", 1000)
sleep(0)
local ok, message = pcall(function()
    while true do load(text) end
end)
sleep(0)
print((tostring(message):gsub("^.*: ", "")))

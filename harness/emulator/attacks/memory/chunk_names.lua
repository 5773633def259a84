-- A chunk without a name is named after its text, which its functions keep.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: false	not enough memory
-- prints: false	not enough memory
local kept = {}
local ok, message = pcall(function()
    for i = 1, 1e6 do kept[i] = load("--" .. ("x"):rep(20000) .. i .. "\n") end
end)
kept = nil
print(ok, (message:gsub("^.*: ", "")))
kept = {}
ok, message = pcall(function()
    for i = 1, 1e6 do kept[i] = load("--" .. ("x"):rep(20000) .. i .. "\nreturn function() end")() end
end)
kept = nil
print(ok, (message:gsub("^.*: ", "")))

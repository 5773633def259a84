-- Windows are tables of texts, which count.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: false
local kept = {}
local ok = pcall(function() for i = 1, 1e6 do kept[i] = window.create(term.current(), 1, 1, 200, 200, false) end end)
kept = nil
print(ok)

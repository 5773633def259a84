-- A table of any depth is an event.
-- prints: table
local deep = {}
for _ = 1, 100000 do deep = { deep } end
os.queueEvent("deep", deep)
print(type(select(2, os.pullEvent("deep"))))

-- Events with tables that contain themselves, functions and coroutines neither loop nor leave the computer.
-- prints: strange	true	true	function	thread
-- prints: alive
local round = { list = { 1, 2, 3 } }
round.self, round.list.up = round, round
setmetatable(round, { __index = function() error("looked at") end, __pairs = function() error("walked") end })
os.queueEvent("strange", round, round.list, print, coroutine.create(print))
local event, one, list, fn, thread = os.pullEvent("strange")
print(event, rawget(one, "self") == one, list.up == one, type(fn), type(thread))
-- Each event queues the next ones: they wait in turn, and the computer can be stopped.
for i = 1, 20000 do
    os.queueEvent("again", round)
    local _, same = os.pullEvent("again")
    assert(same == round)
end
local deep = {}
local inner = deep
for _ = 1, 1e5 do inner[1] = {} inner = inner[1] end
inner[1] = deep
os.queueEvent("deep", deep)
assert(select(2, os.pullEvent("deep")) == deep)
periphemu.create("left", "modem")
for _, value in ipairs({ round, deep }) do pcall(peripheral.call, "left", "transmit", 1, 1, value) end
print("alive")

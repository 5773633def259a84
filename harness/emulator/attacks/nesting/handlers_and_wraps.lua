-- Errors in handlers of errors in handlers, at the bottom of stacks that are full, in coroutines in coroutines, with messages
-- that are large.
-- prints: alive
local function deep(n, f) if n == 0 then return f() end return 1 + deep(n - 1, f) end
local function down(f) return f() + down(f) end
local big = ("m"):rep(1e6)
for _, depth in ipairs({ 1, 100, 1000, 100000 }) do
    pcall(deep, depth, function() error(big) end)
    xpcall(deep, function(m) return xpcall(error, function() error(m .. m) end, m) end, depth, function() error(big) end)
    xpcall(deep, debug.traceback, depth, function() error(setmetatable({}, { __tostring = error })) end)
    sleep(0)
end
xpcall(function() return down(function() return 1 end) end, function(m) return down(function() return 1 end) end)
local function nest(n) return coroutine.wrap(function() if n == 0 then error(big) end return nest(n - 1) end)() end
for _, n in ipairs({ 1, 50, 150, 190, 250 }) do pcall(nest, n) end
local co
co = coroutine.wrap(function() return pcall(co) end)
pcall(co)
local list = {}
for i = 1, 300 do list[i] = coroutine.create(function(i) local ok, m = pcall(coroutine.resume, list[i + 1], i + 1) error(m) end) end
pcall(coroutine.resume, list[1], 1)
pcall(string.rep, "x", -1)
pcall(xpcall)
pcall(xpcall, print)
pcall(pcall)
pcall(pcall, pcall, pcall, pcall, error, {})
for i = 1, 5 do pcall(xpcall, error, xpcall, error, error) end
print("alive")

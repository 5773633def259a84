-- Hooks that yield, fail, sort, resume and replace themselves at every instruction, line, call and return of everything.
-- prints: alive
local actions = {
    function() if coroutine.isyieldable() then coroutine.yield() end end,
    function() error("x", 0) end,
    function() debug.sethook() end,
    function() debug.sethook(function() error({}) end, "crl", 1) end,
    function() for i = 2, 6 do pcall(debug.setlocal, i, 1, nil) end end,
    function() table.sort({ 3, 1, 2 }, function(a, b) return a < b end) end,
    function() coroutine.wrap(function() debug.sethook(print, "") end)() end,
    function() collectgarbage() end,
    function() debug.getinfo(2, "nSltufL") debug.traceback() end,
}
local function work()
    local t = { 5, 3, 1 }
    table.sort(t, function(a, b) return a < b end)
    local s = ("abc"):gsub("%a", string.upper)
    for w in s:gmatch("%a") do t[#t + 1] = w end
    local ok, m = pcall(error, "x")
    local c = coroutine.wrap(function(...) for i = 1, 3 do coroutine.yield(i) end return ... end)
    c() c()
    local p = setmetatable({}, { __index = function(_, k) return k end, __add = function() return 1 end, __concat = function() return "x" end })
    return p.x + p, p .. "y", load("return 1")(), select("#", table.unpack(t)), tostring(p), require and 1
end
for _, action in ipairs(actions) do
    for _, mask in ipairs({ "c", "r", "l", "crl", "" }) do
        for _, count in ipairs({ 0, 1, 2, 7 }) do
            local co = coroutine.create(work)
            debug.sethook(co, action, mask, count)
            for _ = 1, 300 do
                if not coroutine.resume(co) then break end
                if coroutine.status(co) == "dead" then break end
            end
        end
    end
end
debug.sethook()
print("alive")

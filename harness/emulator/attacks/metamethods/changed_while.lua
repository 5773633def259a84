-- Tables that change while they are sorted, joined, moved, unpacked and traversed, by functions that yield and fail.
-- prints: alive
local function run(f)
    local co = coroutine.create(f)
    debug.sethook(co, function() error("enough", 0) end, "", 100000)
    for _ = 1, 200 do
        local ok = coroutine.resume(co, true)
        if not ok or coroutine.status(co) == "dead" then break end
    end
end
for kind = 1, 6 do
    local list = {}
    for i = 1, 60 do list[i] = (i * 37) % 61 end
    local calls = 0
    local function change()
        calls = calls + 1
        if kind == 1 then list[#list] = nil
        elseif kind == 2 then list[#list + 1] = calls
        elseif kind == 3 then for i = 1, #list do list[i] = nil end
        elseif kind == 4 then coroutine.yield()
        elseif kind == 5 and calls == 7 then error("no")
        elseif kind == 6 then setmetatable(list, { __index = function() coroutine.yield() return 1 end, __newindex = function() end, __len = function() return calls % 90 end }) end
    end
    run(function() table.sort(list, function(a, b) change() return (a or 0) < (b or 0) end) end)
    run(function() table.sort(list, function(a, b) change() return true end) end)
    local proxy = setmetatable({}, { __len = function() change() return 50 end, __index = function(_, k) change() return list[k] end, __newindex = function(_, k, v) change() list[k] = v end })
    for _, f in ipairs({ table.concat, table.unpack, table.sort, table.remove, table.maxn, next, ipairs, pairs }) do run(function() f(proxy) end) end
    run(function() table.insert(proxy, 3, 4) end)
    run(function() table.move(proxy, 1, 40, 2) end)
    run(function() for k in pairs(list) do list[k] = nil list[k .. "x"] = 1 change() end end)
    run(function() (("abc"):rep(30)):gsub("%a", function(c) change() if kind == 5 then error(c) end return kind == 3 and {} or c end) end)
    run(function() (("abc"):rep(30)):gsub("%a", setmetatable({}, { __index = function(_, c) change() return c end })) end)
    run(function() load(function() change() return kind == 3 and 5 or "x = 1 " end) end)
    run(function() xpcall(error, function(m) change() error(m) end, "x") end)
    run(function() return tostring(setmetatable({}, { __tostring = function() change() return kind == 3 and {} or "x" end })) end)
    run(function() return ("%s %s"):format(proxy, setmetatable({}, { __tostring = function() change() return "x" end })) end)
end
print("alive")

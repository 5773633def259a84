-- Every function of `debug` takes every kind of argument: none of them harms what it is not given.
-- prints: alive
local dead, fresh = coroutine.create(error), coroutine.create(function() end)
coroutine.resume(dead)
local odd = {
    false, 0, 1, -1, 2 ^ 31, -2 ^ 31, 2 ^ 53, 2 ^ 63, 1 / 0, 0 / 0, 0.5, "", "1", "\0", ("x"):rep(1000), "crl", "SlnrutLf", {},
    function(a) return a end, string.rep, dead, fresh, coroutine.running(),
    setmetatable({}, { __index = function() error("no") end, __tostring = function() return 5 end }),
}
local last = print
for name, method in pairs(debug) do
    -- Those three change what they are given, which is this program itself.
    if name ~= "setupvalue" and name ~= "upvaluejoin" and name ~= "setmetatable" and name ~= "sethook" and name ~= "debug" then
        for i = 0, #odd do
            for j = 0, #odd do
                for k = 0, #odd, 5 do
                    pcall(method, odd[i], odd[j], odd[k], odd[k + 1])
                end
            end
        end
    end
end
for i = 0, #odd do
    for j = 0, #odd do
        local thread = coroutine.create(function() for _ = 1, 3 do end end)
        pcall(debug.sethook, thread, odd[i], odd[j], odd[j - 1])
        pcall(coroutine.resume, thread)
    end
end
last("alive")

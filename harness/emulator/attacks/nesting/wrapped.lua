-- Coroutines that call each other through `wrap` are as deep as those that are resumed.
-- prints: false	C stack overflow
local call = function() end
for _ = 1, 300 do
    local inner = call
    call = coroutine.wrap(function() return inner() end)
end
local ok, message = pcall(call)
print(ok, message:match("C stack overflow"))

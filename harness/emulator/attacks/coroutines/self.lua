-- A coroutine does not resume itself, nor one that waits for it.
-- prints: false	false
local co
co = coroutine.create(function() return coroutine.resume(co) end)
local _, own = coroutine.resume(co)
local outer
outer = coroutine.create(function()
    return coroutine.resume(coroutine.create(function() return coroutine.resume(outer) end))
end)
local _, _, other = coroutine.resume(outer)
print(own, other)

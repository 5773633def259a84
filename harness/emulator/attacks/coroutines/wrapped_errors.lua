-- Errors that are thrown through many wrapped coroutines, each with a handler that fails as well.
-- prints: alive
local function nest(depth)
    if depth == 0 then error(setmetatable({}, { __tostring = function() error("again") end })) end
    return coroutine.wrap(function()
        return xpcall(nest, function(problem)
            pcall(tostring, problem)
            error(problem)
        end, depth - 1)
    end)()
end
for depth = 1, 400, 7 do pcall(nest, depth) end
print("alive")

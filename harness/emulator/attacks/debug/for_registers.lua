-- The hidden variables of loops, set to what no loop can go on with.
-- prints: alive
local odd = { false, "x", {}, function() end, 0 / 0, 1 / 0, -1 / 0, 2 ^ 53, coroutine.create(print), "10" }
local function try(loop)
    for _, value in ipairs(odd) do
        for index = 1, 8 do
            pcall(function()
                local rounds = 0
                loop(function()
                    rounds = rounds + 1
                    if rounds > 20 then error("enough", 0) end
                    debug.setlocal(2, index, value)
                end)
            end)
        end
    end
end
try(function(poke) for i = 1, 10 do poke() end end)
try(function(poke) for i = 10, 1, -1 do poke() end end)
try(function(poke) for i = 1, 3, 0.5 do poke() local a, b, c = i, i, i poke() end end)
try(function(poke) for key, value in pairs({ 1, 2, 3, x = 4 }) do poke() end end)
try(function(poke) for index, value in ipairs({ 1, 2, 3 }) do poke() end end)
try(function(poke) for word in ("a b c"):gmatch("%a") do poke() end end)
try(function(poke) local a, b, c = 1, 2, 3 poke() return a .. b .. c end)
try(function(poke) local t = { poke(), poke(), [poke() or 1] = 2 } return #t end)
print("alive")

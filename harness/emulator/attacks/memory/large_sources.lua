-- Programs of millions of statements, one after the other: what compiling one took is given back before the next.
-- settings: {"memoryLimit": 134217728}
-- memory: 150 MiB
-- prints: alive
local statements =
    { "a = 1 ", "local a ", "do end ", "a() ", "::l:: goto l ", "a = function() end ", "a = {1,2,3} ", "a = 'x' .. b " }
for _, statement in ipairs(statements) do
    for _, count in ipairs({ 3e5, 1e6, 3e6 }) do
        pcall(function() load(statement:rep(count)) end)
        collectgarbage()
        sleep(0)
    end
end
print("alive")

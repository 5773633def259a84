-- A program of millions of statements is compiled within the memory, or not.
-- settings: {"memoryLimit": 134217728}
-- memory: 250 MiB
-- prints: alive
for _, statement in ipairs({ "a = 1 ", "local a ", "do end ", "a() ", "::l:: goto l ", "a = function() end ", "a = {1,2,3} ", "a = 'x' .. b " }) do
    for _, count in ipairs({ 3e5, 1e6, 3e6 }) do
        pcall(function() load(statement:rep(count)) end)
        collectgarbage()
        sleep(0)
    end
end
print("alive")

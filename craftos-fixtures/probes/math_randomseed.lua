-- math.randomseed: what it returns.

for _, arguments in ipairs({ { 5 }, { "5" }, { 3.7 }, { -1 }, { 5, 7 }, { 5, 7.9 }, { "x" }, { {} } }) do
    print(pcall(math.randomseed, table.unpack(arguments)))
end

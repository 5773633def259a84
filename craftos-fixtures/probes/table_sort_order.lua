-- table.sort: which values are compared, in which order, also where the function contradicts itself.

local function trace(label, count, less)
    local seed, list, asked = 12345, {}, {}
    for index = 1, count do
        seed = seed * 16807 % 2147483647
        list[index] = { key = seed % 5, place = index }
    end
    local ok, problem = pcall(table.sort, list, function(one, two)
        asked[#asked + 1] = (one and one.place or "-") .. "<" .. (two and two.place or "-")
        return less(one or two, two or one)
    end)
    for index = 1, #list do list[index] = list[index].place end
    print(label, count, ok, problem, table.concat(asked, " "), ":", table.concat(list, " "))
end

for _, count in ipairs({ 2, 3, 4, 7, 30, 60 }) do
    trace("by key", count, function(one, two) return one.key < two.key end)
    trace("or equal", count, function(one, two) return one.key <= two.key end)
    trace("always", count, function() return true end)
    trace("never", count, function() return false end)
    local turn = false
    trace("in turn", count, function()
        turn = not turn
        return turn
    end)
end

local list = { 5, 4, 3, 2, 1 }
local changed = false
print(pcall(table.sort, list, function(one, two)
    if changed then list[3] = 99 end
    changed = true
    return one < two
end))
print(table.concat(list, " "))
list = { 6, 5, 4, 3, 2, 1 }
print(pcall(table.sort, list, function(one, two)
    if one == 4 or two == 4 then error("four", 0) end
    return one < two
end))
print(table.concat(list, " "))

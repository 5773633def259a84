-- A chest: moving items within it and to another one, slots that do not exist.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

periphemu.create("left", "chest")
periphemu.create("right", "chest")
local left, right = peripheral.wrap("left"), peripheral.wrap("right")

local function show(chest)
    local items = {}
    for slot, item in pairs(chest.list()) do table.insert(items, slot .. "=" .. item.name .. item.count) end
    table.sort(items)
    print(table.concat(items, " "))
end

left.setItem(1, { name = "a", count = 10 })
left.setItem(2, { name = "a", count = 60 })
left.setItem(3, { name = "b", count = 5 })
for _, step in ipairs({
    { "pushItems", "left", 1, 10, 2 },
    { "pushItems", "left", 1, 3, 5 },
    { "pushItems", "left", 3 },
    { "pushItems", "left", 3, 64, 1 },
    { "pushItems", "left", 3, 64, 3 },
    { "pullItems", "left", 3, 2, 9 },
    { "pullItems", "left", 3, 2, 40 },
    { "pullItems", "left", 40, 2, 1 },
    { "pushItems", "left", 9 },
    { "pushItems", "left", 2 },
    { "pushItems", "left", 2, -1 },
    { "pushItems", "right", 1 },
    { "pushItems", "right", 2 },
    { "pushItems", "right", 2, 1, 40 },
    { "pushItems", "right", 0 },
    { "pullItems", "right", 1, 7, 12 },
    { "pullItems", "right", "1", "3" },
    { "pushItems", "top", 1 },
}) do
    try(table.concat(step, " "), left[step[1]], table.unpack(step, 2))
    show(left)
    show(right)
end
periphemu.remove("left")
periphemu.remove("right")

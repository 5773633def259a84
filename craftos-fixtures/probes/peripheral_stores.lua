-- Energy and tanks, as the emulators give them.
local function written(value)
    if type(value) ~= "table" then
        return tostring(value)
    elseif value.name then
        return value.name .. "=" .. value.amount
    end
    local parts = {}
    for at, part in ipairs(value) do
        parts[at] = written(part)
    end
    return "{" .. table.concat(parts, ",") .. "}"
end

local function show(...)
    local values = table.pack(...)
    for at = 1, values.n do
        values[at] = written(values[at])
    end
    print(table.unpack(values, 1, values.n))
end

print(periphemu.create("left", "energy", 1000))
print(peripheral.getType("left"))
local store = peripheral.wrap("left")
print(store.getEnergy(), store.getEnergyCapacity())
for _, amount in ipairs({ 500, 5000, 20 }) do
    store.setEnergy(amount)
    print(store.getEnergy())
end
print(periphemu.remove("left"), periphemu.create("left", "energy"), peripheral.call("left", "getEnergyCapacity"))
periphemu.remove("left")

print(periphemu.create("left", "tank", 2, 3000), periphemu.create("right", "tank"))
print(peripheral.getType("left"))
local left, right = peripheral.wrap("left"), peripheral.wrap("right")
show(left.tanks(), right.tanks())
show(left.addFluid("water", 1500), left.addFluid("water", 2500), left.tanks())
show(left.removeFluid("water", 500), left.tanks())
show(left.pushFluid("right", 100), left.pushFluid("right", 100, "lava"))
show(right.pullFluid("left", 700, "water"), right.tanks(), left.tanks())
local _, problem = pcall(left.pushFluid, "top")
print(problem:match("Target.*"))

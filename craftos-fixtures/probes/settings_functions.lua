-- settings: defining, getting, unsetting, details.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

settings.define("probe.number", { type = "number", default = 5, description = "A number" })
print(settings.get("probe.number"), settings.get("probe.number", 9))
settings.set("probe.number", 7)
print(settings.get("probe.number"), settings.get("probe.number", 9))
try("wrong type", settings.set, "probe.number", "x")
settings.unset("probe.number")
print(settings.get("probe.number"))
print(textutils.serialize(settings.getDetails("probe.number"), { compact = true }) ~= nil, settings.getDetails("probe.number").changed)
settings.undefine("probe.number")
print(settings.get("probe.number"))
settings.set("probe.table", { 1, { 2 } })
local copy = settings.get("probe.table")
copy[1] = "changed"
print(settings.get("probe.table")[1])
try("function", settings.set, "probe.x", print)
try("nested function", settings.set, "probe.x", { print })
try("nil", settings.set, "probe.x", nil)
try("name", settings.get, 5)
try("define type", settings.define, "x", { type = "thing" })
try("define options", settings.define, "x", 5)
try("define description", settings.define, "x", { description = 5 })
settings.unset("probe.table")

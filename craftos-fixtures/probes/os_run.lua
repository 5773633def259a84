-- os.run: environments, results, errors.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local file = fs.open("run_probe.lua", "w")
file.write("result = 5 given = table.concat({ ... }, ',') local env = _ENV env.own = type(print)")
file.close()
local env = {}
print(os.run(env, "run_probe.lua", "a", "b"))
print(env.result, env.given, env.own, rawget(_G, "result"))
print(getmetatable(env).__index == _G)
print(os.run({}, "missing.lua"))
local broken = fs.open("run_probe.lua", "w")
broken.write("error('broken', 0)")
broken.close()
print(os.run({}, "run_probe.lua"))
fs.delete("run_probe.lua")
try("env", os.run)
try("path", os.run, {})

-- require: modules beside the program, package.path, errors.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local module = fs.open("probe_module.lua", "w")
module.write("return { name = ..., count = select('#', ...) }")
module.close()
local loaded = require("probe_module")
print(loaded.name, loaded.count, require("probe_module") == loaded, package.loaded.probe_module == loaded)
fs.delete("probe_module.lua")
package.preload.probe_preloaded = function(name) return "preloaded " .. name end
print(require("probe_preloaded"))
print(require("string") == string, require("_G") == _G)
print(package.path)
print((package.config:gsub("\n", " ")))
print(type(package.loaders), #package.loaders, type(package.searchpath))
print(package.searchpath("cc.expect", package.path))
print(package.searchpath("none", "/?;/?.lua"))
try("missing", require, "no.such.module")
try("nil", require)
local broken = fs.open("probe_broken.lua", "w")
broken.write("x = = 1")
broken.close()
try("broken", require, "probe_broken")
broken = fs.open("probe_broken.lua", "w")
broken.write("error('inside', 0)")
broken.close()
try("failing", require, "probe_broken")
try("failing again", require, "probe_broken")
fs.delete("probe_broken.lua")

-- The program set.

--- Runs a command line and prints what it wrote.
local function run(...)
    local output = {}
    local old_print, old_write, old_error = _G.print, _G.write, _G.printError
    local function collect(prefix)
        return function(...)
            local parts = table.pack(...)
            for index = 1, parts.n do parts[index] = tostring(parts[index]) end
            output[#output + 1] = prefix .. table.concat(parts, " ") .. "\n"
        end
    end
    _G.print = collect("")
    _G.printError = collect("error: ")
    _G.write = function(text) output[#output + 1] = tostring(text) end
    local results = table.pack(pcall(shell.run, ...))
    _G.print, _G.write, _G.printError = old_print, old_write, old_error
    print("> " .. table.concat({ ... }, " "), tostring(results[2]))
    local text = table.concat(output):gsub("\n$", "")
    if text ~= "" then print(text) end
end

settings.define("probe.flag", { type = "boolean", default = false, description = "A flag" })
settings.define("probe.count", { type = "number", default = 3, description = "A count" })
run("set probe.flag")
run("set probe.flag true")
run("set probe.flag")
run("set probe.flag maybe")
run("set probe.count 5")
run("set probe.count x")
run("set probe.count")
run("set probe.free text")
run("set probe.free")
run("set probe.free 5")
run("set probe.free true")
run("set probe.free nil")
run("set probe.free")
run("set probe.none")
run("set probe.table { 1, 2 }")
run('set probe.table "{ 1, 2 }"')
run("set probe.table")
fs.delete(".settings")

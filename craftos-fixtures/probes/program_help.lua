-- The programs help, motd, time and wget in their simple cases.

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

run("help none")
run("wget")
run("wget foo")
run("wget http://127.0.0.1:1/file")
run("wget run")
run("wget http://127.0.0.1:1/ startup.lua")
run("pastebin")
run("pastebin get x")
run("pastebin put none")
run("pastebin x y")
run("import x" and "type /rom/help")
run("hello x" and "type /rom/programs")

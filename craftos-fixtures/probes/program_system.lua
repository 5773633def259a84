-- The programs that show the system.

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

run("id")
os.setComputerLabel("probe label")
run("id")
run("label get")
run("label set changed")
run("label get")
run("label clear")
run("label get")
run("label")
run("label get left")
run("label set left x")
run("id left")
run("peripherals")
run("eject left")
run("eject")
run("alias x")
run("alias a b c")
run("redstone")
run("redstone set left true")
print(redstone.getOutput("left"))
run("redstone set left 7")
print(redstone.getAnalogOutput("left"))
run("redstone set left x")
run("redstone set left red true")
run("redstone set left nocolour true")
run("redstone probe")
run("gps")
run("gps locate")
run("gps host")
run("monitor")
run("monitor left x")
run("monitor scale left 1")
run("exit x")
run("none")
run("clear nonsense")
run("lua x")
run("edit")
run("edit /rom")
run("paint")
run("chat")
run("chat host x")
run("repeat")
run("dj")
run("dj stop")
run("dj x")

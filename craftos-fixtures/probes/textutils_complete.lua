-- textutils.complete: names in tables.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local env = { alpha = 1, alphabet = { beta = function() end, gamma = {}, text = "x" }, action = function() end, ["not a name"] = 1, _private = 1, empty = {}, [5] = 1 }
for _, text in ipairs({ "al", "alpha", "alphabet", "alphabet.", "alphabet.b", "alphabet:", "alphabet:b", "alphabet.gamma.", "a", "_", "", "none", "none.x", "alpha.x", "alphabet.text.", "action", "empty", "1", "al pha", "alphabet.none" }) do
    local endings = textutils.complete(text, env)
    table.sort(endings)
    print(text, #endings, table.concat(endings, " "))
end
local inherited = setmetatable({ own = 1 }, { __index = { outer = 2 } })
local endings = textutils.complete("o", inherited)
table.sort(endings)
print(table.concat(endings, " "))
try("text", textutils.complete)
try("env", textutils.complete, "x", 5)

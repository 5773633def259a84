-- setfenv and getfenv, as in Lua 5.1.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local function show() return value end
print(getfenv(1) ~= nil, type(getfenv(show)))
setfenv(show, { value = "from env" })
print(show())
print(getfenv(show).value)
local chunk = load("x = 1 return x")
local env = {}
setfenv(chunk, env)
print(chunk(), env.x, rawget(_G, "x"))
try("number", setfenv, 1)
try("bad", getfenv, "x")
print(_ENV ~= nil)

-- The global table stays, without an error.
local function count(...) return select("#", ...) end
print(count(setfenv(0, {})), getfenv(0) == _G, getfenv(pcall) == _G)
for _, level in ipairs({ -1, -0.5, 0.5, 50, 1e9 }) do
    print(level, pcall(function() local env = getfenv(level) return env == _G end))
end
print(pcall(setfenv, -1, {}))
print(pcall(setfenv, 50, {}))

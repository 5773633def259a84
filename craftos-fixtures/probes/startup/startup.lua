-- Runs /probe.lua and writes what it prints to /out.txt.
local out = fs.open("/out.txt", "wb")
local function show(...)
    local words = table.pack(...)
    for at = 1, words.n do
        words[at] = tostring(words[at])
    end
    out.write(table.concat(words, " ") .. "\n")
end
local own = { print = show, shell = shell, require = require, package = package }
local environment = setmetatable(own, { __index = _G })
local chunk, problem = loadfile("/probe.lua", nil, environment)
local ok, failure = false, problem
if chunk then
    ok, failure = pcall(chunk)
end
if not ok then
    show(failure)
end
out.close()
os.shutdown()

-- The startup file of a bare computer: runs /probe.lua as a program of the shell, writes what it prints to /out.txt,
-- and turns the computer off. The host puts `local case` before it: what the probe gets as its argument, or nil.
-- A probe may replace any global: what is needed later is kept.
local pack, concat, tostring, pcall = table.pack, table.concat, tostring, pcall
local out = fs.open("/out.txt", "wb")
local write, flush, close = out.write, out.flush, out.close
local function show(...)
    local words = pack(...)
    for at = 1, words.n do
        words[at] = tostring(words[at])
    end
    write(concat(words, " ") .. "\n")
    -- At once: the host may end the computer at any time.
    flush()
end
local own = { print = show, shell = shell, require = require, package = package }
local environment = setmetatable(own, { __index = _G })
local open, shut_down = fs.open, os.shutdown
local chunk, problem = loadfile("/probe.lua", nil, environment)
local ok, failure = false, problem
if chunk then
    ok, failure = pcall(chunk, case)
end
if not ok then
    show(failure)
end
close()
-- What ended before this was cut off.
open("/done", "w").close()
shut_down()

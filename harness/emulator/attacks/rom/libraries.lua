-- A program that replaces the libraries replaces its own.
-- prints: alive
local say, off = print, os.shutdown
for _, library in ipairs({ string, table, math, coroutine, os, fs, bit32, debug }) do
    for name in next, library do
        if name ~= "shutdown" then library[name] = nil end
    end
end
string.format, string.rep, string.sub, string.gsub, string.find, string.byte, string.match = nil
local ok = pcall(say, "alive")
if not ok then term.write("alive") end
off()

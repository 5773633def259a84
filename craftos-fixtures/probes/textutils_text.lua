-- textutils: formatTime, urlEncode.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

for _, time in ipairs({ 0, 0.5, 1.25, 11.99, 12, 12.5, 13, 23.999, 24, 25 }) do
    print(time, textutils.formatTime(time), textutils.formatTime(time, true), textutils.formatTime(time, false))
end
for _, text in ipairs({ "", "abc", "a b", "a+b", "a/b?c=d&e", "~._-", "\n", "\228", "100%", "(x)*'!" }) do print(text, textutils.urlEncode(text)) end
try("time", textutils.formatTime)
try("half", textutils.formatTime, 1, 5)
try("url", textutils.urlEncode, 5)

-- Drawing and reading all pixels again and again ends with the time.
-- settings: {"abortTimeout": 1000}
-- prints: false	Too long without yielding
-- prints: false	Too long without yielding
term.setGraphicsMode(2)
local function last(message) return (tostring(message):gsub("^.*: ", "")) end
local results = {}
for index, call in ipairs({
    function() term.getPixels(0, 0, 10000, 10000) end,
    function() term.drawPixels(0, 0, 1, 10000, 10000) end,
}) do
    local ok, message = pcall(function() while true do call() end end)
    sleep(0)
    results[index] = tostring(ok) .. "\t" .. last(message)
end
term.setGraphicsMode(0)
for _, result in ipairs(results) do print(result) end

-- A text of many bytes that a reader gives at once is compiled until the time is up.
-- prints: Too long without yielding
local text = ("a() "):rep(5e6)
config.set("abortTimeout", 300)
sleep(0)
local given = false
local function read()
    if given then return nil end
    given = true
    return text
end
local ok, message = pcall(function() error((select(2, load(read)))) end)
sleep(0)
print((tostring(message):gsub("^.*: ", "")))

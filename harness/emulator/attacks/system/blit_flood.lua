-- Drawing far off the screen, with texts far wider than it, and very often, takes neither memory nor the time of others.
-- memory: 200 MiB
-- prints: Too long without yielding
-- prints: alive
local wide = ("x"):rep(1e6)
local colours = ("0"):rep(1e6)
local places = { 1, 0, -1, 51, 52, -1e6, 2 ^ 31 - 1, -2 ^ 31, 2 ^ 53, 1.5 }
for _, x in ipairs(places) do
    for _, y in ipairs(places) do
        pcall(term.setCursorPos, x, y)
        pcall(term.blit, wide, colours, colours)
        pcall(term.blit, wide, colours, "0")
        pcall(term.blit, "\0\255", "zz", "\0\0")
        pcall(term.scroll, y)
    end
end
for _, number in ipairs({ 0 / 0, 1 / 0, -1 / 0 }) do
    pcall(term.setCursorPos, number, number)
    pcall(term.scroll, number)
    pcall(term.blit, "x", "0", "f")
end
periphemu.create("left", "monitor")
local monitor = peripheral.wrap("left")
for _, scale in ipairs({ 0.5, 5, 0, -1, 1e9, 0 / 0 }) do
    pcall(monitor.setTextScale, scale)
    pcall(monitor.blit, wide, colours, colours)
end
pcall(periphemu.create, "right", "monitor")
pcall(config.set, "abortTimeout", 1000)
sleep(0)
local ok, message = pcall(function()
    while true do
        term.setCursorPos(1, 1)
        term.blit(wide, colours, colours)
    end
end)
sleep(0)
term.setCursorPos(1, 1)
print((tostring(message):gsub("^.*: ", "")))
print("alive")

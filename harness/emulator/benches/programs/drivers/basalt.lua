-- A window of many elements, which is clicked, scrolled and typed into.
local common = dofile("/bench/common.lua")
local screen = common.screen()
local basalt = loadfile("/program/release/basalt-full.lua", nil, _ENV)()
basalt.setRenderThrottleTime(0)

local check = common.check()
local main = basalt.getMainFrame()
local clicks, label = 0, main:addLabel({ x = 2, y = 1, text = "0 clicks" })
for row = 0, 2 do
    for column = 0, 3 do
        main:addButton({
            x = column * 9 + 2,
            y = row * 4 + 2,
            width = 8,
            height = 3,
            text = row .. ":" .. column,
        }):onClick(function()
            clicks = clicks + 1
            label:setText(clicks .. " clicks")
        end)
    end
end
local list = main:addList({ x = 39, y = 2, width = 12, height = 9 })
for item = 1, 50 do
    list:addItem({ text = "item " .. item })
end
local input = main:addInput({ x = 2, y = 15, width = 30, height = 1 })
local bar = main:addProgressBar({ x = 2, y = 17, width = 30, height = 1 })

for round = 1, 60 do
    for column = 0, 3 do
        local x, y = column * 9 + 4, round % 3 * 4 + 3
        basalt.update("mouse_click", 1, x, y)
        basalt.update("mouse_up", 1, x, y)
    end
    basalt.update("mouse_scroll", round % 20 < 10 and 1 or -1, 42, 5)
    basalt.update("mouse_click", 1, 5, 15)
    for letter in common.words(5, round):gmatch(".") do
        basalt.update("char", letter)
    end
    bar:setProgress(round)
    basalt.update("tick")
    if round % 20 == 0 then
        check(input:getText())
        common.check_screen(check, screen)
    end
    common.yield()
end
check(clicks)
common.finish(check)

-- Pages of a user interface, with keys that scroll, choose and type.
local common = dofile("/bench/common.lua")
local screen = common.screen()
package.path = "/program/?.lua;" .. package.path
local ui = require("init")

local check = common.check()
local function press(key, times)
    for _ = 1, times do
        os.queueEvent("key", key, false)
        os.queueEvent("key_up", key)
    end
end

local items, about = {}, {}
for item = 1, 40 do
    items[item] = "Item " .. item
    about[item] = common.words(100, item)
end
for round = 1, 16 do
    local terminal = term.current()
    ui.clear()
    ui.label(terminal, 3, 2, "Page " .. round)
    ui.horizontalLine(terminal, 3, 3, 20)
    ui.borderBox(terminal, 4, 6, 40, 10)
    local box = ui.scrollBox(terminal, 4, 6, 40, 10, 300, true, true)
    ui.drawText(box, common.words(4000, round), true)
    ui.keyAction(keys.enter, "done")
    press(keys.down, 40)
    press(keys.up, 10)
    press(keys.enter, 1)
    ui.run()
    common.check_screen(check, screen)

    ui.clear()
    local describe = ui.textBox(terminal, 3, 15, 40, 3, about[1])
    ui.borderBox(terminal, 4, 6, 40, 8)
    ui.selectionBox(terminal, 4, 6, 40, 8, items, "done", function(option)
        describe(about[option])
    end)
    press(keys.down, 35)
    press(keys.up, round)
    press(keys.enter, 1)
    local _, _, choice = ui.run()
    check(choice)
    common.check_screen(check, screen)

    ui.clear()
    ui.borderBox(terminal, 4, 7, 40, 1)
    ui.inputBox(terminal, 4, 7, 40, "result")
    for letter in common.words(60, round):gmatch(".") do
        os.queueEvent("char", letter)
    end
    press(keys.enter, 1)
    local _, _, text = ui.run()
    check(text)
end
common.finish(check)

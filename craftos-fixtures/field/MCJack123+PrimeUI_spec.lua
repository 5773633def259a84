-- Goes through PrimeUI's own test.lua as a person does: five pages, with the keyboard and the mouse.
local test = require("craftos.test")

describe("PrimeUI's demonstration", function()
    it("goes from page to page by keys and clicks", function()
        local program = test.start("/test.lua")
        program:shows("Next")
        expect(program:screen()):contains("Sed ducimus")
        -- The button of the first page.
        program:click(4, 18):give("mouse_up", 1, 4, 18)
        program:shows("Item 5")
        -- The first box is ticked by the space bar, and Enter goes on.
        program:key(keys.space):key(keys.enter)
        program:shows("Enter some text.")
        program:type("some text\n")
        program:shows("Option 5")
        program:key(keys.down):key(keys.enter)
        program:shows("Executing Option 2")
        program:finish(20)
    end)

    it("scrolls", function()
        local program = test.start("/test.lua")
        program:shows("Sed ducimus")
        program:scroll(1, 10, 10):scroll(1, 10, 10):scroll(1, 10, 10)
        expect(program:screen():find("Sed ducimus", 1, true)):eq(nil)
    end)
end)

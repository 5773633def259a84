local test = require("craftos.test")

describe("battery", function()
    local cell

    before_each(function()
        cell = test.attach("energy_cell_3", "/devices/energy_cell.lua")
    end)

    it("shows how full the cell is", function()
        local program = test.start("battery")
        expect(program:screen()):eq("60 %")
        expect({ program:at(1, 1) }):same({ "6", colours.lime, colours.black })
    end)

    it("follows the cell", function()
        local program = test.start("battery")
        cell.state.energy = 250
        cell:queue("energy_changed")
        program:shows("25 %")
    end)

    it("calls for help when the cell is nearly empty", function()
        local modem = test.modem("top")
        cell.state.energy = 100
        local program = test.start("battery")
        expect({ program:at(1, 1) }):same({ "1", colours.red, colours.black })
        expect(modem.state.sent):same({
            { channel = 911, reply = 911, message = { alarm = "low", share = 0.1 } },
        })
    end)

    it("says that the cell does not answer", function()
        cell:fail("getEnergy", "Not formed", 1)
        local program = test.start("battery")
        expect(program:screen()):eq("no answer: Not formed")
        cell:queue("energy_changed")
        program:shows("60 %")
    end)

    it("ends when the cell is taken away", function()
        local program = test.start("battery")
        cell:detach()
        program:finish()
        expect(program:screen()):eq("The energy cell is gone")
        expect(#cell.calls):eq(2)
    end)
end)

describe("battery without a cell", function()
    it("says so", function()
        expect(test.start("battery"):finish():screen()):eq("No energy cell is attached")
    end)
end)

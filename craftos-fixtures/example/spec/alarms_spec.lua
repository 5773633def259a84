local test = require("craftos.test")

-- Another computer is one of the emulator's: the game has no way to make one.
local it = periphemu and it or pending

describe("alarms", function()
    it("shows the alarm of a battery on another computer", function()
        local base = test.computer({
            label = "base",
            program = "/alarms.lua",
            peripherals = { top = "modem" },
        })
        base:shows("listening")
        test.emulated("back", "modem")
        local cell = test.attach("energy_cell_0", "/devices/energy_cell.lua")
        local battery = test.start("battery")
        cell.state.energy = 100
        cell:queue("energy_changed")
        battery:shows("10 %")
        base:shows("low: 10 %")
        base:key(keys.enter):finish()
        battery:type("q"):finish()
    end)

    it("is driven as a person would", function()
        local ask = 'write("Name? ") print("Hello " .. read())'
        local other = test.computer({ id = 7, files = { ["ask.lua"] = ask } })
        other:shows(">"):type("ask\n"):shows("Name?"):type("Ada\n"):shows("Hello Ada")
        local _, colours_of_text = other:line(1)
        expect(colours_of_text:sub(1, 1)):eq("4")
        expect(other:ended()):eq(nil)
        other:stop()
        expect(other:ended()):eq("stopped")
    end)

    it("begins anew with an id that another had", function()
        local other = test.computer({ id = 7 })
        expect(other:shows(">"):screen()):eq("CraftOS 1.9\n>")
    end)
end)

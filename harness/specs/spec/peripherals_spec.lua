-- Scripted peripherals and modems, as programs see them.
local test = require("craftos.test")

describe("a scripted peripheral", function()
    local cell
    before_each(function()
        cell = test.attach("cell_3", "/devices/cell.lua")
    end)

    it("is found by name and by type", function()
        expect(peripheral.isPresent("cell_3")):eq(true)
        expect({ peripheral.getType("cell_3") }):same({ "cell", "energy_storage" })
        expect(peripheral.hasType("cell_3", "energy_storage")):eq(true)
        expect(peripheral.hasType("cell_3", "modem")):eq(false)
        expect(peripheral.getMethods("cell_3")):same({ "add", "get", "slow" })
        expect(peripheral.getName(peripheral.find("cell"))):eq("cell_3")
        local names = peripheral.getNames()
        expect(names[#names]):eq("cell_3")
    end)

    it("is left out where a filter of `find` says so", function()
        test.attach("cell_4", "/devices/cell.lua")
        local found = {
            peripheral.find("cell", function(name)
                return name == "cell_4"
            end),
        }
        expect(#found):eq(1)
        expect(peripheral.getName(found[1])):eq("cell_4")
    end)

    it("keeps its state, and gives all that a method returns", function()
        expect({ peripheral.call("cell_3", "add", 2) }):same({ 7, "added" })
        expect(peripheral.wrap("cell_3").get()):eq(7)
        expect(cell.state.energy):eq(7)
        expect(cell.calls[1]):matches({ method = "add" })
    end)

    it("has a state of its own in each test", function()
        expect(peripheral.call("cell_3", "get")):eq(5)
        local definition = { type = "box", state = { items = {} }, methods = { get = print } }
        local one, other = test.attach("box_1", definition), test.attach("box_2", definition)
        one.state.items[1] = "stone"
        expect(#other.state.items):eq(0)
    end)

    it("takes its time", function()
        local before = os.epoch("utc")
        expect(peripheral.call("cell_3", "slow")):eq("at last")
        expect(os.epoch("utc") - before >= 90):eq(true)
    end)

    it("fails so many times, and until it is mended", function()
        cell:fail("get", "Not formed", 2)
        for _ = 1, 2 do
            expect.error(peripheral.call, "cell_3", "get"):str_match("Not formed")
        end
        expect(peripheral.call("cell_3", "get")):eq(5)
        cell:fail("get", "Broken")
        for _ = 1, 3 do
            expect.error(peripheral.call, "cell_3", "get"):str_match("Broken")
        end
        cell:mend("get")
        expect(peripheral.call("cell_3", "get")):eq(5)
    end)

    it("comes and goes with events", function()
        cell:detach()
        expect({ os.pullEvent("peripheral_detach") }):same({ "peripheral_detach", "cell_3" })
        expect(peripheral.isPresent("cell_3")):eq(false)
        cell:attach()
        expect({ os.pullEvent("peripheral") }):matches({ "peripheral" })
        expect(peripheral.isPresent("cell_3")):eq(true)
    end)

    it("raises events with its name", function()
        cell:queue("energy_changed", 7)
        expect({ os.pullEvent("energy_changed") }):same({ "energy_changed", "cell_3", 7 })
    end)

    it("has a name that no other has", function()
        expect.error(test.attach, "cell_3", "/devices/cell.lua"):matches({})
    end)
end)

it("is gone after its test", function()
    expect(peripheral.isPresent("cell_3")):eq(false)
end)

describe("a modem", function()
    it("hears what is sent on channels that are open", function()
        local modem = test.modem("top")
        expect(modem:send(5, 6, "lost")):eq(false)
        peripheral.call("top", "open", 5)
        expect(modem:send(5, 6, { "heard" }, 12)):eq(true)
        expect({ os.pullEvent("modem_message") }):same({ "modem_message", "top", 5, 6, { "heard" }, 12 })
        peripheral.call("top", "close", 5)
        expect(modem:send(5, 6, "lost")):eq(false)
    end)

    it("keeps what was sent", function()
        local modem = test.modem("top")
        local message = { 1 }
        peripheral.call("top", "transmit", 1, 2, message)
        message[1] = "changed later"
        expect(modem.state.sent):same({ { channel = 1, reply = 2, message = { 1 } } })
    end)
end)

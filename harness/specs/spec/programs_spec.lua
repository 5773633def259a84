-- Programs that a spec starts, and the person before them.
local test = require("craftos.test")

---Starts a program that shows every event, but for those of timers.
local function listener()
    return test.start(function()
        while true do
            local event = table.pack(os.pullEventRaw())
            if event[1] == "terminate" then
                return
            elseif event[1] ~= "timer" then
                for index = 1, event.n do
                    event[index] = tostring(event[index])
                end
                print(table.concat(event, " "))
            end
        end
    end)
end

describe("a person", function()
    it("types keys and characters", function()
        local program = listener():type("a\n")
        local a, enter = keys.a, keys.enter
        local lines = { "key %d false", "char a", "key_up %d", "key %d false", "key_up %d" }
        expect(program:screen()):eq(table.concat(lines, "\n"):format(a, a, enter, enter))
    end)

    it("clicks, drags, scrolls and pastes", function()
        local program = listener():click(3, 4, 2):drag({ { 1, 2 }, { 3, 2 } }):scroll(-1, 5, 6):paste("text")
        local lines = {
            "mouse_click 2 3 4",
            "mouse_up 2 3 4",
            "mouse_click 1 1 2",
            "mouse_drag 1 3 2",
            "mouse_up 1 3 2",
            "mouse_scroll -1 5 6",
            "paste text",
        }
        expect(program:screen()):eq(table.concat(lines, "\n"))
    end)

    it("gives only what the program waits for", function()
        local program = test.start(function()
            print("got " .. select(2, os.pullEvent("wanted")))
        end)
        program:give("other", 1):give("wanted", 2):finish()
        expect(program:screen()):eq("got 2")
        expect(program:is_running()):eq(false)
    end)

    it("sees colours", function()
        local program = test.start(function()
            term.setTextColour(colours.red)
            term.setBackgroundColour(colours.blue)
            term.write("x")
        end)
        expect({ program:at(1, 1) }):same({ "x", colours.red, colours.blue })
        local text, foreground, background = program:line(1)
        expect(text:sub(1, 2)):eq("x ")
        expect(foreground:sub(1, 1)):eq("e")
        expect(background:sub(1, 2)):eq("bf")
    end)

    it("stops it with Ctrl+T", function()
        local program = listener()
        expect(program:is_running()):eq(true)
        program:terminate():finish()
    end)

    it("waits for what a timer brings", function()
        local program = test.start(function()
            sleep(0.1)
            print("later")
        end)
        expect(program:screen()):eq("")
        program:shows("later"):finish()
    end)
end)

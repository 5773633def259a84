-- Specs of apis/mcpcomputer/screen.lua.

local screen = require("/apis/mcpcomputer/screen")

---A terminal that cannot be read, as the computer's own; and the window below it, which can.
local function unreadable(width, height)
    local shown = window.create(term.native(), 1, 1, width, height, false)
    local terminal = {}
    for name, method in pairs(shown) do
        terminal[name] = method
    end
    terminal.getLine = nil
    return terminal, shown
end

---Draws on both, and expects the same of what is remembered.
local function expect_same(draw)
    local below, shown = unreadable(12, 4)
    local recording = screen.recording(below)
    draw(recording)
    for y = 1, 4 do
        expect({ recording.getLine(y) }):same({ shown.getLine(y) })
    end
end

describe("a terminal that remembers", function()
    it("has what was written, with its colours", function()
        expect_same(function(terminal)
            terminal.clear()
            terminal.setCursorPos(3, 2)
            terminal.setTextColor(colors.red)
            terminal.setBackgroundColor(colors.blue)
            terminal.write("hello")
            terminal.write(5)
        end)
    end)

    it("cuts what lies outside", function()
        expect_same(function(terminal)
            terminal.clear()
            terminal.setCursorPos(-2, 1)
            terminal.write("abcdef")
            terminal.setCursorPos(10, 2)
            terminal.write("abcdef")
            terminal.setCursorPos(1, 9)
            terminal.write("nowhere")
            terminal.setCursorPos(20, 3)
            terminal.write("nowhere")
        end)
    end)

    it("blits, clears a line and scrolls", function()
        expect_same(function(terminal)
            terminal.clear()
            terminal.setCursorPos(2, 2)
            terminal.blit("abc", "e1F", "0b5")
            terminal.setCursorPos(1, 3)
            terminal.write("line 3")
            terminal.setCursorPos(1, 4)
            terminal.write("line 4")
            terminal.setBackgroundColor(colors.green)
            terminal.clearLine()
            terminal.scroll(1)
            terminal.setBackgroundColor(colors.black)
            terminal.scroll(-2)
        end)
    end)

    it("grows and shrinks with the terminal, in either direction alone", function()
        local below, shown = unreadable(12, 4)
        local recording = screen.recording(below)
        recording.clear()
        recording.setCursorPos(1, 4)
        recording.write("line 4")
        for _, size in ipairs({ { 12, 5 }, { 12, 3 }, { 14, 3 }, { 9, 3 } }) do
            shown.reposition(1, 1, size[1], size[2])
            for y = 1, size[2] do
                expect({ recording.getLine(y) }):same({ shown.getLine(y) })
            end
            expect(function()
                recording.getLine(size[2] + 1)
            end):throws("Line is out of range")
        end
    end)

    it("shows everything where it always was", function()
        local below, shown = unreadable(12, 4)
        local recording = screen.recording(below)
        recording.setCursorPos(1, 2)
        recording.write("x")
        expect((shown.getLine(2))):same("x" .. (" "):rep(11))
        expect({ recording.getCursorPos() }):same({ 2, 2 })
    end)

    it("refuses what the terminal refuses", function()
        local recording = screen.recording((unreadable(12, 4)))
        expect(function()
            recording.blit("ab", "0", "f")
        end):throws(".")
        expect(function()
            recording.getLine(5)
        end):throws("Line is out of range")
    end)

    it("is there while a function runs, and what was there comes back", function()
        local below = unreadable(12, 4)
        local before = term.redirect(below)
        local readable, values = false, nil
        local ok = pcall(function()
            values = table.pack(screen.with_memory(function()
                readable = term.current().getLine ~= nil
                return 1, nil, 3
            end))
        end)
        local restored = term.current() == below
        local failed, problem = pcall(screen.with_memory, function()
            error("boom", 0)
        end)
        local restored_again = term.current() == below
        term.redirect(before)
        expect({ ok, readable, restored, failed, problem, restored_again }):same({
            true,
            true,
            true,
            false,
            "boom",
            true,
        })
        expect(values):same({ 1, nil, 3, n = 3 })
    end)
end)

-- A key that ends a program: its text does not reach who reads next, and later keys do.

--- Queues events, runs a program that takes some of them, and reads a line from the rest.
local function play(events, ...)
    local words = table.pack(...)
    local screen = window.create(term.current(), 1, 1, 30, 8, false)
    local previous = term.redirect(screen)
    local text
    for _, event in ipairs(events) do os.queueEvent(table.unpack(event)) end
    local ok = pcall(function()
        shell.run(table.unpack(words, 1, words.n))
        os.queueEvent("key", keys.enter, false)
        text = read()
    end)
    term.redirect(previous)
    print(words[1], ok, text)
end

play({ { "key", keys.q, false }, { "char", "q" }, { "char", "x" }, { "char", "y" } }, "help", "intro")
play({ { "key", keys.q, false }, { "char", "q" }, { "key_up", keys.q }, { "char", "z" } }, "help", "intro")

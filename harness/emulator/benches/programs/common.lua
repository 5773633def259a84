-- What the drivers share. A driver finds the program's checkout in `/program`, and this folder in `/bench`.
local common = {}

--- Lets the emulator see that the program goes on.
function common.yield()
    os.queueEvent("driver")
    os.pullEvent("driver")
end

--- The bytes of a file.
function common.read(path)
    local file = assert(fs.open(path, "rb"))
    local text = file.readAll()
    file.close()
    return text
end

--- Numbers that look random, and are the same on every emulator; called as `math.random` is.
function common.random(seed)
    local state = seed
    return function(low, high)
        state = state * 16807 % 2147483647
        if not low then
            return (state - 1) / 2147483646
        end
        if not high then
            low, high = 1, low
        end
        return low + math.floor((state - 1) / 2147483646 * (high - low + 1))
    end
end

--- Makes `math.random` the same on every emulator, for programs that call it.
function common.fix_random()
    rawset(math, "random", common.random(1))
    rawset(math, "randomseed", function(seed)
        rawset(math, "random", common.random(math.floor(seed) % 2147483646 + 1))
    end)
end

--- So many bytes of words, as a text for programs to work on.
function common.words(size, seed)
    local random, words, length = common.random(seed or 7), {}, 0
    while length < size do
        local letters = {}
        for letter = 1, random(2, 9) do
            letters[letter] = string.char(96 + math.floor(random() * random() * 26) + 1)
        end
        -- The last word is cut, and not the text: on CraftOS-PC a part of a long text is slower to read than a text.
        words[#words + 1] = table.concat(letters):sub(1, size - length)
        length = length + #words[#words] + 1
    end
    return table.concat(words, " ")
end

--- Begins a check value: call it with texts and numbers, and without anything for the value so far.
function common.check()
    local first, second, length = 1, 0, 0
    return function(value)
        if value == nil then
            return ("%d bytes, %08x"):format(length, second * 65536 + first)
        end
        local text = type(value) == "number" and ("%.10g"):format(value) or tostring(value)
        length = length + #text
        for from = 1, #text, 100 do
            for _, byte in ipairs({ text:byte(from, from + 99) }) do
                first = (first + byte) % 65521
                second = (second + first) % 65521
            end
        end
    end
end

--- A window that covers the screen, and becomes the terminal: what was drawn can be read from it.
function common.screen()
    local width, height = term.getSize()
    local screen = window.create(term.current(), 1, 1, width, height, true)
    term.redirect(screen)
    return screen
end

--- Adds what a window shows to a check value.
function common.check_screen(check, screen)
    local _, height = screen.getSize()
    for line = 1, height do
        check(table.concat({ screen.getLine(line) }, "\n"))
    end
end

--- Tells the check value, and ends.
function common.finish(check)
    local file = assert(fs.open("/result.txt", "w"))
    file.write(check())
    file.close()
    os.shutdown()
end

return common

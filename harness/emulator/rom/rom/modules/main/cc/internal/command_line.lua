-- cc.internal.command_line: splits what was typed into words. Blanks separate them; what
-- stands in double quotes is one word, whatever it contains.

--- Reads the word at a position.
---@return string word
---@return number after
local function read_word(line, position)
    local quoted, after = line:match("^\"([^\"]*)\"?()", position)
    if quoted then return quoted, after end
    return line:match("^([^ \t\"]+)()", position)
end

--- Splits a line.
---@param line string
---@return string[] words
---@return boolean ended whether the last word has ended, so that more text would begin another
return function(line)
    local words, position = {}, 1
    while true do
        local start = line:match("^[ \t]*()", position)
        if start > #line then return words, start > position or #words == 0 end
        words[#words + 1], position = read_word(line, start)
    end
end

-- A small font of the project's own: printable ASCII, and the block graphics. Other characters are drawn as a frame.

local WIDTH, HEIGHT = 6, 9

-- Rows of a glyph lie below the first row of its cell; the sixth column keeps the letters apart.
local TOP, GLYPH_WIDTH, GLYPH_HEIGHT = 1, 5, 7

-- A digit of base 32 for each row, the leftmost dot in its highest bit; from `!` to `~`.
-- stylua: ignore
local GLYPHS = ""
    .. "4444040 AA00000 AVAAVA0 4FKE5U4 PQ24BJ0 CICLID0 4400000 2444420 8444480 0LEVEL0 044V440 0000448 "
    .. "000V000 0000040 12248G0 EHJLPE0 4C444E0 EH248V0 U161HE0 26AV220 VGU1HE0 EGUHHE0 V124440 EHEHHE0 "
    .. "EHHF1E0 0400400 0400448 2488420 00V0V00 8422480 EH24040 EHNMGE0 EHHVHH0 UHUHHU0 EHGGHE0 SIHHIS0 "
    .. "VGUGGV0 VGUGGG0 EGJHHE0 HHVHHH0 E4444E0 7222IC0 HISIHH0 GGGGGV0 HRLHHH0 HPLJHH0 EHHHHE0 UHUGGG0 "
    .. "EHHLID0 UHUKIH0 FGE1HE0 V444440 HHHHHE0 HHHAA40 HHHLRH0 HA44AH0 HA44440 V248GV0 E8888E0 G884210 "
    .. "E2222E0 4AH0000 000000V 8400000 00E1FHF GGUHHHU 00EHGHE 11FHHHF 00EHVGE 68U8888 0FHHF1E GGUHHHH "
    .. "40C444E 20622IC GGIKOKI C44444E 00QLLLH 00UHHHH 00EHHHE 0UHHUGG 0FHHF11 00MPGGG 00FGE1U 88U8896 "
    .. "00HHHJD 00HHHA4 00HHLLA 00HA4AH 0HHHF1E 00V248V 6484460 4444440 C4244C0 00DI000 "

local FRAME = "VHHHHHV"

local glyphs, code = {}, 33
for glyph in GLYPHS:gmatch("%S+") do
    glyphs[code] = glyph
    code = code + 1
end

local BLANK = { [0] = true, [9] = true, [10] = true, [13] = true, [32] = true, [160] = true }

---Says whether a dot of a character is set.
local function is_set(character, column, row)
    if BLANK[character] then
        return false
    elseif character >= 128 and character <= 159 then
        -- Six blocks, two across and three down; the sixth is drawn by swapping the colours.
        local block = math.floor(column / (WIDTH / 2)) + 2 * math.floor(row / (HEIGHT / 3))
        return block < 5 and math.floor(character / 2 ^ block) % 2 == 1
    elseif column >= GLYPH_WIDTH or row < TOP or row >= TOP + GLYPH_HEIGHT then
        return false
    end
    local glyph = glyphs[character] or FRAME
    local digit = tonumber(glyph:sub(row - TOP + 1, row - TOP + 1), 32)
    return math.floor(digit / 2 ^ (GLYPH_WIDTH - 1 - column)) % 2 == 1
end

local rows = {}

---Gives the dots of one row of a character, as a list of booleans.
---@param character number
---@param row number from 0
---@return boolean[]
local function dots(character, row)
    local key = character * HEIGHT + row
    if not rows[key] then
        local list = {}
        for column = 0, WIDTH - 1 do
            list[column + 1] = is_set(character, column, row)
        end
        rows[key] = list
    end
    return rows[key]
end

return { WIDTH = WIDTH, HEIGHT = HEIGHT, dots = dots }

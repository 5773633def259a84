-- What a chunk prints: kept up to a limit, and given out in pieces while the chunk runs.

local text = require("/apis/mcpcomputer/text")

-- What is kept of the output of one chunk: more than the largest response could carry is only counted.
local KEPT_BYTES = 8 * 1024 * 1024

-- Pieces are joined when there are this many, so that a million prints of one byte do not hold a million strings.
local PIECES = 4096

-- What one output frame carries: a control character becomes six bytes, and 131072 bytes are a message.
local FRAME_DATA_BYTES = 20000

---@class Capture
---@field bytes number how much was printed in all
---@field private pieces string[]
---@field private kept number
---@field private sent number how much was given out by `take`
local Capture = {}
Capture.__index = Capture

---@return Capture
local function new()
    return setmetatable({ bytes = 0, kept = 0, sent = 0, pieces = {} }, Capture)
end

---Adds what was printed.
---@param piece string
function Capture:write(piece)
    self.bytes = self.bytes + #piece
    local room = KEPT_BYTES - self.kept
    if room <= 0 or piece == "" then
        return
    end
    if #piece > room then
        piece = piece:sub(1, text.whole_characters(piece, room))
    end
    self.kept = self.kept + #piece
    local pieces = self.pieces
    pieces[#pieces + 1] = piece
    if #pieces >= PIECES then
        self.pieces = { table.concat(pieces) }
    end
end

---Gives all that was kept.
---@return string
function Capture:text()
    if #self.pieces > 1 then
        self.pieces = { table.concat(self.pieces) }
    end
    return self.pieces[1] or ""
end

---Says whether `take` has something to give.
---@return boolean
function Capture:has_news()
    return self.sent < self.kept
end

---Gives what was printed since the last call, as much as one frame carries. The beginning of a character whose rest
---was not printed yet waits for it.
---@return string|nil
function Capture:take()
    local whole = self:text()
    local piece = whole:sub(self.sent + 1, self.sent + FRAME_DATA_BYTES + 3)
    piece = piece:sub(1, text.whole_characters(piece, FRAME_DATA_BYTES))
    if self.sent + #piece == #whole then
        piece = text.split_incomplete(piece)
    end
    self.sent = self.sent + #piece
    return piece ~= "" and piece or nil
end

return { new = new }

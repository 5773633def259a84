-- How long to wait before connecting again.

local now = os.epoch

local LEAST_S = 1
local MOST_S = 30

-- The wait grows with the outage, to a sixth of it: a bridge that comes back within 20 s has its computers back within
-- 5 s, and one that is away for minutes is asked every half minute.
local OUTAGE_SHARE = 1 / 6

-- Up to half of the wait is added by chance, so that computers that lost the same bridge do not come back as one.
local JITTER = 0.5

---@class Retry
---@field private since number when the link was lost, in milliseconds
local Retry = {}
Retry.__index = Retry

---@return Retry
local function new()
    return setmetatable({ since = now("utc") }, Retry)
end

---Notes that a link that was there is lost.
function Retry:lost()
    self.since = now("utc")
end

---Gives the seconds to wait before the next attempt.
---@param outage_s number|nil how long the link has been gone; measured, when left out
---@param chance number|nil from 0 to 1; drawn, when left out
---@return number
function Retry:next_delay(outage_s, chance)
    outage_s = outage_s or (now("utc") - self.since) / 1000
    local wait = math.max(LEAST_S, outage_s * OUTAGE_SHARE)
    return math.min(MOST_S, wait * (1 + JITTER * (chance or math.random())))
end

return { new = new }

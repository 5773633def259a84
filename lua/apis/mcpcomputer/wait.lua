-- A time to wait, by the calendar: no other clock of a computer tells milliseconds everywhere. Where the calendar is
-- set back, nobody can say how long it was waited: the wait is over then, rather than hours late.

local now = os.epoch

---@class Wait
---@field private since number in milliseconds
---@field private till number
local Wait = {}
Wait.__index = Wait

---Begins to wait.
---@param ms number
---@return Wait
local function new(ms)
    local since = now("utc")
    return setmetatable({ since = since, till = since + ms }, Wait)
end

---Says whether it was waited long enough.
---@return boolean
function Wait:is_over()
    local time = now("utc")
    return time >= self.till or time < self.since
end

---Says how long it still takes.
---@return number seconds 0 when it is over
function Wait:left_s()
    return self:is_over() and 0 or (self.till - now("utc")) / 1000
end

return { new = new }

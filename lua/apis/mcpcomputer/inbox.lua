-- What has come over one link: requests that are on their way in parts, and the ids that were seen.

local new_joiner = require("/apis/mcpcomputer/frames").new_joiner

-- Ids are never used twice by a bridge; these many are remembered in case one does, so that nothing runs twice.
local REMEMBERED_IDS = 256

-- Requests that may be on their way in parts at once: as many as the bridge lets wait at one computer.
local MOST_JOINERS = 64

---@class Inbox
---@field private seen table<string, boolean>
---@field private order string[]
---@field private joiners table<string, Joiner> the rest of one that has failed is ignored
---@field private joining number
local Inbox = {}
Inbox.__index = Inbox

---@return Inbox
local function new()
    return setmetatable({ seen = {}, order = {}, joiners = {}, joining = 0 }, Inbox)
end

---Remembers a request's id, and says whether it has come before.
---@param id string
---@return boolean
function Inbox:is_repeated(id)
    if self.seen[id] then
        return true
    end
    self.seen[id] = true
    self.order[#self.order + 1] = id
    if #self.order > REMEMBERED_IDS then
        self.seen[table.remove(self.order, 1)] = nil
    end
    return false
end

---Gives up a request that is on its way in parts: it holds no place any more, and the rest of it is ignored.
---@param id string
function Inbox:forget(id)
    if self.joiners[id] then
        self.joiners[id] = nil
        self.joining = self.joining - 1
        self:is_repeated(id)
    end
end

---Takes in a part.
---@param part table the part frame
---@return string|nil whole the whole frame's text, once it is there
---@return string|nil problem why the request has failed; said once
function Inbox:add_part(part)
    local id = part.id
    if type(id) ~= "string" or id == "" or self.seen[id] then
        return nil
    end
    local joiner = self.joiners[id]
    if not joiner then
        if self.joining >= MOST_JOINERS then
            self:is_repeated(id)
            return nil, ("%d requests are on their way in parts already"):format(MOST_JOINERS)
        end
        joiner = new_joiner()
        self.joiners[id] = joiner
        self.joining = self.joining + 1
    end
    local whole, problem = joiner:add(part)
    if whole then
        -- It is a request like any other from now on, and seen when it is taken up.
        self.joiners[id] = nil
        self.joining = self.joining - 1
    elseif problem then
        self:forget(id)
    end
    return whole, problem
end

return { new = new }

-- Failures of expectations, and where in the user's files something went wrong.

local part = ...
local show = part("values").show

local debug_info = debug and debug.getinfo
local debug_traceback = debug and debug.traceback
local error, setmetatable, getmetatable, type, ipairs = error, setmetatable, getmetatable, type, ipairs
local find, gmatch, gsub, match, sub = string.find, string.gmatch, string.gsub, string.match, string.sub
local concat = table.concat
local tonumber = tonumber

-- Lines of a traceback that are not the user's: the runner's own frames, and those without a place.
local NOT_THE_USERS =
    { "%.harness/", "^%s*%[", "^%s*%.%.%.%s*$", "^%s*%(%.%.%.tail calls%.%.%.%)", "^stack traceback" }

-- Frames of a stack that are looked at for the line of a failure: an expectation is a few calls away from its test.
local DEEPEST_FRAME = 40

local Failure = {}
Failure.__index = Failure

function Failure.__tostring(failure)
    return failure.message
end

---Finds the innermost line that is the user's.
---@return string|nil file
---@return number|nil line
local function user_line()
    if not debug_info then
        return nil
    end
    for level = 2, DEEPEST_FRAME do
        local info = debug_info(level, "Sl")
        if not info then
            return nil
        end
        local source = info.source
        if sub(source, 1, 1) == "@" and info.currentline > 0 and not find(source, "%.harness/") then
            return sub(source, 2), info.currentline
        end
    end
end

---Leaves out the runner's own frames.
local function user_frames(traceback)
    local kept = {}
    for line in gmatch(traceback, "[^\n]+") do
        local is_users = true
        for _, pattern in ipairs(NOT_THE_USERS) do
            is_users = is_users and not find(line, pattern)
        end
        if is_users then
            kept[#kept + 1] = match(line, "^%s*(.-)%s*$")
        end
    end
    return concat(kept, "\n")
end

---Fails the test that is running.
---@param message string
---@param details table|nil `expected` and `actual`, as they are to be shown and compared
local function fail(message, details)
    local file, line = user_line()
    local failure = { message = message, file = file, line = line }
    if details then
        failure.expected, failure.actual = details.expected, details.actual
    end
    error(setmetatable(failure, Failure), 0)
end

---Makes of whatever was thrown what the host is told; a handler for `xpcall`.
local function describe(thrown)
    local described = { message = nil }
    if getmetatable(thrown) == Failure then
        described.message = thrown.message
        described.expected, described.actual = thrown.expected, thrown.actual
        described.file, described.line = thrown.file, thrown.line
        described.is_pending = thrown.is_pending
    elseif type(thrown) == "string" then
        -- Where in the runner something was raised is of no use to the user.
        described.message = gsub(thrown, "^%.harness/[%w_/]+%.lua:%d+: ", "")
        local file, line = match(thrown, "^([^\n:]+):(%d+): ")
        -- Lua cuts long names; the stack has them whole.
        if file and not find(file, "^%.%.%.") and not find(file, "^%.harness/") then
            described.file, described.line = file, tonumber(line)
        end
    else
        described.message = "an error that is no text: " .. show(thrown)
    end
    if not described.line then
        described.file, described.line = user_line()
    end
    if debug_traceback then
        described.traceback = user_frames(debug_traceback("", 2))
    end
    return described
end

---Says whether something thrown is a failure of an expectation.
local function is_failure(thrown)
    return getmetatable(thrown) == Failure
end

---Ends the test that is running as one that is not written yet.
local function pending(message)
    error(setmetatable({ message = message or "pending", is_pending = true }, Failure), 0)
end

return { fail = fail, pending = pending, describe = describe, is_failure = is_failure }

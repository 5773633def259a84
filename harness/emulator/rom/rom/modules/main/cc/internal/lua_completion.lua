-- cc.internal.lua_completion: completes names in Lua expressions, for
-- textutils.complete.

local include = type((...)) == "function" and (...) or dofile
local keywords = include("rom/modules/main/cc/internal/keywords.lua")

local find, sub, type = string.find, string.sub, type

--- Says what follows a name, by the value that it has.
local function suffix_of(value)
    if type(value) == "function" then return "(" end
    if type(value) == "table" and next(value) ~= nil then return "." end
    return ""
end

--- Collects the endings of a name in a table and, through __index, its parents.
local function collect(tbl, beginning, methods_only, endings, seen)
    local length = #beginning
    for key, value in pairs(tbl) do
        if type(key) == "string" and sub(key, 1, length) == beginning
            and not seen[key] and not keywords[key] and key ~= "goto"
            and find(key, "^[%a_][%w_]*$")
            and not (methods_only and type(value) ~= "function") then
            seen[key] = true
            endings[#endings + 1] = sub(key, length + 1) .. suffix_of(value)
        end
    end
    local metatable = getmetatable(tbl)
    if type(metatable) == "table" and type(metatable.__index) == "table" then
        return collect(metatable.__index, beginning, methods_only, endings, seen)
    end
end

--- Completes the name at the end of an expression.
---@param text string
---@param env table where its first name is looked up
---@return string[] endings
return function(text, env)
    local tbl = env
    local position = 1
    while true do
        local name, separator, after = text:match("^([%a_][%w_]*)([.:])()", position)
        if not name then break end
        local value = tbl[name]
        if type(value) ~= "table" then return {} end
        tbl = value
        position = after
        if separator == ":" and text:find("[.:]", position) then return {} end
    end

    local beginning = text:sub(position)
    if beginning ~= "" and not beginning:match("^[%a_][%w_]*$") then return {} end
    local methods_only = position > 1 and text:sub(position - 1, position - 1) == ":"

    local endings = {}
    collect(tbl, beginning, methods_only, endings, {})
    table.sort(endings)
    return endings
end

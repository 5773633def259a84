-- cc.internal.program_env: the metatable of a program's environment.

local plain = { __index = _G }

local strict = {
    __index = _G,
    __newindex = function(_, name)
        error("Attempt to create global " .. tostring(name), 2)
    end,
}

--- Chooses the metatable by the setting bios.strict_globals.
---@return table
return function()
    if settings and settings.get("bios.strict_globals", false) then return strict end
    return { __index = plain.__index }
end

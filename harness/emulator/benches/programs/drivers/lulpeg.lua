-- Parses JSON with a grammar of LuLPeg's patterns.
local common = dofile("/bench/common.lua")
package.path = "/program/?.lua;" .. package.path
local lpeg = require("lulpeg")
local P, R, S, V, C, Ct, Cg, Cc = lpeg.P, lpeg.R, lpeg.S, lpeg.V, lpeg.C, lpeg.Ct, lpeg.Cg, lpeg.Cc

local space = S(" \n\t") ^ 0
local digits = R("09") ^ 1
local text = P('"') * C((P(1) - S('"\\') + P("\\") * P(1)) ^ 0) * P('"') * space
local grammar = P({
    space * V("value") * -P(1),
    value = V("object") + V("array") + text + V("number") + V("word"),
    object = P("{") * space * Ct((V("member") * (P(",") * space * V("member")) ^ 0) ^ -1) * P("}") * space,
    member = Ct(Cg(text, "key") * P(":") * space * Cg(V("value"), "value")),
    array = P("[") * space * Ct((V("value") * (P(",") * space * V("value")) ^ 0) ^ -1) * P("]") * space,
    number = C(P("-") ^ -1 * digits * (P(".") * digits) ^ -1) / tonumber * space,
    word = (P("true") * Cc(true) + P("false") * Cc(false)) * space,
})

local check, random = common.check(), common.random(3)
local function walk(value)
    if type(value) ~= "table" then
        return check(value)
    end
    for _, part in ipairs(value) do
        if type(part) == "table" and part.key then
            check(part.key)
            walk(part.value)
        else
            walk(part)
        end
    end
end

for round = 1, 100 do
    local parts = {}
    for part = 1, 100 do
        parts[part] = ('{"name": "%s", "at": [%d, %.2f, -%d], "on": %s}'):format(
            common.words(20, round * part),
            random(1000),
            random() * 100,
            random(9),
            tostring(random(2) == 1)
        )
    end
    walk((assert(lpeg.match(grammar, "[" .. table.concat(parts, ",\n") .. "]"))))
    common.yield()
end
common.finish(check)

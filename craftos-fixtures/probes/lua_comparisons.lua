-- Comparisons of values of one type and of two, with and without metamethods.

local asked
local function make(name, with_le)
    local meta = {}
    function meta.__lt(one, two)
        asked = "lt " .. name .. " " .. type(one) .. " " .. type(two)
        return 1
    end
    if with_le then
        function meta.__le(one, two)
            asked = "le " .. name .. " " .. type(one) .. " " .. type(two)
            return nil
        end
    end
    return setmetatable({}, meta)
end
local values = {
    { "both", make("both", true) }, { "less", make("less", false) }, { "table", {} }, { "number", 1 }, { "text", "1" },
    { "nil", nil }, { "boolean", true }, { "function", print },
}
local operators = {
    { "<", function(one, two) return one < two end },
    { "<=", function(one, two) return one <= two end },
    { ">", function(one, two) return one > two end },
    { ">=", function(one, two) return one >= two end },
}
for _, one in ipairs(values) do
    for _, two in ipairs(values) do
        for _, operator in ipairs(operators) do
            asked = "nothing"
            print(one[1], operator[1], two[1], pcall(operator[2], one[2], two[2]))
            print("asked", asked)
        end
    end
end

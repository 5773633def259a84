-- The example `get-weather`: structured content. The weather is made up from the name of the place.

local CONDITIONS = { "sunny", "cloudy", "rain", "thunder", "snow" }

local function call(arguments)
    local seed = 0
    for at = 1, #arguments.location do
        seed = (seed * 31 + arguments.location:byte(at)) % 65536
    end
    local celsius = seed % 45 - 10
    local unit = arguments.unit or "celsius"
    return {
        structuredContent = {
            location = arguments.location,
            temperature = unit == "celsius" and celsius or celsius * 9 / 5 + 32,
            unit = unit,
            conditions = CONDITIONS[seed % #CONDITIONS + 1],
        },
    }
end

return { call = call }

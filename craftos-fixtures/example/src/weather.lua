-- Asks a server for the weather and prints it: `weather PLACE`.

local place = ...
if not place then
    print("Usage: weather <place>")
    return
end

local url = "https://weather.example/v1/" .. textutils.urlEncode(place)
local answer, why, failed = http.get(url, { Accept = "application/json" })
if not answer then
    printError(failed and failed.getResponseCode() == 404 and "There is no " .. place or why)
    return
end
local weather = textutils.unserialiseJSON(answer.readAll())
answer.close()
print(("%s: %d degrees, %s"):format(place, weather.degrees, weather.sky))

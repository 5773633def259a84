-- motd: shows a message, one for the day or one of the files in motd.path.

local of_the_day = {
    ["1/1"] = "Happy new year!",
    ["28/4"] = "Ed Balls",
    ["31/10"] = "OOoooOOOoooo! Spooky!",
    ["24/12"] = "Merry X-mas!",
}

local date = os.date("*t")
local messages = {}
local special = of_the_day[date.day .. "/" .. date.month]
if special then
    messages[1] = special
else
    for path in settings.get("motd.path"):gmatch("[^:]+") do
        local handle = fs.exists(path) and fs.open(path, "r")
        if handle then
            for line in handle.readLine do messages[#messages + 1] = line end
            handle.close()
        end
    end
end

if #messages == 0 then
    print("missingno")
else
    print(messages[math.random(1, #messages)])
end

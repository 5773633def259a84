-- motd: shows a message, one for the day or one of the files in motd.path.

-- Days with a message of their own: the day and the month, then what is said.
local DAYS = [[
1/1 Happy new year!
28/4 Ed Balls
31/10 OOoooOOOoooo! Spooky!
24/12 Merry X-mas!
]]

--- Finds what is said today, if today is such a day.
local function said_today()
    local today = os.date("*t")
    local wanted = ("%d/%d"):format(today.day, today.month)
    for day, text in DAYS:gmatch("(%S+) ([^\n]+)") do
        if day == wanted then return text end
    end
end

--- Adds the lines of a file to a list. One that cannot be read has none.
local function add_lines(list, path)
    local file = fs.exists(path) and fs.open(path, "r")
    if not file then return end
    for line in file.readLine do list[#list + 1] = line end
    file.close()
end

local message = said_today()
if not message then
    local choice = {}
    for path in settings.get("motd.path"):gmatch("[^:]+") do add_lines(choice, path) end
    message = #choice > 0 and choice[math.random(1, #choice)] or "missingno"
end
print(message)

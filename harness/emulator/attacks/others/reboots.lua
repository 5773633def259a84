-- A computer that reboots again and again holds up nobody.
-- prints: alive
local file = fs.open("/boots", "r")
local boots = file and tonumber(file.readAll()) or 0
if file then file.close() end
if boots < 8 then
    file = fs.open("/boots", "w")
    file.write(tostring(boots + 1))
    file.close()
    os.reboot()
end
print("alive")

-- fs: all bytes survive, in text and in binary handles.

local all = {}
for byte = 0, 255 do all[#all + 1] = string.char(byte) end
all = table.concat(all)
for _, mode in ipairs({ "", "b" }) do
    local file = fs.open("probe.bin", "w" .. mode)
    file.write(all)
    file.close()
    local handle = fs.open("probe.bin", "r" .. mode)
    local back = handle.readAll()
    handle.close()
    print(mode, #back, back == all, fs.getSize("probe.bin"))
end
local file = fs.open("probe.bin", "wb")
file.write(65)
file.write("BC")
file.write(0)
file.close()
local handle = fs.open("probe.bin", "rb")
print(handle.read(), handle.read(1), handle.read(), handle.read(), handle.read())
print(handle.seek("set", 1), handle.read(), handle.seek("cur", -1), handle.seek("end", -1), handle.read())
handle.close()
fs.delete("probe.bin")

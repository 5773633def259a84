-- Values that cannot leave a computer arrive as nothing.
-- prints: alive
periphemu.create("left", "modem")
for _, value in ipairs({ print, coroutine.create(print), { [print] = print }, 0 / 0, 1 / 0, "\0\255", { [1.5] = {} } }) do
    pcall(peripheral.call, "left", "transmit", 1, 1, value)
end
pcall(peripheral.call, "left", "transmit", 1, 1, nil)
print("alive")

-- A disk is a number.
-- prints: false	false	false
periphemu.create("left", "drive")
print((pcall(peripheral.call, "left", "insertDisk", "/etc")), (pcall(peripheral.call, "left", "insertDisk", "../1")),
    (pcall(peripheral.call, "left", "insertDisk", "/etc/passwd")))

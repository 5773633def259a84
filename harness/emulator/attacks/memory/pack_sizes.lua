-- A size that nobody has is refused before it is made.
-- settings: {"memoryLimit": 33554432}
-- memory: 140 MiB
-- prints: false	false	true
print((pcall(string.pack, "c99999999999", "x")), (pcall(string.pack, ("c60000000"):rep(8), "", "", "", "", "", "", "", "")),
    (pcall(string.packsize, ("c60000000"):rep(8))))

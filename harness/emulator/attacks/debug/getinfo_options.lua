-- Options are letters of a list.
-- prints: false	false	false	false
print((pcall(debug.getinfo, 1, "X")), (pcall(debug.getinfo, 1, "S>")), (pcall(debug.getinfo, print, "S\0>")),
    (pcall(debug.getinfo, coroutine.create(print), print, ">")))

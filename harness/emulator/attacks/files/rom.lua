-- The ROM cannot be changed.
-- prints: nil	false	false	false	false
print((fs.open("/rom/startup.lua", "w")), (pcall(fs.delete, "/rom")), (pcall(fs.makeDir, "/rom/x")),
    (pcall(fs.move, "/rom/programs", "/programs")), (pcall(fs.copy, "/attack.lua", "/rom/attack.lua")))

-- A program that names itself like a startup is a program.
-- prints: alive
local chunk = load("error('x', 0)", "@/startup.lua")
pcall(chunk)
chunk = load("error('x', 0)", "@/rom/startup.lua")
pcall(chunk)
print("alive")

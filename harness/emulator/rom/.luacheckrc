-- The ROM runs on Lua 5.2 with the globals of a ComputerCraft computer.
std = "lua52"
max_line_length = 140
files["bios.lua"].globals = {
    "bit", "dofile", "loadfile", "loadstring", "math", "os", "print", "printError", "read", "sleep", "table", "write",
    "_CHECKPOINT", "_LOAD_FILE",
}
-- 113: globals of the computer. 143: functions that it adds to Lua's libraries.
ignore = { "113", "143" }

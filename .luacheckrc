-- The globals of CC:Tweaked that the programs use. `std` is Lua 5.2's, which is the smallest that every computer has.
std = "lua52"
max_line_length = 120
-- A method need not look at its object.
self = false
read_globals = {
    "_HOST", "colors", "colours", "fs", "http", "keys", "multishell", "parallel", "peripheral", "printError", "read",
    "rednet", "redstone", "pocket", "turtle", "commands", "settings", "shell", "sleep", "term", "textutils", "utf8", "window", "write", "_G",
    os = {
        fields = {
            "cancelTimer", "computerID", "epoch", "getComputerID", "getComputerLabel", "pullEvent", "pullEventRaw",
            "queueEvent", "reboot", "run", "setComputerLabel", "shutdown", "startTimer", "version", "clock", "time",
        },
    },
}
-- Old clients stay as they were shipped.
exclude_files = { "craftos-fixtures/clients/**/programs/*.lua", "target/**" }
files["lua/spec"] = {
    read_globals = { "describe", "it", "expect" },
    globals = { "http", "os", "string", "coroutine" },
}
-- The boot of a computer stands between the program and the system; `part` is what its script gives to it.
files["harness/computers/src/computer/boot"] = {
    globals = { "os" },
    read_globals = { "part", "periphemu" },
}
files["harness/specs/lua/guard.lua"] = { globals = { "fs" } }
files["harness/specs/lua/probe.lua"] = { read_globals = { "case" } }
files["lua/spec/old_game.lua"] = { globals = { "_G" } }
-- The functions of these are wrapped, so that a test can answer them.
files["harness/specs/lua/network.lua"] = { globals = { "http" } }
files["harness/specs/lua/peripherals.lua"] = { globals = { "peripheral" }, read_globals = { "periphemu" } }
files["harness/specs/lua/world.lua"] = { read_globals = { "periphemu" } }
files["harness/specs/spec"] = {
    read_globals = { "describe", "it", "expect", "before_each" },
}
files["craftos-fixtures/example/spec"] = {
    read_globals = { "describe", "it", "pending", "expect", "before_each", "periphemu" },
}

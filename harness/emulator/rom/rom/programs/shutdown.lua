-- shutdown: turns the computer off.

require("cc.internal.program")(arg, shell, ...).leave_with("Goodbye")
os.shutdown()

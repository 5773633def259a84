-- reboot: starts the computer again.

require("cc.internal.program")(arg, shell, ...).leave_with("Goodbye")
os.reboot()

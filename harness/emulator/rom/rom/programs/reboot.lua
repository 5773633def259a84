-- reboot: starts the computer again.

if term.isColour() then term.setTextColour(colors.yellow) end
print("Goodbye")
term.setTextColour(colors.white)

sleep(1)
os.reboot()

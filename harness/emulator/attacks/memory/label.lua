-- A label of any length is refused, and the old one stays.
-- memory: 300 MiB
-- prints: false
-- prints: short
os.setComputerLabel("short")
print((pcall(os.setComputerLabel, ("x"):rep(5e7))))
print(os.getComputerLabel())

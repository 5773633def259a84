-- Labels are kept outside of the computer's memory: many long ones take no more than one.
-- settings: {"memoryLimit": 33554432}
-- memory: 160 MiB
-- prints: alive
for i = 1, 20 do pcall(os.setComputerLabel, ("x"):rep(5e6) .. i) end
print("alive")

-- A code of any kind turns the computer off, and no other.
-- prints: going
print("going")
os.shutdown({ [print] = "x" })
print("still on")

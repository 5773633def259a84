-- There is nothing that makes bytecode.
-- prints: nil	nil
print(string.dump, ("").dump)

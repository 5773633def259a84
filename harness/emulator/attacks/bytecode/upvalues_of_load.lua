-- The functions of the emulator show no upvalues.
-- prints: nil	nil	nil
print((debug.getupvalue(load, 1)), (debug.setupvalue(load, 1, print)), (debug.getupvalue(loadstring, 2)))

-- What is read as data does not run.
-- prints: nil	nil
print(textutils.unserialise("os.shutdown()"), textutils.unserialise("{ os.reboot() }"))

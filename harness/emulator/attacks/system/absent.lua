-- What would reach the host is not there.
-- prints: nil	nil	nil	nil	nil	nil
print(os.execute, os.exit, os.getenv, os.remove, os.tmpname, io.popen)

-- Paths do not lead out of the computer.
-- prints: false	false	false	false
print(fs.exists("../1/secret"), fs.exists("/../../outside"), fs.exists("..\\1\\secret"), fs.exists("/rom/../../1/secret"))

-- Absolute paths are the computer's own.
-- prints: false	false	false
print(fs.exists("/etc/passwd"), fs.exists("//etc/passwd"), fs.exists("C:\\Windows"))

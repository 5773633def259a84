-- The root is not deleted, moved or copied into itself.
-- prints: false	false	false
print((pcall(fs.delete, "/rom/..")), (pcall(fs.move, "/", "/x")), (pcall(fs.copy, "/", "/x")))

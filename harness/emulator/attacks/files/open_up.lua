-- Nor do they when a file is opened.
-- prints: nil	nil	nil	nil
print((fs.open("../1/secret", "r")), (fs.open("/../../outside", "r")), (fs.open("/a/../../1/secret", "w")),
    (fs.open("\0/../../outside", "r")))

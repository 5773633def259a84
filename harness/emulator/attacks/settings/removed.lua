-- Nothing is taken from a list.
-- prints: false
print((pcall(config.remove, "http_blacklist", "$private")))

-- There are no other settings.
-- prints: false	nil	false
print((pcall(config.set, ("x"):rep(1e6), 1)), config.get("\0"), (pcall(config.get)))

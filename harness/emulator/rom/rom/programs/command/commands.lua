-- commands: lists the commands of the world.

if not commands then
    printError("Requires a Command Computer.")
    return
end

print("Available commands:")
textutils.pagedTabulate(commands.list())

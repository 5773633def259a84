-- import: saves files that are dropped onto the computer.

print("Drop files to transfer them to this computer")

local files
while true do
    local event, argument = os.pullEvent()
    if event == "file_transfer" then
        files = argument.getFiles()
        break
    elseif event == "key" and argument == keys.q then
        return
    end
end

if #files == 0 then
    printError("No files to transfer")
    return
end

local ok, message = require("cc.internal.import")(files, shell.dir())
if not ok and message then printError(message) end

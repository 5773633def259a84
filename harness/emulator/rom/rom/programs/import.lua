-- import: saves files that are dropped onto the computer. Any key ends it.

require("cc.expect").expect(1, shell, "table")
print("Drop files to transfer them to this computer")

local answers = {
    file_transfer = function(transfer)
        local saved, problem = require("cc.internal.import")(transfer.getFiles(), shell.dir())
        if problem and not saved then printError(problem) end
    end,
    key = function() require("cc.internal.event").discard_char() end,
}
local name, value
repeat
    name, value = os.pullEvent()
until answers[name]
answers[name](value)

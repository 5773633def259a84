-- cc.shell.completion: completes the arguments of programs. `build` puts functions for
-- single arguments together to one for the shell.

local completion = require("cc.completion")

local module = {}

--- Asks fs, relative to where the shell is.
---@param files boolean
---@param folders boolean
local function from_disk(shell, text, files, folders)
    local location = shell.dir()
    return fs.complete(text, location, {
        include_files = files,
        include_dirs = folders,
        include_hidden = settings.get("shell.autocomplete_hidden"),
    })
end

--- Adds a blank to what is complete: a folder's slash is not.
local function with_blanks(endings)
    for index = 1, #endings do
        local ending = endings[index]
        endings[index] = ending:find("/$") and ending or ending .. " "
    end
    return endings
end

--- Completes a file.
function module.file(shell, text) return from_disk(shell, text, true, false) end

--- Completes a folder.
function module.dir(shell, text) return from_disk(shell, text, false, true) end

--- Completes a file or a folder.
---@param add_space boolean|nil
function module.dirOrFile(shell, text, _, add_space)
    local endings = from_disk(shell, text, true, true)
    return add_space and with_blanks(endings) or endings
end

--- Completes a program.
function module.program(shell, text) return shell.completeProgram(text) end

--- Completes a program and its arguments, which begin with an argument of this program.
---@param previous string[]
---@param starting number
function module.programWithArgs(shell, text, previous, starting)
    local count, known = #previous, shell.getCompletionInfo()
    local given = count - starting
    if given + 1 > 0 then
        local program = shell.resolveProgram(previous[starting])
        if not program or not known[program] then return nil end
        local own = { table.unpack(previous, starting) }
        return known[program].fnComplete(shell, given + 1, text, own)
    end

    local endings = shell.completeProgram(text)
    for index, ending in pairs(endings) do
        local program = shell.resolveProgram(text .. ending)
        if known[program or ""] then endings[index] = ending .. " " end
    end
    return endings
end

--- Completes a page of the help.
function module.help(_, text) return help.completeTopic(text) end

-- Those that have nothing to do with a shell take what comes after the arguments before.
for _, name in ipairs({ "choice", "command", "peripheral", "setting", "side" }) do
    module[name] = function(_, text, _, ...) return completion[name](text, ...) end
end

---@class Argument how one argument is completed
---@field complete function
---@field extra table what the function is given besides
---@field many boolean|nil whether all further arguments are completed so too

--- Reads one part of what `build` is given; raises at its caller.
---@return Argument|false
local function argument_of(index, part, is_last)
    if part == nil then return false end
    if type(part) == "function" then return { complete = part, extra = { n = 0 } } end
    if type(part) ~= "table" then
        error(("bad argument #%d (table or function expected, got %s)"):format(index, type(part)), 3)
    end
    local first = part[1]
    if type(first) ~= "function" then
        local wrong = "Bad table entry #1 at argument #%d (function expected, got %s)"
        error(wrong:format(index, type(first)), 3)
    end
    if part.many and not is_last then
        error(("Unexpected 'many' field on argument #%d (should only occur on the last argument)"):format(index), 3)
    end
    return { complete = first, extra = table.pack(table.unpack(part, 2)), many = part.many }
end

--- Makes a function for the shell from one for each argument.
---@param ... nil|function|table
---@return function
function module.build(...)
    local given, arguments = table.pack(...), {}
    for index = 1, given.n do arguments[index] = argument_of(index, given[index], index == given.n) end

    local last = arguments[given.n]
    return function(shell, index, text, previous)
        local argument = arguments[index]
        if index > given.n and last and last.many then argument = last end
        if not argument then return nil end
        return argument.complete(shell, text, previous, table.unpack(argument.extra, 1, argument.extra.n))
    end
end

return module

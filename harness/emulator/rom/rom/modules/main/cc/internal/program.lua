-- cc.internal.program: what most programs of the ROM do: say how they are used, look for
-- files, wait a moment before they end everything.

---@class Program
---@field name string what it was called
---@field words string[] its arguments
local Program = {}
Program.__index = Program

--- Prints how the program is used: one form, or several below each other.
---@param ... string
function Program:usage(...)
    local forms = { ... }
    if #forms == 1 then
        print("Usage: " .. self.name .. " " .. forms[1])
        return
    end
    print("Usages:")
    for _, form in ipairs(forms) do print(form == "" and self.name or self.name .. " " .. form) end
end

--- Returns an argument as an absolute path.
---@param index number
---@return string|nil
function Program:path(index)
    local word = self.words[index]
    return word and self.shell.resolve(word)
end

--- Finds the files that an argument means; says so if there are none.
---@param index number
---@return string[]|nil
function Program:files(index)
    local found = fs.find(self:path(index))
    if #found > 0 then return found end
    printError("No matching files")
    return nil
end

--- Runs the part of the program that its first argument names, with the others.
---@param parts table<string, fun(program: Program, ...: string): boolean|nil> false if the arguments do not fit
---@param ... string forms of use, which are printed then
function Program:choose(parts, ...)
    local part = parts[self.words[1] or ""]
    local fits = part and part(self, table.unpack(self.words, 2))
    if fits == false or not part then self:usage(...) end
end

--- Makes a function that prints a line in the place of the one that it printed before.
---@return fun(text: string)
function Program.status_line()
    local shown = false
    return function(text)
        if shown then
            local _, y = term.getCursorPos()
            term.setCursorPos(1, y - 1)
            term.clearLine()
        end
        shown = true
        print(text)
    end
end

--- Shows how something goes on the network: what is connected to, then how it went.
---@param name string
---@param request fun(): any, string|nil
---@param failure_colour number|nil
---@return any result nil if it failed, which was said
---@return string|nil problem
function Program.connect(name, request, failure_colour)
    write("Connecting to " .. name .. "... ")
    local result, problem = request()
    if result then
        print("Success.")
        return result
    end
    local usual = term.getTextColour()
    if failure_colour and term.isColour() then term.setTextColour(failure_colour) end
    print("Failed.")
    term.setTextColour(usual)
    return nil, problem
end

--- Says whether there is a network, and what to do about it.
---@param name string of the program
---@return boolean
function Program.has_network(name)
    if http then return true end
    printError(name .. " requires the http API, but it is not enabled")
    printError("Set http.enabled to true in CC: Tweaked's server config")
    return false
end

--- Runs a text as a program.
---@param source string
---@param name string
---@param env table
---@param ... any its arguments
function Program.run_text(source, name, env, ...)
    local chunk, problem = load(source, name, "t", env)
    local ok = false
    if chunk then ok, problem = pcall(chunk, ...) end
    if not ok then printError(problem) end
end

--- Writes a file, all at once.
---@param path string
---@param content string
---@return boolean ok
function Program.save(path, content)
    local file, problem = fs.open(path, "wb")
    if not file then
        printError("Cannot save file: " .. problem)
        return false
    end
    file.write(content)
    file.close()
    return true
end

--- Says something that is still read before the computer goes off.
---@param text string
function Program.leave_with(text)
    if term.isColour() then term.setTextColour(colors.yellow) end
    print(text)
    term.setTextColour(colors.white)
    sleep(1)
end

--- Makes the helper of a program from what it has in its environment.
---@param arg table|nil
---@param shell table|nil
---@param ... string its arguments
---@return Program
return function(arg, shell, ...)
    local name = arg and arg[0] or (shell and fs.getName(shell.getRunningProgram()))
    return setmetatable({ name = name, words = { ... }, shell = shell }, Program)
end

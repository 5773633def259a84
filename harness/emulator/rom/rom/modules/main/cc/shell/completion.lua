-- cc.shell.completion: completes the arguments of programs: files, folders,
-- programs, and what cc.completion knows.

local expect = dofile("rom/modules/main/cc/expect.lua").expect
local completion = dofile("rom/modules/main/cc/completion.lua")

local function show_hidden()
    return settings.get("shell.autocomplete_hidden")
end

--- Completes a file in the shell's folder.
local function file(shell, text)
    expect(1, shell, "table")
    expect(2, text, "string")
    return fs.complete(text, shell.dir(), {
        include_files = true,
        include_dirs = false,
        include_hidden = show_hidden(),
    })
end

--- Completes a folder.
local function dir(shell, text)
    expect(1, shell, "table")
    expect(2, text, "string")
    return fs.complete(text, shell.dir(), {
        include_files = false,
        include_dirs = true,
        include_hidden = show_hidden(),
    })
end

--- Completes a folder or a file, if asked with a blank after it.
local function dirOrFile(shell, text, _, add_space)
    expect(1, shell, "table")
    expect(2, text, "string")
    expect(4, add_space, "boolean", "nil")

    local endings = fs.complete(text, shell.dir(), {
        include_files = true,
        include_dirs = true,
        include_hidden = show_hidden(),
    })
    if add_space then
        for index, ending in ipairs(endings) do
            if ending:sub(-1) ~= "/" then endings[index] = ending .. " " end
        end
    end
    return endings
end

--- Makes a completion of cc.completion take a shell.
local function for_shell(complete)
    return function(_, text, _, ...)
        return complete(text, ...)
    end
end

--- Completes the name of a program.
local function program(shell, text)
    expect(1, shell, "table")
    expect(2, text, "string")
    return shell.completeProgram(text)
end

--- Completes the name of a program, then the arguments of that program.
---@param shell table
---@param text string
---@param previous string[] the words before, the program that completes included
---@param starting number where the name of the program stands
local function programWithArgs(shell, text, previous, starting)
    expect(1, shell, "table")
    expect(2, text, "string")
    expect(3, previous, "table")
    expect(4, starting, "number")

    local completions = shell.getCompletionInfo()
    if #previous + 1 == starting then
        local endings = shell.completeProgram(text)
        for index, ending in ipairs(endings) do
            local path = shell.resolveProgram(text .. ending)
            if path and completions[path] then endings[index] = ending .. " " end
        end
        return endings
    end

    local path = shell.resolveProgram(previous[starting])
    local info = path and completions[path]
    if not info then return nil end
    local arguments = {}
    for index = starting, #previous do arguments[#arguments + 1] = previous[index] end
    return info.fnComplete(shell, #previous - starting + 1, text, arguments)
end

--- Completes a topic of the help.
local function help_(shell, text)
    expect(1, shell, "table")
    expect(2, text, "string")
    return help.completeTopic(text)
end

--- Builds a completion function from one completion for each argument.
---@param ... function|table|nil a function, a table of a function and its further arguments, or nil
---@return fun(shell: table, index: number, text: string, previous: string[]): string[]|nil
local function build(...)
    local completions = table.pack(...)
    for index = 1, completions.n do
        local entry = completions[index]
        expect(index, entry, "nil", "table", "function")
        if type(entry) == "function" then
            completions[index] = { entry }
        elseif type(entry) == "table" then
            if type(entry[1]) ~= "function" then
                error(("Bad table entry #1 at argument #%d (function expected, got %s)"):format(index, type(entry[1])), 2)
            end
            if entry.many and index < completions.n then
                error(("Unexpected 'many' field on argument #%d (should only occur on the last argument)"):format(index), 2)
            end
        end
    end

    return function(shell, index, text, previous)
        local entry = completions[index]
        if not entry and index > completions.n then
            local last = completions[completions.n]
            if last and last.many then entry = last end
        end
        if entry then return entry[1](shell, text, previous, table.unpack(entry, 2)) end
    end
end

return {
    file = file,
    dir = dir,
    dirOrFile = dirOrFile,
    program = program,
    programWithArgs = programWithArgs,
    help = help_,
    choice = for_shell(completion.choice),
    peripheral = for_shell(completion.peripheral),
    side = for_shell(completion.side),
    setting = for_shell(completion.setting),
    command = for_shell(completion.command),
    build = build,
}

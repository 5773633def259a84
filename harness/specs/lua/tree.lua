-- The tests of a file: `describe` and `it` build a tree while the file is loaded.

local part = ...
local failures = part("failures")

local fs_open, load, pcall, xpcall, type, tostring = fs.open, load, pcall, xpcall, type, tostring
local error, ipairs, find = error, ipairs, string.find
local insert, concat, unpack = table.insert, table.concat, table.unpack
local debug_info = debug and debug.getinfo

---@class Group
---@field name string|nil
---@field parent Group|nil
---@field children table[] groups and tests, as they were written
---@field hooks table<string, function[]>

local function new_group(name, parent)
    local hooks = { setup = {}, teardown = {}, before_each = {}, after_each = {} }
    return { name = name, parent = parent, children = {}, hooks = hooks, is_group = true }
end

local function line_of_caller(level)
    local info = debug_info and debug_info(level + 1, "Sl")
    return info and info.currentline > 0 and info.currentline or nil
end

local function check_name(what, name)
    if type(name) ~= "string" then
        error(("%s: its name must be a text, not %s"):format(what, type(name)), 3)
    end
end

---Makes the functions that a spec builds its tree with.
local function builders(root)
    local current = root

    local function describe(name, body)
        check_name("describe", name)
        local group = new_group(name, current)
        current.children[#current.children + 1] = group
        if type(body) ~= "function" then
            error("describe: it needs a function", 2)
        end
        current = group
        local ok, problem = pcall(body)
        current = group.parent
        if not ok then
            error(problem, 0)
        end
    end

    local function add_test(name, body, is_pending, level)
        local test = { name = name, body = body, group = current, line = line_of_caller(level + 1) }
        test.is_pending = is_pending or body == nil
        current.children[#current.children + 1] = test
    end

    local function it(name, body)
        check_name("it", name)
        add_test(name, body, false, 2)
    end

    local function pending(name, body)
        check_name("pending", name)
        add_test(name, body, true, 2)
    end

    local function hook(kind)
        return function(body)
            if type(body) ~= "function" then
                error(kind .. ": it needs a function", 2)
            end
            local hooks = current.hooks[kind]
            hooks[#hooks + 1] = body
        end
    end

    local setup, teardown = hook("setup"), hook("teardown")
    return {
        describe = describe,
        context = describe,
        insulate = describe,
        expose = describe,
        it = it,
        spec = it,
        test = it,
        pending = pending,
        setup = setup,
        lazy_setup = setup,
        strict_setup = setup,
        teardown = teardown,
        lazy_teardown = teardown,
        strict_teardown = teardown,
        before_each = hook("before_each"),
        after_each = hook("after_each"),
    }
end

---Loads a spec file, which builds its tree.
---@param path string
---@param environment table
---@return Group|nil root
---@return table|nil problem why it cannot be loaded
local function collect(path, environment)
    local root = new_group(nil, nil)
    local file, why = fs_open(path, "r")
    if not file then
        return nil, { message = ("failed to read %s: %s"):format(path, tostring(why)) }
    end
    local code = file.readAll()
    file.close()
    local env = environment.new(path, builders(root))
    local chunk, syntax = load(code, "@" .. path:gsub("^/", ""), "t", env)
    if not chunk then
        return nil, { message = syntax }
    end
    local ok, problem = xpcall(chunk, failures.describe)
    if not ok then
        return nil, problem
    end
    return root
end

---Lists the tests in the order of the file, and numbers them.
---@return table[]
local function tests(root)
    local list = {}
    local function visit(group)
        for _, child in ipairs(group.children) do
            if child.is_group then
                visit(child)
            else
                list[#list + 1] = child
                child.number = #list
            end
        end
    end
    visit(root)
    return list
end

---Gives the names of the groups around a test, and its own.
local function names(test)
    local path = { test.name }
    local group = test.group
    while group and group.name do
        insert(path, 1, group.name)
        group = group.parent
    end
    return path
end

---Marks the tests that the filters leave out.
local function choose(list, plan)
    for _, test in ipairs(list) do
        local full_name = plan.file:gsub("^/", "") .. " " .. concat(names(test), " ")
        test.left_out = #plan.filters > 0
        for _, filter in ipairs(plan.filters) do
            if find(full_name, filter, 1, true) then
                test.left_out = false
            end
        end
    end
end

---Gives the tests in the order in which they run: as they are written, or in one that is made from a seed, which is the
---same on every emulator.
local function in_order(list, seed)
    local order = { unpack(list) }
    if not seed then
        return order
    end
    -- The generator of Park and Miller, whose products a double holds exactly.
    local state = seed % 2147483646 + 1
    for place = #order, 2, -1 do
        state = state * 16807 % 2147483647
        local other = state % place + 1
        order[place], order[other] = order[other], order[place]
    end
    return order
end

---Describes the tests for the host.
local function describe(list)
    local described = { is_list = true }
    for index, test in ipairs(list) do
        described[index] = { name = names(test), line = test.line, left_out = test.left_out }
    end
    return described
end

return { collect = collect, tests = tests, choose = choose, in_order = in_order, describe = describe }

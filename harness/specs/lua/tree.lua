-- The tests of a file. The file itself is run first; the body of a group is run when its turn comes, after the tests
-- before it, as busted does it. So a body sees what earlier tests have left.

local part = ...
local failures = part("failures")

local fs_open, load, xpcall, type, tostring = fs.open, load, xpcall, type, tostring
local error, ipairs, find = error, ipairs, string.find
local insert, concat, unpack = table.insert, table.concat, table.unpack
local debug_info = debug and debug.getinfo

---@class Group
---@field name string|nil
---@field body function|nil what builds it, until that was run
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

-- The group whose body is being run; none while tests run.
local current

local function check_place(what)
    if not current then
        error(("%s: it belongs into the file or a `describe`, not into a test"):format(what), 3)
    end
end

---Runs the body of a group, which builds what is in it. Where it fails, the group has one test, which fails with that.
local function open_group(group)
    local body = group.body
    group.body = nil
    if not body then
        return
    end
    current = group
    local ok, problem = xpcall(body, failures.describe)
    current = nil
    if not ok then
        group.children = { { name = "(the group)", group = group, problem = problem } }
    end
end

---Makes the functions that a spec builds its tree with.
local function builders()
    local function describe(name, body)
        check_name("describe", name)
        check_place("describe")
        if type(body) ~= "function" then
            error("describe: it needs a function", 2)
        end
        local group = new_group(name, current)
        group.body = body
        current.children[#current.children + 1] = group
    end

    local function add_test(name, body, is_pending, level)
        local test = { name = name, body = body, group = current, line = line_of_caller(level + 1) }
        test.is_pending = is_pending or body == nil
        current.children[#current.children + 1] = test
    end

    local function it(name, body)
        check_name("it", name)
        check_place("it")
        add_test(name, body, false, 2)
    end

    local function pending(name, body)
        check_name("pending", name)
        check_place("pending")
        add_test(name, body, true, 2)
    end

    local function hook(kind)
        return function(body)
            if type(body) ~= "function" then
                error(kind .. ": it needs a function", 2)
            end
            check_place(kind)
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
    local env = environment.new(path, builders())
    local chunk, syntax = load(code, "@" .. path:gsub("^/", ""), "t", env)
    if not chunk then
        return nil, { message = syntax }
    end
    current = root
    local ok, problem = xpcall(chunk, failures.describe)
    current = nil
    if not ok then
        return nil, problem
    end
    return root
end

---Goes through the tests in the order of the file: runs the bodies of groups on its way, and numbers the tests.
---@param root Group
---@param take function gets each test
local function walk(root, take)
    local count = 0
    local function visit(group)
        open_group(group)
        for _, child in ipairs(group.children) do
            if child.is_group then
                visit(child)
            else
                count = count + 1
                child.number = count
                take(child)
            end
        end
    end
    visit(root)
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

---Marks a test that the filters leave out.
local function choose(test, plan)
    local full_name = plan.file:gsub("^/", "") .. " " .. concat(names(test), " ")
    test.left_out = #plan.filters > 0
    for _, filter in ipairs(plan.filters) do
        if find(full_name, filter, 1, true) then
            test.left_out = false
        end
    end
end

---Gives tests in an order that is made from a seed, the same on every emulator.
local function in_order(list, seed)
    local order = { unpack(list) }
    -- The generator of Park and Miller, whose products a double holds exactly.
    local state = seed % 2147483646 + 1
    for place = #order, 2, -1 do
        state = state * 16807 % 2147483647
        local other = state % place + 1
        order[place], order[other] = order[other], order[place]
    end
    return order
end

---Describes a test for the host.
local function describe(test)
    return { name = names(test), line = test.line, left_out = test.left_out }
end

return { collect = collect, walk = walk, choose = choose, in_order = in_order, describe = describe }

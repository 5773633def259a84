-- Loads the parts of the runner, each once and in one environment.

local FOLDER = "/.harness/specs"

-- Parts are loaded while specs run, which may replace any global.
local open_file, load_code, assert = fs.open, load, assert

---@param plan table what the host wants, which is a part as well
---@param env table what the parts have for globals
---@return fun(name: string): table
return function(plan, env)
    local parts = { plan = plan }

    local function part(name)
        if parts[name] == nil then
            local path = FOLDER .. "/" .. name .. ".lua"
            local file = assert(open_file(path, "r"), "the runner's part " .. path .. " is missing")
            local code = file.readAll()
            file.close()
            -- CraftOS-PC cuts longer names, and the runner's own frames have to be known by theirs.
            parts[name] = assert(load_code(code, "@.harness/" .. name .. ".lua", "t", env))(part)
        end
        return parts[name]
    end

    return part
end

-- help: finds the pages of the help.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local help = _ENV

local search_path = "/rom/help"
local extensions = { "", ".md", ".txt" }

--- Returns the folders that are searched, separated by colons.
---@return string
function help.path()
    return search_path
end

--- Sets the folders that are searched.
---@param path string
function help.setPath(path)
    expect(1, path, "string")
    search_path = path
end

--- Takes the extension of a page away.
local function topic_of(name)
    for _, extension in ipairs(extensions) do
        if extension ~= "" and #name > #extension and name:sub(-#extension) == extension then
            return name:sub(1, -#extension - 1)
        end
    end
    return name
end

--- Finds the page of a topic.
---@param topic string
---@return string|nil path
function help.lookup(topic)
    expect(1, topic, "string")
    for folder in search_path:gmatch("[^:]+") do
        for _, extension in ipairs(extensions) do
            local path = fs.combine(folder, topic .. extension)
            if fs.exists(path) and not fs.isDir(path) then return path end
        end
    end
    return nil
end

--- Lists all topics.
---@return string[]
function help.topics()
    local seen = { index = true }
    for folder in search_path:gmatch("[^:]+") do
        if fs.isDir(folder) then
            for _, name in ipairs(fs.list(folder)) do
                if name:sub(1, 1) ~= "." and not fs.isDir(fs.combine(folder, name)) then
                    seen[topic_of(name)] = true
                end
            end
        end
    end
    local topics = {}
    for topic in pairs(seen) do topics[#topics + 1] = topic end
    table.sort(topics)
    return topics
end

--- Completes a topic.
---@param prefix string
---@return string[] endings
function help.completeTopic(prefix)
    expect(1, prefix, "string")
    local endings = {}
    for _, topic in ipairs(help.topics()) do
        if #topic > #prefix and topic:sub(1, #prefix) == prefix then
            endings[#endings + 1] = topic:sub(#prefix + 1)
        end
    end
    return endings
end

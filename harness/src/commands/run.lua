-- Runs a chunk and leaves what it returned in a file, as Lua writes it. An error goes on to whoever runs this.
local chunk_path, returned_path = ...

local function written(value)
    if type(value) == "string" then
        return (("%q"):format(value):gsub("\\\n", "\\n"))
    end
    if type(value) == "table" then
        local serialized, text = pcall(textutils.serialize, value)
        return serialized and text or tostring(value)
    end
    return tostring(value)
end

local chunk, problem = loadfile(chunk_path, nil, _ENV)
if not chunk then
    error(problem, 0)
end
arg = { [0] = chunk_path }
local returned = table.pack(chunk())
local file = assert(fs.open(returned_path, "wb"))
for index = 1, returned.n do
    file.write(written(returned[index]) .. "\n")
end
file.close()

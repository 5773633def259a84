-- What `mcp-computer` knows about the link protocol and about running Lua, for use and for tests without a socket.
-- Where to read on: requests.lua and tools.lua answer, run.lua runs a chunk, frames.lua and describe.lua write,
-- client.lua is the program's life.

local client = require("/apis/mcpcomputer/client")
local describe = require("/apis/mcpcomputer/describe")
local frames = require("/apis/mcpcomputer/frames")
local json = require("/apis/mcpcomputer/json")
local new_run = require("/apis/mcpcomputer/run").new
local requests = require("/apis/mcpcomputer/requests")
local tools = require("/apis/mcpcomputer/tools")

local expect = require("cc.expect").expect

-- The version of this library, for an installation without the package's descriptor; a spec keeps the two equal.
local VERSION = "0.2.0"

-- What `handle_request` was given to keep.
local handlers = tools.new_handlers()

---Runs a chunk to its end, here and now, with the events of the caller.
local function run_chunk(id, params)
    local clock = { slice_start = os.epoch("utc") }
    local run = new_run({
        id = id,
        code = params.code,
        tool = params.tool,
        timeout_ms = params.timeout_ms,
        wants_output = false,
        program_env = { shell = shell, multishell = multishell, require = require, package = package },
        clock = clock,
    })
    run:resume()
    while not run.answer do
        local event = table.pack(coroutine.yield())
        clock.slice_start = os.epoch("utc")
        local reason = run:overdue()
        if reason then
            run:stop(reason)
        else
            run:deliver(event)
        end
    end
    return run.answer
end

---Answers a request as the program does, and waits for the end of a chunk.
---@param request table the request frame
---@param os_like table `getComputerID` and `getComputerLabel`
---@return table|nil response nothing for a request that has no id to answer
local function handle_request(request, os_like)
    expect(1, request, "table")
    expect(2, os_like, "table", "nil")
    if type(request.id) ~= "string" or request.id == "" then
        return nil
    end
    local answer, params
    if tools.is_request(request) then
        answer, params = tools.request(request, handlers, function() end)
    else
        answer, params = requests.answer(request, os_like or os)
    end
    return (json.decode(answer or run_chunk(request.id, params)))
end

return {
    VERSION = VERSION,
    format_pong = requests.format_pong,
    handle_request = handle_request,
    describe = describe.describe,
    frames = frames,
    json = json,
    new_client = client.new,
}

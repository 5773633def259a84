-- Tools that say something while they run.

-- What the suite wants between two messages, so that they can be told apart from the result.
local PAUSE_S = 0.05

return {
    with_logging = function(_, mcp)
        mcp.log("info", "Tool execution started")
        sleep(PAUSE_S)
        mcp.log("info", "Tool processing data")
        sleep(PAUSE_S)
        mcp.log("info", "Tool execution completed")
        return "Tool execution completed"
    end,

    with_progress = function(_, mcp)
        mcp.progress(0, 100)
        sleep(PAUSE_S)
        mcp.progress(50, 100)
        sleep(PAUSE_S)
        mcp.progress(100, 100)
        return "Progress was reported"
    end,
}

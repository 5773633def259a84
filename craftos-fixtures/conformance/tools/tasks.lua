-- Tools that become tasks, as the scenarios of the suite's Tasks extension want them.

local function elicit(mcp, message, field)
    local properties = { [field] = { type = field == "confirm" and "boolean" or "string" } }
    return mcp.elicit({ message = message, requestedSchema = { type = "object", properties = properties } })
end

return {
    greet = function(arguments)
        return ("Hello, %s!"):format(arguments.name or "world")
    end,

    slow_compute = function(arguments)
        sleep(arguments.seconds or 0)
        return ("computed %s"):format(arguments.label or "nothing")
    end,

    failing_job = function()
        sleep(1)
        error("the job has failed", 0)
    end,

    confirm_delete = function(arguments, mcp)
        local answer = elicit(mcp, ("Delete %s?"):format(arguments.filename), "confirm")
        local deletes = answer.action == "accept" and answer.content.confirm
        return deletes and "deleted" or "kept"
    end,

    multi_input = function(_, mcp)
        local answers = {}
        parallel.waitForAll(function()
            answers[1] = elicit(mcp, "What is your name?", "name").action
        end, function()
            answers[2] = elicit(mcp, "Are you sure?", "confirm").action
        end)
        return table.concat(answers, ", ")
    end,

    asks_first = function(_, mcp)
        local answer = elicit(mcp, "What is your name?", "name")
        sleep(3)
        return ("Hello, %s!"):format(answer.content.name)
    end,

    protocol_error_job = function()
        return { structuredContent = { broken = true } }
    end,
}

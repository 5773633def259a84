-- Tools that become tasks, as the scenarios of the suite's Tasks extension want them.

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

    protocol_error_job = function()
        return { structuredContent = { broken = true } }
    end,
}

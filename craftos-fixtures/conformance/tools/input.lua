-- Tools that wait for input of the client, with the keys that the suite's scenarios of 2026-07-28 know.

local function form(message, name, kind)
    return {
        message = message,
        requestedSchema = { type = "object", properties = { [name] = { type = kind } }, required = { name } },
    }
end

local function question(text, most_tokens)
    local message = { role = "user", content = { type = "text", text = text } }
    return { messages = { message }, maxTokens = most_tokens }
end

local function ask_name(mcp)
    return mcp.elicit(form("What is your name?", "name", "string"), "user_name").content.name
end

return {
    input_elicitation = function(_, mcp)
        return ("Hello, %s!"):format(ask_name(mcp))
    end,

    input_sampling = function(_, mcp)
        return mcp.sample(question("What is the capital of France?", 100), "capital_question").content.text
    end,

    input_roots = function(_, mcp)
        local names = {}
        for index, root in ipairs(mcp.roots("client_roots").roots) do
            names[index] = root.uri
        end
        return "roots: " .. table.concat(names, ", ")
    end,

    input_confirm = function(_, mcp)
        local confirmed = mcp.elicit(form("Please confirm", "ok", "boolean"), "confirm").content.ok
        -- Only the client that has the call's own state comes back to it.
        return "state-ok, confirmed: " .. tostring(confirmed)
    end,

    input_multiple = function(_, mcp)
        local name, greeting, roots
        parallel.waitForAll(function()
            name = ask_name(mcp)
        end, function()
            greeting = mcp.sample(question("Generate a greeting", 50), "greeting").content.text
        end, function()
            roots = #mcp.roots("client_roots").roots
        end)
        return ("%s, %s (%d roots)"):format(greeting, name, roots)
    end,

    input_rounds = function(_, mcp)
        local name = mcp.elicit(form("Step 1: What is your name?", "name", "string"), "step1").content.name
        local colour = mcp.elicit(form("Step 2: What is your favorite color?", "color", "string"), "step2")
        return ("%s likes %s"):format(name, colour.content.color)
    end,

    input_capabilities = function(_, mcp)
        if mcp.can("elicitation") then
            return "Hello, " .. ask_name(mcp)
        elseif mcp.can("sampling") then
            return mcp.sample(question("Generate a greeting", 50), "greeting").content.text
        end
        return "There is nothing that this client can be asked for."
    end,
}

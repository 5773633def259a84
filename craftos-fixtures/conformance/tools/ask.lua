-- Tools that ask the client something.

local function describe(answer)
    local content = textutils.serializeJSON(answer.content or {})
    return ("action=%s, content=%s"):format(tostring(answer.action), content)
end

local function elicit(mcp, message, properties, required)
    return mcp.elicit({
        message = message,
        requestedSchema = { type = "object", properties = properties, required = required },
    })
end

return {
    sampling = function(arguments, mcp)
        local message = { role = "user", content = { type = "text", text = arguments.prompt } }
        local answer = mcp.sample({ messages = { message }, maxTokens = 100 })
        return "LLM response: " .. tostring(answer.content.text)
    end,

    elicitation = function(arguments, mcp)
        local answer = elicit(mcp, arguments.message, {
            username = { type = "string", description = "User's response" },
            email = { type = "string", description = "User's email address" },
        }, { "username", "email" })
        return "User response: " .. describe(answer)
    end,

    elicitation_defaults = function(_, mcp)
        local answer = elicit(mcp, "Please review and update the form fields with defaults", {
            name = { type = "string", default = "John Doe" },
            age = { type = "integer", default = 30 },
            score = { type = "number", default = 95.5 },
            status = { type = "string", enum = { "active", "inactive", "pending" }, default = "active" },
            verified = { type = "boolean", default = true },
        })
        return "Elicitation completed: " .. describe(answer)
    end,

    elicitation_enums = function(_, mcp)
        local function titled(...)
            local options = {}
            for index, title in ipairs({ ... }) do
                options[index] = { const = "value" .. index, title = title }
            end
            return options
        end
        local options = { "option1", "option2", "option3" }
        local answer = elicit(mcp, "Please choose", {
            untitledSingle = { type = "string", enum = options },
            titledSingle = {
                type = "string",
                oneOf = titled("First Option", "Second Option", "Third Option"),
            },
            legacyEnum = {
                type = "string",
                enum = { "opt1", "opt2", "opt3" },
                enumNames = { "Option One", "Option Two", "Option Three" },
            },
            untitledMulti = { type = "array", items = { type = "string", enum = options } },
            titledMulti = {
                type = "array",
                items = { anyOf = titled("First Choice", "Second Choice", "Third Choice") },
            },
        })
        return "Elicitation completed: " .. describe(answer)
    end,
}

-- cc.internal.default_settings: declares the settings of the system, then applies
-- those that the emulator was configured with and those of the file .settings.

local include = type((...)) == "function" and (...) or dofile
local package_path = include("rom/modules/main/cc/internal/module_path.lua")

local definitions = {
    { "shell.allow_startup", true, "boolean", "Whether startup files run when the computer starts." },
    { "shell.allow_disk_startup", commands == nil, "boolean", "Whether startup files on disks run when the computer starts." },
    { "shell.autocomplete", true, "boolean", "Whether the shell completes programs and their arguments." },
    { "shell.autocomplete_hidden", false, "boolean", "Whether completion offers files whose names begin with a dot." },
    { "shell.package_path", package_path, "string",
        "Where require looks for modules: paths separated by semicolons, a question mark stands for the module's name." },
    { "shell.mobile_resize_with_keyboard", true, "boolean", "Whether the shell changes its size with an on-screen keyboard." },
    { "shell.report_plugin_errors", true, "boolean", "Whether plugins that failed to load are reported at the start." },
    { "edit.autocomplete", true, "boolean", "Whether the editor completes names of APIs and functions." },
    { "edit.default_extension", "lua", "string", "The extension that the editor gives to a file without one; empty for none." },
    { "paint.default_extension", "nfp", "string", "The extension that the paint program gives to a file without one; empty for none." },
    { "lua.autocomplete", true, "boolean", "Whether the Lua prompt completes names of APIs and functions." },
    { "lua.function_args", true, "boolean", "Whether functions are shown with their parameters." },
    { "lua.function_source", false, "boolean", "Whether functions are shown with the place that defines them." },
    { "lua.warn_against_use_of_local", true, "boolean", "Whether the Lua prompt says that a local variable ends with its line." },
    { "list.show_hidden", false, "boolean", "Whether list shows files whose names begin with a dot." },
    { "motd.enable", pocket == nil, "boolean", "Whether a message is shown when the computer starts." },
    { "motd.path", "/rom/motd.txt:/motd.txt", "string", "The files with messages, separated by colons." },
    { "bios.strict_globals", false, "boolean", "Whether a program that sets an undeclared global fails." },
    { "bios.use_cash", false, "boolean", "Whether another shell is used in place of the usual one." },
}

-- Settings of CraftOS-PC, which the game does not have.
local emulator_only = {
    ["bios.use_cash"] = true,
    ["shell.mobile_resize_with_keyboard"] = true,
    ["shell.report_plugin_errors"] = true,
}

--- Reads a value as it stands in the emulator's configuration.
---@param text string
---@return any
local function parse_value(text)
    if text == "true" then return true end
    if text == "false" then return false end
    if text == "nil" then return nil end
    return tonumber(text) or text
end

--- Declares the settings, with their values where nobody has set them.
local function define()
    local is_game = periphemu == nil
    for _, definition in ipairs(definitions) do
        if not (is_game and emulator_only[definition[1]]) then
            settings.define(definition[1], {
                default = definition[2],
                type = definition[3],
                description = definition[4],
            })
        end
    end
    if term.isColour() then
        settings.define("bios.use_multishell", {
            default = true,
            type = "boolean",
            description = "Whether several programs can run at once, with the programs fg and bg.",
        })
    end
end

--- Sets what was set for this computer.
local function apply()
    if _CC_DEFAULT_SETTINGS then
        for pair in _CC_DEFAULT_SETTINGS:gmatch("[^,]+") do
            local name, text = pair:match("([^=]*)=(.*)")
            if name then
                local value = parse_value(text)
                if value ~= nil then
                    settings.set(name, value)
                else
                    settings.unset(name)
                end
            end
        end
    end
    if fs.exists(".settings") then settings.load(".settings") end
end

return { define = define, apply = apply }

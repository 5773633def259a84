-- The settings of the system and their defaults.

for _, name in ipairs({
    "bios.strict_globals", "bios.use_multishell", "edit.autocomplete", "edit.default_extension", "list.show_hidden",
    "lua.autocomplete", "lua.function_args", "lua.function_source", "lua.warn_against_use_of_local", "motd.path",
    "paint.default_extension", "shell.allow_disk_startup", "shell.allow_startup", "shell.autocomplete",
    "shell.autocomplete_hidden", "shell.package_path",
}) do
    local details = settings.getDetails(name)
    print(name, tostring(details.default), details.type, type(details.description))
end

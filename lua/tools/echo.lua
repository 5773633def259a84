-- The example `echo`.

return {
    call = function(arguments)
        return arguments.text
    end,
}

return {
    types = { "lamp", "light" },
    methods = {
        getColour = function()
            return "red"
        end,
    },
}

return {
    types = { "cell", "energy_storage" },
    state = { energy = 5 },
    methods = {
        get = function(self)
            return self.state.energy
        end,
        add = function(self, amount)
            self.state.energy = self.state.energy + amount
            return self.state.energy, "added"
        end,
        slow = {
            latency = 0.1,
            call = function()
                return "at last"
            end,
        },
    },
}

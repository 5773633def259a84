-- An energy cell of another mod, as the program meets it.
return {
    type = "energy_cell",
    state = { energy = 600, capacity = 1000 },
    latency = 0.05,
    methods = {
        getEnergy = function(self)
            return self.state.energy
        end,
        getCapacity = function(self)
            return self.state.capacity
        end,
    },
}

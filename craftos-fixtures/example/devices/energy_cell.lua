-- An energy cell as a mod has it: programs read how full it is, tests change it.
return {
    type = "energy_cell",
    state = { energy = 600, capacity = 1000 },
    methods = {
        getEnergy = function(self)
            return self.state.energy
        end,
        getCapacity = function(self)
            return self.state.capacity
        end,
    },
}

-- Makes a computer look like the oldest game that the program supports. `craftos-harness test --before` runs it first;
-- the program looks at `_HOST` for what it cannot see.

_G._HOST = "ComputerCraft 1.100.0 (Minecraft 1.18.2)"
_G.collectgarbage = nil
_G.debug = nil

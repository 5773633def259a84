-- programs: lists the programs.

local arguments = { ... }
local programs = shell.programs(arguments[1] == "all")
textutils.pagedTabulate(programs)

-- The tool `set-label`. The bridge hears of the new label by itself.

local function shown(label)
    return label and ("`%s`"):format(label) or "none"
end

local function call(arguments)
    local before = os.getComputerLabel()
    os.setComputerLabel(arguments.label)
    return ("the label of computer %d was %s and is %s"):format(
        os.getComputerID(),
        shown(before),
        shown(os.getComputerLabel())
    )
end

return { call = call }

-- setting_changed: when it is queued and with what.

local function show(label)
    os.queueEvent("end of events")
    while true do
        local event = table.pack(os.pullEvent())
        if event[1] == "end of events" then break end
        for index = 1, event.n do event[index] = type(event[index]) == "table" and "table" or tostring(event[index]) end
        print(label, table.concat(event, " ", 1, event.n))
    end
end
os.queueEvent("flush")
os.pullEvent("flush")
settings.define("probe.defined", { default = 5 })
show("define")
settings.set("probe.defined", 6)
show("set")
settings.set("probe.defined", 6)
show("same")
settings.unset("probe.defined")
show("unset")
settings.unset("probe.defined")
show("unset again")
settings.set("probe.defined", 5)
show("the default")
settings.set("probe.free", { 1 })
show("table")
settings.set("probe.free", { 1 })
show("equal table")
settings.unset("probe.free")
show("unset table")
settings.unset("probe.none")
show("unset nothing")
settings.unset("probe.defined")
settings.undefine("probe.defined")

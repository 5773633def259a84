-- term.redirect: what is drawn where, missing methods.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local target = { log = {} }
target.write = function(text) target.log[#target.log + 1] = text end
local previous = term.redirect(target)
term.write("captured")
local missing, message = pcall(term.clear)
local current = term.current()
local back = term.redirect(previous)
print(current == target, back == target, target.log[1], missing, message)
print(type(target.clear), type(target.getSize))
try("term itself", term.redirect, term)
local screen = window.create(previous, 1, 1, 5, 2, false)
print(term.redirect(screen) == previous, term.current() == screen, term.redirect(previous) == screen)

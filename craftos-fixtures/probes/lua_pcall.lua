-- pcall and xpcall: results, handlers, nesting.

print(pcall(function(...) return ... end, 1, nil, 3))
print(xpcall(function(...) return ... end, print, 1, 2))
print(xpcall(function() error("x", 0) end, function(message) return message .. "!" end))
print(xpcall(function() local x = nil; return x.y end, function(message) return "handled: " .. message end))
print(pcall(pcall, error, "a"))
print(xpcall(function() error("first", 0) end, function() error("second", 0) end))
print(pcall(xpcall))
print(pcall(nil))
print(pcall(5))
print(type(debug.traceback("x")), (debug.traceback("message"):match("^[^\n]*")))

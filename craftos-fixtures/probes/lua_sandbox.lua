-- What is not there: ways out of the sandbox.

for _, name in ipairs({ "package", "module", "require", "newproxy", "gcinfo", "jit", "arg", "collectgarbage", "dofile", "loadfile" }) do
    print(name, type(_G[name]))
end
for _, name in ipairs({ "execute", "exit", "getenv", "remove", "rename", "tmpname", "setlocale", "difftime" }) do
    print("os." .. name, type(os[name]))
end
for _, name in ipairs({ "popen", "tmpfile" }) do print("io." .. name, type(io[name])) end

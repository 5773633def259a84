-- about: says what this computer is.

print(os.version() .. " on " .. _HOST)
if os.about then print(os.about()) end

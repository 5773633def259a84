-- colours: the API colors, with grey spelt in the British way.

local colours = _ENV

for name, value in pairs(colors) do
    if name ~= "gray" and name ~= "lightGray" then colours[name] = value end
end
colours.grey = colors.gray
colours.lightGrey = colors.lightGray

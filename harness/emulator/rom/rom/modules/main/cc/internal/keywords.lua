-- cc.internal.keywords: the words that cannot be names in Lua. Without goto, which old
-- programs use as a name.

local keywords = {}
for word in ("and break do else elseif end false for function if in local nil not or "
    .. "repeat return then true until while"):gmatch("%a+") do
    keywords[word] = true
end

return keywords

-- A screen that scrolls further than it is high is empty.
-- prints: alive
for _, lines in ipairs({ 1e9, -1e9, 2 ^ 31, -2 ^ 31, 1e300, 0 / 0 }) do pcall(term.scroll, lines) end
term.clear()
term.setCursorPos(1, 1)
print("alive")

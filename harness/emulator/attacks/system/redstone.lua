-- Sides and strengths of any kind are taken or refused.
-- prints: alive
for _, side in ipairs({ "left", "nowhere", "", ("x"):rep(10000), 1, {} }) do
    for _, number in ipairs({ -1, 16, 1e300, 0 / 0, true, "x" }) do
        pcall(rs.setOutput, side, number) pcall(rs.setAnalogOutput, side, number)
        pcall(rs.setBundledOutput, side, number) pcall(rs.testBundledInput, side, number)
    end
end
print("alive")

-- Compiles a small program in Urn, a Lisp, with all that it imports.
local common = dofile("/bench/common.lua")
local source = [[
(import data/format (format))
(import lua/math (sqrt))

(defun prime? (number)
  (loop [(i 2)]
    [(> i (sqrt number)) true]
    (if (= 0 (mod number i)) false (recur (succ i)))))

(for i 2 100 1
  (when (prime? i)
    (print! (format nil "{} is a prime" i))))
]]
local file = fs.open("/primes.lisp", "w")
file.write(source)
file.close()

local check = common.check()
-- Its first line names a program of the host.
local compiler = common.read("/program/bin/urn.lua"):gsub("^#[^\n]*", "")
for _ = 1, 2 do
    local arguments = { [0] = "/program/bin/urn.lua", "/primes.lisp", "-o", "/primes" }
    local environment = setmetatable({ arg = arguments }, { __index = _ENV })
    assert(load(compiler, "@/program/bin/urn.lua", "t", environment))()
    check(common.read("/primes.lua"))
    common.yield()
end
common.finish(check)

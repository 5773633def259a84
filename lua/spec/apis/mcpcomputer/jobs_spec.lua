-- Specs of apis/mcpcomputer/jobs.lua.

local jobs_of = require("/apis/mcpcomputer/jobs")
local json = require("/apis/mcpcomputer/json")

---Jobs whose runs are played by the spec.
local function new()
    local started, cancelled = {}, {}
    local jobs = jobs_of.new(function(options)
        started[#started + 1] = options
        return options.code == "refuse" and "no room" or nil
    end, function(id)
        cancelled[#cancelled + 1] = id
    end, function(id, params)
        if params.handler == "kept" then
            return { id = id, arguments = params.arguments }
        end
        return nil, "unknown handler"
    end)
    return jobs, started, cancelled
end

local function ask(jobs, method, params)
    return json.decode(jobs:request({ id = "req-1", method = method, params = params }))
end

---A run that has printed this.
local function run(id, printed, answer)
    local pieces = { printed }
    return {
        id = "job-" .. id,
        job = id,
        answer = answer,
        capture = {
            take = function()
                return table.remove(pieces, 1)
            end,
        },
    }
end

local function clean(body)
    return function()
        fs.delete(jobs_of.FOLDER)
        local ok, thrown = pcall(body)
        fs.delete(jobs_of.FOLDER)
        if not ok then
            error(thrown, 0)
        end
    end
end

describe("jobs", function()
    it(
        "are calls of tools, where their handlers are kept",
        clean(function()
            local jobs, started = new()
            local answer = ask(jobs, "start-job", { job = "a-1", tool = { handler = "none" } })
            expect({ answer.ok, answer.error }):same({ false, "unknown handler" })
            expect(ask(jobs, "read-job", { job = "a-1" }).error):same("unknown job")
            local tool = { handler = "kept", arguments = { 1 } }
            expect(ask(jobs, "start-job", { job = "a-1", tool = tool }).ok):same(true)
            expect(#started):same(1)
            expect({ started[1].code, started[1].tool }):same({ nil, { id = "job-a-1", arguments = { 1 } } })
        end)
    )

    it(
        "that ask something say so until they were answered, or have ended",
        clean(function()
            local open, taken = '[{"ask":1}]', {}
            local jobs = jobs_of.new(function() end, function() end, function()
                return {
                    open_questions = function()
                        return open
                    end,
                    take_answer = function(_, answer)
                        taken[#taken + 1] = answer
                    end,
                }
            end)
            ask(jobs, "start-job", { job = "a", tool = {} })
            expect(ask(jobs, "read-job", { job = "a" }).result.asks):same({ { ask = 1 } })
            ask(jobs, "answer-job", { job = "a", ask = 1, result = { action = "accept" } })
            ask(jobs, "answer-job", { job = "a", ask = 2, error = "no" })
            expect(ask(jobs, "answer-job", { job = "none", ask = 2, error = "no" }).ok):same(true)
            expect(taken):same({
                { ask = 1, ok = true, result = { action = "accept" } },
                { ask = 2, ok = false, error = "no" },
            })
            open = nil
            expect(ask(jobs, "read-job", { job = "a" }).result.asks):same(nil)
            open = '[{"ask":3}]'
            jobs:ended(run("a", nil, "ANSWER"))
            expect(ask(jobs, "read-job", { job = "a" }).result.asks):same(nil)
        end)
    )

    it(
        "are started once, however often they are asked for",
        clean(function()
            local jobs, started = new()
            for _ = 1, 3 do
                expect(ask(jobs, "start-job", { job = "a-1", code = "return 1" }).ok):same(true)
            end
            expect(#started):same(1)
            expect({ started[1].id, started[1].job, started[1].code }):same({
                "job-a-1",
                "a-1",
                "return 1",
            })
            -- Also after a reboot.
            local after, again = new()
            expect(ask(after, "start-job", { job = "a-1", code = "return 1" }).ok):same(true)
            expect(#again):same(0)
        end)
    )

    it(
        "that were running when the computer stopped are interrupted, with their output",
        clean(function()
            local jobs = new()
            ask(jobs, "start-job", { job = "a", code = "x" })
            jobs:keep_output(run("a", "digging\n"))
            expect(ask(jobs, "read-job", { job = "a" }).result.state):same("running")
            local after = new()
            local result = ask(after, "read-job", { job = "a" }).result
            expect({ result.state, result.output }):same({ "interrupted", "digging\n" })
        end)
    )

    it(
        "that were being written when the computer stopped are interrupted, or ended where their answer is whole",
        clean(function()
            local jobs = new()
            for _, id in ipairs({ "a", "b", "c" }) do
                ask(jobs, "start-job", { job = id, code = "x" })
            end
            jobs:ended(run("b", nil, "ANSWER"))
            for _, half in ipairs({ "a.state", "b.state", "c.part" }) do
                fs.open(fs.combine(jobs_of.FOLDER, half), "wb").close()
            end
            local after = new()
            local states = {}
            for index, id in ipairs({ "a", "b", "c" }) do
                states[index] = ask(after, "read-job", { job = id }).result.state
            end
            expect(states):same({ "interrupted", "ended", "interrupted" })
            ask(after, "forget-job", { job = "c" })
            expect(fs.exists(fs.combine(jobs_of.FOLDER, "c.part"))):same(false)
        end)
    )

    it(
        "keep their answer until they are forgotten",
        clean(function()
            local jobs = new()
            ask(jobs, "start-job", { job = "a", code = "x" })
            jobs:ended(run("a", "out", "ANSWER"))
            for _, now in ipairs({ jobs, (new()) }) do
                local result = ask(now, "read-job", { job = "a" }).result
                expect({ result.state, result.output, result.answer }):same({ "ended", "out", "ANSWER" })
            end
            expect(ask(jobs, "forget-job", { job = "a" }).ok):same(true)
            expect(ask(jobs, "read-job", { job = "a" }).error):same("unknown job")
            expect(fs.list(jobs_of.FOLDER)):same({})
        end)
    )

    it(
        "are read from a position",
        clean(function()
            local jobs = new()
            ask(jobs, "start-job", { job = "a", code = "x" })
            jobs:keep_output(run("a", ("x"):rep(30000)))
            local first = ask(jobs, "read-job", { job = "a", from = 0 }).result
            expect({ #first.output, first.next, first.more }):same({ 20000, 20000, true })
            local rest = ask(jobs, "read-job", { job = "a", from = first.next }).result
            expect({ #rest.output, rest.next, rest.more }):same({ 10000, 30000, false })
            expect(ask(jobs, "read-job", { job = "a", from = 99999 }).result.output):same("")
        end)
    )

    it(
        "keep 128 KiB of output, to the last byte, and no more",
        clean(function()
            local jobs = new()
            ask(jobs, "start-job", { job = "a", code = "x" })
            local half = ("x"):rep(64 * 1024)
            for _, piece in ipairs({ half, half, "y" }) do
                jobs:keep_output(run("a", piece))
            end
            local last = ask(jobs, "read-job", { job = "a", from = 128 * 1024 - 1 }).result
            expect({ last.output, last.next, last.more }):same({ "x", 128 * 1024, false })
        end)
    )

    it(
        "are cancelled, and not forgotten while they run",
        clean(function()
            local jobs, _, cancelled = new()
            ask(jobs, "start-job", { job = "a", code = "x" })
            ask(jobs, "cancel-job", { job = "a" })
            expect(cancelled):same({ "job-a" })
            ask(jobs, "forget-job", { job = "a" })
            expect(ask(jobs, "read-job", { job = "a" }).result.state):same("running")
        end)
    )

    it(
        "that cannot be started leave nothing behind",
        clean(function()
            local jobs = new()
            expect(ask(jobs, "start-job", { job = "a", code = "refuse" }).error):same("no room")
            expect(ask(jobs, "start-job", { job = "../a", code = "x" }).error):contains("no id of a job")
            expect(ask(jobs, "start-job", { job = "a" }).error):contains("`params.code`")
            expect(ask(jobs, "read-job", { job = "a" }).error):same("unknown job")
        end)
    )
end)

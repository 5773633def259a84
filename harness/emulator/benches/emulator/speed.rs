//! The speed of Lua: CPU time of small programs, less that of a run that does nothing, on both emulators in turn.

use std::path::Path;

use crate::emulators::{Data, Emulators};
use crate::process::{Process, cpu_of_children};
use crate::table::{Table, least};

/// What part of the reference's CPU time all programs may take, as the geometric mean.
const MEAN_GOAL: f64 = 1.0;

/// What part one of them may take.
const GOAL: f64 = 1.5;

/// Name and Lua; each takes a few tenths of a second.
const PROGRAMS: &[(&str, &str)] = &[
    ("nothing", ""),
    ("calls", "local function f(a, b) return a + b end local x = 0 for i = 1, 6e6 do x = f(x, i) end"),
    ("loops", "local x = 0 for i = 1, 4e7 do x = x + i % 7 end"),
    (
        "tables",
        "for r = 1, 30 do local t = {} for i = 1, 4e4 do t[i] = { i, k = i } end local x = 0 for i, v in ipairs(t) do x = x + v.k end end",
    ),
    (
        "strings",
        "for r = 1, 12 do local t = {} for i = 1, 3e4 do t[i] = ('%d:%s'):format(i, 'x') .. i end local s = table.concat(t) s:upper():find('zzz', 1, true) end",
    ),
    (
        "patterns",
        "local s = ('key = value, '):rep(200) for r = 1, 3000 do for k, v in s:gmatch('(%w+) = (%w+)') do if k == v then print() end end end local n = 0 for r = 1, 3000 do local _, c = s:gsub('%w+', '<%0>') n = n + c end",
    ),
    (
        "sort",
        "local seed = 42 for r = 1, 20 do local t = {} for i = 1, 3e4 do seed = (seed * 16807) % 2147483647 t[i] = seed end table.sort(t) end",
    ),
    (
        "sort with a function",
        "local seed = 42 for r = 1, 10 do local t = {} for i = 1, 2e4 do seed = (seed * 16807) % 2147483647 t[i] = seed end table.sort(t, function(a, b) return a > b end) end",
    ),
    ("closures", "local x = 0 for i = 1, 2e6 do local f = function(n) return n + i end x = x + f(1) end"),
    (
        "pcall",
        "local f = function(a) return a end for i = 1, 2e6 do pcall(f, i) end for i = 1, 1e5 do pcall(error, 'x') end",
    ),
    (
        "coroutines",
        "for r = 1, 8e4 do local co = coroutine.wrap(function() for i = 1, 20 do coroutine.yield(i) end end) for i = 1, 20 do co() end end",
    ),
    ("bit32", "local x = 0 for i = 1, 2e6 do x = bit32.bxor(bit32.lshift(i, 3), bit32.band(x, 0xFFFF)) end"),
    (
        "term.write",
        "local t = term.native() for i = 1, 6e5 do t.setCursorPos(1, 5) t.write('the quick brown fox') end",
    ),
    ("math.random", "local x = 0 for i = 1, 3e6 do x = x + math.random() + math.random(100) end"),
    (
        "gsub with a function",
        "local s = ('hello world '):rep(200) for i = 1, 2500 do s:gsub('%w+', function(w) return w end) end",
    ),
    (
        "JSON",
        "local v = {} for i = 1, 60 do v[i] = { id = i, name = 'computer ' .. i, on = true, tags = { 'a', 'b' } } end for i = 1, 60 do textutils.unserialiseJSON(textutils.serialiseJSON(v)) end",
    ),
    (
        "serialise",
        "local v = {} for i = 1, 60 do v[i] = { id = i, name = 'computer ' .. i, on = true, tags = { 'a', 'b' } } end for i = 1, 400 do textutils.unserialise(textutils.serialise(v)) end",
    ),
    (
        "fs",
        "for i = 1, 2500 do local f = fs.open('/f' .. i % 10, 'w') for l = 1, 20 do f.writeLine('line ' .. l) end f.close() f = fs.open('/f' .. i % 10, 'r') repeat until not f.readLine() f.close() fs.exists('/none') fs.getSize('/f' .. i % 10) end",
    ),
    ("events", "for i = 1, 1e5 do os.queueEvent('mine', i) os.pullEvent('mine') end"),
];

/// Seconds of CPU of one run.
fn run(emulator: &Path, lua: &str) -> anyhow::Result<Option<f64>> {
    let data = Data::new(&format!("{lua}\nos.shutdown()"))?;
    let before = cpu_of_children();
    Process::spawn(data.command(emulator).args(["-i", "0"]))?.finish()?;
    Ok(before.zip(cpu_of_children()).map(|(before, after)| after - before))
}

pub fn measure(emulators: &Emulators, rounds: usize, table: &mut Table) -> anyhow::Result<()> {
    let Some(reference) = &emulators.reference else {
        table.left_out("the speed of Lua", "CraftOS-PC is not installed (`CRAFTOS_PC`, PATH)");
        return Ok(());
    };
    let (mut idle, mut ratios) = ((0.0, 0.0), Vec::new());
    for (name, lua) in PROGRAMS {
        let (mut own, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let (Some(first), Some(second)) = (run(&emulators.embedded, lua)?, run(reference, lua)?) else {
                table.left_out("the speed of Lua", "this system does not tell CPU times");
                return Ok(());
            };
            own.push(first);
            theirs.push(second);
        }
        let (own, theirs) = (least(&own), least(&theirs));
        if lua.is_empty() {
            idle = (own, theirs);
            continue;
        }
        let (own, theirs) = (own - idle.0, theirs - idle.1);
        let ratio = own / theirs;
        ratios.push(ratio);
        table.goal(
            &format!("CPU of {name}, least of {rounds}"),
            &format!("{:.0} ms", own * 1e3),
            &format!("{:.0} ms", theirs * 1e3),
            &format!("{ratio:.2} of {GOAL:.1}"),
            ratio <= GOAL,
        );
    }
    #[expect(clippy::cast_precision_loss, reason = "they are a few")]
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let goal = format!("{mean:.2} of {MEAN_GOAL:.1}");
    table.goal("  geometric mean of these", "", "", &goal, mean <= MEAN_GOAL);
    Ok(())
}

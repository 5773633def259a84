//! When garbage is collected, and how much of it at a time.
//!
//! A collection goes on in small steps, one each time that so much was allocated; each counts as instructions. Only where
//! memory runs out, or where a program or a host asks for it, is it done in one go.

use serde::{Deserialize, Serialize};

use super::State;
use super::thread::{Frame, Thread};
use crate::heap::{Phase, Roots};
use crate::value::Value;

/// A collection begins when that much was allocated since the last one, and half as much as was left then: small
/// states are not searched again and again.
const COLLECT_GROWTH: usize = 256 * 1024;

/// The same for a program that begins: what it loads stays, and the rest goes when it first waits.
const BEGINNING_GROWTH: usize = 1024 * 1024;

/// The same where memory is almost full.
const SMALLEST_GROWTH: usize = 16 * 1024;

/// A step of a collection follows each time that so many bytes were allocated.
const STEP_GROWTH: usize = 32 * 1024;

/// How many values a step looks at: those in four times as many bytes as were allocated since the last one, so that a
/// collection ends before half as much was allocated as it has to look at. It takes some tens of microseconds.
const STEP_WORK: usize = 8 * 1024;

/// What may be looked at again is this share of all values.
const AGAIN_SHARE: usize = 8;

/// So many values are one instruction's worth of work.
const WORK_PER_INSTRUCTION: usize = 8;

/// States with less than this are collected while they wait for their host, which takes less than a millisecond: of many
/// states most wait, and should not hold the garbage of their beginning.
const SMALL: usize = 2 * 1024 * 1024;

/// How a state collects.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Pace {
    /// The program has stopped collections: they happen only where memory runs out.
    stopped: bool,
    /// Everything is collected after every allocation.
    always: bool,
    /// A step of that much work follows every allocation.
    steps: Option<usize>,
    /// The program has waited for its host before.
    waited: bool,
}

impl State {
    /// Collects after every instruction that allocates: a test for natives and for the collector itself.
    pub fn collect_always(&mut self, on: bool) {
        self.pace.always = on;
        self.set_quota();
    }

    /// Does so much of a collection after every instruction that allocates, again and again: a test as well. One unit of
    /// work is about one value.
    pub fn collect_in_steps_of(&mut self, work: usize) {
        self.pace.steps = Some(work);
        self.set_quota();
    }

    /// Frees everything that the program cannot reach, in one go.
    pub fn collect(&mut self) {
        self.collect_below(self.used_slots());
    }

    /// The same from within a native: what its caller has in registers above the call is not used again.
    pub(crate) fn collect_in_native(&mut self) {
        self.collect_below(self.thread.top);
    }

    fn collect_below(&mut self, used: usize) {
        match self.heap.collection.phase {
            Phase::Idle => {}
            // What it has marked may have died since.
            Phase::Mark | Phase::Clear => self.heap.abandon_collection(&mut self.loaded),
            Phase::Sweep => self.sweep(usize::MAX),
        }
        self.begin_collection(used);
        self.finish_marking(used, usize::MAX);
        if self.is_clearing() {
            self.clear(used, usize::MAX);
        }
        self.sweep(usize::MAX);
        self.set_quota();
    }

    /// Goes on with a collection, or begins one.
    pub(super) fn collect_some(&mut self) {
        // What a collection holds for itself is no reason to begin it anew.
        let used = self.heap.account.used.saturating_sub(self.heap.collection.bytes());
        if self.pace.always || used > self.heap.account.limit {
            return self.collect();
        }
        let work = self.step_work();
        match self.heap.collection.phase {
            Phase::Idle => self.begin_collection(self.used_slots()),
            Phase::Mark => {
                let (done, more) = self.heap.mark_some(&mut self.loaded, work);
                self.count_work(done);
                if self.marks_in_vain() {
                    self.finish_marking(self.used_slots(), usize::MAX);
                } else if !more {
                    self.finish_marking(self.used_slots(), work);
                }
            }
            Phase::Clear => self.clear(self.used_slots(), work),
            Phase::Sweep => self.sweep(work),
        }
        self.set_quota();
    }

    /// Whether much was looked at again: the program changes a large table all the time, which is looked at as a whole each
    /// time. What is left is done in one go then, or it would never end.
    fn marks_in_vain(&self) -> bool {
        let values = self.heap.collection.began_with / size_of::<Value>();
        self.heap.collection.again > values / AGAIN_SHARE + STEP_WORK
    }

    /// Whether a collection looks at weak tables: then the program stands still.
    pub(super) fn is_clearing(&self) -> bool {
        self.heap.collection.phase == Phase::Clear
    }

    /// The program waits for its host: garbage goes where that is soon done and worth it.
    pub(super) fn collect_while_waiting(&mut self, given: &[Value]) {
        let account = &self.heap.account;
        // Most of what a program makes until it first waits is only for its beginning.
        let worth_it = account.allocated > account.quota / 2 || !self.pace.waited;
        if account.used < SMALL && worth_it && !self.pace.stopped {
            self.pace.waited = true;
            // What it has left with is the host's, which has not seen it yet.
            let first = self.kept.len();
            self.kept.extend_from_slice(given);
            self.collect();
            self.kept.truncate(first);
            let gone = self.heap.fit();
            self.heap.account.release(gone);
            self.loaded.fit();
        }
    }

    /// Lets the next time that the program waits count as its first, after which most of what it has made is garbage.
    pub fn has_not_waited(&mut self) {
        self.pace.waited = false;
        self.set_quota();
    }

    /// Makes room for as many objects again: copies of this state that go on from here need not grow for them.
    pub fn double_room(&mut self) {
        self.heap.double_room();
        self.loaded.double_room();
    }

    /// Gives back the slots of coroutines that a program which waits for its host does not use meanwhile: for a host that has
    /// nothing for it now. They take some kilobytes each.
    pub fn trim(&mut self) {
        let waiting: Vec<(u32, usize)> = self
            .heap
            .threads
            .iter_used()
            .filter_map(|(index, thread)| thread.as_deref().map(|thread| (index, self.slots_of(thread))))
            .collect();
        for (index, used) in waiting {
            if let Some(thread) = self.heap.threads.quiet_mut(index) {
                self.heap.account.release(thread.trim(used));
            }
        }
        let used = self.slots_of(&self.thread);
        self.heap.account.release(self.thread.trim(used));
    }

    /// How many slots of a coroutine that waits may be read again.
    fn slots_of(&self, thread: &Thread) -> usize {
        let registers = |frame: &Frame| {
            let own = if frame.is_lua() { self.proto(frame.loaded).head.registers.into() } else { 0 };
            frame.base as usize + own
        };
        let frames = thread.frames.iter().map(registers).max().unwrap_or(0);
        frames.max(thread.top).max(thread.pending.0 as usize + 1)
    }

    /// How much is done in one step: more where it would not be done in time otherwise.
    fn step_work(&self) -> usize {
        if let Some(work) = self.pace.steps {
            return work;
        }
        let values = self.heap.account.used / size_of::<Value>();
        let steps = self.room() / 2 / STEP_GROWTH;
        STEP_WORK.max(values / steps.max(1))
    }

    fn count_work(&mut self, work: usize) {
        self.budget = self.budget.saturating_sub((work / WORK_PER_INSTRUCTION) as u64);
    }

    fn begin_collection(&mut self, used: usize) {
        let values = self.root_values();
        let roots = Roots { values: &values, thread: &self.thread, used };
        let work = self.heap.begin_collection(&mut self.loaded, &roots);
        self.count_work(work);
    }

    /// Marks what is left, where that is not much more than so much work.
    fn finish_marking(&mut self, used: usize, most: usize) {
        // What lies above is left from calls that have returned.
        if let Some(above) = self.thread.stack.get_mut(used..) {
            above.fill(Value::Nil);
        }
        self.matchers.forget();
        let values = self.root_values();
        let roots = Roots { values: &values, thread: &self.thread, used };
        let work = self.heap.finish_marking(&mut self.loaded, &roots, most);
        self.count_work(work);
    }

    fn clear(&mut self, used: usize, work: usize) {
        let values = self.root_values();
        let roots = Roots { values: &values, thread: &self.thread, used };
        let work = self.heap.clear_some(&mut self.loaded, &roots, work);
        self.count_work(work);
    }

    fn sweep(&mut self, work: usize) {
        let done = self.heap.sweep_some(&mut self.loaded, work);
        self.count_work(done);
    }

    /// What is kept besides the running coroutine.
    fn root_values(&self) -> Vec<Value> {
        let mut values = self.kept.clone();
        values.extend([Value::Table(self.globals), Value::Thread(self.main), Value::Thread(self.current)]);
        if let Some((outgoing, _)) = &self.outgoing {
            values.extend_from_slice(outgoing);
        }
        values
    }

    /// How many slots of the running coroutine may be read again.
    fn used_slots(&self) -> usize {
        let frame_end = self.thread.frames.last().map_or(0, |frame| {
            let registers =
                if frame.is_lua() { usize::from(self.proto(frame.loaded).head.registers) } else { 0 };
            frame.base as usize + registers
        });
        // Natives and open calls leave values above the registers.
        frame_end.max(self.thread.top).max(self.incoming.0 + self.incoming.1).min(self.thread.stack.len())
    }

    pub(crate) fn collects(&self) -> bool {
        !self.pace.stopped
    }

    pub(crate) fn set_collects(&mut self, on: bool) {
        self.pace.stopped = !on;
        self.set_quota();
    }

    /// Says how much may be allocated until the next collection, or the next step of one.
    pub(super) fn set_quota(&mut self) {
        let live = self.heap.account.used.saturating_sub(self.heap.spare());
        let account = &mut self.heap.account;
        account.allocated = 0;
        account.quota = if self.pace.always || self.pace.steps.is_some() {
            0
        } else if self.pace.stopped {
            usize::MAX
        } else if self.heap.collection.phase != Phase::Idle {
            STEP_GROWTH.min(account.limit.saturating_sub(account.used) / 2)
        } else {
            // Where memory is almost full, what is garbage has to be found before an allocation fails; but a collection for
            // each allocation would take all the time there is.
            let room = account.limit.saturating_sub(account.used);
            let growth = if self.pace.waited { COLLECT_GROWTH } else { BEGINNING_GROWTH };
            (live / 2 + growth).min((room / 2).max(SMALLEST_GROWTH))
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{NoHost, Run};

    /// A program that has run until it waits, and is only collected by the test.
    fn waiting(code: &str) -> State {
        let mut state = State::new(64 << 20);
        let main = state.load(code.as_bytes(), "=test").expect("it is Lua");
        state.start(main, &[]).expect("there is room");
        state.set_collects(false);
        assert!(matches!(state.run(&mut NoHost, u64::MAX), Run::Yielded(_)));
        state
    }

    /// Makes far more objects than one step looks at, and holds them with a register alone.
    const HOARD: &str = "coroutine.yield()
        local list = {}
        for i = 1, 50000 do list[i] = { i } end
        while true do local one = list[50000][1] end";

    #[test]
    fn the_end_of_marking_is_no_more_than_a_step() {
        const STEP: usize = 1000;
        // The registers of the program are looked at as well.
        const MOST: usize = STEP + 4096 + 1024;
        let mut state = waiting(HOARD);
        state.resume(&[]).expect("there is room");
        state.begin_collection(state.used_slots());
        while state.heap.mark_some(&mut state.loaded, STEP).1 {}
        assert!(matches!(state.run(&mut NoHost, 1_000_000), Run::OutOfBudget));
        let mut rounds = 0;
        while state.heap.collection.phase == Phase::Mark {
            let values = state.root_values();
            let roots = Roots { values: &values, thread: &state.thread, used: state.used_slots() };
            let work = state.heap.finish_marking(&mut state.loaded, &roots, STEP);
            assert!(work <= MOST, "{work} values were looked at in one go");
            state.heap.mark_some(&mut state.loaded, STEP);
            assert!(matches!(state.run(&mut NoHost, 1000), Run::OutOfBudget));
            rounds += 1;
        }
        assert!(rounds > 10, "it took {rounds} rounds");
        state.sweep(usize::MAX);
        assert!(matches!(state.run(&mut NoHost, 1000), Run::OutOfBudget));
        assert_eq!(state.used(), state.measured());
    }

    /// Weak tables with far more entries than one step looks at. A list holds every second object.
    const WEAK: &str = "local held, weak = {}, {}
        for kind, mode in ipairs({ 'k', 'v', 'kv' }) do
            weak[kind] = setmetatable({}, { __mode = mode })
            for i = 1, 20000 do
                local object = {}
                if i % 2 == 0 then held[#held + 1] = object end
                if mode == 'v' then weak[kind][i] = object else weak[kind][object] = { i } end
            end
        end
        -- Over what is left in registers.
        local _, _, _, _, _, _, _, _, _, _, _, _
        coroutine.yield()
        local counts = {}
        for kind, entries in ipairs(weak) do
            counts[kind] = 0
            for _, value in pairs(entries) do counts[kind] = counts[kind] + #{ value } end
        end
        return counts[1], counts[2], counts[3]";

    #[test]
    fn weak_tables_are_cleared_a_step_at_a_time() {
        const STEP: usize = 1000;
        // One slice of a table more, and the registers of the program.
        const MOST: usize = STEP + 4096 + 1024;
        let mut state = waiting(WEAK);
        let used = state.used_slots();
        state.begin_collection(used);
        let mut steps = 0;
        while state.heap.collection.phase != Phase::Sweep {
            let values = state.root_values();
            let roots = Roots { values: &values, thread: &state.thread, used };
            let work = match state.heap.collection.phase {
                Phase::Clear => {
                    steps += 1;
                    state.heap.clear_some(&mut state.loaded, &roots, STEP)
                }
                _ => match state.heap.mark_some(&mut state.loaded, STEP) {
                    (work, true) => work,
                    (_, false) => state.heap.finish_marking(&mut state.loaded, &roots, STEP),
                },
            };
            assert!(work <= MOST, "{work} values were looked at in one go");
        }
        assert!(steps > 10, "it took {steps} steps");
        state.sweep(usize::MAX);
        assert_eq!(state.used(), state.measured());
        state.resume(&[]).expect("there is room");
        let Run::Finished(counts) = state.run(&mut NoHost, u64::MAX) else { panic!("it ends") };
        let counts: Vec<f64> = counts.iter().filter_map(|count| count.as_number()).collect();
        assert_eq!(counts, [10_000.0, 10_000.0, 0.0]);
    }

    /// Makes some 600 KiB of garbage before it first waits, and as much again.
    const BEGINS: &str = "local function litter()
            for i = 1, 1500 do local _ = ('x'):rep(400) .. i end
        end
        litter()
        coroutine.yield()
        litter()
        coroutine.yield()";

    #[test]
    fn a_program_that_begins_is_not_collected_until_it_waits() {
        const LITTER: usize = 600 << 10;
        let mut state = State::new(64 << 20);
        let main = state.load(BEGINS.as_bytes(), "=begins").expect("it is Lua");
        state.start(main, &[]).expect("there is room");
        let mut most_until_it_waits = || {
            let mut most = 0;
            while matches!(state.run(&mut NoHost, 100), Run::OutOfBudget) {
                most = most.max(state.used());
            }
            let left = state.used();
            state.resume(&[]).expect("there is room");
            (most, left)
        };
        let (begins, left) = most_until_it_waits();
        let (goes_on, _) = most_until_it_waits();
        assert!(begins > LITTER && goes_on < LITTER, "{begins} and {goes_on} bytes");
        assert!(left < LITTER / 4, "{left} bytes were left when it first waited");
    }

    /// Replaces the entries of a list, one after the other, for ever.
    const BUSY: &str = "local list, at = {}, 0
        for i = 1, 50000 do list[i] = 0 end
        while true do
            at = at % 50000 + 1
            list[at] = {}
        end";

    #[test]
    fn a_collection_ends_though_a_large_table_changes_all_the_time() {
        let mut state = State::new(256 << 20);
        let main = state.load(BUSY.as_bytes(), "=busy").expect("it is Lua");
        state.start(main, &[]).expect("there is room");
        let mut most = 0;
        for _ in 0..500 {
            assert!(matches!(state.run(&mut NoHost, 20_000), Run::OutOfBudget));
            most = most.max(state.used());
        }
        // The list and its tables take 4 MiB; a million more were made.
        assert!(most < 16 << 20, "{most} bytes");
    }

    /// Weak tables that are only found through the value of another one, with as many entries that wait for dead keys as
    /// objects that are reached behind them.
    const FOUND: &str = "local first, second = {}, {}
        local weak = { __mode = 'k' }
        local outer = setmetatable({}, weak)
        do
            local waiting, behind, many = setmetatable({}, weak), setmetatable({}, weak), {}
            for i = 1, 20000 do
                waiting[{}] = many
                many[i] = {}
            end
            behind[second] = many
            outer[first] = { behind, waiting }
        end
        local _, _, _, _, _, _, _, _, _, _, _, _
        coroutine.yield()
        return #outer[first][1][second], next(outer[first][2])";

    #[test]
    fn entries_of_weak_tables_that_are_found_late_are_found_quickly() {
        let mut state = waiting(FOUND);
        let used = state.used_slots();
        state.begin_collection(used);
        state.finish_marking(used, usize::MAX);
        assert!(state.is_clearing());
        let values = state.root_values();
        let roots = Roots { values: &values, thread: &state.thread, used };
        let work = state.heap.clear_some(&mut state.loaded, &roots, usize::MAX);
        assert!(work < 400_000, "{work} values and entries were looked at");
        state.sweep(usize::MAX);
        assert_eq!(state.used(), state.measured());
        state.resume(&[]).expect("there is room");
        let Run::Finished(found) = state.run(&mut NoHost, u64::MAX) else { panic!("it ends") };
        assert_eq!(found[0].as_number(), Some(20_000.0));
        assert!(found[1].is_nil(), "{found:?}");
    }

    /// A table with weak keys and as many entries as it has dead keys, each of which holds a table of its own.
    const DEAD_KEYS: usize = 100_000;
    const DEAD: &str = "local weak = setmetatable({}, { __mode = 'k' })
        for i = 1, 100000 do weak[{}] = {} end
        local _, _, _, _, _, _, _, _, _, _, _, _
        while true do
            coroutine.yield()
            count = 0
            for _ in pairs(weak) do count = count + 1 end
        end";

    /// Runs a collection step by step; gives the most that was in use meanwhile.
    fn collect_in_steps(state: &mut State) -> usize {
        let used = state.used_slots();
        let mut most = 0;
        state.begin_collection(used);
        while state.heap.collection.phase == Phase::Mark {
            state.finish_marking(used, usize::MAX);
        }
        while state.is_clearing() {
            state.clear(used, 1000);
            assert_eq!(state.used(), state.measured(), "what a collection holds counts");
            most = most.max(state.used());
        }
        state.sweep(usize::MAX);
        assert_eq!(state.used(), state.measured());
        most
    }

    #[test]
    fn what_a_collection_holds_for_weak_keys_counts() {
        // Two handles and a place in a chain.
        const LEAST: usize = 20;
        let mut state = waiting(DEAD);
        let before = state.used();
        let most = collect_in_steps(&mut state);
        assert!(most >= before + DEAD_KEYS * LEAST, "{} bytes for {DEAD_KEYS} entries", most - before);
        assert!(state.used() < before / 2, "{} of {before} bytes are left", state.used());
    }

    #[test]
    fn a_collection_that_is_given_up_holds_nothing() {
        let mut state = waiting(DEAD);
        let used = state.used_slots();
        state.begin_collection(used);
        state.finish_marking(used, usize::MAX);
        state.clear(used, 10_000);
        assert!(state.is_clearing() && state.heap.collection.bytes() > 0);
        state.collect();
        assert_eq!(state.used(), state.measured());
    }

    #[test]
    fn dead_keys_that_there_is_no_memory_for_go_with_later_collections() {
        let mut state = waiting(DEAD);
        let limit = state.used();
        state.heap.account.limit = limit;
        let mut left = Vec::new();
        for _ in 0..4 {
            let most = collect_in_steps(&mut state);
            assert!(most <= limit + limit / 10, "{most} bytes were in use, and {limit} are allowed");
            state.resume(&[]).expect("there is room");
            assert!(matches!(state.run(&mut NoHost, u64::MAX), Run::Yielded(_)));
            left.extend(state.global("count").as_number());
        }
        assert!(left[0] > 0.0, "the first collection had memory for all");
        // The program has just looked at one.
        assert!(left[3] <= 1.0, "{left:?} entries were left");
    }

    /// Tables in each other, each of which leads to many functions first.
    const BROAD: &str = "local first = {}
        local list = first
        for depth = 1, 40 do
            list[1] = {}
            for i = 1, 4000 do list[1][i] = function() return depth end end
            list[1][4001] = {}
            list = list[1][4001]
        end
        coroutine.yield()
        local count = 0
        list = first
        while list[1] do
            for i = 1, 4000 do count = count + (list[1][i]() and 1 or 0) end
            list = list[1][4001]
        end
        return count";

    #[test]
    fn what_there_is_no_memory_to_note_is_found_by_its_mark() {
        let mut state = waiting(BROAD);
        let (limit, before) = (state.limit(), state.used());
        // Not even a collection may take anything.
        state.heap.account.limit = before / 2;
        let most = collect_in_steps(&mut state);
        assert_eq!(most, 0, "there are no weak tables");
        state.heap.account.limit = limit;
        state.resume(&[]).expect("there is room");
        let Run::Finished(found) = state.run(&mut NoHost, u64::MAX) else { panic!("it ends") };
        assert_eq!(found[0].as_number(), Some(160_000.0));
    }

    #[test]
    fn what_a_collection_notes_on_its_way_counts() {
        let mut state = waiting(BROAD);
        let (used, before) = (state.used_slots(), state.used());
        state.begin_collection(used);
        let mut most = 0;
        while state.heap.mark_some(&mut state.loaded, 1000).1 {
            assert_eq!(state.used(), state.measured());
            most = most.max(state.used() - before);
        }
        // Almost all functions wait at a time, each in sixteen bytes.
        assert!(most > 150_000 * 16, "{most} bytes");
        state.collect();
        assert_eq!(state.used(), state.measured());
    }

    #[test]
    fn a_program_is_not_interrupted_while_weak_tables_are_cleared() {
        let mut state = waiting(WEAK);
        state.resume(&[]).expect("there is room");
        state.begin_collection(state.used_slots());
        state.finish_marking(state.used_slots(), usize::MAX);
        assert!(state.is_clearing() && state.is_between(), "no line is about to run");
        state.interrupt("stop");
        assert!(matches!(state.run(&mut NoHost, 1), Run::OutOfBudget));
        assert!(state.is_clearing() || state.heap.collection.phase == Phase::Sweep);
        assert!(state.interruption.is_some(), "it waits until the program may run");
        while state.is_clearing() {
            assert!(matches!(state.run(&mut NoHost, 1), Run::OutOfBudget));
        }
        let Run::Error(error) = state.run(&mut NoHost, u64::MAX) else { panic!("it is interrupted") };
        assert_eq!(state.bytes(error), Some(&b"test:12: stop"[..]));
    }

    /// Asks for the first entry of a table that has many and all empty, in two ways.
    const EMPTY: &str = "local list, count = {}, 0
        for i = 1, 100000 do list[i + 0.5] = true end
        for key in pairs(list) do list[key] = nil end
        coroutine.yield()
        while true do
            if ASKS(list) then return end
            count = count + 1
            rounds = count
        end";

    #[test]
    fn passing_empty_entries_counts() {
        for asks in ["next", "(function(list) for key in pairs(list) do return key end end)"] {
            let mut state = waiting(&EMPTY.replace("ASKS", asks));
            state.resume(&[]).expect("there is room");
            assert!(matches!(state.run(&mut NoHost, 200_000), Run::OutOfBudget));
            let rounds = state.global("rounds").as_number().expect("it went round");
            assert!((1.0..100.0).contains(&rounds), "{asks}: {rounds} rounds");
        }
    }
}

//! `debug.sethook`: functions that are called as others run.
//!
//! While a coroutine has a line hook, its instructions run one at a time, and this looks before each. With a count hook alone
//! they run up to the one that it is told of.

use super::State;
use super::native::Host;
use super::run::Exit;
use super::thread::{HookEvent, Ret};
use crate::value::Value;

type Done = Result<(), Value>;

impl State {
    /// How many instructions may run before a hook has to be looked at; none where it has to be for the next one.
    pub(super) fn unhooked(&self) -> u64 {
        let hook = &self.thread.hook;
        match (hook.line, hook.count, hook.running) {
            (_, _, Some(_)) | (false, 0, None) => u64::MAX,
            (false, _, None) if !hook.counted && !hook.passed => hook.left.saturating_sub(1),
            _ => 0,
        }
    }

    /// Runs no more than so many instructions, which a count hook counts.
    pub(super) fn execute_some(&mut self, most: u64) -> Exit {
        let budget = self.budget;
        self.budget = budget.min(most);
        let given = self.budget;
        let exit = self.execute();
        let ran = given - self.budget;
        self.budget = budget - ran;
        self.thread.hook.left = self.thread.hook.left.saturating_sub(ran);
        exit
    }

    /// Calls the hook when the next instruction is on a new line, or when enough have run. True when it was called.
    pub(super) fn hook_before(&mut self, host: &mut dyn Host) -> Result<bool, Value> {
        let Some(frame) = self.thread.frames.last() else { return Ok(false) };
        if !frame.is_lua() {
            return Ok(false);
        }
        let depth = self.thread.frames.len();
        let pc = frame.pc;
        let proto = self.loaded.get(frame.loaded).proto.clone().expect("a function that runs is loaded");
        let lines = proto.lines();
        let line = lines[pc as usize];
        let hook = &mut self.thread.hook;
        if std::mem::take(&mut hook.passed) {
            return Ok(false);
        }
        // One instruction may be told of twice: as one that counts, then as a new line.
        if hook.count > 0 && !std::mem::take(&mut hook.counted) {
            hook.left = hook.left.saturating_sub(1);
            if hook.left == 0 {
                hook.left = hook.count;
                hook.counted = true;
                return self.call_hook(host, "count", Value::Nil).map(|()| true);
            }
        }
        let new_line = if pc == 0 {
            true
        } else if hook.last_frame == depth {
            pc <= hook.last_pc || line != lines[hook.last_pc as usize]
        } else {
            // Another function has returned, or the hook was just set: the rest of a line is not a new one.
            line != lines[pc as usize - 1]
        };
        hook.last_frame = depth;
        hook.last_pc = pc;
        if hook.line && new_line {
            return self.call_hook(host, "line", Value::Number(line.into())).map(|()| true);
        }
        Ok(false)
    }

    fn call_hook(&mut self, host: &mut dyn Host, event: &str, line: Value) -> Done {
        let name = self.string(event.as_bytes())?;
        // The values of an open call lie above the registers, and the hook above them.
        let top = self.thread.top;
        self.top_above_registers();
        let at = self.thread.top.max(top);
        self.thread.top = at;
        self.reserve(3)?;
        let hook = &mut self.thread.hook;
        hook.saved_top = top;
        hook.passed = event == "line" || hook.returning;
        hook.running = Some(self.thread.frames.len());
        self.thread.stack[at..at + 3].copy_from_slice(&[hook.function, name, line]);
        self.thread.top = at + 3;
        self.call(host, at, 2, Ret::Hook)
    }

    pub(super) fn hook_done(&mut self) {
        self.thread.hook.running = None;
        self.thread.top = self.thread.hook.saved_top;
    }

    /// Whether a hook has to be told before the running function returns. The return is run again afterwards.
    pub(super) fn hook_return(&mut self) -> bool {
        let hook = &mut self.thread.hook;
        if !hook.ret || hook.running.is_some() || std::mem::take(&mut hook.returning) {
            return false;
        }
        hook.returning = true;
        self.thread.frame_mut().pc -= 1;
        self.hook_event = Some(HookEvent::Return);
        true
    }

    /// The function that was just entered has taken the place of its caller.
    pub(super) fn hook_tail_call(&mut self) {
        if self.hook_event == Some(HookEvent::Call) {
            self.hook_event = Some(HookEvent::TailCall);
        }
    }

    /// An error or a jump may have removed the hook's frame.
    pub(super) fn forget_hook(&mut self) {
        if self.thread.hook.running.is_some_and(|depth| self.thread.frames.len() <= depth) {
            self.thread.hook.running = None;
        }
        self.thread.hook.returning = false;
        self.thread.hook.counted = false;
    }

    /// Notes that a function was entered, for a hook that wants to know.
    #[inline]
    pub(super) fn hook_call(&mut self) {
        if self.thread.hook.call && self.thread.hook.running.is_none() {
            self.hook_event = Some(HookEvent::Call);
        }
    }

    /// Calls a hook for a call that has begun.
    pub(super) fn hook_pending(&mut self, host: &mut dyn Host) -> Done {
        if let Some(event) = self.hook_event.take() {
            return self.call_hook(host, event.name(), Value::Nil);
        }
        Ok(())
    }
}

//! The filter of system calls as a program for the kernel.
//!
//! The kernel runs it once for every number of a call when it takes it, and keeps the answers: a program that compares with
//! one number after the other would take more of a computer's start than its Lua does. This one halves the numbers instead.

use seccompiler::{BpfProgram, TargetArch, sock_filter};

use super::calls::{DENIED, FAMILIES};

// Instructions of the kernel's filters, as `linux/bpf_common.h` numbers them.
const LOAD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_NOT_LESS: u16 = 0x35;
const JUMP_IF_BITS: u16 = 0x45;
const RETURN: u16 = 0x06;

// Where a call's parts stand (`struct seccomp_data`): all architectures here have the low half of an argument first.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const FIRST_ARGUMENT: u32 = 16;

// What the kernel does with a call (`linux/seccomp.h`).
const KILL_PROCESS: u32 = 0x8000_0000;
const FAIL_WITH: u32 = 0x0005_0000;
const ALLOW: u32 = 0x7fff_0000;

/// On `x86_64` every call has a second number from here on, which nothing here uses.
const SECOND_NUMBERS: u32 = 0x4000_0000;

/// Where a jump goes: so many instructions further, or to one of the ends of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Next(usize),
    End(End),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Allow,
    Deny,
    Unknown,
    /// What starts a thread may go on, and what starts a process not.
    Clone,
    Socket,
}

/// A program that is being made: its jumps are known once its ends have their places.
#[derive(Default)]
struct Assembler {
    steps: Vec<(sock_filter, Option<[Target; 2]>)>,
}

impl Assembler {
    fn plain(&mut self, code: u16, k: u32) {
        self.steps.push((sock_filter { code, jt: 0, jf: 0, k }, None));
    }

    fn jump(&mut self, code: u16, k: u32, to: Target, otherwise: Target) {
        self.steps.push((sock_filter { code, jt: 0, jf: 0, k }, Some([to, otherwise])));
    }

    /// Looks for the range that a number is in, by halves: each range begins at a number and has an end of its own.
    fn search(&mut self, ranges: &[(u32, End)]) {
        let half = ranges.len() / 2;
        let (low, high) = ranges.split_at(half);
        let target = |part: &[(u32, End)], further: usize| match part {
            [(_, end)] => Target::End(*end),
            _ => Target::Next(further),
        };
        // A part of so many ranges takes one instruction less.
        let to_high = target(high, if low.len() > 1 { low.len() - 1 } else { 0 });
        self.jump(JUMP_IF_NOT_LESS, high[0].0, to_high, target(low, 0));
        for part in [low, high] {
            if part.len() > 1 {
                self.search(part);
            }
        }
    }

    /// The program, whose ends stand at these places.
    fn finish(mut self, ends: &[(End, usize)]) -> BpfProgram {
        let place = |wanted: End| ends.iter().find(|(end, _)| *end == wanted).map(|(_, at)| *at);
        for (at, (step, targets)) in self.steps.iter_mut().enumerate() {
            let Some(targets) = targets else { continue };
            let distance = |target: Target| match target {
                Target::Next(further) => further,
                Target::End(end) => place(end).expect("every end has its place") - at - 1,
            };
            let [to, otherwise] = targets.map(|target| {
                u8::try_from(distance(target)).expect("the program is shorter than a jump is long")
            });
            (step.jt, step.jf) = (to, otherwise);
        }
        self.steps.into_iter().map(|(step, _)| step).collect()
    }
}

/// The numbers of all calls as ranges, each with what is done with it, from zero on.
fn ranges() -> Vec<(u32, End)> {
    let mut special: Vec<(u32, End)> = DENIED.iter().map(|call| (number(*call), End::Deny)).collect();
    special.push((number(libc::SYS_clone), End::Clone));
    special.push((number(libc::SYS_socket), End::Socket));
    // What it is asked to start lies in memory, where a filter cannot look: without it the C library makes threads as before.
    special.push((number(libc::SYS_clone3), End::Unknown));
    if cfg!(target_arch = "x86_64") {
        special.push((SECOND_NUMBERS, End::Deny));
    }
    special.sort_unstable_by_key(|(call, _)| *call);
    special.dedup();
    let mut ranges = vec![(0, End::Allow)];
    for (call, end) in special {
        // What follows the call before is allowed, up to this one.
        if ranges.last().is_some_and(|(start, _)| *start == call) {
            ranges.pop();
        }
        if ranges.last().is_none_or(|(_, last)| *last != end) {
            ranges.push((call, end));
        }
        if call != SECOND_NUMBERS {
            ranges.push((call + 1, End::Allow));
        }
    }
    ranges
}

fn number(call: libc::c_long) -> u32 {
    u32::try_from(call).expect("calls have small numbers")
}

fn fail_with(error: libc::c_int) -> u32 {
    FAIL_WITH | error.unsigned_abs()
}

/// The filter for an architecture; calls of any other end the process.
pub fn filter(architecture: TargetArch) -> BpfProgram {
    let audit = match architecture {
        TargetArch::x86_64 => 0xc000_003e,
        TargetArch::aarch64 => 0xc000_00b7,
        TargetArch::riscv64 => 0xc000_00f3,
    };
    let mut program = Assembler::default();
    program.plain(LOAD, ARCHITECTURE);
    program.jump(JUMP_IF_EQUAL, audit, Target::Next(1), Target::Next(0));
    program.plain(RETURN, KILL_PROCESS);
    program.plain(LOAD, NUMBER);
    program.search(&ranges());
    let mut ends = vec![(End::Clone, program.steps.len())];
    program.plain(LOAD, FIRST_ARGUMENT);
    let thread = libc::CLONE_THREAD.unsigned_abs();
    program.jump(JUMP_IF_BITS, thread, Target::End(End::Allow), Target::End(End::Deny));
    ends.push((End::Socket, program.steps.len()));
    program.plain(LOAD, FIRST_ARGUMENT);
    for (left, family) in (0..FAMILIES.len()).rev().zip(FAMILIES) {
        let otherwise = if left == 0 { Target::End(End::Deny) } else { Target::Next(0) };
        program.jump(JUMP_IF_EQUAL, family.unsigned_abs(), Target::End(End::Allow), otherwise);
    }
    for (end, value) in
        [(End::Deny, fail_with(libc::EPERM)), (End::Unknown, fail_with(libc::ENOSYS)), (End::Allow, ALLOW)]
    {
        ends.push((end, program.steps.len()));
        program.plain(RETURN, value);
    }
    program.finish(&ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the kernel would do: runs the program on a call.
    fn run(program: &BpfProgram, audit: u32, call: u32, argument: u32) -> u32 {
        let (mut at, mut value) = (0, 0);
        loop {
            let step = &program[at];
            at += 1;
            let jumps = match step.code {
                LOAD => {
                    value = match step.k {
                        ARCHITECTURE => audit,
                        NUMBER => call,
                        _ => argument,
                    };
                    continue;
                }
                RETURN => return step.k,
                JUMP_IF_EQUAL => value == step.k,
                JUMP_IF_NOT_LESS => value >= step.k,
                _ => value & step.k != 0,
            };
            at += usize::from(if jumps { step.jt } else { step.jf });
        }
    }

    #[test]
    fn each_call_has_the_answer_that_the_list_gives_it() {
        let (own, program) = (0xc000_003e, filter(TargetArch::x86_64));
        let (thread, inet) = (libc::CLONE_THREAD.unsigned_abs(), libc::AF_INET.unsigned_abs());
        let denied = fail_with(libc::EPERM);
        for call in 0..1000 {
            let expected = if DENIED.contains(&call.into()) {
                denied
            } else if call == number(libc::SYS_clone) || call == number(libc::SYS_socket) {
                continue;
            } else if call == number(libc::SYS_clone3) {
                fail_with(libc::ENOSYS)
            } else {
                ALLOW
            };
            assert_eq!(run(&program, own, call, 0), expected, "call {call}");
            if cfg!(target_arch = "x86_64") {
                assert_eq!(
                    run(&program, own, call | SECOND_NUMBERS, thread),
                    denied,
                    "second number of {call}"
                );
            }
        }
        assert_eq!(run(&program, own, number(libc::SYS_clone), thread | 1), ALLOW);
        assert_eq!(run(&program, own, number(libc::SYS_clone), !thread), denied);
        assert_eq!(run(&program, own, number(libc::SYS_socket), inet), ALLOW);
        let packet = libc::AF_PACKET.unsigned_abs();
        assert_eq!(run(&program, own, number(libc::SYS_socket), packet), denied);
        assert_eq!(run(&program, own ^ 1, number(libc::SYS_read), 0), KILL_PROCESS);
    }
}

//! Which system calls the process may make, by seccomp: not those that start other programs, reach into other processes, or
//! change the system.

use std::collections::BTreeMap;
use std::path::Path;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter, apply_filter_all_threads,
};

/// Where a kernel with seccomp says what it can do.
const ACTIONS: &str = "/proc/sys/kernel/seccomp/actions_avail";

/// On `x86_64` every call has a second number, and some have a third.
#[cfg(target_arch = "x86_64")]
const SECOND_NUMBERS: i64 = 0x4000_0000;
#[cfg(target_arch = "x86_64")]
const THIRD_NUMBERS: std::ops::Range<i64> = 512..548;

/// Calls that nothing here makes. The first groups are what somebody would make who has got hold of the process; the rest
/// has had many holes in kernels.
const DENIED: &[libc::c_long] = &[
    // Other programs.
    libc::SYS_execve,
    libc::SYS_execveat,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    // Connections from others.
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    // Other users, other views of the system.
    libc::SYS_setuid,
    libc::SYS_setgid,
    libc::SYS_setreuid,
    libc::SYS_setregid,
    libc::SYS_setresuid,
    libc::SYS_setresgid,
    libc::SYS_setgroups,
    libc::SYS_setfsuid,
    libc::SYS_setfsgid,
    libc::SYS_capset,
    libc::SYS_chroot,
    libc::SYS_pivot_root,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_personality,
    // The kernel itself.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
];

/// The network, names of hosts (by the C library's own questions to the kernel and to its neighbours).
const FAMILIES: [libc::c_int; 4] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// Whether this kernel knows seccomp.
pub fn supported() -> bool {
    Path::new(ACTIONS).exists() && TargetArch::try_from(std::env::consts::ARCH).is_ok()
}

/// Refuses these calls from now on; false where the kernel cannot.
pub fn confine() -> bool {
    let Some(filters) = filters() else { return false };
    // Threads that are there already are confined too, where they can be.
    filters.iter().all(|filter| apply_filter_all_threads(filter).or_else(|_| apply_filter(filter)).is_ok())
}

fn filters() -> Option<[BpfProgram; 2]> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH).ok()?;
    let compile = |rules: BTreeMap<i64, Vec<SeccompRule>>, errno: libc::c_int| {
        let action = SeccompAction::Errno(errno.unsigned_abs());
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, architecture).ok()?;
        BpfProgram::try_from(filter).ok()
    };
    // What it is asked to start lies in memory, where a filter cannot look: without it the C library makes threads as before.
    let unknown = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    Some([compile(denied()?, libc::EPERM)?, compile(unknown, libc::ENOSYS)?])
}

/// The calls that are refused, with what must hold of their arguments.
fn denied() -> Option<BTreeMap<i64, Vec<SeccompRule>>> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = DENIED.iter().map(|call| (*call, Vec::new())).collect();
    // Threads, but no processes.
    let thread = u64::try_from(libc::CLONE_THREAD).ok()?;
    let process =
        SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(thread), 0).ok()?;
    rules.insert(libc::SYS_clone, vec![SeccompRule::new(vec![process]).ok()?]);
    let other_family = FAMILIES
        .iter()
        .map(|family| {
            let family = u64::try_from(*family).ok()?;
            SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, family).ok()
        })
        .collect::<Option<Vec<_>>>()?;
    rules.insert(libc::SYS_socket, vec![SeccompRule::new(other_family).ok()?]);
    #[cfg(target_arch = "x86_64")]
    {
        let second: Vec<(i64, Vec<SeccompRule>)> =
            rules.iter().map(|(call, rules)| (call | SECOND_NUMBERS, rules.clone())).collect();
        rules.extend(second);
        rules.extend(THIRD_NUMBERS.map(|call| (call | SECOND_NUMBERS, Vec::new())));
        rules.insert(libc::SYS_clone3 | SECOND_NUMBERS, Vec::new());
    }
    Some(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filters_can_be_made_on_this_architecture() {
        if TargetArch::try_from(std::env::consts::ARCH).is_ok() {
            assert!(filters().is_some());
        }
    }
}

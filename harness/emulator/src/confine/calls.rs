//! Which system calls the process may make, by seccomp: not those that start other programs, reach into other processes, or
//! change the system.

use std::path::Path;

use seccompiler::{BpfProgram, TargetArch, apply_filter, apply_filter_all_threads};

use super::program;

/// Where a kernel with seccomp says what it can do.
const ACTIONS: &str = "/proc/sys/kernel/seccomp/actions_avail";

/// Calls that nothing here makes. The first groups are what somebody would make who has got hold of the process; the rest
/// has had many holes in kernels.
pub(super) const DENIED: &[libc::c_long] = &[
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
pub(super) const FAMILIES: [libc::c_int; 4] =
    [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// Whether this kernel knows seccomp.
pub fn supported() -> bool {
    Path::new(ACTIONS).exists() && TargetArch::try_from(std::env::consts::ARCH).is_ok()
}

/// Refuses these calls from now on; false where the kernel cannot.
pub fn confine() -> bool {
    let Some(filter) = filter() else { return false };
    // Threads that are there already are confined too, where they can be.
    apply_filter_all_threads(&filter).or_else(|_| apply_filter(&filter)).is_ok()
}

fn filter() -> Option<BpfProgram> {
    TargetArch::try_from(std::env::consts::ARCH).ok().map(program::filter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_can_be_made_on_this_architecture() {
        if TargetArch::try_from(std::env::consts::ARCH).is_ok() {
            assert!(filter().is_some());
        }
    }
}

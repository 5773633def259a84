//! Which files the process may open, by Landlock.

use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};

use super::Places;

/// What is asked for; a kernel that knows less does what it knows.
const NEWEST: ABI = ABI::V6;

/// What every kernel with Landlock knows.
const OLDEST: ABI = ABI::V1;

/// What names of hosts, encrypted connections and the clock need: which are there differs from system to system. None of
/// it is secret.
const COMMON: &[&str] = &[
    "/etc/gai.conf",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/timezone",
    // Where resolv.conf is a link to, and is written again while the process runs.
    "/run/NetworkManager",
    "/run/resolvconf",
    "/run/systemd/resolve",
    // The C library loads how names are looked up when the first one is.
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/gnu/store",
    "/nix/store",
    "/usr/share/zoneinfo",
    // Programs that are built with sanitizers or ask for random bytes in the old way.
    "/dev/null",
    "/dev/urandom",
];

/// What may be done in a folder that computers write to. Not in it: running files, and making devices, pipes, sockets and
/// links.
fn write() -> BitFlags<AccessFs> {
    read()
        | AccessFs::WriteFile
        | AccessFs::RemoveDir
        | AccessFs::RemoveFile
        | AccessFs::MakeDir
        | AccessFs::MakeReg
        | AccessFs::Refer
        | AccessFs::Truncate
}

fn read() -> BitFlags<AccessFs> {
    AccessFs::ReadFile | AccessFs::ReadDir
}

/// Whether this kernel knows Landlock.
pub fn supported() -> bool {
    let asked = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(OLDEST));
    asked.and_then(Ruleset::create).is_ok()
}

/// Refuses all other files from now on; false where the kernel cannot.
pub fn confine(places: &Places) -> bool {
    restrict(places).is_ok_and(|status| status != RulesetStatus::NotEnforced)
}

fn restrict(places: &Places) -> Result<RulesetStatus, RulesetError> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        // Computers connect to others, and nobody connects to them.
        .handle_access(AccessNet::BindTcp)?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    for path in COMMON {
        rules = allow(rules, Path::new(path), read())?;
    }
    for path in &places.readable {
        rules = allow(rules, path, read())?;
    }
    for path in &places.writable {
        rules = allow(rules, path, write())?;
    }
    Ok(rules.restrict_self()?.ruleset)
}

/// Allows what is below a path; one that is not there allows nothing.
fn allow(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let Ok(place) = PathFd::new(path) else { return Ok(rules) };
    // Folders have rights that files have not.
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(NEWEST) };
    rules.add_rule(PathBeneath::new(place, access))
}

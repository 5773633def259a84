//! What a run of `test` runs: spec files, and probes.

use std::collections::BTreeSet;
use std::path::PathBuf;

use craftos_specs::play::Target;
use craftos_specs::probes::{self, Probe};
use craftos_specs::project::Project;
use craftos_specs::{files, watch};

use crate::computer::Profile;
use crate::config::TestConfig;
use crate::emulators::Kind;
use crate::report::Shard;

/// Files to run, in order.
#[derive(Debug, Clone, Default)]
pub struct Work {
    pub files: Vec<PathBuf>,
    pub probes: Vec<Probe>,
}

impl Work {
    /// All that a project has. Filters choose among probes here, and among the tests of a spec file when it is loaded.
    pub fn of(project: &Project, test: &TestConfig) -> anyhow::Result<Self> {
        let probes = match &project.probes {
            Some(probes) => probes::all(&project.root, probes)?,
            None => Vec::new(),
        };
        anyhow::ensure!(
            !test.accept || !probes.is_empty(),
            "`--accept` records what probes print, and the project has none\nhint: name their folder in craftos.toml: `probes = {{ folder = \"probes\" }}`"
        );
        // A project may have probes alone; `--accept` is about nothing else.
        let has_specs = !test.accept && (probes.is_empty() || !project.specs.is_empty());
        let files = if has_specs { files::all(project)? } else { Vec::new() };
        let probes = probes.into_iter().filter(|probe| probe.fits(&test.filters)).collect();
        Ok(Self { files, probes })
    }

    pub fn len(&self) -> usize {
        self.files.len() + self.probes.len()
    }

    /// One of several parts.
    pub fn shard(self, shard: Shard) -> Self {
        let probes_from = self.files.len();
        let is_mine = |index: usize| index % shard.of == shard.index - 1;
        let files = self.files.into_iter().enumerate().filter(|(index, _)| is_mine(*index));
        let probes = self.probes.into_iter().enumerate().filter(|(index, _)| is_mine(probes_from + index));
        Self {
            files: files.map(|(_, file)| file).collect(),
            probes: probes.map(|(_, probe)| probe).collect(),
        }
    }

    /// What edits touch.
    pub fn touched(&self, edited: &BTreeSet<PathBuf>) -> Self {
        let all = self.files.iter().chain(self.probes.iter().map(|probe| &probe.file));
        let all: BTreeSet<PathBuf> = all.cloned().collect();
        let touched = watch::touched(&all.into_iter().collect::<Vec<_>>(), edited);
        let files = self.files.iter().filter(|file| touched.contains(file)).cloned();
        let probes = self.probes.iter().filter(|probe| touched.contains(&probe.file)).cloned();
        Self { files: files.collect(), probes: probes.collect() }
    }

    /// Says what is not run, and what is recorded.
    pub fn tell(&self, targets: &[Target], test: &TestConfig) {
        if self.probes.is_empty() {
            return;
        }
        if targets.iter().all(|target| target.profile != Profile::CraftosPc) {
            eprintln!("probes: did not run: they run with the profile `craftos-pc` only");
        } else if test.accept {
            let has = |kind: Kind| targets.iter().any(|target| target.emulator.kind == kind);
            let kind = if has(Kind::CraftosPc) { Kind::CraftosPc } else { Kind::Embedded };
            eprintln!("probes: what they print on {kind} is recorded");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edited_probe_runs_alone() {
        let probe = |file: &str| Probe { file: file.into(), case: None };
        let work = Work { files: vec!["a_spec.lua".into()], probes: vec![probe("b.lua"), probe("c.lua")] };
        let touched = work.touched(&BTreeSet::from([PathBuf::from("c.lua")]));
        assert_eq!((touched.files, touched.probes), (Vec::new(), vec![probe("c.lua")]));
    }
}

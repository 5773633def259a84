//! End-to-end tests, one module for each topic.

mod alike;
mod check_link;
mod context;
mod coverage;
mod desk;
mod endurance;
mod host;
mod leftovers;
mod mutants;
mod probes;
mod program;
mod project;
mod projects;
mod refused;
mod report;
mod restarts;
mod scenarios;
mod second_computers;
mod simulation;
mod snapshots;
mod spec_harm;
mod specs;
mod steps;
mod tools;
mod verdicts;

//! Clients, bridge and computer that end at random while jobs are started, run and end: no job is lost, none runs twice.
//! `RESTARTS=1000` plays more rounds than the tests do by themselves, `RESTARTS_SEED` others.

use std::collections::HashMap;

use fastrand::Rng;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::program::{Running, command, start};
use crate::support::disk::Disk;
use crate::support::tools::tools_hello;
use crate::support::{Client, Era, FakeComputer, within};

/// Rounds of the test, unless the environment says otherwise.
const ROUNDS: usize = 40;

/// One in so many requests ends the link before its answer has left.
const CUT: u64 = 9;

/// What a job answers that has ended.
fn answer(id: &str) -> String {
    let result = json!({ "returns": [{ "type": "string", "value": id }], "output": "" });
    json!({ "type": "response", "id": "job", "ok": true, "result": result }).to_string()
}

/// Links the computer. Now and then it does what it is told, and its answer is lost with the link.
async fn link(disk: &Disk, bridge: &Running, mut dice: Option<Rng>) -> JoinHandle<()> {
    let computer = FakeComputer::link(bridge.link(), &tools_hello(12, "miner")).await;
    disk.serve_until(computer, move || dice.as_mut().is_some_and(|dice| dice.u64(..CUT) == 0))
}

/// All that is there at a time. Whatever ends is made anew.
struct World {
    folder: tempfile::TempDir,
    disk: Disk,
    dice: Rng,
    bridge: Running,
    link: JoinHandle<()>,
    client: Client,
    started: usize,
}

async fn boot(folder: &tempfile::TempDir) -> Running {
    start(command().arg("--state").arg(folder.path()).stderr(std::process::Stdio::null())).await
}

async fn connect(bridge: &Running) -> Client {
    Client::connect(bridge.ready["mcp"].as_str().expect("a URL"), Era::Handshake("2025-11-25")).await
}

impl World {
    async fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (disk, bridge) = (Disk::default(), boot(&folder).await);
        let mut dice = Rng::with_seed(seed);
        let (link, client) = (link(&disk, &bridge, Some(dice.fork())).await, connect(&bridge).await);
        Self { folder, disk, dice, bridge, link, client, started: 0 }
    }

    /// Links the computer again, where its link is gone.
    async fn mend(&mut self) {
        if self.link.is_finished() {
            self.link = link(&self.disk, &self.bridge, Some(self.dice.fork())).await;
        }
    }

    async fn restart_bridge(&mut self, signal: &str) {
        let next = boot_after(&mut self.bridge, signal, &self.folder).await;
        self.bridge = next;
        self.link.abort();
        self.client = connect(&self.bridge).await;
    }

    async fn round(&mut self) {
        self.mend().await;
        self.disk.with(|jobs, _| {
            for job in jobs.values_mut().filter(|job| job.state == "running") {
                job.output.push_str("on\n");
            }
        });
        match self.dice.u64(..10) {
            0 => self.restart_bridge("KILL").await,
            1 => self.restart_bridge("TERM").await,
            // The computer is turned off and on: what ran is interrupted.
            2 => {
                self.link.abort();
                self.end_running("interrupted", 1.0);
            }
            3 => self.link.abort(),
            4 => self.client = connect(&self.bridge).await,
            5 => self.end_running("ended", 0.5),
            6 => drop(self.client.call("list-jobs", json!({})).await),
            // A client that leaves while its job is started never hears of it.
            7 => {
                self.started += 1;
                let call = self.client.call("start-lua", json!({ "computerId": 12, "code": "mine()" }));
                let polls = self.dice.u64(..6);
                tokio::select! {
                    biased;
                    () = async { for _ in 0..polls { tokio::task::yield_now().await } } => {}
                    _ = call => {}
                }
                self.client = connect(&self.bridge).await;
            }
            _ => {
                self.started += 1;
                self.client.call("start-lua", json!({ "computerId": 12, "code": "mine()" })).await;
            }
        }
    }

    /// Ends so much of what runs.
    fn end_running(&mut self, state: &'static str, share: f64) {
        let dice = &mut self.dice;
        self.disk.with(|jobs, _| {
            for (id, job) in jobs.iter_mut().filter(|(_, job)| job.state == "running") {
                if dice.f64() < share {
                    (job.state, job.answer) = (state, (state == "ended").then(|| answer(id)));
                }
            }
        });
    }

    /// Ends everything, and compares what the bridge says of each job with what happened.
    async fn settle(mut self) -> (usize, usize) {
        self.restart_bridge("KILL").await;
        self.end_running("ended", 1.0);
        self.link.abort();
        self.link = link(&self.disk, &self.bridge, None).await;
        let known = within("the ends of all jobs", async {
            loop {
                let listed = self.client.call("list-jobs", json!({})).await.structured.expect("structured");
                let jobs = listed["jobs"].as_array().cloned().expect("a list");
                let is_open = |job: &&Value| {
                    ["starting", "running"].contains(&job["state"].as_str().unwrap_or_default())
                };
                match jobs.iter().find(is_open) {
                    Some(open) => {
                        self.client.call("job-status", json!({ "jobId": open["jobId"] })).await;
                    }
                    None => return jobs,
                }
            }
        })
        .await;
        let mut states: HashMap<&str, &Value> = HashMap::new();
        for job in &known {
            states.insert(job["jobId"].as_str().expect("an id"), &job["state"]);
        }
        let (ran, started) = self.disk.with(|jobs, started| (jobs.clone(), started.clone()));
        for (id, job) in &ran {
            let times = started.iter().filter(|other| *other == id).count();
            assert_eq!(times, 1, "{id} was started {times} times");
            let expected = if job.state == "ended" { "done" } else { "interrupted" };
            assert_eq!(states.get(id.as_str()).copied(), Some(&json!(expected)), "{id} was lost");
            let result =
                self.client.call("job-result", json!({ "jobId": id })).await.structured.expect("structured");
            assert_eq!(
                result["output"].as_str(),
                Some(job.output.as_str()),
                "{id} has all of its output, once"
            );
        }
        for (id, state) in states {
            let never_ran = !ran.contains_key(id);
            assert!(!never_ran || *state == "lost" || *state == "failed", "{id} never ran, and is {state}");
        }
        (self.started, ran.len())
    }
}

/// Ends a bridge with this signal, and starts the next one in the same folder.
async fn boot_after(bridge: &mut Running, signal: &str, folder: &tempfile::TempDir) -> Running {
    if signal == "KILL" {
        bridge.child.kill().await.expect("it runs");
    } else {
        let pid = bridge.child.id().expect("it runs").to_string();
        let sent = tokio::process::Command::new("kill").args(["-s", signal, &pid]).status().await;
        assert!(sent.expect("kill is there").success());
        within("the bridge's end", bridge.child.wait()).await.expect("a status");
    }
    boot(folder).await
}

#[tokio::test]
async fn no_job_is_lost_and_none_runs_twice_whoever_is_restarted() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let rounds = number("RESTARTS").and_then(|rounds| usize::try_from(rounds).ok()).unwrap_or(ROUNDS);
    let seed = number("RESTARTS_SEED").unwrap_or(7);
    // The list that clients get has a hundred jobs.
    let (mut started, mut ran, mut seeds) = (0, 0, Rng::with_seed(seed));
    let mut left = rounds;
    while left > 0 {
        let seed = seeds.u64(..);
        println!("seed {seed}, {left} rounds to go");
        let mut world = World::new(seed).await;
        for _ in 0..left.min(100) {
            world.round().await;
        }
        left = left.saturating_sub(100);
        let (more_started, more_ran) = world.settle().await;
        (started, ran) = (started + more_started, ran + more_ran);
    }
    println!("{started} jobs were asked for, {ran} ran");
    assert!(ran > 0, "no job ran in {rounds} rounds");
}

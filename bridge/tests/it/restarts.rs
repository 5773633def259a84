//! Clients, bridge and computer that end at random while jobs are started, run and end: no job is lost, none runs twice.
//! `RESTARTS=1000` plays more rounds than the tests do by themselves, `RESTARTS_SEED` others.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;

use crate::program::{Running, command, start};
use crate::support::tools::tools_hello;
use crate::support::{Client, Era, FakeComputer, within};

/// Rounds of the test, unless the environment says otherwise.
const ROUNDS: usize = 40;

/// One in so many requests ends the link before its answer has left.
const CUT: u64 = 9;

/// Numbers that are the same for the same seed.
struct Dice(u64);

impl Dice {
    /// A number below this one.
    fn below(&mut self, most: u64) -> u64 {
        // Steele and Vigna's splitmix64: every seed will do.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % most
    }
}

/// A job on the disk of the computer. It prints a line in each round, and is known here for ever.
#[derive(Debug, Clone, Default)]
struct Job {
    runs: u32,
    output: String,
    state: &'static str,
    /// The bridge has said that it has everything.
    forgotten: bool,
}

/// The disk of the computer, which outlives every link and every bridge.
#[derive(Debug, Clone, Default)]
struct Disk(Arc<Mutex<BTreeMap<String, Job>>>);

impl Disk {
    fn with<T>(&self, work: impl FnOnce(&mut BTreeMap<String, Job>) -> T) -> T {
        work(&mut self.0.lock().expect("no test panics while it holds it"))
    }

    fn answer(&self, request: &Value) -> Result<Value, &'static str> {
        let id = request["params"]["job"].as_str().unwrap_or_default().to_owned();
        self.with(|jobs| match request["method"].as_str() {
            Some("start-job") => {
                let job = jobs.entry(id).or_default();
                if job.state.is_empty() {
                    (job.state, job.runs) = ("running", job.runs + 1);
                }
                Ok(json!({}))
            }
            Some("read-job") => {
                let job = jobs.get(&id).filter(|job| !job.forgotten).ok_or("unknown job")?;
                let from = usize::try_from(request["params"]["from"].as_u64().unwrap_or(0)).expect("small");
                let mut told = json!({ "state": job.state, "from": from, "next": job.output.len(), "more": false,
                    "output": &job.output[from..] });
                if job.state == "ended" {
                    let result = json!({ "returns": [{ "type": "string", "value": id }], "output": "" });
                    let frame = json!({ "type": "response", "id": "job", "ok": true, "result": result });
                    told["answer"] = frame.to_string().into();
                }
                Ok(told)
            }
            Some("forget-job") => {
                if let Some(job) = jobs.get_mut(&id).filter(|job| job.state != "running") {
                    job.forgotten = true;
                }
                Ok(json!({}))
            }
            Some("ping") => Ok(json!("pong from 12 (Label: miner)")),
            _ => Err("unknown method"),
        })
    }

    /// Links the computer. Now and then it does what it is told, and its answer is lost with the link.
    async fn link(&self, address: SocketAddr, seed: u64) -> JoinHandle<()> {
        let computer = FakeComputer::link(address, &tools_hello(12, "miner")).await;
        let (disk, mut socket, mut dice) = (self.clone(), computer.socket, Dice(seed));
        tokio::spawn(async move {
            while let Some(Ok(message)) = socket.next().await {
                let Message::Text(text) = message else { continue };
                let request: Value = serde_json::from_str(&text).expect("JSON");
                if request["type"] != "request" {
                    continue;
                }
                let mut answer = json!({ "type": "response", "id": request["id"] });
                match disk.answer(&request) {
                    Ok(result) => (answer["ok"], answer["result"]) = (true.into(), result),
                    Err(error) => (answer["ok"], answer["error"]) = (false.into(), error.into()),
                }
                if seed != 0 && dice.below(CUT) == 0
                    || socket.send(Message::text(answer.to_string())).await.is_err()
                {
                    return;
                }
            }
        })
    }
}

/// All that is there at a time. Whatever ends is made anew.
struct World {
    folder: tempfile::TempDir,
    disk: Disk,
    dice: Dice,
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
        let (link, client) = (disk.link(bridge.link(), seed).await, connect(&bridge).await);
        Self { folder, disk, dice: Dice(seed), bridge, link, client, started: 0 }
    }

    /// Links the computer again, where its link is gone.
    async fn mend(&mut self) {
        if self.link.is_finished() {
            let seed = self.dice.below(u64::MAX - 1) + 1;
            self.link = self.disk.link(self.bridge.link(), seed).await;
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
        self.disk.with(|jobs| {
            for job in jobs.values_mut().filter(|job| job.state == "running") {
                job.output.push_str("on\n");
            }
        });
        match self.dice.below(10) {
            0 => self.restart_bridge("KILL").await,
            1 => self.restart_bridge("TERM").await,
            // The computer is turned off and on: what ran is interrupted.
            2 => {
                self.link.abort();
                self.end_running("interrupted");
            }
            3 => self.link.abort(),
            4 => self.client = connect(&self.bridge).await,
            5 => self.end_running("ended"),
            6 => drop(self.client.call("list-jobs", json!({})).await),
            // A client that leaves while its job is started never hears of it.
            7 => {
                self.started += 1;
                let call = self.client.call("start-lua", json!({ "computerId": 12, "code": "mine()" }));
                let polls = self.dice.below(6);
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

    fn end_running(&mut self, state: &'static str) {
        let dice = &mut self.dice;
        self.disk.with(|jobs| {
            for job in jobs.values_mut().filter(|job| job.state == "running") {
                if state == "interrupted" || dice.below(2) == 0 {
                    job.state = state;
                }
            }
        });
    }

    /// Ends everything, and compares what the bridge says of each job with what happened.
    async fn settle(mut self) -> (usize, usize) {
        self.restart_bridge("KILL").await;
        self.disk.with(|jobs| {
            for job in jobs.values_mut().filter(|job| job.state == "running") {
                job.state = "ended";
            }
        });
        self.link.abort();
        self.link = self.disk.link(self.bridge.link(), 0).await;
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
        let ran = self.disk.with(|jobs| jobs.clone());
        for (id, job) in &ran {
            assert_eq!(job.runs, 1, "{id} ran {} times", job.runs);
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
    let (mut started, mut ran, mut seeds) = (0, 0, Dice(seed));
    let mut left = rounds;
    while left > 0 {
        let seed = seeds.below(u64::MAX - 1) + 1;
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

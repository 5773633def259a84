//! Clients, bridge and a real computer that end at random while jobs are started, run and end: no job is lost, and none
//! runs twice. `RESTARTS=1000` plays more rounds than the tests do by themselves, `RESTARTS_SEED` others.

use std::collections::BTreeMap;
use std::time::Duration;

use craftos_harness::bridge::BridgeSpec;
use craftos_harness::emulators::Kind;
use craftos_harness::{Lab, RunningLab};
use fastrand::Rng;
use rstest::rstest;
use serde_json::{Value, json};

use crate::context::{BRIDGE, emulator, places};

/// Longer than anything here takes on a busy machine. Reaching it is a failure, never a pause.
const PATIENCE: Duration = Duration::from_secs(120);

/// Rounds of the test, unless the environment says otherwise.
const ROUNDS: usize = 12;

/// Rounds with one computer and one folder of jobs: a list that clients get has a hundred jobs, and so has a computer's.
const ROUNDS_AT_ONCE: usize = 50;

/// A job: notes on the disk that it runs, prints some lines, and returns its name.
const JOB: &str = r#"
    local file = fs.open("/ran/NAME", "a")
    file.write("x")
    file.close()
    for line = 1, LINES do
        print(line)
        sleep(0.05)
    end
    return "NAME"
"#;

/// All that is there at a time.
struct World {
    lab: RunningLab,
    dice: Rng,
    http: reqwest::Client,
    /// How many lines each job prints that was asked for, by its name.
    asked: BTreeMap<String, u64>,
    /// The names of the jobs whose ids were heard of.
    heard: BTreeMap<String, String>,
    _state: tempfile::TempDir,
}

impl World {
    async fn new(kind: Kind, seed: u64) -> Option<Self> {
        let emulator = emulator(kind).await?;
        let state = tempfile::tempdir().expect("a folder");
        let folder = state.path().to_string_lossy().into_owned();
        let command = Some(vec![BRIDGE.to_owned(), "--state".to_owned(), folder]);
        let spec = BridgeSpec { command, ..BridgeSpec::default() };
        let lab = Lab::new().on(emulator).program(places().program).bridge(spec).computer(12).label("miner");
        let lab = lab.boot().await.expect("it boots");
        let http = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build().expect("a client");
        let (asked, heard) = (BTreeMap::new(), BTreeMap::new());
        Some(Self { lab, dice: Rng::with_seed(seed), http, asked, heard, _state: state })
    }

    /// Calls a tool as a client of its own, which is gone with the answer, or with whoever waits for that.
    async fn call(&self, tool: &str, arguments: Value) -> Value {
        let url = self.lab.stage().mcp_url().await.expect("a bridge");
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let sent = self.http.post(url).header("accept", "application/json, text/event-stream");
        let sent = sent.header("mcp-protocol-version", "2026-07-28").header("mcp-method", "tools/call");
        let answer = sent.header("mcp-name", tool).json(&request).send().await.expect("an answer");
        let text = answer.text().await.expect("a text");
        let text = text.lines().filter_map(|line| line.strip_prefix("data:")).next_back().unwrap_or(&text);
        let mut answer: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        answer["result"]["structuredContent"].take()
    }

    /// Asks for a job; the client may leave before it has heard of it.
    async fn start(&mut self, leaves: bool) {
        // Mostly there is a computer to run it.
        if self.dice.u64(..5) > 0 {
            self.lab.stage().linked("12").await.expect("it links");
        }
        let (name, lines) = (format!("job-{}", self.asked.len()), self.dice.u64(..12));
        self.asked.insert(name.clone(), lines);
        let code = JOB.replace("NAME", &name).replace("LINES", &lines.to_string());
        let patience = if leaves { Duration::from_millis(self.dice.u64(..20)) } else { PATIENCE };
        let started = self.call("start-lua", json!({ "computerId": 12, "code": code }));
        let Ok(started) = tokio::time::timeout(patience, started).await else { return };
        if let Some(id) = started["jobId"].as_str() {
            self.heard.insert(id.to_owned(), name);
        }
    }

    /// Turns the computer on again; what it does then is the next round's.
    async fn boot(&mut self) {
        self.lab.stage().boot("12").await.expect("it boots");
        if self.dice.bool() {
            self.lab.stage().linked("12").await.expect("it links");
        }
    }

    async fn round(&mut self) {
        let stage = self.lab.stage();
        match self.dice.u64(..12) {
            0 => {
                stage.kill_bridge().await.expect("it runs");
                stage.start_bridge().await.expect("it starts");
            }
            1 => stage.restart_bridge().await.expect("it runs"),
            2 => {
                stage.computer("12").expect("a computer").kill().await.expect("it runs");
                self.boot().await;
            }
            3 => {
                stage.linked("12").await.expect("it links");
                stage.stop("12").await.expect("it runs");
                self.boot().await;
            }
            4 => {
                let proxy = stage.proxy().expect("a proxy");
                proxy.cut("12", true);
                stage.gone("12").await.expect("it is cut off");
                proxy.cut("12", false);
            }
            5 => drop(self.call("list-jobs", json!({})).await),
            6 => stage.linked("12").await.expect("it links"),
            7 | 8 => self.start(true).await,
            _ => self.start(false).await,
        }
    }

    /// What the bridge says of all jobs, once none of them runs any more.
    async fn settled(&self) -> Vec<Value> {
        let is_open = |job: &&Value| job["state"] == "starting" || job["state"] == "running";
        let ends = async {
            loop {
                let jobs = self.call("list-jobs", json!({})).await["jobs"].take();
                let jobs = jobs.as_array().cloned().expect("a list");
                match jobs.iter().find(is_open) {
                    Some(open) => drop(self.call("job-status", json!({ "jobId": open["jobId"] })).await),
                    None => return jobs,
                }
            }
        };
        tokio::time::timeout(PATIENCE, ends).await.expect("all jobs end")
    }

    /// Compares what the bridge says of each job with what happened; gives how many ran.
    async fn judge(self) -> usize {
        let stage = self.lab.stage();
        stage.linked("12").await.expect("it links");
        let jobs = self.settled().await;
        let computer = stage.computer("12").expect("a computer");
        let runs = |name: &str| {
            let noted = computer.folder().read(&format!("ran/{name}")).expect("its disk is there");
            noted.map_or(0, |noted| noted.len())
        };
        let ran: Vec<&String> = self.asked.keys().filter(|name| runs(name) > 0).collect();
        for name in &ran {
            assert_eq!(runs(name), 1, "{name} ran twice");
        }
        let mut kept = 0;
        for job in &jobs {
            let id = job["jobId"].as_str().expect("an id");
            let result = self.call("job-result", json!({ "jobId": id })).await;
            let returned = result["returns"][0]["value"].as_str().map(ToOwned::to_owned);
            let name = returned.or_else(|| self.heard.get(id).cloned());
            let has_run = name.as_deref().map(runs);
            let output = result["output"].as_str().unwrap_or_default();
            match job["state"].as_str().expect("a state") {
                "done" => {
                    let name = name.unwrap_or_else(|| panic!("{id} returned nothing: {result}"));
                    let whole = (1..=self.asked[&name])
                        .fold(String::new(), |text, line| text + &line.to_string() + "\n");
                    assert_eq!((has_run, output), (Some(1), &*whole), "{id} has all of its output, once");
                    kept += 1;
                }
                "interrupted" => {
                    // It was written down, and the computer may have stopped before its first line.
                    assert_ne!(has_run, Some(2), "{id}");
                    kept += usize::from(has_run != Some(0));
                }
                "lost" | "failed" => assert_ne!(has_run, Some(1), "{id} ran, and was lost: {result}"),
                other => panic!("{id} is {other}"),
            }
        }
        // Those that nobody heard of are known by their number.
        assert!(kept >= ran.len(), "{} ran, and the bridge knows of {kept}: {jobs:?}", ran.len());
        let ran = ran.len();
        self.lab.end().await;
        ran
    }
}

#[rstest]
#[case::craftos_pc(Kind::CraftosPc)]
#[case::embedded(Kind::Embedded)]
#[tokio::test]
async fn no_job_of_a_real_computer_is_lost_and_none_runs_twice(#[case] kind: Kind) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let rounds = number("RESTARTS").and_then(|rounds| usize::try_from(rounds).ok()).unwrap_or(ROUNDS);
    let (mut left, mut ran, mut seeds) = (rounds, 0, Rng::with_seed(number("RESTARTS_SEED").unwrap_or(7)));
    while left > 0 {
        let seed = seeds.u64(..);
        println!("seed {seed}, {left} rounds to go");
        let Some(mut world) = World::new(kind, seed).await else { return };
        for _ in 0..left.min(ROUNDS_AT_ONCE) {
            world.round().await;
        }
        left = left.saturating_sub(ROUNDS_AT_ONCE);
        ran += world.judge().await;
    }
    println!("{ran} jobs ran in {rounds} rounds on {kind}");
    assert!(ran > 0, "no job ran in {rounds} rounds");
}

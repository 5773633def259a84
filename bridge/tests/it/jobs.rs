//! Jobs: they outlive their client, their link and the bridge, and run once.

use serde_json::{Value, json};

use crate::support::disk::Disk;
use crate::support::tools::{ToolFolder, tools_hello};
use crate::support::{Client, Era, FakeComputer, TestBridge, within};

async fn structured(client: &Client, tool: &str, arguments: Value) -> Value {
    client.call(tool, arguments).await.structured.expect("structured")
}

async fn start(client: &Client) -> String {
    let job = structured(client, "start-lua", json!({ "computerId": 12, "code": "mine()" })).await;
    assert_eq!((&job["state"], &job["label"]), (&json!("running"), &json!("miner")));
    job["jobId"].as_str().expect("an id").to_owned()
}

async fn state(client: &Client, id: &str) -> Value {
    structured(client, "job-status", json!({ "jobId": id })).await["state"].clone()
}

/// Waits until a job is in this state.
async fn becomes(client: &Client, id: &str, wanted: &str) {
    within("the job's state", async {
        while state(client, id).await != wanted {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

fn done() -> Value {
    json!({ "type": "response", "id": "job", "ok": true,
        "result": { "returns": [{ "type": "number", "value": 64 }], "output": "ignored" } })
}

#[tokio::test]
async fn a_job_goes_on_without_its_client_and_gives_its_output_and_result() {
    let bridge = TestBridge::start().await;
    let disk = Disk::default();
    let _computer = disk.link(&bridge, 12).await;
    let id = {
        let client = bridge.client().await;
        let id = start(&client).await;
        client.delete().await;
        id
    };
    let client = bridge.client().await;
    disk.print(&id, "one\n");
    let page = structured(&client, "job-output", json!({ "jobId": id })).await;
    assert_eq!(
        (&page["output"], &page["next"], &page["state"]),
        (&json!("one\n"), &json!(4), &json!("running"))
    );
    let early = client.call("job-result", json!({ "jobId": id })).await;
    assert!(early.is_error && early.text.contains("has not ended"), "{}", early.text);
    disk.print(&id, "two\n");
    disk.end(&id, &done());
    becomes(&client, &id, "done").await;
    let page = structured(&client, "job-output", json!({ "jobId": id, "from": 4 })).await;
    assert_eq!((&page["output"], &page["more"]), (&json!("two\n"), &json!(false)));
    let result = structured(&client, "job-result", json!({ "jobId": id })).await;
    assert_eq!(result["returns"], json!([{ "type": "number", "value": 64 }]));
    assert_eq!((&result["ok"], &result["output"]), (&json!(true), &json!("one\ntwo\n")));
    assert!(disk.with(|jobs, _| jobs[&id].forgotten), "the computer need not keep it");
    assert_eq!(disk.started(), 1);
}

#[tokio::test]
async fn a_job_outlives_the_bridge_and_its_result_is_fetched_by_the_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let state_in = || {
        let path = folder.path().to_owned();
        TestBridge::with(move |config| config.state = Some(path))
    };
    let disk = Disk::default();
    let bridge = state_in().await;
    let computer = disk.link(&bridge, 12).await;
    let client = bridge.client().await;
    let id = start(&client).await;
    disk.print(&id, "before\n");
    assert_eq!(structured(&client, "job-output", json!({ "jobId": id })).await["output"], "before\n");
    bridge.shutdown().await;
    within("the link's end", computer).await.expect("it ends");
    // It ends while nobody is there.
    disk.print(&id, "after\n");
    disk.end(&id, &done());
    let bridge = state_in().await;
    let client = bridge.client().await;
    assert_eq!(state(&client, &id).await, "running", "as far as anyone knows");
    let _computer = disk.link(&bridge, 12).await;
    becomes(&client, &id, "done").await;
    let result = structured(&client, "job-result", json!({ "jobId": id })).await;
    assert_eq!(result["output"], "before\nafter\n");
    assert_eq!(disk.started(), 1);
    let listed = structured(&client, "list-jobs", json!({})).await;
    assert_eq!(listed["jobs"][0]["jobId"], json!(id));
    assert_eq!(structured(&client, "list-jobs", json!({ "computerId": 99 })).await["jobs"], json!([]));
}

#[tokio::test]
async fn a_job_that_ran_when_its_computer_rebooted_is_interrupted() {
    let bridge = TestBridge::start().await;
    let disk = Disk::default();
    let computer = disk.link(&bridge, 12).await;
    let client = bridge.client().await;
    let id = start(&client).await;
    computer.abort();
    bridge.linked(0).await;
    disk.print(&id, "so far\n");
    disk.with(|jobs, _| jobs.get_mut(&id).expect("kept").state = "interrupted");
    let _computer = disk.link(&bridge, 12).await;
    becomes(&client, &id, "interrupted").await;
    let result = client.call("job-result", json!({ "jobId": id })).await;
    assert!(result.is_error);
    let result = result.structured.expect("structured");
    assert_eq!((&result["ok"], &result["output"]), (&json!(false), &json!("so far\n")));
    assert_eq!(disk.started(), 1);
}

#[tokio::test]
async fn a_job_whose_start_was_never_answered_is_found_or_lost_and_never_sent_again() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    for (number, arrives) in [(12, true), (13, false)] {
        let disk = Disk::default();
        let mut computer = FakeComputer::link(bridge.link_address(), &tools_hello(number, "miner")).await;
        let (job, ()) = tokio::join!(
            structured(&client, "start-lua", json!({ "computerId": number, "code": "x" })),
            async {
                let request = computer.frame().await;
                assert_eq!(request["method"], "start-job");
                if arrives {
                    disk.answer(&request).expect("started");
                }
                drop(computer);
            }
        );
        assert_eq!(job["state"], "starting");
        let id = job["jobId"].as_str().expect("an id").to_owned();
        bridge.linked(0).await;
        let computer = disk.link(&bridge, number).await;
        becomes(&client, &id, if arrives { "running" } else { "lost" }).await;
        assert_eq!(disk.started(), usize::from(arrives));
        computer.abort();
        bridge.linked(0).await;
    }
}

#[tokio::test]
async fn a_job_is_cancelled_also_when_its_computer_is_away() {
    let bridge = TestBridge::start().await;
    let disk = Disk::default();
    let computer = disk.link(&bridge, 12).await;
    let client = bridge.client().await;
    let (here, away) = (start(&client).await, start(&client).await);
    let cancelled = structured(&client, "cancel-job", json!({ "jobId": here })).await;
    assert_eq!(
        (&cancelled["state"], &cancelled["error"]),
        (&json!("cancelled"), &json!("cancelled by the bridge"))
    );
    computer.abort();
    bridge.linked(0).await;
    assert_eq!(structured(&client, "cancel-job", json!({ "jobId": away })).await["state"], "running");
    let _computer = disk.link(&bridge, 12).await;
    becomes(&client, &away, "cancelled").await;
}

#[tokio::test]
async fn what_a_job_returned_is_passed_on_only_where_it_is_described() {
    let bridge = TestBridge::start().await;
    let disk = Disk::default();
    let _computer = disk.link(&bridge, 12).await;
    let client = bridge.client().await;
    let ends = |returns: Value| json!({ "type": "response", "id": "job", "ok": true, "result": { "returns": returns } });
    let (odd, empty) = (start(&client).await, start(&client).await);
    disk.end(&odd, &ends(json!([5])));
    becomes(&client, &odd, "failed").await;
    let result = structured(&client, "job-result", json!({ "jobId": odd })).await;
    assert_eq!(
        (&result["error"], &result["returns"]),
        (&json!(r#"unexpected answer "{"returns":[5]}""#), &Value::Null)
    );
    // Lua cannot tell an empty list from an empty object.
    disk.end(&empty, &ends(json!({})));
    becomes(&client, &empty, "done").await;
    assert_eq!(structured(&client, "job-result", json!({ "jobId": empty })).await["returns"], json!([]));
}

#[tokio::test]
async fn what_cannot_be_a_job_is_explained() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    let missing = client.call("start-lua", json!({ "computerId": 99, "code": "" })).await;
    assert_eq!(missing.text, "computer 99 is not connected (connected: none)");
    let unknown = client.call("job-status", json!({ "jobId": "no\nsuch" })).await;
    assert_eq!(unknown.text, r"there is no job `no\nsuch`; `list-jobs` lists all jobs");
    assert!(
        client.call("job-output", json!({ "jobId": "x", "from": -1 })).await.text.contains("`from` must be")
    );
    let mut old = FakeComputer::link(bridge.link_address(), &tools_hello(12, "old")).await;
    let (called, ()) =
        tokio::join!(client.call("start-lua", json!({ "computerId": 12, "code": "" })), async {
            let request = old.frame().await;
            old.refuse(&request, "unknown method").await;
        });
    assert!(called.is_error && called.text.contains("too old for jobs"), "{}", called.text);
}

#[tokio::test]
async fn a_long_call_of_a_client_that_knows_tasks_becomes_one() {
    let bridge = TestBridge::start().await;
    let disk = Disk::default();
    let _computer = disk.link(&bridge, 12).await;
    let capabilities = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let client = Client::connect_with(&bridge.mcp_url(), Era::Stateless, capabilities).await;
    let params = json!({ "name": "exec-lua", "arguments": { "computerId": 12, "code": "mine()" } });
    let task = client.request("tools/call", params.clone()).await["result"].take();
    assert_eq!((&task["resultType"], &task["status"]), (&json!("task"), &json!("working")), "{task}");
    let id = task["taskId"].as_str().expect("an id").to_owned();
    let get = json!({ "taskId": id });
    assert_eq!(client.request("tasks/get", get.clone()).await["result"]["status"], "working");
    disk.print(&id, "mined\n");
    disk.end(&id, &done());
    let ended = client.request("tasks/get", get.clone()).await["result"].take();
    assert_eq!(ended["status"], "completed");
    let outcome = &ended["result"]["structuredContent"];
    assert_eq!((&outcome["ok"], &outcome["output"]), (&json!(true), &json!("mined\n")));
    assert_eq!(outcome["returns"], json!([{ "type": "number", "value": 64 }]));
    // Another one is cancelled; and one that nobody knows is said to be none.
    let task = client.request("tools/call", params).await["result"].take();
    let get = json!({ "taskId": task["taskId"] });
    assert!(client.request("tasks/cancel", get.clone()).await["result"].is_object());
    assert_eq!(client.request("tasks/get", get).await["result"]["status"], "cancelled");
    let unknown = client.request("tasks/get", json!({ "taskId": "none" })).await;
    assert_eq!(unknown["error"]["message"], "there is no task `none`");
    assert_eq!(disk.started(), 2);
}

#[tokio::test]
async fn a_call_to_a_computer_without_jobs_is_no_task() {
    let bridge = TestBridge::start().await;
    bridge.computer(12, "old").await;
    let mut computer = FakeComputer::link(bridge.link_address(), &tools_hello(13, "old")).await;
    let capabilities = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let client = Client::connect_with(&bridge.mcp_url(), Era::Stateless, capabilities).await;
    let (called, ()) = tokio::join!(client.exec(13, "return 7"), async {
        let request = computer.request("start-job").await;
        computer.refuse(&request, "unknown method").await;
        let request = computer.request("exec-lua").await;
        computer.answer(&request, &json!({ "returns": [], "output": "ran once" })).await;
    });
    assert_eq!(called.structured.expect("structured")["output"], "ran once");
}

fn knows_tasks() -> Value {
    json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } })
}

#[tokio::test]
async fn a_tool_that_says_so_becomes_a_task_and_its_result_is_the_tasks() {
    let any = "mcp.computer: any";
    let promises = "mcp.outputSchema: { type: object, required: [ore] }";
    let folder = ToolFolder::with(&[
        ("mine", &[any, "mcp.task: always"]),
        ("count", &[any, "mcp.task: true", promises]),
    ]);
    let bridge = folder.bridge().await;
    let disk = Disk::default();
    let _computer = disk.link(&bridge, 12).await;
    let client = Client::connect_with(&bridge.mcp_url(), Era::Stateless, knows_tasks()).await;
    let answer = |result: Value| json!({ "type": "response", "id": "job", "ok": true, "result": result });
    let text = json!({ "content": [{ "type": "text", "text": "64 coal" }] });
    for (tool, result, status) in [
        ("mine", text.clone(), "completed"),
        ("count", json!({ "structuredContent": { "ore": 7 } }), "completed"),
        ("count", json!({ "structuredContent": { "sand": 7 } }), "failed"),
    ] {
        let task =
            client.request("tools/call", json!({ "name": tool, "arguments": {} })).await["result"].take();
        assert_eq!((&task["resultType"], &task["status"]), (&json!("task"), &json!("working")), "{task}");
        let id = task["taskId"].as_str().expect("an id").to_owned();
        disk.end(&id, &answer(result.clone()));
        let ended = client.request("tasks/get", json!({ "taskId": id })).await["result"].take();
        assert_eq!(ended["status"], status, "{ended}");
        match status {
            "completed" if tool == "mine" => assert_eq!(ended["result"]["content"], text["content"]),
            "completed" => assert_eq!(ended["result"]["structuredContent"], result["structuredContent"]),
            _ => assert!(
                ended["error"]["message"].as_str().is_some_and(|why| why.contains("outputSchema")),
                "{ended}"
            ),
        }
    }
    // Arguments are checked before anything runs, and a client that knows no tasks is served as ever.
    let wrong = client.call("mine", json!({ "deep": true })).await;
    assert!(wrong.is_error, "{}", wrong.text);
    assert_eq!(disk.started(), 3);
}

#[tokio::test]
async fn the_handler_of_a_task_is_sent_where_the_computer_does_not_have_it() {
    let folder = ToolFolder::with(&[("mine", &["mcp.computer: any", "mcp.task: true"])]);
    let bridge = folder.bridge().await;
    let mut computer = FakeComputer::with_tools(&bridge, 12, "miner").await;
    let client = Client::connect_with(&bridge.mcp_url(), Era::Stateless, knows_tasks()).await;
    let (called, ()) = tokio::join!(client.call("mine", json!({})), async {
        let first = computer.request("start-job").await;
        let call = &first["params"]["tool"];
        assert_eq!(
            (&call["tool"], &call["method"], &call["arguments"]),
            (&json!("mine"), &json!("call"), &json!({}))
        );
        assert!(
            first["params"].get("timeoutMs").is_none() && first["params"].get("code").is_none(),
            "{first}"
        );
        computer.refuse(&first, "unknown handler").await;
        let keep = computer.request("keep-handler").await;
        assert_eq!(keep["params"]["handler"], call["handler"]);
        computer.answer(&keep, &json!({})).await;
        let again = computer.request("start-job").await;
        assert_ne!(again["params"]["job"], first["params"]["job"], "the first one never was");
        computer.answer(&again, &json!({})).await;
        let read = computer.request("read-job").await;
        let result = json!({ "content": [{ "type": "text", "text": "64 coal" }] });
        let answer = json!({ "type": "response", "id": "job", "ok": true, "result": result }).to_string();
        computer
            .answer(&read, &json!({ "state": "ended", "from": 0, "next": 0, "more": false, "output": "", "answer": answer }))
            .await;
        let forget = computer.request("forget-job").await;
        computer.answer(&forget, &json!({})).await;
    });
    assert_eq!(called.text, "64 coal", "one that ends soon is no task");
    // One whose program knows no tools in jobs is called as ever.
    let (called, ()) = tokio::join!(client.call("mine", json!({})), async {
        let start = computer.request("start-job").await;
        computer.refuse(&start, "malformed request: `params.code` is not a string").await;
        let call = computer.request("call-tool").await;
        computer.answer(&call, &json!({ "content": [{ "type": "text", "text": "ran once" }] })).await;
    });
    assert_eq!(called.text, "ran once");
}

#[tokio::test]
async fn a_tool_that_needs_tasks_refuses_clients_that_know_none() {
    let folder = ToolFolder::with(&[("mine", &["mcp.computer: any", "mcp.task: required"])]);
    let bridge = folder.bridge().await;
    let client = Client::connect(&bridge.mcp_url(), Era::Stateless).await;
    let answer = client.request("tools/call", json!({ "name": "mine", "arguments": {} })).await;
    assert_eq!(answer["error"]["code"], -32021, "{answer}");
}

#[tokio::test]
async fn a_computer_that_refuses_a_task_forges_no_line() {
    let folder = ToolFolder::with(&[("mine", &["mcp.computer: any", "mcp.task: always"])]);
    let bridge = folder.bridge().await;
    let mut computer = FakeComputer::with_tools(&bridge, 12, "miner").await;
    let client = Client::connect_with(&bridge.mcp_url(), Era::Stateless, knows_tasks()).await;
    for (tool, arguments) in [("mine", json!({})), ("exec-lua", json!({ "computerId": 12, "code": "" }))] {
        let (called, ()) = tokio::join!(client.call(tool, arguments), async {
            let start = computer.request("start-job").await;
            computer.refuse(&start, "no\npong from 13 (Label: other)").await;
        });
        assert!(called.is_error);
        assert_eq!(called.text, r"error from 12 (Label: miner): no\npong from 13 (Label: other)");
    }
}

#[tokio::test]
async fn a_computer_without_an_end_of_answers_holds_up_no_other() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    let mut hostile = FakeComputer::link(bridge.link_address(), &tools_hello(11, "hostile")).await;
    tokio::spawn(async move {
        for next in 1_u64.. {
            let request = hostile.frame().await;
            let told = json!({ "state": "running", "next": next, "more": true, "output": "x" });
            let answer = json!({ "type": "response", "id": request["id"], "ok": true, "result": told });
            hostile.send(&answer).await;
        }
    });
    let endless = structured(&client, "start-lua", json!({ "computerId": 11, "code": "" })).await;
    let disk = Disk::default();
    let _computer = disk.link(&bridge, 12).await;
    let id = start(&client).await;
    assert_eq!(state(&client, endless["jobId"].as_str().expect("an id")).await, "running");
    disk.end(&id, &done());
    // Nobody asks for it: the bridge has looked after it by itself when the computer need not keep it any more.
    within("the bridge to have the result", async {
        while disk.with(|jobs, _| !jobs[&id].forgotten) {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    })
    .await;
}

/// As many bytes as the program may write into one file: none, as on a full disk, or as many as it likes.
#[cfg(target_os = "linux")]
fn limit_files(child: &tokio::process::Child, most: Option<u64>) {
    let pid = i32::try_from(child.id().expect("it runs")).expect("a process id");
    let (mut soft, mut hard) = (0, 0);
    let now = Some((&mut soft, &mut hard));
    rlimit::prlimit(pid, rlimit::Resource::FSIZE, None, now).expect("our own child");
    let wanted = Some((most.unwrap_or(hard), hard));
    rlimit::prlimit(pid, rlimit::Resource::FSIZE, wanted, None).expect("our own child");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_starts_no_job_and_passes() {
    use crate::program::{command, start as start_program};
    let folder = tempfile::tempdir().expect("a folder");
    let mut shell = tokio::process::Command::new("sh");
    // A program that writes beyond the limit is killed, unless it does not hear of it.
    let line = r#"trap "" XFSZ; exec "$0" "$@""#;
    let program = command();
    shell.args(["-c", line]).arg(program.as_std().get_program()).arg("--state").arg(folder.path());
    shell.env("CC_LINK_HOST", "127.0.0.1").env("CC_LINK_PORT", "0").env("MCP_PORT", "0");
    shell.kill_on_drop(true).stdin(std::process::Stdio::null());
    let running = start_program(&mut shell).await;
    let disk = Disk::default();
    let computer = FakeComputer::link(running.link(), &tools_hello(12, "miner")).await;
    let _serving = disk.serve(computer);
    let client =
        Client::connect(running.ready["mcp"].as_str().expect("a URL"), Era::Handshake("2025-11-25")).await;
    let first = start(&client).await;
    limit_files(&running.child, Some(0));
    for _ in 0..2 {
        let refused = client.call("start-lua", json!({ "computerId": 12, "code": "" })).await;
        assert!(refused.is_error && refused.text.starts_with("failed to "), "{}", refused.text);
    }
    assert_eq!(disk.started(), 1, "what cannot be written down is not run");
    limit_files(&running.child, None);
    let second = start(&client).await;
    for id in [&first, &second] {
        disk.end(id, &done());
        becomes(&client, id, "done").await;
    }
}

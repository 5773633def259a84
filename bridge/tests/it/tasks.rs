//! Tasks of the Tasks extension that ask their client something, and who hears what became of a task.

use serde_json::{Value, json};

use crate::support::disk::Disk;
use crate::support::tools::ToolFolder;
use crate::support::{Client, Era, FakeComputer, TestBridge, within};

const TASKS: &str = "io.modelcontextprotocol/tasks";

/// A bridge with a tool `mine`, which is always a task, others which are when they take long, and a computer that runs
/// them.
struct World {
    bridge: TestBridge,
    disk: Disk,
    _folder: ToolFolder,
    computer: tokio::task::JoinHandle<()>,
}

impl World {
    async fn new() -> Self {
        let any = "mcp.computer: any";
        let folder = ToolFolder::with(&[
            ("mine", &[any, "mcp.task: always"]),
            ("asks", &[any, "mcp.task: true", "mcp.timeoutMs: 20000"]),
            ("other", &[any, "mcp.task: true"]),
            ("hasty", &[any, "mcp.task: true", "mcp.timeoutMs: 50"]),
        ]);
        let bridge = folder.bridge().await;
        let disk = Disk::default();
        let computer = disk.link(&bridge, 12).await;
        Self { bridge, disk, _folder: folder, computer }
    }

    /// A client that knows tasks, and can do this.
    async fn client(&self, mut capabilities: Value) -> Client {
        capabilities["extensions"] = json!({ TASKS: {} });
        Client::connect_with(&self.bridge.mcp_url(), Era::Stateless, capabilities).await
    }

    /// Calls the tool, and gives the id of its task.
    async fn start(&self, client: &Client) -> String {
        let called = client.request("tools/call", json!({ "name": "mine", "arguments": {} })).await;
        called["result"]["taskId"].as_str().unwrap_or_else(|| panic!("no task: {called}")).to_owned()
    }

    fn end(&self, id: &str) {
        let result = json!({ "content": [{ "type": "text", "text": "64 coal" }] });
        self.disk.end(id, &json!({ "type": "response", "id": "job", "ok": true, "result": result }));
    }

    fn answers(&self, id: &str) -> Vec<Value> {
        self.disk.with(|jobs, _| jobs[id].answers.clone())
    }
}

fn elicit(ask: u64, key: Option<&str>, message: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    let params = json!({ "message": message, "requestedSchema": schema });
    let mut asked = json!({ "ask": ask, "method": "elicitation/create", "params": params });
    if let Some(key) = key {
        asked["key"] = key.into();
    }
    asked
}

async fn get(client: &Client, id: &str) -> Value {
    client.request("tasks/get", json!({ "taskId": id })).await["result"].take()
}

async fn update(client: &Client, id: &str, responses: Value) -> Value {
    client.request("tasks/update", json!({ "taskId": id, "inputResponses": responses })).await
}

#[tokio::test]
async fn a_task_asks_its_client_and_goes_on_with_the_answers() {
    let world = World::new().await;
    let client = world.client(json!({ "elicitation": {} })).await;
    let id = world.start(&client).await;
    assert_eq!(get(&client, &id).await["status"], "working");
    world.disk.ask(&id, &[elicit(1, Some("name"), "Who?"), elicit(2, None, "Sure?")]);
    let asks = get(&client, &id).await;
    assert_eq!(asks["status"], "input_required", "{asks}");
    assert_eq!(asks["inputRequests"]["name"]["method"], "elicitation/create");
    assert_eq!(asks["inputRequests"]["ask-2"]["params"]["message"], "Sure?");
    // One after the other; what was not asked is passed over.
    let said = json!({ "action": "accept", "content": { "name": "Ada" } });
    let taken = update(&client, &id, json!({ "name": said, "other": {} })).await;
    assert_eq!(taken["result"]["resultType"], "complete", "{taken}");
    let asks = get(&client, &id).await;
    assert_eq!(asks["inputRequests"].as_object().expect("asked").keys().collect::<Vec<_>>(), ["ask-2"]);
    update(&client, &id, json!({ "name": said, "ask-2": { "action": "decline" } })).await;
    assert_eq!(get(&client, &id).await["status"], "working");
    let answers = world.answers(&id);
    assert_eq!((answers.len(), &answers[0]["result"], &answers[0]["ask"]), (2, &said, &json!(1)));
    assert_eq!((&answers[1]["result"], &answers[1]["ask"]), (&json!({ "action": "decline" }), &json!(2)));
    world.end(&id);
    let ended = get(&client, &id).await;
    assert_eq!((&ended["status"], &ended["inputRequests"]), (&json!("completed"), &Value::Null));
}

#[tokio::test]
async fn the_tool_of_a_task_hears_what_its_client_can_and_a_client_is_asked_nothing_else() {
    let folder = ToolFolder::with(&[("mine", &["mcp.computer: any", "mcp.task: always"])]);
    let bridge = folder.bridge().await;
    let mut computer = FakeComputer::with_tools(&bridge, 12, "miner").await;
    let capabilities = json!({ "sampling": {}, "extensions": { TASKS: {} } });
    let client = Client::connect_with(&bridge.mcp_url(), Era::Stateless, capabilities).await;
    let (task, disk) =
        tokio::join!(client.request("tools/call", json!({ "name": "mine", "arguments": {} })), async {
            let start = computer.request("start-job").await;
            assert_eq!(start["params"]["tool"]["client"], json!(["sampling"]));
            let disk = Disk::default();
            let answer = disk.answer(&start).expect("started");
            computer.answer(&start, &answer).await;
            let _serving = disk.serve(computer);
            disk
        });
    let id = task["result"]["taskId"].as_str().expect("a task").to_owned();
    disk.ask(&id, &[elicit(1, None, "Who?")]);
    assert_eq!(get(&client, &id).await["status"], "working");
    let able = json!({ "elicitation": {}, "extensions": { TASKS: {} } });
    let able = Client::connect_with(&bridge.mcp_url(), Era::Stateless, able).await;
    assert_eq!(get(&able, &id).await["status"], "input_required");
}

#[tokio::test]
async fn a_question_that_is_none_is_answered_with_what_is_wrong_with_it() {
    let world = World::new().await;
    let client = world.client(json!({ "elicitation": {} })).await;
    let id = world.start(&client).await;
    let wrong = [
        json!({ "ask": 1, "method": "elicitation/create", "params": 7 }),
        json!({ "ask": 2, "method": "tools/\ncall", "params": {} }),
    ];
    world.disk.ask(&id, &wrong);
    assert_eq!(get(&client, &id).await["status"], "working");
    let errors: Vec<Value> = world.answers(&id).into_iter().map(|answer| answer["error"].clone()).collect();
    assert_eq!(
        errors,
        ["these are no parameters of `elicitation/create`", r"a client cannot be asked for `tools/\ncall`"]
    );
}

#[tokio::test]
async fn an_answer_that_the_computer_cannot_take_is_the_clients_to_give_again() {
    let world = World::new().await;
    let client = world.client(json!({ "elicitation": {} })).await;
    let id = world.start(&client).await;
    world.disk.ask(&id, &[elicit(1, Some("name"), "Who?")]);
    assert_eq!(get(&client, &id).await["status"], "input_required");
    let deep = (0..70).fold(json!(1), |inner, _| json!([inner]));
    let refused = update(&client, &id, json!({ "name": deep })).await;
    assert!(refused["error"]["message"].as_str().is_some_and(|why| why.contains("nested")), "{refused}");
    world.computer.abort();
    world.bridge.linked(0).await;
    let refused = update(&client, &id, json!({ "name": {} })).await;
    let why = "an answer was not taken: computer 12 is not connected";
    assert_eq!(refused["error"]["message"], why, "{refused}");
    assert_eq!(get(&client, &id).await["status"], "input_required", "as far as anyone knows");
    let _computer = world.disk.link(&world.bridge, 12).await;
    update(&client, &id, json!({ "name": {} })).await;
    assert_eq!(world.answers(&id).len(), 1);
    assert_eq!(get(&client, &id).await["status"], "working");
}

/// Calls a tool that asks something at once; gives the answer to the call, and the job that it is.
async fn call_that_asks(world: &World, client: &Client, tool: &str) -> (Value, String) {
    let before = world.disk.started();
    let (called, id) = tokio::join!(
        client.request("tools/call", json!({ "name": tool, "arguments": {} })),
        within("the job", async {
            while world.disk.started() == before {
                tokio::task::yield_now().await;
            }
            let id = world.disk.with(|_, started| started.last().cloned().expect("one"));
            world.disk.ask(&id, &[elicit(1, Some("name"), "Who?")]);
            id
        })
    );
    (called, id)
}

#[tokio::test]
async fn what_a_tool_asks_before_it_is_a_task_is_asked_as_in_every_call() {
    let world = World::new().await;
    let client = world.client(json!({ "elicitation": {} })).await;
    let (asked, id) = call_that_asks(&world, &client, "asks").await;
    let asked = &asked["result"];
    assert_eq!((&asked["resultType"], &asked["taskId"]), (&json!("input_required"), &Value::Null), "{asked}");
    assert_eq!(asked["inputRequests"]["name"]["params"]["message"], "Who?");
    let said = json!({ "name": { "action": "decline" } });
    let back = |tool: &str| json!({ "name": tool, "arguments": {}, "inputResponses": said, "requestState": asked["requestState"] });
    // It belongs to the tool that asked, and is gone on with once.
    let stolen = client.request("tools/call", back("other")).await;
    assert_eq!(stolen["error"]["code"], -32602, "{stolen}");
    let task = client.request("tools/call", back("asks")).await["result"].take();
    assert_eq!((&task["resultType"], &task["taskId"]), (&json!("task"), &json!(id)), "{task}");
    assert!(task.get("requestState").is_none() && task.get("inputRequests").is_none(), "{task}");
    assert_eq!(world.answers(&id).len(), 1);
    let again = client.request("tools/call", back("asks")).await;
    assert_eq!(again["error"]["code"], -32602, "{again}");
    world.end(&id);
    assert_eq!(get(&client, &id).await["status"], "completed");
    // One that ends soon after its answer is no task at all.
    let (asked, id) = call_that_asks(&world, &client, "asks").await;
    let state = &asked["result"]["requestState"];
    let params = json!({ "name": "asks", "arguments": {}, "inputResponses": said, "requestState": state });
    let (result, ()) = tokio::join!(client.request("tools/call", params), async {
        within("the answer", async {
            while world.answers(&id).is_empty() {
                tokio::task::yield_now().await;
            }
        })
        .await;
        world.end(&id);
    });
    assert_eq!(result["result"]["content"][0]["text"], "64 coal", "{result}");
}

#[tokio::test]
async fn a_call_whose_client_does_not_come_back_is_cancelled() {
    let world = World::new().await;
    let client = world.client(json!({ "elicitation": {} })).await;
    let (asked, id) = call_that_asks(&world, &client, "hasty").await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    within("the cancel", async {
        while get(&client, &id).await["status"] != "cancelled" {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn whoever_listens_to_a_task_hears_of_each_change_and_of_its_end() {
    let world = World::new().await;
    let client = world.client(json!({ "elicitation": {} })).await;
    let (id, other) = (world.start(&client).await, world.start(&client).await);
    let mut news = client.subscribe_to(json!({ "taskIds": [id, "none", id] })).await;
    let acknowledged = news.next().await.expect("an acknowledgement");
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["notifications"], json!({ "taskIds": [id] }));
    let subscription = &acknowledged["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert!(subscription.is_u64(), "{acknowledged}");
    // Of the other one nothing is heard.
    world.end(&other);
    world.disk.ask(&id, &[elicit(1, Some("name"), "Who?")]);
    let asks = news.next().await.expect("news");
    assert_eq!((&asks["method"], &asks["params"]["taskId"]), (&json!("notifications/tasks"), &json!(id)));
    assert_eq!(&asks["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], subscription);
    assert_eq!(asks["params"]["status"], "input_required");
    let mut said = asks["params"].clone();
    said.as_object_mut().expect("an object").remove("_meta");
    let mut polled = get(&client, &id).await;
    for field in ["_meta", "resultType"] {
        polled.as_object_mut().expect("an object").remove(field);
    }
    assert_eq!(said, polled, "it is what `tasks/get` says");
    update(&client, &id, json!({ "name": { "action": "decline" } })).await;
    assert_eq!(news.next().await.expect("news")["params"]["status"], "working");
    world.end(&id);
    let ended = news.next().await.expect("news");
    assert_eq!(ended["params"]["status"], "completed");
    assert_eq!(ended["params"]["result"]["content"][0]["text"], "64 coal");
    // One that has ended before is heard of at once.
    let mut late = client.subscribe_to(json!({ "taskIds": [id] })).await;
    late.next().await.expect("an acknowledgement");
    assert_eq!(late.next().await.expect("news")["params"]["status"], "completed");
}

#[tokio::test]
async fn a_client_that_knows_no_tasks_hears_of_none() {
    let world = World::new().await;
    let client = Client::connect(&world.bridge.mcp_url(), Era::Stateless).await;
    let mut refused = client.subscribe_to(json!({ "taskIds": [] })).await;
    let refused = within("a refusal", refused.next()).await.expect("an answer");
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
    assert!(refused["error"]["data"]["requiredCapabilities"]["extensions"][TASKS].is_object(), "{refused}");
    let mut others = client.subscribe().await;
    let acknowledged = others.next().await.expect("an acknowledgement");
    assert_eq!(acknowledged["params"]["notifications"], json!({ "resourcesListChanged": true }));
}

//! What the link protocol demands of each side. docs/LINK-PROTOCOL.md has the same ids beside the words that they stand for.

/// Which side is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Bridge,
    Computer,
}

/// One thing that a side must do: an id that stays, and what it is in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requirement {
    pub id: &'static str,
    pub text: &'static str,
}

const fn must(id: &'static str, text: &'static str) -> Requirement {
    Requirement { id, text }
}

impl Side {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bridge => "bridge",
            Self::Computer => "computer",
        }
    }

    /// Everything that is demanded of this side, in the order in which it is reported.
    pub const fn requirements(self) -> &'static [Requirement] {
        match self {
            Self::Bridge => BRIDGE,
            Self::Computer => COMPUTER,
        }
    }
}

const BRIDGE: &[Requirement] = &[
    must("B-UPGRADE-1", "upgrades any path"),
    must("B-UPGRADE-2", "answers an upgrade with an `Origin` with HTTP 403"),
    must("B-UPGRADE-3", "answers an upgrade with a wrong token with HTTP 403"),
    must("B-UPGRADE-4", "takes the token from the query, the bearer header or the hello, and wants it"),
    must("B-HELLO-1", "answers a hello of the first version with a bare `hello-ok`"),
    must("B-HELLO-2", "answers a hello with capabilities with its name and what was agreed"),
    must("B-HELLO-3", "agrees on nothing that the computer did not name or that nobody knows"),
    must(
        "B-HELLO-4",
        "refuses a `computerId` that is not a whole number from 0, with `hello-error` and 1008",
    ),
    must("B-HELLO-5", "takes `12.0` for 12, and a label that is not a string for null"),
    must("B-HELLO-6", "ignores what comes before the hello"),
    must("B-HELLO-7", "answers a second hello on a link like the first"),
    must("B-HELLO-8", "refuses a second hello with another `computerId`"),
    must("B-HELLO-9", "closes with 1008 where no hello comes within 10 s, and not before"),
    must("B-HELLO-10", "closes the older link of the same computer with 4000 `replaced`"),
    must("B-FRAME-1", "ignores broken JSON, binary messages, unknown types and unknown fields"),
    must(
        "B-FRAME-2",
        "sends only frames that fit the schema, each in a text message of at most 131072 bytes",
    ),
    must("B-REQUEST-1", "sends `ping` with a type, an id and a method, and nothing more"),
    must("B-REQUEST-2", "sends the code of `exec-lua` unchanged"),
    must("B-REQUEST-3", "sends `timeoutMs` only where `exec-lua` was agreed"),
    must("B-REQUEST-4", "never uses an id twice"),
    must("B-REQUEST-5", "takes answers in any order"),
    must("B-REQUEST-6", "ignores answers with an id that does not wait, or from another link"),
    must("B-REQUEST-7", "passes on a failure with its message"),
    must("B-REQUEST-8", "takes `{}` for an empty `returns`"),
    must("B-REQUEST-9", "ends what waits when the link ends, and sends nothing again after a reconnect"),
    must("B-REQUEST-10", "lets 64 requests wait at one computer, and refuses more at once"),
    must("B-CANCEL-1", "sends `cancel` for a call that has timed out, where it was agreed, and only there"),
    must("B-OUTPUT-1", "takes `output` frames, and the response after them"),
    must("B-PART-1", "puts the parts of a response together"),
    must("B-PART-2", "ends a request whose parts are out of order with an error, and nothing else"),
    must("B-PART-3", "sends a large request in parts, in order, the last one marked"),
    must("B-PART-4", "sends nothing of a large request where `parts` was not agreed"),
    must("B-TOOL-1", "calls a tool by the hash of its handler, and sends the handler where it is unknown"),
    must("B-TOOL-2", "answers what a tool asks, with the number of the question"),
    must("B-JOB-1", "starts a job under an id of letters, digits and dashes"),
    must("B-JOB-2", "reads a job from where it stopped, and has it forgotten after its end"),
    must("B-END-1", "closes with 1009 after a message of more than 131072 bytes"),
    must("B-END-2", "closes with 1007 after a text that is not UTF-8"),
    must("B-END-3", "closes with 1002 after what is not WebSocket"),
    must("B-END-4", "closes with 1000 `bye` after a `bye`, and has read what came before it"),
    must("B-END-5", "ignores a `bye` that was not agreed"),
    must("B-END-6", "sends a WebSocket ping every 15 s"),
    must("B-END-7", "closes with 4001 `silent` where nothing comes for 45 s, and not before"),
    must("B-END-8", "lets nothing that happens on one link touch another"),
];

const COMPUTER: &[Requirement] = &[
    must("C-HELLO-1", "sends a hello as its first frame"),
    must("C-HELLO-2", "has the same `computerId` on every link"),
    must("C-FRAME-1", "ignores broken JSON, binary messages, unknown types and unknown fields"),
    must(
        "C-FRAME-2",
        "sends only frames that fit the schema, each in a text message of at most 131072 bytes",
    ),
    must("C-FRAME-3", "sends no frame that was not agreed"),
    must("C-REQUEST-1", "answers `ping` with `pong from <id> (Label: <label>)`"),
    must("C-REQUEST-2", "gives back the id as it was given"),
    must("C-REQUEST-3", "answers an unknown method with `unknown method`"),
    must("C-REQUEST-4", "answers each request once"),
    must("C-REQUEST-5", "answers a request that it cannot read, where `type` and `id` can be read"),
    must("C-EXEC-1", "runs Lua, and returns what it returned and printed"),
    must("C-EXEC-2", "describes every kind of value, and keeps values after a nil"),
    must("C-EXEC-3", "answers a chunk that fails with its message and what it printed"),
    must("C-EXEC-4", "takes and gives back text as UTF-8"),
    must("C-EXEC-5", "stops a chunk that never yields after its `timeoutMs`"),
    must("C-CANCEL-1", "stops a chunk that waits on `cancel`, and answers its request"),
    must("C-CANCEL-2", "ignores a `cancel` for what does not run"),
    must("C-OUTPUT-1", "sends what a chunk prints while it runs, and all of it in the response"),
    must("C-PART-1", "puts the parts of a request together"),
    must("C-PART-2", "sends a large response in parts, in order, the last one marked"),
    must("C-PART-3", "answers a request whose parts are out of order with an error, and nothing else"),
    must("C-PART-4", "drops a request that is cut short by `cancel` or by an empty last part"),
    must("C-PART-5", "keeps a response within one message where `parts` was not agreed"),
    must("C-TOOL-1", "answers `unknown handler` for a handler that it does not keep, and runs nothing"),
    must("C-TOOL-2", "keeps a handler with its modules, and calls its method with the arguments"),
    must("C-TOOL-3", "answers a handler that throws with `isError`"),
    must("C-TOOL-4", "sends `progress` and `log` frames of a tool that runs"),
    must("C-TOOL-5", "asks the client with a number, and goes on with the answer"),
    must("C-JOB-1", "runs a job, and gives its output and its answer when it is read"),
    must("C-JOB-2", "never runs a job a second time"),
    must("C-JOB-3", "answers `unknown job` for a job that is not there"),
    must("C-JOB-4", "stops a job on `cancel-job`, and keeps it to be read"),
    must("C-JOB-5", "goes on with a job when the link is lost"),
    must("C-END-1", "answers WebSocket pings"),
    must("C-END-2", "connects again after a close with 1001"),
    must("C-END-3", "stops the chunks of a link that is lost"),
    must("C-END-4", "does not connect again after a close with 4000"),
    must("C-END-5", "says `bye` before its computer is turned off, where that was agreed"),
];

//! The computer that is checked, and the links that it is led through: one with everything, one as of the first version,
//! one that is lost, and the last one.

use std::time::Duration;

use serde_json::json;
use tokio::net::TcpListener;
use tokio::time::timeout;

use super::link::Link;
use super::talk::WAITING_JOB;
use crate::report::{Check, Miss, Report, ensure, not_applicable, wrong};
use crate::requirement::Side;
use crate::wire::{Came, Odd, Wire};

/// A file on the computer that a chunk writes to, and the kit removes.
const FILE: &str = "/.check-link";

/// Where a computer is expected, and for how long.
#[derive(Debug)]
pub struct Subject {
    listener: TcpListener,
    /// For an answer: longer than a chunk that never yields takes to be stopped, on a busy machine.
    pub patience: Duration,
    /// For a connection: longer than a computer waits before it connects again.
    pub wait: Duration,
    /// How long nobody may connect after a close with 4000.
    pub quiet: Duration,
    /// Whether to turn the computer off at the end, to see its `bye`.
    pub turn_off: bool,
    odd: Odd,
}

/// No computer came.
#[derive(Debug, thiserror::Error)]
#[error("no computer connected within {} s\nhint: run `mcp-computer ws://HOST:PORT` on it, with the address above", .0.as_secs())]
pub struct NoComputer(Duration);

impl Subject {
    pub fn new(listener: TcpListener) -> Self {
        Self {
            listener,
            patience: Duration::from_secs(20),
            wait: Duration::from_secs(60),
            quiet: Duration::from_secs(5),
            turn_off: false,
            odd: Odd::default(),
        }
    }

    /// Waits for the computer to connect, and answers its hello.
    async fn link(&self, negotiates: bool) -> Check<Link> {
        let expected = "a connection with a hello as its first frame";
        let connected = async {
            loop {
                // What is no upgrade is of no interest: a browser, for example.
                if let Ok((stream, _)) = self.listener.accept().await
                    && let Some(wire) = Wire::accept(stream, &self.odd, self.patience).await
                {
                    return wire;
                }
            }
        };
        let Ok(mut wire) = timeout(self.wait, connected).await else {
            return Err(wrong(expected, format!("no connection within {} s", self.wait.as_secs())));
        };
        let hello = match wire.next().await {
            Came::Frame(frame) if frame["type"] == "hello" => frame,
            other => return Err(wrong(expected, other.to_string())),
        };
        Ok(Link::greet(wire, hello, negotiates).await)
    }
}

/// Keeps verdicts, and what was noticed on the way.
struct Findings {
    report: Report,
    not_agreed: Option<String>,
    twice: Option<String>,
}

impl Findings {
    fn leave(&mut self, link: &mut Link) {
        self.not_agreed = self.not_agreed.take().or(link.not_agreed.take());
        self.twice = self.twice.take().or(link.twice.take());
    }
}

/// Checks everything.
pub async fn check(subject: &Subject) -> Result<Report, NoComputer> {
    let mut found = Findings { report: Report::new(Side::Computer), not_agreed: None, twice: None };
    let mut link = match subject.link(true).await {
        Ok(link) => link,
        Err(Miss::Wrong { seen, .. }) if seen.starts_with("no connection") => {
            return Err(NoComputer(subject.wait));
        }
        Err(miss) => {
            found.report.add("C-HELLO-1", Err(miss));
            found.report.add("C-FRAME-2", subject.odd.verdict());
            return Ok(found.report);
        }
    };
    found.report.add("C-HELLO-1", Ok(()));
    let id = link.id().clone();
    let outcome = walk(subject, &mut link, &mut found).await;
    found.leave(&mut link);
    if let Err(miss) = outcome {
        // A computer that does not come back cannot be asked the rest.
        found.report.add("C-END-2", Err(miss));
    }
    let same = ensure(*link.id() == id, &format!("`computerId` {id}"), || link.id().to_string());
    found.report.add("C-HELLO-2", same);
    let none = |seen: Option<String>, expected: &str| seen.map_or(Ok(()), |seen| Err(wrong(expected, seen)));
    found.report.add("C-REQUEST-4", none(found.twice.take(), "one answer to each request"));
    found.report.add("C-FRAME-3", none(found.not_agreed.take(), "no frame that was not agreed"));
    found.report.add("C-FRAME-2", subject.odd.verdict());
    Ok(found.report)
}

/// Leads the computer through its links. Fails where it does not come back.
async fn walk(subject: &Subject, link: &mut Link, found: &mut Findings) -> Check {
    macro_rules! all {
        ($($id:literal $check:ident,)*) => {
            $(
                let verdict = link.$check().await;
                found.report.add($id, verdict);
                if link.is_over {
                    found.leave(link);
                    *link = subject.link(true).await?;
                }
            )*
        };
    }
    all! {
        "C-REQUEST-1" ping,
        "C-REQUEST-2" odd_id,
        "C-REQUEST-3" unknown_method,
        "C-REQUEST-5" unreadable,
        "C-FRAME-1" noise,
        "C-EXEC-1" runs_lua,
        "C-EXEC-2" describes_values,
        "C-EXEC-3" fails,
        "C-EXEC-4" text,
        "C-EXEC-5" deadline,
        "C-CANCEL-1" cancel,
        "C-CANCEL-2" cancel_of_nothing,
        "C-OUTPUT-1" output,
        "C-PART-1" request_in_parts,
        "C-PART-2" response_in_parts,
        "C-PART-3" parts_out_of_order,
        "C-PART-4" parts_cut_short,
        "C-TOOL-1" unknown_handler,
        "C-TOOL-2" keeps_a_handler,
        "C-TOOL-3" handler_throws,
        "C-TOOL-4" notes_of_a_tool,
        "C-TOOL-5" asks,
        "C-JOB-1" job,
        "C-JOB-2" job_once,
        "C-JOB-3" unknown_job,
        "C-JOB-4" cancel_job,
        "C-END-1" websocket_ping,
    }
    found.leave(link);

    // As of the first version. The link is closed as by a bridge that is restarted.
    let mut next = async |link: &mut Link, negotiates: bool| {
        found.leave(link);
        *link = subject.link(negotiates).await?;
        Ok::<(), Miss>(())
    };
    close(link, 1001, "the bridge is shutting down").await;
    next(link, false).await?;
    let within_one_message = link.no_parts().await;
    let prints = link.exec("print('one') sleep(0.2) print('two') return 1").await;

    // With all, and lost while a chunk and a job run.
    close(link, 1001, "the bridge is shutting down").await;
    next(link, true).await?;
    let begun = link.begin_to_write(FILE).await;
    let job = link.start_waiting_job().await;
    link.wire.cut().await;
    next(link, true).await?;
    let stopped = match begun {
        Ok(()) => link.has_stopped(FILE).await,
        Err(miss) => Err(miss),
    };
    let went_on = match job {
        Ok(job) => link.finish_waiting_job(&job).await,
        Err(miss) => Err(miss),
    };
    found.report.add("C-PART-5", within_one_message.and(prints.map(drop)));
    found.report.add("C-END-2", Ok(()));
    found.report.add("C-END-3", stopped);
    found.report.add("C-JOB-5", went_on);
    last(subject, link, found).await;
    Ok(())
}

async fn close(link: &mut Link, code: u16, reason: &'static str) {
    link.wire.say_close(code, reason).await;
}

/// The end of the last link: the computer is turned off, or told that it was replaced.
async fn last(subject: &Subject, link: &mut Link, found: &mut Findings) {
    if subject.turn_off {
        found.report.add("C-END-4", Err(not_applicable("the computer was turned off instead")));
        found.report.add("C-END-5", bye(link).await);
        return;
    }
    found.report.add("C-END-5", Err(not_applicable("`--turn-off` checks it, and turns the computer off")));
    close(link, 4000, "replaced").await;
    let expected = format!("no connection within {} s after `replaced`", subject.quiet.as_secs());
    let again = timeout(subject.quiet, subject.listener.accept()).await;
    found.report.add("C-END-4", ensure(again.is_err(), &expected, || "a connection".to_owned()));
}

async fn bye(link: &mut Link) -> Check {
    link.needs("bye")?;
    link.request("exec-lua", json!({ "code": "os.shutdown()" })).await;
    while !link.notes.iter().any(|note| note["type"] == "bye") {
        link.step("`bye`").await?;
    }
    close(link, 1000, "bye").await;
    Ok(())
}

impl Link {
    /// Starts a chunk that writes to a file for as long as it runs, and sees it write.
    async fn begin_to_write(&mut self, file: &str) -> Check {
        let code = format!(
            "local n = 0 while true do n = n + 1 local f = fs.open('{file}', 'w') f.write(tostring(n)) f.close() sleep(0) end"
        );
        self.request("exec-lua", json!({ "code": code })).await;
        self.exec(&format!("while not fs.exists('{file}') do sleep(0) end")).await.map(drop)
    }

    /// Sees whether nobody writes to the file any more.
    async fn has_stopped(&mut self, file: &str) -> Check {
        let code = format!(
            "local function read() local f = fs.open('{file}', 'r') local s = f.readAll() f.close() return s end \
             local before = read() sleep(0.5) local after = read() fs.delete('{file}') return before == after"
        );
        let result = self.exec(&code).await?;
        let stopped = result["returns"][0]["value"] == true;
        ensure(stopped, "a chunk that ends with its link", || {
            "a chunk that still writes to its file".to_owned()
        })
    }

    async fn start_waiting_job(&mut self) -> Check<String> {
        self.start_job(WAITING_JOB).await
    }
}

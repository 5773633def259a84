//! `mcp servers`, `mcp tools`, `mcp call` and `mcp ping`: what an agent host sees of its servers.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use futures_util::future::join_all;
use mcp_host::config::Problem;
use mcp_host::flatten::{Folder, flatten};
use mcp_host::text::{chain, headline, line};
use mcp_host::{Called, Configuration, Host, ServerSpec, Settings, State, Status, Surroundings};
use serde_json::{Value, json};

use super::out::{out, outln};
use super::words::split;
use crate::cli_mcp::{HostArgs, McpArgs, McpCommand};
use crate::servers;

/// The code for a tool that reports an error, a server that is broken, a ping without an answer.
const FAILED: u8 = 1;

/// What a line of a list has room for.
const DESCRIPTION: usize = 80;

/// The name of the server that `--url` or `--stdio` gives.
const ONLY: &str = "server";

/// Runs one command on the servers that the arguments name, and ends them.
pub async fn mcp(args: &McpArgs, arguments: Option<&Value>) -> anyhow::Result<ExitCode> {
    let host = host(&args.host)?;
    let outcome = match &args.command {
        McpCommand::Servers => servers(&host, args.host.whole).await,
        McpCommand::Tools { filter } => tools(&host, filter.as_deref(), args.host.whole).await,
        McpCommand::Call { name, save, .. } => {
            let arguments = arguments.cloned().unwrap_or_default();
            match host.call(name, arguments).await {
                Ok(called) => tell(&called, args.host.whole, save.as_deref()),
                Err(error) => Err(error.into()),
            }
        }
        McpCommand::Ping { servers } => ping(&host, servers, args.host.whole).await,
    };
    host.shutdown().await;
    outcome
}

/// Prints what a tool answered, and gives the code for it. What came as progress goes to stderr.
pub fn tell(called: &Called, as_json: bool, save: Option<&Path>) -> anyhow::Result<ExitCode> {
    for message in &called.progress {
        eprintln!("{}", line(message));
    }
    if as_json {
        outln!("{}", serde_json::to_string_pretty(&called.result)?);
    } else {
        let name = format!("{}__{}", called.server, called.tool);
        let mut keep = save.map_or_else(|| Folder::private(&name), |folder| Folder::new(folder, &name));
        outln!("{}", flatten(&called.result, &mut keep));
    }
    Ok(if called.is_error() { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// How servers are treated by this program.
pub fn settings() -> Settings {
    Settings {
        client_name: "craftos-harness".to_owned(),
        client_version: env!("CARGO_PKG_VERSION").to_owned(),
        ..servers::settings()
    }
}

/// Reads the configuration that counts, and says on stderr which it is and what it shadows.
pub fn configuration(file: Option<&Path>) -> anyhow::Result<Configuration> {
    let configuration = Configuration::resolve(&Surroundings::here()?, file)?;
    let shown = |path: &Path| line(&path.display().to_string());
    if let Some(file) = &configuration.file {
        eprintln!("servers of `{}`", shown(file));
    }
    for shadowed in &configuration.shadowed {
        eprintln!("shadowed: `{}`", shown(shadowed));
    }
    configuration.notes.iter().map(Problem::to_string).for_each(|note| eprintln!("note: {note}"));
    Ok(configuration)
}

fn host(args: &HostArgs) -> anyhow::Result<Host> {
    let settings = Settings {
        protocol: args.protocol.clone(),
        start_timeout: args.start_timeout,
        call_timeout: args.call_timeout,
        ..settings()
    };
    let configuration = match (&args.url, &args.stdio) {
        (Some(url), _) => Configuration::of([ServerSpec::remote(ONLY, url)]),
        (None, Some(command)) => Configuration::of([ServerSpec::local(ONLY, split(command)?)]),
        (None, None) => configuration(args.config.as_deref())?,
    };
    Ok(Host::new(configuration, settings))
}

async fn servers(host: &Host, as_json: bool) -> anyhow::Result<ExitCode> {
    host.start().await;
    let statuses = host.statuses();
    if as_json {
        let all: Vec<Value> = statuses.iter().map(status_json).collect();
        outln!("{}", serde_json::to_string_pretty(&all)?);
    } else {
        out!("{}", table(&statuses));
    }
    let broken = statuses.iter().any(|status| matches!(status.state, State::Broken(_)));
    Ok(if broken { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

fn status_json(status: &Status) -> Value {
    json!({
        "id": status.id,
        "state": status.state.word(),
        "reason": match &status.state { State::Broken(reason) => Some(reason), _ => None },
        "place": status.place,
        "era": status.era.as_ref().map(ToString::to_string),
        "tools": status.tools,
        "startMs": status.start_time.map(milliseconds),
        "restarts": status.restarts,
    })
}

fn milliseconds(time: Duration) -> u64 {
    time.as_millis().try_into().unwrap_or(u64::MAX)
}

/// A row for each server; why one is broken stands below its row.
fn table(statuses: &[Status]) -> String {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let mut rows = vec![["server", "state", "era", "tools", "start"].map(ToOwned::to_owned)];
    rows.extend(statuses.iter().map(|status| {
        [
            line(&status.id),
            status.state.word().to_owned(),
            or_none(status.era.as_ref().map(ToString::to_string)),
            or_none(status.tools.map(|tools| tools.to_string())),
            or_none(status.start_time.map(|time| format!("{} ms", time.as_millis()))),
        ]
    }));
    let widths: Vec<usize> =
        (0..5).map(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for (number, [server, state, era, tools, start]) in rows.iter().enumerate() {
        let _ = writeln!(
            text,
            "{server:<0$}  {state:<1$}  {era:<2$}  {tools:>3$}  {start:>4$}",
            widths[0], widths[1], widths[2], widths[3], widths[4]
        );
        let status = number.checked_sub(1).map(|at| &statuses[at].state);
        if let Some(State::Broken(reason)) = status {
            for reason in reason.lines() {
                let _ = writeln!(text, "  {reason}");
            }
        }
    }
    text
}

async fn tools(host: &Host, filter: Option<&str>, as_json: bool) -> anyhow::Result<ExitCode> {
    let listing = host.tools().await;
    for (_, error) in &listing.failures {
        eprintln!("error: {}", chain(error));
    }
    let wanted = |name: &str| filter.is_none_or(|filter| name.contains(filter));
    let tools: Vec<_> = listing.tools.iter().filter(|tool| wanted(&tool.name())).collect();
    if as_json {
        let whole = |tool: &&mcp_host::HostTool| json!({ "name": tool.name(), "server": tool.server, "tool": tool.tool });
        outln!("{}", serde_json::to_string_pretty(&tools.iter().map(whole).collect::<Vec<_>>())?);
    } else {
        let width = tools.iter().map(|tool| line(&tool.name()).chars().count()).max().unwrap_or(0);
        for tool in tools {
            let description = headline(tool.tool.description.as_deref().unwrap_or_default(), DESCRIPTION);
            outln!("{}", format!("{:<width$}  {description}", line(&tool.name())).trim_end());
        }
    }
    let none_works = !listing.failures.is_empty() && listing.failures.len() == host.servers().len();
    anyhow::ensure!(!none_works, "no server works");
    Ok(ExitCode::SUCCESS)
}

async fn ping(host: &Host, named: &[String], as_json: bool) -> anyhow::Result<ExitCode> {
    let servers: Vec<&str> =
        if named.is_empty() { host.servers() } else { named.iter().map(String::as_str).collect() };
    let answers = join_all(servers.iter().map(|server| host.ping(server))).await;
    let failed = answers.iter().any(Result::is_err);
    let answers = servers.iter().zip(&answers);
    if as_json {
        let one = |(server, answer): (&&str, &Result<Duration, _>)| match answer {
            Ok(time) => json!({ "server": server, "ok": true, "ms": milliseconds(*time) }),
            Err(error) => json!({ "server": server, "ok": false, "error": chain(error) }),
        };
        outln!("{}", serde_json::to_string_pretty(&answers.map(one).collect::<Vec<_>>())?);
    } else {
        for (server, answer) in answers {
            match answer {
                Ok(time) => outln!("pong from {} in {} ms", line(server), time.as_millis()),
                Err(error) => outln!("error from {}: {}", line(server), chain(error)),
            }
        }
    }
    Ok(if failed { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_columns_and_the_reason_below_a_broken_row() {
        let status = |id: &str, state, tools, start_time: Option<u64>| Status {
            id: id.to_owned(),
            place: String::new(),
            state,
            era: None,
            tools,
            start_time: start_time.map(Duration::from_millis),
            restarts: 0,
        };
        let statuses = [
            status("bridge", State::Ready, Some(3), Some(112)),
            status("x", State::Broken("failed\nhint: try".to_owned()), None, None),
        ];
        let expected = "server  state   era  tools   start\nbridge  ready   -        3  112 ms\n\
            x       broken  -        -       -\n  failed\n  hint: try\n";
        assert_eq!(table(&statuses), expected);
    }
}

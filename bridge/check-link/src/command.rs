//! `mcp-bridge check-link`: what is typed, who is checked, and how the report is shown.

use std::io::Write as _;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::Value;
use tokio::net::TcpListener;

use super::mcp::Mcp;
use super::report::Report;
use super::{of_bridge, of_computer};

/// Says whether the other side of a link keeps to the link protocol.
#[derive(Debug, Args)]
pub struct CheckLink {
    /// Link port of the bridge to check, for example `ws://127.0.0.1:3001`; the kit plays computers
    #[arg(value_name = "URL", required_unless_present = "listen", conflicts_with = "listen")]
    pub url: Option<String>,

    /// Play a bridge at this address, for example `127.0.0.1:3001`, and check the computer that connects
    #[arg(long, value_name = "HOST:PORT")]
    pub listen: Option<String>,

    /// MCP address of the same bridge, so that the kit can make it send requests
    #[arg(long, value_name = "URL")]
    pub mcp: Option<String>,

    /// A tool declared in Lua that the kit may call; the kit plays the computer, so that nothing runs
    #[arg(long, value_name = "NAME", requires = "mcp")]
    pub tool: Option<String>,

    /// The arguments of that tool, as JSON
    #[arg(long, value_name = "JSON", requires = "tool", default_value = "{}")]
    pub arguments: String,

    /// Token that the bridge wants from computers
    #[arg(long, env = "CC_LINK_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub token: Option<String>,

    /// Token that the bridge wants from MCP clients
    #[arg(long, env = "MCP_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub mcp_token: Option<String>,

    /// Also check what a bridge does after 10, 15 and 45 s
    #[arg(long)]
    pub slow: bool,

    /// At the end, turn the computer off, to see its `bye`
    #[arg(long, requires = "listen")]
    pub turn_off: bool,

    /// How long to wait for a computer to connect, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub wait: u64,

    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

/// Checks, and prints the report; tells whether nothing failed.
pub async fn check_link(asked: &CheckLink) -> anyhow::Result<bool> {
    let report = match (&asked.url, &asked.listen) {
        (Some(url), _) => bridge(asked, url).await?,
        (None, Some(address)) => computer(asked, address).await?,
        (None, None) => bail!("`check-link` needs the URL of a bridge, or `--listen`"),
    };
    let mut out = std::io::stdout().lock();
    if asked.json {
        writeln!(out, "{:#}", report.to_json())?;
    } else {
        report.write_lines(&mut out)?;
    }
    Ok(report.failed().is_empty())
}

async fn bridge(asked: &CheckLink, url: &str) -> anyhow::Result<Report> {
    let rest = url.strip_prefix("ws://");
    let Some(rest) = rest else {
        bail!("`{url}` is not the address of a link port\nhint: write it as `ws://127.0.0.1:3001`");
    };
    let (address, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let path = if path.is_empty() { "/" } else { path };
    let mut subject = of_bridge::Subject::new(address.to_owned(), path.to_owned());
    subject.token.clone_from(&asked.token);
    subject.slow = asked.slow;
    if let Some(mcp) = &asked.mcp {
        let opened = Mcp::open(mcp, asked.mcp_token.clone()).await;
        subject.mcp = Some(opened.with_context(|| format!("failed to use the MCP server `{mcp}`"))?);
    }
    if let Some(tool) = &asked.tool {
        let arguments: Value = serde_json::from_str(&asked.arguments).context("`--arguments` is not JSON")?;
        subject.tool = Some((tool.clone(), arguments));
    }
    let connected = tokio::net::TcpStream::connect(address).await;
    connected.with_context(|| format!("nothing listens at `{address}`"))?;
    Ok(of_bridge::check(&subject).await)
}

async fn computer(asked: &CheckLink, address: &str) -> anyhow::Result<Report> {
    let listener =
        TcpListener::bind(address).await.with_context(|| format!("failed to listen at `{address}`"))?;
    eprintln!("waiting for a computer: run `mcp-computer ws://{}` on it", listener.local_addr()?);
    let mut subject = of_computer::Subject::new(listener);
    subject.wait = Duration::from_secs(asked.wait);
    subject.turn_off = asked.turn_off;
    Ok(of_computer::check(&subject).await?)
}

//! One MCP session over HTTP, as little of a client as can be: what it costs is in every figure alike.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

/// A session on one connection, which stays open between two calls.
pub struct Session {
    stream: BufReader<TcpStream>,
    address: String,
    id: Option<String>,
    calls: u64,
}

impl Session {
    /// Does the handshake with the bridge at this address, `http://HOST:PORT/mcp`.
    pub fn open(url: &str) -> anyhow::Result<Self> {
        let address = url.trim_start_matches("http://").split('/').next().unwrap_or_default().to_owned();
        let stream = TcpStream::connect(&address).with_context(|| format!("failed to reach `{url}`"))?;
        stream.set_nodelay(true)?;
        let mut session = Self { stream: BufReader::new(stream), address, id: None, calls: 0 };
        session.post(&json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "bench", "version": "0" },
            },
        }))?;
        session.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(session)
    }

    /// Runs Lua on a computer and gives the text of the result.
    pub fn exec(&mut self, computer: u32, code: &str) -> anyhow::Result<String> {
        self.calls += 1;
        let arguments = json!({ "computerId": computer, "code": code });
        let answer = self.post(&json!({
            "jsonrpc": "2.0", "id": self.calls, "method": "tools/call",
            "params": { "name": "exec-lua", "arguments": arguments },
        }))?;
        // An event of a stream has it on one line of its own.
        let line = answer.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
        let message = line
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .find(|message| message["id"] == self.calls);
        let text = message.as_ref().and_then(|message| message["result"]["content"][0]["text"].as_str());
        text.map(ToOwned::to_owned).with_context(|| format!("an odd answer: {answer}"))
    }

    fn post(&mut self, message: &Value) -> anyhow::Result<String> {
        let body = message.to_string();
        let session = self.id.as_ref().map_or_else(String::new, |id| format!("mcp-session-id: {id}\r\n"));
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\naccept: application/json, \
             text/event-stream\r\n{session}content-length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        self.stream.get_mut().write_all((head + &body).as_bytes())?;
        let status = self.line()?;
        ensure!(status.contains(" 20"), "the bridge answered `{status}`");
        let (mut length, mut chunked) = (0, false);
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            match (name.to_ascii_lowercase().as_str(), value.trim()) {
                ("content-length", value) => length = value.parse()?,
                ("transfer-encoding", "chunked") => chunked = true,
                ("mcp-session-id", value) => self.id = Some(value.to_owned()),
                _ => {}
            }
        }
        let mut body = Vec::new();
        if !chunked {
            self.take(length, &mut body)?;
        }
        while chunked {
            let size = usize::from_str_radix(self.line()?.trim(), 16)?;
            self.take(size, &mut body)?;
            self.line()?;
            chunked = size > 0;
        }
        Ok(String::from_utf8(body)?)
    }

    fn line(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        ensure!(self.stream.read_line(&mut line)? > 0, "the bridge closed the connection");
        Ok(line.trim_end().to_owned())
    }

    fn take(&mut self, length: usize, into: &mut Vec<u8>) -> anyhow::Result<()> {
        let start = into.len();
        into.resize(start + length, 0);
        self.stream.read_exact(&mut into[start..])?;
        Ok(())
    }
}

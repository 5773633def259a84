//! A bridge that is wrong in one way: `mcp-bridge` behind an HTTP proxy that changes what it says. `MUTANT` names the way.
//!
//! It stands between client and bridge only; the links of the computers go to the real one.

use std::process::ExitCode;

use anyhow::Context as _;
use mcp_bridge::Bridge;
use mcp_bridge::cli::Cli;
use mcp_bridge::config::{Config, McpTransport};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Runs it until it is asked to end.
pub async fn run() -> anyhow::Result<ExitCode> {
    let way = std::env::var("MUTANT").context("`MUTANT` names what is wrong")?;
    let mut config = Config::try_from(<Cli as clap::Parser>::parse())?;
    let ready = config.ready_file.take().context("`--ready-file` is given")?;
    anyhow::ensure!(matches!(config.mcp, McpTransport::Http { .. }), "it speaks HTTP");
    let bridge = Bridge::start(config).await?;
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let (own, real) = (listener.local_addr()?, bridge.mcp_url());
    let real = real.trim_start_matches("http://").split('/').next().unwrap_or_default().to_owned();
    let told = json!({ "mcp": format!("http://{own}/mcp"), "link": format!("ws://{}", bridge.link) });
    let written = ready.with_extension("new");
    std::fs::write(&written, told.to_string())?;
    std::fs::rename(&written, &ready)?;
    let mut asked = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    loop {
        tokio::select! {
            Ok((stream, _)) = listener.accept() => {
                tokio::spawn(serve(stream, real.clone(), way.clone()));
            }
            _ = asked.recv() => match way.as_str() {
                "crashes-at-its-end" => {
                    eprintln!("out of cheese");
                    std::process::exit(7);
                }
                "hangs-at-its-end" => {}
                _ => break,
            },
        }
    }
    bridge.shutdown().await;
    Ok(ExitCode::SUCCESS)
}

/// One request and its answer; each has a connection of its own.
async fn serve(mut client: TcpStream, real: String, way: String) -> anyhow::Result<()> {
    let mut request = Vec::new();
    let end = loop {
        if let Some(end) = request.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        anyhow::ensure!(client.read_buf(&mut request).await? > 0, "it left");
    };
    let head = String::from_utf8_lossy(&request[..end]).into_owned();
    let length = header(&head, "content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
    while request.len() < end + length {
        anyhow::ensure!(client.read_buf(&mut request).await? > 0, "it left");
    }
    let body = String::from_utf8_lossy(&request[end..]).into_owned();
    if way == "dies-during-a-call" && body.contains("tools/call") {
        eprintln!("killed by a falling anvil");
        std::process::exit(3);
    }
    if way == "knows-no-discovery" && body.contains("server/discover") {
        let id = serde_json::from_str::<Value>(&body)?["id"].clone();
        let error =
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "method not found" } });
        return answer(
            &mut client,
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n",
            &error.to_string(),
        )
        .await;
    }
    if head.starts_with("GET ") {
        return answer(&mut client, "HTTP/1.1 405 Method Not Allowed\r\n", "").await;
    }
    // HTTP/1.0 has no chunks and closes after the answer.
    let mut upstream = TcpStream::connect(&real).await?;
    let plain = head.replacen("HTTP/1.1", "HTTP/1.0", 1);
    upstream.write_all(plain.as_bytes()).await?;
    upstream.write_all(body.as_bytes()).await?;
    let mut response = Vec::new();
    upstream.read_to_end(&mut response).await?;
    let response = String::from_utf8_lossy(&response).into_owned();
    let (head, body) = response.split_once("\r\n\r\n").context("it is HTTP")?;
    let kept: Vec<&str> = head
        .lines()
        .filter(|line| {
            let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
            !["content-length", "connection", "transfer-encoding"].contains(&name.as_str())
        })
        .collect();
    let kept = kept.join("\r\n") + "\r\n";
    let changed: Vec<String> = body.split('\n').map(|line| change_line(line, &way)).collect();
    answer(&mut client, &kept.replacen("HTTP/1.0", "HTTP/1.1", 1), &changed.join("\n")).await
}

async fn answer(client: &mut TcpStream, head: &str, body: &str) -> anyhow::Result<()> {
    let length = body.len();
    client
        .write_all(format!("{head}content-length: {length}\r\nconnection: close\r\n\r\n{body}").as_bytes())
        .await?;
    Ok(client.shutdown().await?)
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

/// A line of a body, which may be an event of a stream.
fn change_line(line: &str, way: &str) -> String {
    let (before, json) = match line.strip_prefix("data:") {
        Some(json) => ("data: ", json.trim()),
        None => ("", line.trim()),
    };
    match serde_json::from_str::<Value>(json) {
        Ok(mut message) if message["result"]["content"].is_array() => {
            change(&mut message["result"], way);
            format!("{before}{message}")
        }
        Ok(mut message) if way == "falls-back" && message["result"]["supportedVersions"].is_array() => {
            message["result"]["supportedVersions"] = json!(["2025-11-25", "2025-06-18"]);
            format!("{before}{message}")
        }
        Ok(mut message) if way == "agrees-on-less" && message["result"]["protocolVersion"].is_string() => {
            message["result"]["protocolVersion"] = json!("2025-03-26");
            format!("{before}{message}")
        }
        Ok(mut message) if way == "has-words-of-its-own" && message["error"].is_object() => {
            message["error"]["message"] = json!("that is no tool of mine");
            format!("{before}{message}")
        }
        Ok(mut message) if way == "has-another-code" && message["error"].is_object() => {
            message["error"]["code"] = json!(-32000);
            format!("{before}{message}")
        }
        _ => line.to_owned(),
    }
}

/// Makes a tool's result wrong.
fn change(result: &mut Value, way: &str) {
    let image = json!([{ "type": "image", "data": "AAAA", "mimeType": "image/png" }]);
    match way {
        "swaps-a-byte" => {
            if let Some(output) = result["structuredContent"]["output"].as_str() {
                let mut bytes: Vec<char> = output.chars().collect();
                let middle = bytes.len() / 2;
                bytes[middle] = 'y';
                let wrong: String = bytes.into_iter().collect();
                result["structuredContent"]["output"] = wrong.into();
                result["content"][0]["text"] = result["structuredContent"].to_string().into();
            }
        }
        "answers-with-an-image" => result["content"] = image,
        "answers-with-nothing" => result["content"] = json!([]),
        "splits-a-text" => {
            let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
            let blocks = text.split('\n').map(|text| json!({ "type": "text", "text": text }));
            result["content"] = blocks.collect();
        }
        "adds-a-newline" => {
            let text = result["content"][0]["text"].as_str().unwrap_or_default();
            result["content"][0]["text"] = format!("{text}\n").into();
        }
        "adds-metadata" => result["_meta"] = json!({ "late": true }),
        "has-no-structured-content" => {
            if let Some(fields) = result.as_object_mut() {
                fields.remove("structuredContent");
            }
        }
        _ => {}
    }
}

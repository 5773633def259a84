//! `probe`, `exec` and `call`: speak to a bridge that runs.

use std::process::ExitCode;

use serde_json::Value;

use crate::cli::ServerArgs;
use crate::client::{Answer, Client};

/// The code for a tool that reports an error.
const FAILED: u8 = 1;

/// Calls a tool and prints the text of its answer.
pub async fn call(server: &ServerArgs, tool: &str, arguments: &Value) -> anyhow::Result<ExitCode> {
    let client = Client::connect(&server.url, &server.protocol, server.mcp_token.as_deref()).await?;
    let answer = client.call(tool, arguments.clone(), None::<std::future::Pending<()>>).await?;
    let code = match answer.expect("only a call that can be cancelled has no answer") {
        Answer::Result(called) => {
            println!("{}", called.text);
            if called.is_error { ExitCode::from(FAILED) } else { ExitCode::SUCCESS }
        }
        Answer::Error { code, message } => anyhow::bail!("the bridge refused the call: {message} ({code})"),
    };
    client.close().await;
    Ok(code)
}

//! What a computer stands: many chunks, many requests, many at once, and bridges that are killed under it. Each time
//! it is still linked in the end. Single features are shown by the scenarios.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use craftos_harness::bridge::BridgeSpec;
use craftos_harness::computer::Command;
use craftos_harness::emulators::Kind;
use craftos_harness::{Lab, RunningLab};
use futures_util::future::join;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use rstest::rstest;
use serde_json::{Value, json};

use crate::context;

const COMPUTER: u32 = 12;
const NAME: &str = "12";
const PONG: &str = "pong from 12 (Label: base-turtle)";

/// What the corpus has at least; a shorter one was cut by mistake.
const LEAST_CHUNKS: usize = 200;

const REQUESTS: usize = 1000;

/// What a computer runs at once, and how many are asked for here.
const RUN_AT_ONCE: usize = 16;
const ASKED_AT_ONCE: usize = 20;

const KILLS: usize = 10;

/// How often a file of a computer is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// Boots a linked computer, and a bridge that is a process of its own; nothing where the emulator is not there.
async fn lab(kind: Kind) -> Result<Option<RunningLab>> {
    let Some(emulator) = context::emulator(kind).await else { return Ok(None) };
    let bridge = BridgeSpec { command: Some(vec![context::BRIDGE.to_owned()]), ..BridgeSpec::default() };
    let lab = Lab::new().on(emulator).program(context::places().program).bridge(bridge);
    Ok(Some(lab.computer(COMPUTER).label("base-turtle").boot().await?))
}

/// Checks that the computer answers on the links it should have had, in the process it was booted in; and ends all.
async fn still_linked(lab: RunningLab, links: usize) -> Result<()> {
    assert_eq!(lab.probe().await?, PONG);
    assert_eq!(lab.stage().record.greetings(NAME), links);
    let exit = lab.stage().computer(NAME)?.exit();
    assert_eq!(exit, None);
    lab.end().await;
    Ok(())
}

/// A file of the computer; nothing while it is not there.
fn file(lab: &RunningLab, path: &str) -> Result<Option<String>> {
    let bytes = lab.stage().computer(NAME)?.folder().read(path)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

#[derive(Debug)]
struct Chunk {
    name: String,
    code: String,
    expected: Value,
}

fn corpus() -> Result<Vec<Chunk>> {
    let path = context::places().fixtures.join("chunks/chunks.json");
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("failed to read `{}`", path.display()))?;
    let corpus: Value = serde_json::from_str(&text)?;
    let chunks = corpus["chunks"].as_array().context("`chunks` is a list")?;
    let chunk = |chunk: &Value| {
        let word = |key: &str| chunk[key].as_str().map(ToOwned::to_owned);
        Some(Chunk { name: word("name")?, code: word("code")?, expected: chunk["expect"].clone() })
    };
    chunks.iter().map(chunk).collect::<Option<_>>().context("each has `name`, `code` and `expect`")
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn every_chunk_of_the_corpus_has_its_answer(#[case] kind: Kind) -> Result<()> {
    let Some(lab) = lab(kind).await? else { return Ok(()) };
    let chunks = corpus()?;
    assert!(chunks.len() >= LEAST_CHUNKS, "only {} chunks", chunks.len());
    let mut wrong = Vec::new();
    for chunk in &chunks {
        let mut answer = lab.exec(COMPUTER, &chunk.code).await?.structured.unwrap_or_default();
        if let Some(answer) = answer.as_object_mut() {
            assert_eq!(answer.remove("computerId"), Some(json!(COMPUTER)));
            assert_eq!(answer.remove("label"), Some(json!("base-turtle")));
        }
        if answer != chunk.expected {
            wrong.push(format!("{}: expected {}, got {answer}", chunk.name, chunk.expected));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), chunks.len(), wrong.join("\n"));
    still_linked(lab, 1).await
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_thousand_requests_in_a_row_are_answered(#[case] kind: Kind) -> Result<()> {
    let Some(lab) = lab(kind).await? else { return Ok(()) };
    for number in 1..=REQUESTS {
        let answer = lab.exec(COMPUTER, &format!("print({number}) return {number}")).await?;
        let content = answer.structured.with_context(|| format!("request {number}: {}", answer.text))?;
        let got = (&content["returns"][0]["value"], &content["output"]);
        assert_eq!(got, (&json!(number), &json!(format!("{number}\n"))));
    }
    still_linked(lab, 1).await
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn of_twenty_chunks_at_once_sixteen_run_and_four_are_refused(#[case] kind: Kind) -> Result<()> {
    let Some(lab) = lab(kind).await? else { return Ok(()) };
    let codes: Vec<String> =
        (1..=ASKED_AT_ONCE).map(|number| format!("os.pullEvent('go') return {number}")).collect();
    let mut answers: FuturesUnordered<_> = codes.iter().map(|code| lab.exec(COMPUTER, code)).collect();
    // The chunks wait for an event, so that the first answers are those of the chunks that were not taken.
    for _ in RUN_AT_ONCE..ASKED_AT_ONCE {
        let content = answers.next().await.context("twenty were asked")??.structured.unwrap_or_default();
        assert_eq!(content["error"], "16 chunks are running already; try again when one has ended");
    }
    lab.stage().computer(NAME)?.command(&Command::event("go", &[])).await?;
    let mut numbers = Vec::new();
    while let Some(answer) = answers.next().await {
        let content = answer?.structured.unwrap_or_default();
        numbers.push(content["returns"][0]["value"].as_u64().with_context(|| content.to_string())?);
    }
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), RUN_AT_ONCE);
    drop(answers);
    still_linked(lab, 1).await
}

/// Runs a chunk that notes that it ran and never ends, and kills the bridge once it has noted it.
async fn kill_during(lab: &RunningLab, path: &str) -> Result<()> {
    let code = format!("local f = fs.open('{path}', 'a') f.write('ran') f.close() os.pullEvent('never')");
    let kill = async {
        while file(lab, path)?.is_none_or(|text| text.is_empty()) {
            tokio::time::sleep(LOOK).await;
        }
        lab.stage().kill_bridge().await?;
        anyhow::Ok(())
    };
    let (answer, killed) = join(lab.exec(COMPUTER, &code), kill).await;
    killed?;
    // A bridge that was killed has no last words; one that had them would say who was lost.
    if let Ok(answer) = answer {
        ensure!(answer.is_error && answer.text.starts_with("disconnected from 12"), "{}", answer.text);
    }
    Ok(())
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn ten_killed_bridges_later_the_computer_is_linked_and_nothing_ran_twice(
    #[case] kind: Kind,
) -> Result<()> {
    let Some(lab) = lab(kind).await? else { return Ok(()) };
    let process = lab.stage().computer(NAME)?.process_id();
    for kill in 1..=KILLS {
        kill_during(&lab, &format!("ran-{kill}")).await?;
        lab.stage().start_bridge().await?;
        lab.stage().linked(NAME).await?;
        let answer = lab.exec(COMPUTER, "return 'back'").await?;
        let content = answer.structured.unwrap_or_default();
        assert_eq!(content["returns"][0]["value"], "back", "after kill {kill}");
    }
    for kill in 1..=KILLS {
        assert_eq!(file(&lab, &format!("ran-{kill}"))?.as_deref(), Some("ran"));
    }
    assert_eq!(lab.stage().computer(NAME)?.process_id(), process);
    still_linked(lab, KILLS + 1).await
}

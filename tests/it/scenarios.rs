//! Every scenario on every emulator, against its snapshot.

use std::path::PathBuf;
use std::sync::Arc;

use craftos_harness::emulators::Kind;
use craftos_harness::scenario::load;
use craftos_harness::suite::{Outcome, Suite};
use rstest::rstest;

use crate::context;

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn the_transcript_is_the_snapshot(
    #[case] kind: Kind,
    #[files("../craftos-fixtures/scenarios/**/scenario.toml")] file: PathBuf,
) {
    let Some(emulator) = context::emulator(kind).await else { return };
    let places = context::places();
    let folder = file.parent().expect("a file is in a folder").to_owned();
    let parts: Vec<_> = folder.iter().map(|part| part.to_string_lossy()).collect();
    let from = parts.iter().rposition(|part| part == "scenarios").expect("that is where they are");
    let scenario = load(parts[from + 1..].join("/"), folder, &places).expect("it can be read");
    let suite = Suite::new(vec![scenario], vec![emulator], places, 1);
    for report in Arc::new(suite).run(|_| {}).await {
        match report.outcome {
            Outcome::Passed | Outcome::Accepted => {}
            Outcome::Skipped(reason) => eprintln!("did not run on {kind}: {reason}"),
            Outcome::Failed(why) | Outcome::Broken(why) => panic!("{} on {kind}:\n{why}", report.scenario),
        }
    }
}

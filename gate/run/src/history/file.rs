//! The history of a runtime as a file, and as a table for people.

use super::changes::{Change, ChangeKind};
use castproof_check::verdict::{counted, thousands};
use castproof_vectors::{Attributes, DType};
use serde::{Deserialize, Serialize};

/// The name of the format and its version.
pub const FORMAT: &str = "castproof-history/1";

/// The history of one runtime: `history.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryFile {
    /// [`FORMAT`].
    pub format: String,
    /// The adapter.
    pub adapter: String,
    /// The versions that were asked, the oldest first.
    pub versions: Vec<VersionRow>,
    /// What each changed, in the order of the versions.
    pub changes: Vec<Change>,
}

/// One version of a runtime.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionRow {
    /// The version.
    pub version: String,
    /// Who the testee said it is.
    pub testee: String,
    /// What pip installed.
    pub packages: Vec<String>,
    /// Pairs of dtypes that it casts.
    pub pairs: u64,
    /// Codes that it was asked for, in the newest version of `Cast` that it has of each pair.
    pub codes: u64,
    /// Of those, how many it casts wrongly.
    pub wrong: u64,
    /// Of how many pairs.
    #[serde(rename = "wrongPairs")]
    pub wrong_pairs: u64,
}

/// Writes a history as two tables in Markdown: its versions, and what changed.
pub fn table(history: &HistoryFile) -> String {
    let mut text =
        String::from("| version | asked as | pairs | codes | wrong |\n|---|---|---|---|---|\n");
    for row in &history.versions {
        let wrong = match row.wrong {
            0 => "none".into(),
            wrong => format!("{} of {}", thousands(wrong), counted(row.wrong_pairs, "pair")),
        };
        let (pairs, codes) = (thousands(row.pairs), thousands(row.codes));
        text += &format!("| {} | {} | {pairs} | {codes} | {wrong} |\n", row.version, row.testee);
    }
    if history.changes.is_empty() {
        return text + "\nNo answer changed.\n";
    }
    text += "\n| version | casts | what changed | example |\n|---|---|---|---|\n";
    for changes in history.changes.chunk_by(|one, next| one.version == next.version) {
        let (open, decided): (Vec<&Change>, Vec<&Change>) =
            changes.iter().partition(|change| change.kind == ChangeKind::Open);
        for change in decided {
            let Change { version, kind, codes, of, .. } = change;
            let what = match kind {
                ChangeKind::New | ChangeKind::Gone => kind.words().into(),
                kind => {
                    format!("{}: {} of {} codes", kind.words(), thousands(*codes), thousands(*of))
                }
            };
            text += &format!("| {version} | {} | {what} | {} |\n", casts(change), example(change));
        }
        // One row for all that ONNX leaves open; the file has them apart.
        if let Some(first) = open.first() {
            let pairs: u64 = open.iter().map(|it| (it.from.len() * it.to.len()) as u64).sum();
            let codes: u64 = open.iter().map(|it| it.codes).sum();
            let (casts, codes) = (counted(pairs, "pair"), counted(codes, "code"));
            let (version, words) = (&first.version, ChangeKind::Open.words());
            text += &format!("| {version} | {casts} | {words}: {codes} | {} |\n", example(first));
        }
    }
    text
}

/// `float16, float32 to float8e4m3fn, saturate=0`; `from and to int2`.
fn casts(change: &Change) -> String {
    let names =
        |dtypes: &[DType]| dtypes.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(", ");
    if change.from == change.to && change.codes == 0 {
        return format!("from and to {}", names(&change.from));
    }
    let written = |attributes: &Attributes| match attributes.to_string() {
        none if none.is_empty() => "no attributes".to_string(),
        some => some,
    };
    let attributes: Vec<String> = change.attributes.iter().map(written).collect();
    let attributes = match &change.attributes[..] {
        [] => String::new(),
        [only] if *only == Attributes::default() => String::new(),
        _ => format!("; {}", attributes.join(" or ")),
    };
    format!("{} to {}{attributes}", names(&change.from), names(&change.to))
}

/// `float32 0x43e80000 (464) gave 0x7e (448), gives 0x7f (NaN) (F8-N07)`
fn example(change: &Change) -> String {
    let words = change.example.as_ref().map(|it| format!("{} ({})", it.said, it.rule));
    words.unwrap_or_default()
}

//! Casts that an implementation once got wrong, found by fuzzing. Each stays in the vectors.

use crate::{Attributes, DType, Hex};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// One code that an implementation once cast wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Regression {
    /// Dtype of the input, a numeric one.
    pub from: DType,
    /// Dtype of the output, a numeric one.
    pub to: DType,
    /// The attributes that the request gave.
    pub attributes: Attributes,
    /// The input.
    pub input: Hex,
    /// What was wrong.
    pub note: String,
}

/// The list that `cargo xtask keep` appends to.
const LIST: &str = include_str!("../../spec/regressions.json");

/// Returns every regression, in the order in which they were added.
pub fn regressions() -> &'static [Regression] {
    static ALL: LazyLock<Vec<Regression>> = LazyLock::new(|| {
        Regression::parse(LIST).unwrap_or_else(|error| panic!("spec/regressions.json: {error}"))
    });
    &ALL
}

impl Regression {
    /// Reads a list. Every entry must name numeric dtypes, fit them, say what was wrong, and occur
    /// once.
    ///
    /// # Errors
    /// The first error, in one line, with its place.
    pub fn parse(list: &str) -> Result<Vec<Regression>, String> {
        let all: Vec<Regression> =
            serde_json::from_str(list).map_err(|it| on_one_line(&it.to_string()))?;
        for (index, one) in all.iter().enumerate() {
            let place = format!("entry {}, {}", index + 1, one.title());
            one.check().map_err(|problem| format!("{place}: {problem}"))?;
            if all[..index].iter().any(|before| before.title() == one.title()) {
                return Err(format!("{place}: stands twice; delete one"));
            }
        }
        Ok(all)
    }

    /// Writes a list as it is committed, one entry per line.
    pub fn render(all: &[Regression]) -> String {
        let lines: Vec<String> = all.iter().map(crate::files::file::json).collect();
        match lines[..] {
            [] => "[]\n".into(),
            _ => format!("[\n{}\n]\n", lines.join(",\n")),
        }
    }

    /// Returns what was asked. Two entries that ask the same are duplicates.
    pub fn title(&self) -> String {
        let Regression { from, to, attributes, input, .. } = self;
        match attributes.to_string().as_str() {
            "" => format!("{input} from {from} to {to}"),
            given => format!("{input} from {from} to {to} {given}"),
        }
    }

    fn check(&self) -> Result<(), String> {
        if let Some(dtype) = [self.from, self.to].iter().find(|dtype| !dtype.is_numeric()) {
            return Err(format!("{dtype} is not numeric: name a numeric dtype"));
        }
        self.input.check(self.from)?;
        match self.note.trim().is_empty() || self.note.contains(char::is_control) {
            true => Err("the note must say in one line what was wrong".into()),
            false => Ok(()),
        }
    }
}

fn on_one_line(error: &str) -> String {
    error.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"from":"float32","to":"float8e4m3fn","attributes":{"saturate":0},"input":"0x43e80001","note":"rounded down"}"#;

    #[test]
    fn the_committed_list_is_as_it_is_written() {
        assert_eq!(Regression::render(regressions()), LIST);
    }

    #[test]
    fn a_list_survives_a_round_trip() {
        let text = format!("[\n{GOOD}\n]\n");
        let all = Regression::parse(&text).expect("well-formed");
        assert_eq!(all[0].title(), "0x43e80001 from float32 to float8e4m3fn saturate=0");
        assert_eq!(Regression::render(&all), text);
    }

    #[test]
    fn what_is_wrong_is_said_in_one_line() {
        let damaged = |old: &str, new: &str| format!("[{}]", GOOD.replace(old, new));
        for (list, said) in [
            (damaged("float32", "float33"), "unknown variant `float33`"),
            (damaged("float32", "fl\\noat"), "oat"),
            (damaged("float32", "string"), "string is not numeric"),
            (damaged("0x43e80001", "0x43e8"), "has 4 hex digits"),
            (damaged("rounded down", " "), "what was wrong"),
            (damaged("rounded down", "a\\nb"), "what was wrong"),
            (damaged("\"note\"", "\"why\""), "why"),
            (format!("[{GOOD},{GOOD}]"), "entry 2, 0x43e80001"),
            ("{}".into(), "sequence"),
        ] {
            let error = Regression::parse(&list).expect_err(said);
            assert!(error.contains(said) && !error.contains(char::is_control), "{error}");
        }
    }
}

//! The book in its file formats: `castproof-book/5`, and the former ones.

use castproof_vectors::{
    Attributes, DType, Formula, Hex, Outcome, OutcomeRecord, Piece, Practice, Rules, Shift,
    ShiftRecord, Tolerate, True,
};
use serde::{Deserialize, Serialize};

/// The `format` member of a book.
pub const BOOK_FORMAT: &str = "castproof-book/5";

/// The `format` member of a book without `quietNaN`. Such books are still read.
pub const FOURTH_BOOK_FORMAT: &str = "castproof-book/4";

/// The `format` member of a book without `expectInexact`. Such books are still read.
pub const THIRD_BOOK_FORMAT: &str = "castproof-book/3";

/// The `format` member of a book without `tie` and `flushed`. Such books are still read.
pub const SECOND_BOOK_FORMAT: &str = "castproof-book/2";

/// The `format` member of a book whose pieces have `last`. Such books are still read.
pub const FIRST_BOOK_FORMAT: &str = "castproof-book/1";

/// Every answer of every cast: `{"format": "castproof-book/5", ...}`, compressed by gzip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BookFile {
    /// `castproof-book/5`. Books of the former formats, `castproof-book/1` to `castproof-book/4`, are
    /// still read.
    pub format: String,
    /// Every request, with the index of its answer.
    pub requests: Vec<RequestRecord>,
    /// Each answer once, even if several requests share it.
    pub answers: Vec<BookAnswer>,
}

/// Requests with one answer: each of the specs with each of the sets of attributes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RequestRecord {
    /// Names of specifications, like `onnx-cast-19`.
    pub specs: Vec<String>,
    /// Dtype of the input.
    pub from: DType,
    /// Dtype of the output.
    pub to: DType,
    /// Sets of attributes. An attribute that a set does not name is not given.
    pub attributes: Vec<Attributes>,
    /// The answer, as an index of `answers`, counted from 0.
    pub answer: usize,
    /// The rule that decides every code; it replaces the rules of the pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// The results of every code of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BookAnswer {
    /// Width of the input's codes.
    pub from_bits: u32,
    /// Width of the output's codes.
    pub to_bits: u32,
    /// Ascending by `first`, which is 0 in the first piece. A piece ends before the next one begins,
    /// the last piece at the greatest code of `fromBits` bits.
    pub pieces: Vec<BookPiece>,
}

/// A run of codes: exactly one of `expect` and `shift`, at most one of `expectInexact`, `tolerate` and
/// `tolerateByCode`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BookPiece {
    /// The first code.
    pub first: Hex,
    /// The last code: in every piece of `castproof-book/1`, in no piece of later formats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Hex>,
    /// What is expected of each code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<OutcomeRecord>,
    /// How the expected code follows from the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shift: Option<ShiftRecord>,
    /// What is expected of codes whose dropped bits are not all 0, instead of the code that follows from
    /// `shift`: `{"any": true}`. Since `castproof-book/4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect_inexact: Option<OutcomeRecord>,
    /// What is tolerated of each code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerate: Option<OutcomeRecord>,
    /// Other ways to convert a number, whose result is tolerated if it is not the expected one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerate_by_code: Option<PracticeRecord>,
    /// The rule that decides.
    pub rule: String,
    /// The rule of codes whose dropped bits are not all 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_inexact: Option<String>,
    /// The rule of codes for which rounding twice gives another result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_twice: Option<String>,
}

/// Ways to convert a number that are tolerated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PracticeRecord {
    /// All dropped bits are cut off.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// A tie is rounded to the other neighbour. Since `castproof-book/3`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tie: bool,
    /// The result is zero with the sign of the expected float: of the expected code, only the highest
    /// bit stays. Since `castproof-book/3`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub flushed: bool,
    /// This many bits are rounded to nearest even first, then the rest of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twice: Option<u32>,
}

impl BookPiece {
    /// Makes the record of a piece of a cast from `from` to `to`.
    pub fn new(piece: &Piece, from: DType, to: DType) -> BookPiece {
        let record = |outcome: &Outcome| OutcomeRecord::new(outcome, to);
        let (expect, shift) = match &piece.formula {
            Formula::Constant(outcome) => (Some(record(outcome)), None),
            Formula::Shift(shift) => (None, Some(ShiftRecord::new(shift, from, to))),
        };
        let (tolerate, tolerate_by_code) = match &piece.tolerate {
            Tolerate::Uniform(outcome) => (outcome.as_ref().map(record), None),
            &Tolerate::Practice(Practice { truncated, tie, flushed, twice }) => {
                (None, Some(PracticeRecord { truncated, tie, flushed, twice }))
            }
            Tolerate::AnyIfInexact => (None, None),
        };
        let is_open = piece.tolerate == Tolerate::AnyIfInexact;
        let Rules { rule, inexact, twice } = piece.rules;
        BookPiece {
            first: Hex::new(piece.first, from),
            last: None,
            expect,
            shift,
            expect_inexact: is_open.then_some(OutcomeRecord::Any(True)),
            tolerate,
            tolerate_by_code,
            rule: rule.to_string(),
            rule_inexact: inexact.map(|rule| rule.to_string()),
            rule_twice: twice.map(|rule| rule.to_string()),
        }
    }

    /// Returns the piece that the record holds, which ends at the code `last`.
    pub(super) fn read(self, last: u64) -> Result<Piece, String> {
        let first = self.first.value();
        let formula = match (self.expect, self.shift) {
            (Some(outcome), None) => Formula::Constant(outcome.outcome()),
            (None, Some(shift)) => Formula::Shift(read_shift(&shift)?),
            _ => return Err("a piece must have either expect or shift".into()),
        };
        let tolerate = match (self.expect_inexact, self.tolerate, self.tolerate_by_code) {
            (None, tolerate, None) => {
                Tolerate::Uniform(tolerate.as_ref().map(OutcomeRecord::outcome))
            }
            (None, None, Some(practice)) => Tolerate::Practice(read_practice(&practice, &formula)?),
            (Some(OutcomeRecord::Any(_)), None, None) if matches!(formula, Formula::Shift(_)) => {
                Tolerate::AnyIfInexact
            }
            (Some(_), None, None) => {
                return Err(
                    "expectInexact must stand beside a shift, and be {\"any\": true}".into()
                );
            }
            _ => {
                let members = "expectInexact, tolerate and tolerateByCode";
                return Err(format!("a piece must have at most one of {members}"));
            }
        };
        let rules = Rules {
            rule: self.rule.parse()?,
            inexact: self.rule_inexact.as_deref().map(str::parse).transpose()?,
            twice: self.rule_twice.as_deref().map(str::parse).transpose()?,
        };
        Ok(Piece { first, last, formula, tolerate, rules })
    }
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn read_shift(record: &ShiftRecord) -> Result<Shift, String> {
    let &ShiftRecord { origin, descending, bits, nearest, base, subtract } = record;
    let (origin, base) = (origin.value(), base.value());
    checked_shift(Shift { origin, descending, bits, nearest, base, subtract })
}

/// Refuses a shift that no code can be expanded by.
pub(super) fn checked_shift(shift: Shift) -> Result<Shift, String> {
    let Shift { bits, nearest, .. } = shift;
    if !(-63..=63).contains(&bits) || (nearest && bits <= 0) {
        return Err(format!(
            "a shift of {bits} bits is out of range: give -63 to 63, and 1 or more if it is rounded"
        ));
    }
    Ok(shift)
}

fn read_practice(record: &PracticeRecord, formula: &Formula) -> Result<Practice, String> {
    let &PracticeRecord { truncated, tie, flushed, twice } = record;
    checked_practice(Practice { truncated, tie, flushed, twice }, formula)
}

/// Refuses ways to convert a number that do not fit a formula.
pub(super) fn checked_practice(practice: Practice, formula: &Formula) -> Result<Practice, String> {
    let Formula::Shift(shift) = formula else {
        return Err("tolerateByCode must stand beside a shift".into());
    };
    match practice.twice {
        Some(first) if first == 0 || i64::from(first) >= i64::from(shift.bits) => Err(format!(
            "twice is {first}: give 1 or more and less than the {} bits of the shift",
            shift.bits
        )),
        _ => Ok(practice),
    }
}

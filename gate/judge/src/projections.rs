//! What came back for conversions between formats by parameters, code by code.

use castproof_formats::ways::Task;
use castproof_formats::{Format, decode};
use castproof_oracle::written;
use castproof_vectors::{AnswerRecord, Conversion, Outcome, Project, ProjectedAnswer};

/// Codes that are listed.
const MOST_LISTED: usize = 8;

/// Reads the codes of an answer; `None` if it has another length.
pub(crate) fn codes_of(ask: &Project, to: &Format, bytes: &[u8]) -> Option<Vec<u64>> {
    let width = Conversion::width(to.bits);
    let number =
        |code: &[u8]| code.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
    let is_whole = bytes.len() == width * ask.input.codes().len();
    is_whole.then(|| bytes.chunks_exact(width).map(number).collect())
}

/// What each reading says of each code.
pub(crate) fn due_of<'a>(readings: &[&'a AnswerRecord]) -> Vec<&'a [Outcome]> {
    let due = readings.iter().filter_map(|record| match record {
        AnswerRecord::Projected(answer) => Some(answer.codes.due()),
        _ => None,
    });
    due.collect()
}

/// Does one of the readings admit this code of the format?
pub(crate) fn admits(to: &Format, due: &[&[Outcome]], place: usize, got: u64) -> bool {
    let is_code = got & !to.code_mask() == 0;
    is_code
        && due.iter().any(|due| match due.get(place) {
            Some(Outcome::Code(code)) => *code == got,
            Some(Outcome::AnyNan) => to.is_nan(got),
            Some(Outcome::Any) => true,
            _ => false,
        })
}

/// Describes the first code that is not due; `None` if there is none.
pub(crate) fn wrong_code(
    ask: &Project,
    readings: &[&AnswerRecord],
    bytes: &[u8],
) -> Option<String> {
    let task = match Task::new(ask.conversion()) {
        Ok(task) => task,
        Err(error) => return Some(error),
    };
    let (from, to) = (&task.from, &task.to);
    let Some(got) = codes_of(ask, to, bytes) else {
        let (count, bytes, width) =
            (ask.input.codes().len(), bytes.len(), Conversion::width(to.bits));
        return Some(format!(
            "{bytes} bytes, not {}: {count} codes of {width} bytes",
            count * width
        ));
    };
    let due = due_of(readings);
    let is_wrong = |place: &usize| !admits(to, &due, *place, got[*place]);
    let first = (0..got.len()).find(is_wrong)?;
    let wrong = (0..got.len()).filter(is_wrong).count();
    let random = match ask.random_bits {
        0 => String::new(),
        bits => format!(" with the random number {} of {bits} bits", ask.random_at(first)),
    };
    let edition = if ask.edition == Default::default() { "" } else { " by the text of July 2026" };
    Some(format!(
        "{}, not {}, for {}{random}{edition}; {wrong} of {} codes are wrong",
        code_words(to, got[first]),
        outcome_words(to, &due.first()?[first]),
        code_words(from, ask.input.codes()[first]),
        got.len(),
    ))
}

/// Lists what is due of the first codes.
pub(crate) fn listed(ask: &Project, due: &ProjectedAnswer) -> String {
    let Ok(to) = Format::named(&ask.to) else { return "codes of a format".into() };
    let due = due.codes.due();
    let mut words: Vec<String> =
        due.iter().take(MOST_LISTED).map(|due| outcome_words(&to, due)).collect();
    if due.len() > MOST_LISTED {
        words.push(format!("and {} more", due.len() - MOST_LISTED));
    }
    words.join(", ")
}

fn outcome_words(format: &Format, due: &Outcome) -> String {
    match due {
        Outcome::Code(code) => code_words(format, *code),
        Outcome::AnyNan => "nan".into(),
        _ => "any code".into(),
    }
}

/// `0x7e (224)`
fn code_words(format: &Format, code: u64) -> String {
    match decode(format, code) {
        Some(value) => format!("{} ({})", format.hex(code), written(&value)),
        None => format!("0x{code:x}, which has more bits than {}", format.name),
    }
}

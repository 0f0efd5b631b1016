//! What distinguishes one finding from another.

use castproof_check::verdict::Verdict;
use castproof_methods::METHODS;
use castproof_results::diagnosis::{ABSENT, BY_PLACE, ONCE};
use castproof_results::finding::Kind;
use castproof_results::place::Place;
use castproof_results::{Failure, Misplaced, Results};
use castproof_vectors::{DType, Element, OutcomeRecord, Suite, landmarks, sha256_hex};

/// The end of a subject without a known cause where only NaN is wrong.
pub(super) const OF_NAN: &str = " of NaN";

/// How many characters of a message distinguish errors.
const MESSAGE: usize = 80;

/// What distinguishes one finding from another; the same in every run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) kind: Kind,
    pub(super) suite: Suite,
    /// The pair, the target of a family, the version, the place, the rule or the message.
    pub(super) subject: String,
    pub(super) cause: Option<String>,
}

impl Key {
    pub(super) fn id(&self, digits: usize) -> String {
        let Key { kind, suite, subject, cause } = self;
        let cause = cause.as_deref().unwrap_or_default();
        let text = format!("{}\n{}\n{subject}\n{cause}", suite.name(), word(*kind));
        format!("F-{}", &sha256_hex(text.as_bytes())[..digits])
    }
}

/// Returns the word of a kind from which ids are made. It never changes, because ids of files of
/// before stay valid.
const fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Numeric => "Numeric",
        Kind::Place => "Place",
        Kind::Default => "Default",
        Kind::Text => "Text",
        Kind::Chain => "Chain",
        Kind::Question => "Question",
        Kind::Error => "Error",
        Kind::Refusal => "Refusal",
        Kind::Open => "Open",
    }
}

pub(super) fn key_of(failure: &Failure, cause: Option<&String>) -> Key {
    let (suite, to) = (failure.suite, failure.to);
    if matches!(failure.expect, OutcomeRecord::Reject(_)) {
        return refusal(suite);
    }
    let texts = [failure.from, to].contains(&DType::String);
    let kind = match cause {
        Some(cause) if cause.starts_with(ABSENT) => Kind::Default,
        _ if texts => Kind::Text,
        _ => Kind::Numeric,
    };
    // One wrong method is usually one piece of code for all sources, so these pairs form one
    // family.
    let of_source = |cause: &&String| METHODS.iter().any(|it| it.of_source && it.name == **cause);
    let subject = match cause {
        Some(_) if failure.from == DType::String => "from string".into(),
        Some(cause) if of_source(&cause) => format!("from {}", failure.from),
        Some(_) => format!("to {to}"),
        None if is_nan(failure.from, &failure.input) => format!("{} to {to}{OF_NAN}", failure.from),
        None => format!("{} to {to}", failure.from),
    };
    Key { kind, suite, subject, cause: cause.cloned() }
}

/// Returns what distinguishes the finding of a place.
pub(super) fn place_key(found: &Misplaced) -> Key {
    let clause = found.clause.as_deref().unwrap_or_default();
    // A place is one fault of all pairs. Codes that are wrong everywhere have only their place
    // in the vectors in common.
    let subject = match &found.place {
        Place::BeyondVectors => format!("{} to {} {clause}", found.place, found.asked.to),
        place => place.to_string(),
    };
    Key { kind: Kind::Place, suite: found.asked.suite, subject, cause: None }
}

/// Returns the key of the finding of places that a failing test belongs to, if its element depends on the place and a
/// place of its pair was found.
pub(super) fn place_of(failure: &Failure, results: &Results) -> Option<Key> {
    if !matches!(failure.cause.as_deref(), Some(BY_PLACE | ONCE)) {
        return None;
    }
    let pair = (failure.from, failure.to);
    let is_place = |it: &&Misplaced| {
        (it.asked.suite, it.asked.pair()) == (failure.suite, pair)
            && it.place != Place::BeyondVectors
    };
    let same = |it: &&Misplaced| it.asked.attributes == failure.attributes;
    let mut places = results.misplaced.iter().filter(is_place);
    places.clone().find(same).or_else(|| places.next()).map(place_key)
}

/// Returns the key of casts that are to be refused. That versions are not told apart is one fault.
pub(super) fn refusal(suite: Suite) -> Key {
    Key { kind: Kind::Refusal, suite, subject: String::new(), cause: None }
}

pub(super) fn is_nan(dtype: DType, input: &Element) -> bool {
    let code = input.as_code().filter(|_| dtype.is_numeric());
    code.is_some_and(|code| landmarks(dtype).is_some_and(|landmarks| landmarks.is_nan(code)))
}

pub(super) fn error_key(suite: Suite, verdict: Verdict, message: &str) -> Key {
    // Numbers in a message mostly come from the input.
    let mut plain = String::new();
    for c in message.chars().take(MESSAGE) {
        match c.is_ascii_digit() {
            false => plain.push(c),
            true if plain.ends_with('#') => {}
            true => plain.push('#'),
        }
    }
    Key { kind: Kind::Error, suite, subject: format!("{}: {plain}", verdict.name()), cause: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ids of files of before: digests of these words.
    #[test]
    fn ids_stay() {
        for (kind, id) in [
            (Kind::Numeric, "F-1c17bf"),
            (Kind::Place, "F-3e3d1b"),
            (Kind::Default, "F-2e8bfe"),
            (Kind::Text, "F-9e3329"),
            (Kind::Chain, "F-44eb95"),
            (Kind::Question, "F-6f4b84"),
            (Kind::Error, "F-1d0321"),
            (Kind::Refusal, "F-a73173"),
        ] {
            let (subject, cause) = ("to float16".into(), Some("rounded toward zero".into()));
            let key = Key { kind, suite: Suite::OnnxCast, subject, cause };
            assert_eq!(key.id(6), id, "{kind:?}");
        }
    }
}

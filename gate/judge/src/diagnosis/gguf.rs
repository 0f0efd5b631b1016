//! What a decoder or a quantiser of GGUF does: the methods that give every number, or every block, that came back for a type.

use super::linear::Answered;
use castproof_methods::{GGUF_MAKING_METHODS, GGUF_METHODS, GgufMakingMethod, GgufMethod};
use castproof_results::diagnosis::MOST_ALTERNATIVES;
use castproof_vectors::{
    AnswerRecord, DequantizeGguf, GgufType, Outcome, QuantizeGguf, Question, landmarks, unpack,
};
use std::collections::BTreeMap;

/// Blocks as they were asked, and what came back.
struct Seen<'a> {
    id: &'a str,
    question: &'a DequantizeGguf,
    got: Vec<u64>,
    fails: bool,
}

impl<'a> Seen<'a> {
    /// Reads the answer; `None` if it has another length, or is about something else.
    fn of(answered: &'a Answered<'_>) -> Option<Seen<'a>> {
        let Question::DequantizeGguf(question) = answered.question else { return None };
        let got = unpack(question.to, &answered.bytes, question.count()).ok()?;
        Some(Seen { id: answered.id, question, got, fails: answered.fails })
    }

    /// Does the method give every number of these blocks?
    fn is_by(&self, method: &GgufMethod) -> bool {
        let DequantizeGguf { kind, to, .. } = *self.question;
        let elements = kind.record().elements;
        let is_nan = |code| landmarks(to).is_some_and(|it| it.is_nan(code));
        let Ok(blocks) = self.question.blocks() else { return false };
        blocks.zip(self.got.chunks(elements)).all(|(block, got)| {
            got.iter().enumerate().all(|(place, got)| match method.number(kind, to, block, place) {
                Outcome::Code(code) => code == *got,
                _ => is_nan(*got),
            })
        })
    }
}

/// Explains blocks that fail. Returns the ids of the failing tests of each type that a method explains, with the words of all
/// methods that give every number of this type, the right ones included.
pub fn explain<'a>(answered: &'a [Answered<'a>]) -> Vec<(&'a str, String)> {
    let mut by_type: BTreeMap<GgufType, Vec<Seen<'_>>> = BTreeMap::new();
    for seen in answered.iter().filter_map(Seen::of) {
        by_type.entry(seen.question.kind).or_default().push(seen);
    }
    let mut causes = Vec::new();
    for (kind, mut seen) in by_type {
        // What fails rules out most methods.
        seen.sort_by_key(|it| !it.fails);
        if !seen.first().is_some_and(|it| it.fails) {
            continue;
        }
        let of_type = GGUF_METHODS.iter().filter(|it| it.is_of(kind));
        let fitting = of_type.filter(|method| seen.iter().all(|it| it.is_by(method)));
        let words: Vec<&str> = fitting.map(|it| it.words).take(MOST_ALTERNATIVES).collect();
        if !words.is_empty() {
            let failing = seen.iter().filter(|it| it.fails);
            causes.extend(failing.map(|it| (it.id, words.join("; or: "))));
        }
    }
    causes
}

/// Numbers as they were asked, and the blocks that came back.
struct Made<'a> {
    answered: &'a Answered<'a>,
    question: &'a QuantizeGguf,
}

impl<'a> Made<'a> {
    /// Reads the answer; `None` if it has another length, or is about something else.
    fn of(answered: &'a Answered<'_>) -> Option<Made<'a>> {
        let Question::QuantizeGguf(question) = answered.question else { return None };
        (answered.bytes.len() == question.answer_len()).then_some(Made { answered, question })
    }

    /// Does the method give every block? Bits that may be anything are not compared.
    fn is_by(&self, method: &GgufMakingMethod) -> bool {
        let (kind, bytes) = (self.question.kind, &self.answered.bytes);
        let Ok(blocks) = self.question.blocks() else { return false };
        let open = |place: usize| match self.answered.expect {
            AnswerRecord::GgufBlocks(due) => due.open_at(place),
            _ => 0,
        };
        let size = kind.record().bytes;
        blocks.iter().zip(bytes.chunks(size)).enumerate().all(|(at, (codes, got))| {
            let made = method.block(kind, codes);
            let is_made = |(place, (made_byte, got)): (usize, (&u8, &u8))| {
                (made_byte ^ got) & !open(at * size + place) & !made.open_at(place) == 0
            };
            made.blocks.0.iter().zip(got).enumerate().all(is_made)
        })
    }
}

/// Explains blocks that were made and fail. Returns what [`explain`] does.
pub fn explain_made<'a>(answered: &'a [Answered<'a>]) -> Vec<(&'a str, String)> {
    let mut by_type: BTreeMap<GgufType, Vec<Made<'_>>> = BTreeMap::new();
    for made in answered.iter().filter_map(Made::of) {
        by_type.entry(made.question.kind).or_default().push(made);
    }
    let mut causes = Vec::new();
    for (kind, mut made) in by_type {
        // What fails rules out most methods.
        made.sort_by_key(|it| !it.answered.fails);
        if !made.first().is_some_and(|it| it.answered.fails) {
            continue;
        }
        let of_type = GGUF_MAKING_METHODS.iter().filter(|it| it.is_of(kind));
        let fitting = of_type.filter(|method| made.iter().all(|it| it.is_by(method)));
        let words: Vec<&str> = fitting.map(|it| it.words).take(MOST_ALTERNATIVES).collect();
        if !words.is_empty() {
            let failing = made.iter().filter(|it| it.answered.fails);
            causes.extend(failing.map(|it| (it.answered.id, words.join("; or: "))));
        }
    }
    causes
}

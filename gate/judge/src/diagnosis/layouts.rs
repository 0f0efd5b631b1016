//! Which layout a testee has: the wrong ones that give everything that came back for a layout in one direction.

use super::linear::Answered;
use castproof_methods::{LayoutMethod, layout_methods};
use castproof_results::diagnosis::MOST_ALTERNATIVES;
use castproof_vectors::{AnswerRecord, CodeLayout, LaidOut, LaidOutAnswer, Question};
use std::collections::BTreeMap;

/// A test as it was asked, and what came back.
struct Seen<'a> {
    answered: &'a Answered<'a>,
    ask: &'a LaidOut,
    due: &'a LaidOutAnswer,
    packs: bool,
}

impl<'a> Seen<'a> {
    /// Reads a test; `None` if it is about something else.
    fn of(answered: &'a Answered<'_>) -> Option<Seen<'a>> {
        let AnswerRecord::LaidOut(due) = answered.expect else { return None };
        match answered.question {
            Question::Pack(ask) => Some(Seen { answered, ask, due, packs: true }),
            Question::Unpack(ask) => Some(Seen { answered, ask, due, packs: false }),
            _ => None,
        }
    }

    /// Does the wrong layout give what came back? Bits that may be anything are not compared.
    fn is_by(&self, method: &LayoutMethod) -> bool {
        let made = if self.packs { method.pack(self.ask) } else { method.unpack(self.ask) };
        let Some(made) = made else { return false };
        let got = &self.answered.bytes;
        let is_open = |place| self.due.open_at(place);
        made.len() == got.len()
            && made
                .iter()
                .zip(got)
                .enumerate()
                .all(|(place, (made, got))| (made ^ got) & !is_open(place) == 0)
    }
}

/// Explains layouts that fail. Returns the ids of the failing tests of each layout and direction that wrong layouts explain, with the
/// words of all that do.
pub fn explain<'a>(answered: &'a [Answered<'a>]) -> Vec<(&'a str, String)> {
    let mut by_layout: BTreeMap<(CodeLayout, bool), Vec<Seen<'_>>> = BTreeMap::new();
    for seen in answered.iter().filter_map(Seen::of) {
        by_layout.entry((seen.ask.layout, seen.packs)).or_default().push(seen);
    }
    let mut causes = Vec::new();
    for ((layout, packs), mut seen) in by_layout {
        // What fails rules out most of them.
        seen.sort_by_key(|it| !it.answered.fails);
        if !seen.first().is_some_and(|it| it.answered.fails) {
            continue;
        }
        let methods = layout_methods(layout, packs);
        let fitting = methods.iter().filter(|method| seen.iter().all(|it| it.is_by(method)));
        let words: Vec<&str> = fitting.map(|it| &it.words[..]).take(MOST_ALTERNATIVES).collect();
        if !words.is_empty() {
            let failing = seen.iter().filter(|it| it.answered.fails);
            causes.extend(failing.map(|it| (it.answered.id, words.join("; or: "))));
        }
    }
    causes
}

//! Wrong layouts of codes in bytes: nibbles, bytes and words in another order, axes changed, tiles of another size, padding that is not
//! there or another, orders that are not applied, and other layouts.

mod table;
mod wrong;

use castproof_vectors::{CodeLayout, LaidOut};
use wrong::Wrong;

/// A wrong layout.
pub struct LayoutMethod {
    /// What it does.
    pub words: String,
    wrong: Wrong,
}

impl LayoutMethod {
    /// Returns the bytes that the codes of a question become by it; `None` if it takes no such shape.
    pub fn pack(&self, ask: &LaidOut) -> Option<Vec<u8>> {
        self.wrong.pack(ask)
    }

    /// Returns the codes that it takes out of the bytes of a question; `None` if it takes no such shape, or reads behind them.
    pub fn unpack(&self, ask: &LaidOut) -> Option<Vec<u8>> {
        self.wrong.unpack(ask)
    }
}

/// Returns the wrong layouts that are known for a layout where codes are packed, or where they are unpacked.
pub fn layout_methods(layout: CodeLayout, packs: bool) -> Vec<LayoutMethod> {
    let rows = table::rows(layout).into_iter().filter(|(_, wrong)| packs || !wrong.packs_only);
    rows.map(|(words, wrong)| LayoutMethod { words, wrong }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_suites::questions;
    use castproof_vectors::{AnswerRecord, LaidOutAnswer, Level, Question, Suite};
    use std::collections::BTreeMap;

    /// The tests of a layout in one direction.
    type Asked = BTreeMap<(&'static str, bool), Vec<(LaidOut, LaidOutAnswer)>>;

    fn asked() -> Asked {
        let mut asked = Asked::new();
        for test in questions(Suite::Layouts, Level::Core).tests {
            let (ask, packs) = match test.ask {
                Question::Pack(ask) => (ask, true),
                Question::Unpack(ask) => (ask, false),
                other => panic!("{other}"),
            };
            let AnswerRecord::LaidOut(due) = test.expect else { panic!("bytes are due") };
            asked.entry((ask.layout.name(), packs)).or_default().push((ask, due));
        }
        asked
    }

    /// What a method makes of a test, without the bits that may be anything.
    fn made(
        method: &LayoutMethod,
        packs: bool,
        (ask, due): &(LaidOut, LaidOutAnswer),
    ) -> Option<Vec<u8>> {
        let made = if packs { method.pack(ask) } else { method.unpack(ask) }?;
        Some(made.iter().enumerate().map(|(place, byte)| byte & !due.open_at(place)).collect())
    }

    /// Each wrong layout contradicts a vector, and any two of a layout differ in one: those that do not are listed.
    #[test]
    fn the_suite_tells_every_wrong_layout() {
        let (mut right, mut alike, mut count) = (Vec::new(), Vec::new(), 0);
        for ((name, packs), tests) in asked() {
            let layout = CodeLayout::named(name).expect("a layout");
            let mut by_made: BTreeMap<Vec<Option<Vec<u8>>>, Vec<String>> = BTreeMap::new();
            for method in layout_methods(layout, packs) {
                count += 1;
                let all: Vec<_> = tests.iter().map(|test| made(&method, packs, test)).collect();
                let is_due = |((_, due), made): (&(_, LaidOutAnswer), &Option<Vec<u8>>)| {
                    made.as_ref().is_some_and(|made| due.first_wrong(made).is_none())
                };
                if tests.iter().zip(&all).all(is_due) {
                    right.push(format!("{name} {packs}: {}", method.words));
                } else if all.iter().any(Option::is_some) {
                    by_made.entry(all).or_default().push(method.words);
                }
            }
            alike.extend(
                by_made
                    .into_values()
                    .filter(|them| them.len() > 1)
                    .map(|them| format!("{name} {packs}: {them:?}")),
            );
        }
        assert!(right.is_empty(), "not told from the right layout: {right:#?}");
        assert!(alike.is_empty(), "{count} methods; not told from each other: {alike:#?}");
    }
}

//! The cases of a pair as elements, which may be strings.

use super::text::texts;
use super::{Flag, cases};
use castproof_vectors::{DType, Element, Level};
use std::collections::BTreeSet;

/// Elements to ask about, each with the reasons.
pub(crate) type Chosen = Vec<(Element, BTreeSet<Flag>)>;

pub(crate) fn chosen(from: DType, to: DType, level: Level) -> Chosen {
    if from == DType::String {
        let texts = texts(to, level).into_iter();
        return texts.map(|(text, flags)| (Element::from(text), flags)).collect();
    }
    // Casts to string are asked about the same elements as casts to the source's own dtype.
    let to = if to == DType::String { from } else { to };
    let codes = cases(from, to, level).into_iter();
    codes.map(|(code, flags)| (Element::code(code, from), flags)).collect()
}

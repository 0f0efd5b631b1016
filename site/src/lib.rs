//! The answers of the page, as WebAssembly: questions and answers go through one room of memory. `web/1-answers.ts` is the other
//! side.
//!
//! JavaScript lets Rust make the room, writes words into it where Rust says that it lies, calls a question, and reads the JSON
//! that the question left.
#![allow(unsafe_code, reason = "names of exports; no pointer is followed here")]
#![allow(
    clippy::useless_conversion,
    reason = "an operation on GMP's integers is carried out by its conversion"
)]

mod element;
mod format;
mod line;
mod pair;
mod rule;
mod search;

use castproof_vectors::DType;
use serde_json::{Value as Json, json};
use std::cell::RefCell;

thread_local! {
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes the room as long as this and returns where it lies. What it holds is 0.
#[unsafe(no_mangle)]
pub extern "C" fn make(length: usize) -> *const u8 {
    ROOM.replace(vec![0; length]);
    place()
}

/// Returns where the room lies, until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn place() -> *const u8 {
    ROOM.with_borrow_mut(|room| room.as_mut_ptr().cast_const())
}

/// Returns the bytes that the room has.
#[unsafe(no_mangle)]
pub extern "C" fn length() -> usize {
    ROOM.with_borrow(Vec::len)
}

/// Answers for one element. The words: source, target, and the element as a person writes it, a line each.
#[unsafe(no_mangle)]
pub extern "C" fn element() {
    answer(|words| {
        let [from, to, text] = parts(words)?;
        element::json(DType::named(from)?, DType::named(to)?, text)
    });
}

/// Answers for several elements of a pair. The words: source, target, and the elements, a line each.
#[unsafe(no_mangle)]
pub extern "C" fn pair() {
    answer(|words| {
        let [from, to, texts] = parts(words)?;
        pair::json((DType::named(from)?, DType::named(to)?), texts)
    });
}

/// Describes a float format, or another dtype, by its name.
#[unsafe(no_mangle)]
pub extern "C" fn format() {
    answer(format::json);
}

/// Describes a rule by its id.
#[unsafe(no_mangle)]
pub extern "C" fn rule() {
    answer(rule::json);
}

/// Says what the words of the search box mean.
#[unsafe(no_mangle)]
pub extern "C" fn search() {
    answer(|words| Ok(search::json(words)));
}

/// Lists the dtypes of casts and the formats that have names of their own.
#[unsafe(no_mangle)]
pub extern "C" fn names() {
    answer(|_| {
        let dtypes: Vec<&str> = DType::CAST.iter().map(|it| it.name()).collect();
        let formats: Vec<&str> = castproof_formats::NAMED.iter().map(|it| it.name).collect();
        Ok(json!({ "dtypes": dtypes, "formats": formats }))
    });
}

fn parts(words: &str) -> Result<[&str; 3], String> {
    let mut parts = words.splitn(3, '\n');
    let mut next = || parts.next().ok_or("the question has three lines");
    Ok([next()?, next()?, next()?])
}

/// Leaves the answer to the words, or `{"problem": ...}`.
fn answer(ask: impl Fn(&str) -> Result<Json, String>) {
    let words = ROOM.take();
    let said = String::from_utf8(words).map_err(|_| "the words are not UTF-8".to_string());
    let json = said.and_then(|words| ask(&words)).unwrap_or_else(|it| json!({ "problem": it }));
    ROOM.replace(json.to_string().into_bytes());
}

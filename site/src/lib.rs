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

mod block;
mod chain;
mod element;
mod format;
mod line;
mod linear;
mod pair;
mod pieces;
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

/// Answers for numbers in blocks. The words: dtypes of numbers and of elements, the largest magnitude of the tensor or nothing,
/// and the numbers, a line each.
#[unsafe(no_mangle)]
pub extern "C" fn block() {
    answer(|words| {
        let [from, to, largest, texts] = parts(words)?;
        block::json((DType::named(from)?, DType::named(to)?), largest, texts)
    });
}

/// Answers for a node of linear quantisation. The words: source, target, scale, zero point or nothing, options like
/// `opset=19 saturate=0`, and the numbers, a line each.
#[unsafe(no_mangle)]
pub extern "C" fn linear() {
    answer(|words| {
        let [from, to, scale, zero, options, texts] = parts(words)?;
        linear::json((DType::named(from)?, DType::named(to)?), [scale, zero, options], texts)
    });
}

/// Answers for a chain of two casts. The words: three dtypes, the name of a specification or nothing, and elements, a line each.
#[unsafe(no_mangle)]
pub extern "C" fn chain() {
    answer(|words| {
        let [a, b, c, by, texts] = parts(words)?;
        chain::json([DType::named(a)?, DType::named(b)?, DType::named(c)?], by, texts)
    });
}

/// Answers for a cast as pieces. The words: source and target, a line each.
#[unsafe(no_mangle)]
pub extern "C" fn pieces() {
    answer(|words| {
        let [from, to] = parts(words)?;
        pieces::json((DType::named(from)?, DType::named(to)?))
    });
}

/// Finds the code of the next tie. The words: source, target, the code, and `up` or `down`, a line each.
#[unsafe(no_mangle)]
pub extern "C" fn tie() {
    answer(|words| {
        let [from, to, code, way] = parts(words)?;
        let pair = (DType::named(from)?, DType::named(to)?);
        let element = element::read(pair.0, code)?.0;
        let code = element.as_code().ok_or("a text is beside no tie")?;
        let tie = line::tie(pair, code, way == "up");
        Ok(json!({ "hex": tie.map(|code| pair.0.hex(code)) }))
    });
}

/// Lists the codes of a dtype that have names, such as `largest`.
#[unsafe(no_mangle)]
pub extern "C" fn landmarks() {
    answer(|words| element::landmarks(DType::named(words)?));
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
        let [sources, elements] = block::dtypes();
        let linear = linear::dtypes();
        Ok(json!({
            "dtypes": dtypes,
            "formats": formats,
            "blockSources": sources,
            "blockElements": elements,
            "linear": linear,
            "linearVersions": linear::versions(),
        }))
    });
}

/// Divides the words by lines; the last part has all lines that are left.
fn parts<const N: usize>(words: &str) -> Result<[&str; N], String> {
    let all: Vec<&str> = words.splitn(N, '\n').collect();
    all.try_into().map_err(|_| format!("the question has {N} lines"))
}

/// Leaves the answer to the words, or `{"problem": ...}`.
fn answer(ask: impl Fn(&str) -> Result<Json, String>) {
    let words = ROOM.take();
    let said = String::from_utf8(words).map_err(|_| "the words are not UTF-8".to_string());
    let json = said.and_then(|words| ask(&words)).unwrap_or_else(|it| json!({ "problem": it }));
    ROOM.replace(json.to_string().into_bytes());
}

//! The native part of the JavaScript module `castproof`, as WebAssembly: it carries questions from typed
//! arrays to the crates and answers back. `index.js` is the other side.
//!
//! Both sides hand data over in rooms, which are named by numbers. JavaScript lets Rust make a room,
//! writes into it where Rust says that it lies, calls a question, and reads what the question left. Arrays
//! come as codes, each in as many bytes as it needs. Elements of less than a byte take one.
#![allow(unsafe_code, reason = "names of exports, and an import; no pointer is followed here")]

mod blocks;

use castproof_check::bytes::{self, RuleNames, Written, count, width};
use castproof_check::memory::LINE;
use castproof_check::{Terms, answers, check_packed_within, request_of_words};
use castproof_lookup::element::element;
use castproof_testee::builtin::cast_of;
use castproof_vectors::{DType, Request, pack, unpack};
use std::cell::RefCell;

/// The question is answered.
const DONE: u32 = 0;
/// It cannot be answered; the words say why.
const REFUSED: u32 = 1;
/// The function is wrong; the words say where.
const FOUND: u32 = 2;

/// Words of either side, in UTF-8.
const WORDS: usize = 0;
/// Codes of inputs.
const INPUT: usize = 1;
/// Codes of results.
const OUTPUT: usize = 2;
/// A byte an element: what else is right, or whether a result is.
const KINDS: usize = 3;
/// Two bytes an element: the line of the rule in the words.
const RULES: usize = 4;

thread_local! {
    static ROOMS: RefCell<[Vec<u8>; 5]> = const { RefCell::new([const { Vec::new() }; 5]) };
}

#[link(wasm_import_module = "castproof")]
unsafe extern "C" {
    /// Calls the function of JavaScript with the elements of `INPUT`, as an array that begins `first` bytes
    /// after the start of its buffer, and writes its results to `OUTPUT`.
    safe fn ask(count: usize, first: usize);
}

/// Makes a room as long as this and returns where it lies. What it holds is 0.
#[unsafe(no_mangle)]
pub extern "C" fn make(room: usize, length: usize) -> *const u8 {
    put(room, vec![0; length]);
    place(room)
}

/// Returns where a room lies, until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn place(room: usize) -> *const u8 {
    ROOMS.with_borrow_mut(|rooms| rooms[room].as_mut_ptr().cast_const())
}

/// Returns the bytes that a room has.
#[unsafe(no_mangle)]
pub extern "C" fn length(room: usize) -> usize {
    ROOMS.with_borrow(|rooms| rooms[room].len())
}

/// Leaves the numeric dtypes in the words, a line each: the name and the bits of an element.
#[unsafe(no_mangle)]
pub extern "C" fn dtypes() -> u32 {
    let lines = DType::NUMERIC.iter().map(|it| format!("{} {}\n", it.name(), it.bits()));
    say(lines.collect(), DONE)
}

/// Leaves our name of the dtype that the words name, as another project may name it.
#[unsafe(no_mangle)]
pub extern "C" fn dtype() -> u32 {
    ended(text().and_then(|name| DType::named(&name)).map(|dtype| dtype.name().to_string()))
}

/// Leaves in `INPUT` the codes of numbers, which follow their dtype in the words, a line each. A number that the dtype does
/// not hold is refused with its two neighbours, or rounded to nearest even if `nearest`.
#[unsafe(no_mangle)]
pub extern "C" fn elements(nearest: u32) -> u32 {
    ended(text().and_then(|words| {
        let mut lines = words.split('\n');
        let dtype = DType::named(lines.next().unwrap_or_default())?;
        let read = |text: &str| element(dtype, text, nearest != 0).map(|read| read.code);
        let codes: Result<Vec<u64>, _> = lines.map(read).collect();
        // The option of the program has another name here.
        let codes = codes.map_err(|it| format!("{it:#}").replace("--nearest", "nearest: true"))?;
        let mut input = vec![0; codes.len() * width(dtype)];
        bytes::write(dtype, codes, &mut input);
        put(INPUT, input);
        Ok(String::new())
    }))
}

/// Casts `INPUT` to `OUTPUT`.
#[unsafe(no_mangle)]
pub extern "C" fn cast() -> u32 {
    ended(asked().and_then(|request| {
        let (kernel, input) = (cast_of(&request)?, take(INPUT));
        let count = count(request.from, &input)?;
        let mut output = vec![0; count * width(request.to)];
        kernel.run_byte_each(&input, count, &mut output).map_err(|error| error.to_string())?;
        put(OUTPUT, output);
        Ok(request.to_string())
    }))
}

/// Writes what the cast must make of each code of `INPUT`: a code to `OUTPUT`, what else is right to
/// `KINDS`, the line of the rule to `RULES`.
#[unsafe(no_mangle)]
pub extern "C" fn expect() -> u32 {
    ended(asked().and_then(|request| {
        let (draw, inputs) = (answers(&request)?, take(INPUT));
        let count = count(request.from, &inputs)?;
        let (mut codes, mut kinds) = (vec![0; count * width(request.to)], vec![0; count]);
        let (mut rules, mut names) = (vec![0u16; count], RuleNames::default());
        let mut written = Written { codes: &mut codes, kinds: &mut kinds, rules: &mut rules };
        bytes::expect(&draw, &inputs, &mut written, &mut names)?;
        put(OUTPUT, codes);
        put(KINDS, kinds);
        put(RULES, rules.into_iter().flat_map(u16::to_le_bytes).collect());
        Ok(names.names().join("\n"))
    }))
}

/// Writes to `KINDS` whether each of `OUTPUT` is right for that of `INPUT`, or tolerated unless `strict`.
#[unsafe(no_mangle)]
pub extern "C" fn admits(strict: u32) -> u32 {
    ended(asked().and_then(|request| {
        let (draw, inputs, results) = (answers(&request)?, take(INPUT), take(OUTPUT));
        let mut admitted = vec![false; count(request.from, &inputs)?];
        bytes::admits(&draw, &inputs, &results, strict != 0, &mut admitted)?;
        put(KINDS, admitted.into_iter().map(u8::from).collect());
        Ok(request.to_string())
    }))
}

/// Quantises `INPUT` in rows of so many numbers, by the rule of the words; `largest` is the largest magnitude of the tensor,
/// a code of float32. Leaves the codes of the scales in `INPUT`, those of the elements in `OUTPUT`, whether an element is
/// open in `KINDS`, and the lines of the rules in `RULES`, those of the scales first. The first words are the dtype of the
/// scales, and 1 if the largest magnitude counts.
#[unsafe(no_mangle)]
pub extern "C" fn expect_block(row: usize, largest: u32) -> u32 {
    ended(text().and_then(|words| {
        let due = blocks::blocks(&words, &take(INPUT), row, u64::from(largest))?;
        put(INPUT, due.scales);
        put(OUTPUT, due.elements);
        put(KINDS, due.open);
        put(RULES, due.rules.into_iter().flat_map(u16::to_le_bytes).collect());
        let first = [due.scale.name().to_string(), u8::from(due.is_of_tensor).to_string()];
        Ok([&first[..], &due.names].concat().join("\n"))
    }))
}

/// Checks the function that `ask` calls, in arrays of at most so many elements, of a multiple, and unless `no_empty` in
/// empty ones; 0: any. An exception of the function ends this call where it is, so
/// this memory is of no use afterwards.
#[unsafe(no_mangle)]
pub extern "C" fn check(elements: usize, multiple_of: usize, no_empty: u32) -> u32 {
    let some = |number: usize| (number > 0).then_some(number);
    let (elements, multiple_of) = (some(elements), some(multiple_of));
    let terms = Terms { elements, multiple_of, no_empty: no_empty != 0, time: None };
    let request = match asked().and_then(|it| answers(&it).map(|_| it)) {
        Ok(request) => request,
        Err(problem) => return say(problem, REFUSED),
    };
    let checked = check_packed_within(&request, &terms, &mut |_, _| {}, |input, count, output| {
        // Of so many elements the lengths are known to fit.
        let codes = unpack(request.from, input, count).unwrap_or_default();
        // One element begins its buffer, so that an array that begins elsewhere is a matter of place.
        let first = if count == 1 { 0 } else { input.as_ptr().addr() % LINE };
        let results = called(&request, codes, first);
        output.copy_from_slice(&pack(request.to, &results).unwrap_or_default());
    });
    match checked {
        Ok(checked) => {
            let (asked, tolerated) = (checked.asked, checked.tolerated);
            say(format!("{request}\n{asked}\n{tolerated}\n{}", terms.words()), DONE)
        }
        Err(failed) => say(failed.to_string(), FOUND),
    }
}

/// Calls the function of JavaScript.
fn called(request: &Request, codes: Vec<u64>, first: usize) -> Vec<u64> {
    let count = codes.len();
    let mut input = vec![0; count * width(request.from)];
    bytes::write(request.from, codes, &mut input);
    put(INPUT, input);
    put(OUTPUT, vec![0; count * width(request.to)]);
    ask(count, first);
    ROOMS.with_borrow(|rooms| bytes::codes(request.to, &rooms[OUTPUT]).collect())
}

/// Returns the request of the words: source, target, and attributes as reports write them.
fn asked() -> Result<Request, String> {
    let words = text()?;
    let mut lines = words.splitn(3, '\n');
    let mut next = || lines.next().unwrap_or_default();
    let (from, to, attributes) = (next(), next(), next());
    request_of_words(from, to, attributes)
}

/// Returns the words.
fn text() -> Result<String, String> {
    String::from_utf8(take(WORDS)).map_err(|_| "the words are not UTF-8".to_string())
}

fn ended(result: Result<String, String>) -> u32 {
    match result {
        Ok(words) => say(words, DONE),
        Err(problem) => say(problem, REFUSED),
    }
}

fn say(words: String, status: u32) -> u32 {
    put(WORDS, words.into_bytes());
    status
}

fn put(room: usize, bytes: Vec<u8>) {
    ROOMS.with_borrow_mut(|rooms| rooms[room] = bytes);
}

fn take(room: usize) -> Vec<u8> {
    ROOMS.with_borrow_mut(|rooms| std::mem::take(&mut rooms[room]))
}

//! Books and atlases with a fault: they are refused or read in full, and nothing panics.

use crate::hostile::mutate::{At, Random, mutated, mutated_value};
use crate::hostile::vectors::MUTATIONS;
use castproof::book::{AtlasFile, Book, BookFile, ComparedChain, encode};
use castproof::vectors::{DType, Request, Spec};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;

fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    GzDecoder::new(bytes).take(1 << 28).read_to_end(&mut text).ok()?;
    Some(text)
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

/// The dtypes of a book that is small enough to be read many times.
const SMALL: [DType; 4] = [DType::Int4, DType::Float4E2M1, DType::Float8E8M0, DType::Uint8];

/// Returns the part of the book with the requests between the dtypes of `SMALL`.
fn small_book() -> BookFile {
    let text = Book::carried().contents().and_then(|contents| contents.text()).expect("the book");
    let mut book: BookFile = serde_json::from_str(&text).expect("the book");
    book.requests.retain(|it| SMALL.contains(&it.from) && SMALL.contains(&it.to));
    let mut places = BTreeMap::new();
    for request in &mut book.requests {
        let next = places.len();
        request.answer = *places.entry(request.answer).or_insert(next);
    }
    let mut answers: Vec<_> =
        places.iter().map(|(old, new)| (new, book.answers[*old].clone())).collect();
    answers.sort_by_key(|(new, _)| **new);
    book.answers = answers.into_iter().map(|(_, answer)| answer).collect();
    book
}

/// Returns the pieces and the differences of chains that a book has for the dtypes of `SMALL`.
fn consult(book: &Book) -> Vec<String> {
    let mut said = Vec::new();
    for from in SMALL {
        for to in SMALL {
            for spec in [Spec::cast(19), Spec::cast(28)] {
                let request = Request { spec, ..Request::cast(from, to, 28) };
                said.push(format!("{:?}", book.pieces(&request)));
            }
            for last in SMALL {
                let chain = ComparedChain::new(book, [from, to, last]);
                said.push(format!(
                    "{:?}",
                    chain.map(|chain| chain.difference(0, from.code_mask()))
                ));
            }
        }
    }
    said
}

#[test]
fn a_book_with_a_fault_in_its_bytes_is_refused_or_the_same() {
    let json = packed(&serde_json::to_vec(&small_book()).expect("serialises"));
    let contents = Book::read(&json).and_then(|book| book.contents()).expect("a book");
    let binary = encode(&contents).expect("a book");
    for (form, original) in [("book", &json), ("binary book", &binary)] {
        let mut random = Random::new(form);
        let due = consult(&Book::read(original).expect("a book"));
        let mut refused = 0;
        for _ in 0..MUTATIONS {
            let (said, bytes) = mutated(&mut random, original);
            let _at = At(&said);
            let read = Book::read(&bytes).and_then(|book| book.check().map(|()| book));
            match read {
                Ok(book) => assert_eq!(consult(&book), due, "{form}: {said}"),
                Err(problem) => {
                    let is_short = problem.len() < 4096 && !problem.contains('\n');
                    assert!(is_short, "{form}: {said}: {problem}");
                    refused += 1;
                }
            }
        }
        assert!(refused > MUTATIONS * 3 / 4, "{form}: {refused} refused");
    }
}

/// The book is edited and packed anew with a right checksum.
#[test]
fn a_book_with_a_fault_in_its_words_is_read_without_panic() {
    let mut random = Random::new("words of the book");
    let book = small_book();
    let original = serde_json::to_vec(&book).expect("serialises");
    let value: Value = serde_json::from_slice(&original).expect("JSON");
    for round in 0..2 * MUTATIONS {
        let (said, text) = if round % 2 == 0 {
            mutated(&mut random, &original)
        } else {
            let (said, value) = mutated_value(&mut random, &value);
            (said, serde_json::to_vec(&value).expect("serialises"))
        };
        let _at = At(&said);
        nothing_is_passed_over(&original, &text, &said, |text| {
            serde_json::from_slice::<BookFile>(text).ok()
        });
        if let Ok(book) = Book::read(&packed(&text)) {
            consult(&book);
        }
    }
}

/// The file unpacks to far more bytes than a book has.
#[test]
fn a_book_that_would_fill_the_memory_is_refused() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let blanks = vec![b' '; 1 << 20];
    (0..300).for_each(|_| encoder.write_all(&blanks).expect("memory"));
    let bomb = encoder.finish().expect("memory");
    let problem = Book::read(&bomb).err().expect("it is no book");
    assert!(problem.contains("bytes or more, and a book is shorter"), "{problem}");
}

#[test]
fn an_atlas_with_a_fault_is_refused_or_says_so() {
    let mut random = Random::new("atlas");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors/data/atlas.json.gz");
    let text = unpacked(&std::fs::read(data).expect("committed")).expect("the atlas");
    let mut atlas: AtlasFile = serde_json::from_slice(&text).expect("the atlas");
    atlas.chains.retain(|chain| chain.dtypes.iter().all(|dtype| SMALL.contains(dtype)));
    let original = serde_json::to_vec(&atlas).expect("serialises");
    let value: Value = serde_json::from_slice(&original).expect("JSON");
    let compressed = packed(&original);
    for _ in 0..MUTATIONS {
        let (said, bytes) = mutated(&mut random, &compressed);
        if let Some(text) = unpacked(&bytes) {
            assert_eq!(text, original, "{said}");
        }
        let (said, text) = mutated(&mut random, &original);
        let read = |text: &[u8]| serde_json::from_slice::<AtlasFile>(text).ok();
        nothing_is_passed_over(&original, &text, &said, read);
        let (said, value) = mutated_value(&mut random, &value);
        let text = serde_json::to_vec(&value).expect("serialises");
        nothing_is_passed_over(&original, &text, &said, read);
    }
}

/// Asserts that a text that reads as the same file is the same JSON: the reader ignored no member.
fn nothing_is_passed_over<T: PartialEq>(
    original: &[u8],
    text: &[u8],
    said: &str,
    read: impl Fn(&[u8]) -> Option<T>,
) {
    let Some(found) = read(text) else { return };
    if Some(found) == read(original) {
        let value = |text: &[u8]| serde_json::from_slice::<Value>(text).ok().map(settled);
        assert_eq!(value(text), value(original), "{said}");
    }
}

/// Returns a value without its null members, because these mean the same as absent ones.
fn settled(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(name, value)| (name, settled(value))).collect())
        }
        Value::Array(values) => values.into_iter().map(settled).collect(),
        other => other,
    }
}

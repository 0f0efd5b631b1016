//! Packers and unpackers with a fault, written as plain loops, and what the gate says they do. Public faults are among them: a batch whose
//! matrices begin without their padding (MSLK#339), tiles of 8 x 4 for 128 x 4 (flashinfer#4574), bytes that are not permuted (Quark#30),
//! zero points of version 2 read as version 1 (vllm#38966), -1 that is not cut (GPTQModel#2350), halves of a block taken for neighbours.

use crate::question_faults::{found_by, of_suite};
use castproof::finding::Finding;
use castproof::testee::{Reply, Returned, Testee};
use castproof_suites::questions;
use castproof_vectors::{LaidOut, Level, Question, Suite};
use std::collections::{BTreeMap, BTreeSet};

/// What is packed or unpacked: matrices, their rows and columns, and the bytes that are given.
struct Given<'a> {
    batch: usize,
    rows: usize,
    columns: usize,
    bytes: &'a [u8],
}

/// What a kernel with a fault returns; `None` where it refuses the shape.
type Kernel = fn(&Given<'_>) -> Option<Vec<u8>>;

/// Each fault: the layout, whether it packs, what it does, and what the gate says of it.
const FAULTS: [(&str, bool, Kernel, &str); 25] = [
    (
        "nibbles-low",
        true,
        |it| Some(it.bytes.chunks(2).map(|two| two[0] << 4 | two.get(1).unwrap_or(&0)).collect()),
        "the two nibbles of each byte are swapped",
    ),
    (
        "nibbles-low-rows",
        true,
        |it| Some(it.bytes.chunks(2).map(|two| two[0] | two.get(1).unwrap_or(&0) << 4).collect()),
        "the codes lie as nibbles-low has them",
    ),
    (
        "nibbles-split-32",
        false,
        |it| Some(it.bytes.iter().flat_map(|byte| [byte & 15, byte >> 4]).collect()),
        "the codes lie as nibbles-low has them",
    ),
    ("ct-3", true, |it| Some(rows_of_words(it, 3, 10, 4)), "no code goes on in the next word"),
    ("ct-4", true, |it| Some(rows_of_words(it, 4, 8, 0)), "2^(bits - 1) is not added"),
    (
        "ct-2",
        true,
        |it| Some(words(&it.bytes.iter().map(|code| code ^ 2).collect::<Vec<_>>(), 2, 16)),
        "a row goes on in the word in which the one before it ends",
    ),
    (
        "gptq-4",
        true,
        |it| it.columns.is_multiple_of(8).then(|| words(it.bytes, 4, 8)),
        "the codes lie as gptq-zeros-v2-4 has them",
    ),
    (
        "gptq-4",
        false,
        |it| {
            let mut codes = vec![0; it.rows * it.columns];
            for (number, word) in it.bytes.chunks(4).enumerate() {
                let word = u32::from_be_bytes([word[0], word[1], word[2], word[3]]);
                for k in 0..8 {
                    let row = number / it.columns * 8 + k;
                    codes[row * it.columns + number % it.columns] = (word >> (4 * k) & 15) as u8;
                }
            }
            Some(codes)
        },
        "the bytes of each word of 32 bits lie the highest first",
    ),
    (
        "gptq-zeros-v1-word-4",
        true,
        |it| {
            Some(words(&it.bytes.iter().map(|z| z.wrapping_sub(1) & 15).collect::<Vec<_>>(), 4, 8))
        },
        "the codes lie as gptq-zeros-v1-field-4 has them",
    ),
    (
        "gptq-zeros-v1-word-4",
        false,
        |it| Some(it.bytes.iter().flat_map(|byte| [byte & 15, byte >> 4]).collect()),
        "the codes lie as gptq-zeros-v2-4 has them",
    ),
    (
        "gptq-zeros-v1-field-4",
        true,
        |it| {
            let word = |zeros: &[u8]| {
                let fields = zeros.iter().enumerate();
                fields.fold(0, |word, (k, z)| word | u32::from(*z).wrapping_sub(1) << (4 * k))
            };
            Some(it.bytes.chunks(8).flat_map(|zeros| word(zeros).to_le_bytes()).collect())
        },
        "z - 1 is not cut to its bits",
    ),
    ("awq", true, |it| Some(words(it.bytes, 4, 8)), "the codes lie as gptq-zeros-v2-4 has them"),
    (
        "awq",
        false,
        |it| {
            let nibbles: Vec<u8> =
                it.bytes.iter().flat_map(|byte| [byte & 15, byte >> 4]).collect();
            let order = [0, 2, 4, 6, 1, 3, 5, 7];
            Some(nibbles.chunks(8).flat_map(|eight| order.map(|slot| eight[slot])).collect())
        },
        "the order 0 2 4 6 1 3 5 7 is taken the other way round",
    ),
    (
        "swizzle-128x4",
        true,
        |it| {
            let (size, padded) = (it.rows * it.columns, tiled_len(it));
            let mut bytes = vec![0; size * (it.batch - 1) + padded];
            for (matrix, codes) in it.bytes.chunks(size).enumerate() {
                tile(it, codes, &mut bytes[matrix * size..]);
            }
            Some(bytes)
        },
        "each matrix of a batch begins where it would without padding",
    ),
    ("swizzle-128x4", true, |it| Some(padded_with(it, 0x7f)), "the padding is 7f"),
    ("swizzle-128x4-7f", true, |it| Some(padded_with(it, 0)), "the padding is 00"),
    (
        "swizzle-128x4",
        true,
        |it| Some(small_tiles(it, |r, c| r / 8 * it_across(it) + c / 4)),
        "the codes lie as swizzle-8x4 has them",
    ),
    (
        "swizzle-128x4",
        false,
        |it| Some(it.bytes[..it.batch * it.rows * it.columns].to_vec()),
        "the codes lie row by row, without padding",
    ),
    (
        "swizzle-128x4",
        true,
        |it| {
            (it.batch == 1).then(|| {
                let mut bytes = padded_with(it, 0);
                let places =
                    (0..it.bytes.len()).map(|at| offset(it, at / it.columns, at % it.columns));
                bytes.truncate(places.max().unwrap_or(0) + 1);
                bytes
            })
        },
        "the bytes end with the last code",
    ),
    (
        "swizzle-8x4",
        true,
        |it| Some(small_tiles(it, |r, c| c / 4 * it.rows.div_ceil(8) + r / 8)),
        "the tiles lie column of tiles by column of tiles",
    ),
    (
        "ue8m0-mn",
        true,
        |it| Some(columns_of_words(it, it.rows, false)),
        "a column has as many words as there are rows",
    ),
    (
        "ue8m0-mn",
        true,
        |it| Some(columns_of_words(it, it.rows.next_multiple_of(4), true)),
        "the bytes of each word of 32 bits lie the highest first",
    ),
    (
        "float32-mn",
        false,
        |it| Some(it.bytes[..4 * it.rows * it.columns].to_vec()),
        "the codes lie row by row, without padding",
    ),
    (
        "marlin-4",
        true,
        |it| {
            let mut nibbles = Vec::new();
            for (top, left) in marlin_tiles(it) {
                for thread in 0..32 {
                    for column in (0..8).map(|n| 16 * (n / 2) + 8 * (n % 2) + thread / 4) {
                        for row in [0, 1, 8, 9].map(|row| 2 * (thread % 4) + row) {
                            nibbles.push(it.bytes[(top + row) * it.columns + left + column]);
                        }
                    }
                }
            }
            Some(words(&nibbles, 4, 8))
        },
        "the order of the codes of a word is not changed",
    ),
    (
        "marlin-8",
        false,
        |it| {
            let mut codes = vec![0; it.rows * it.columns];
            for (tile, (top, left)) in marlin_tiles(it).into_iter().enumerate() {
                for place in 0..1024 {
                    let (row, column) = (top + place / 64, left + place % 64);
                    codes[row * it.columns + column] = it.bytes[1024 * tile + place];
                }
            }
            Some(codes)
        },
        "the codes of a tile lie row by row",
    ),
];

fn it_across(it: &Given<'_>) -> usize {
    it.columns.div_ceil(4)
}

/// Codes of so many bits in words, so many a word, the first in the lowest bits.
fn words(codes: &[u8], bits: usize, per_word: usize) -> Vec<u8> {
    let word = |codes: &[u8]| {
        let fields = codes.iter().enumerate();
        fields.fold(0, |word, (k, code)| word | u32::from(*code) << (k * bits))
    };
    codes.chunks(per_word).flat_map(|codes| word(codes).to_le_bytes()).collect()
}

/// The same row by row, each code plus an offset.
fn rows_of_words(it: &Given<'_>, bits: usize, per_word: usize, offset: u8) -> Vec<u8> {
    let codes: Vec<u8> = it.bytes.iter().map(|code| code ^ offset).collect();
    codes.chunks(it.columns).flat_map(|row| words(row, bits, per_word)).collect()
}

fn offset(it: &Given<'_>, r: usize, c: usize) -> usize {
    (r / 128 * it_across(it) + c / 4) * 512 + r % 32 * 16 + r / 32 % 4 * 4 + c % 4
}

fn tiled_len(it: &Given<'_>) -> usize {
    512 * it.rows.div_ceil(128) * it_across(it)
}

/// Writes a matrix in tiles of 128 x 4.
fn tile(it: &Given<'_>, codes: &[u8], bytes: &mut [u8]) {
    for (place, code) in codes.iter().enumerate() {
        bytes[offset(it, place / it.columns, place % it.columns)] = *code;
    }
}

/// Tiles of 128 x 4 with a padding.
fn padded_with(it: &Given<'_>, padding: u8) -> Vec<u8> {
    let mut bytes = vec![padding; it.batch * tiled_len(it)];
    let matrices = it.bytes.chunks(it.rows * it.columns).zip(bytes.chunks_mut(tiled_len(it)));
    matrices.for_each(|(codes, bytes)| tile(it, codes, bytes));
    bytes
}

/// Tiles of 8 x 4 in an order.
fn small_tiles(it: &Given<'_>, number: impl Fn(usize, usize) -> usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for codes in it.bytes.chunks(it.rows * it.columns) {
        let mut of_one = vec![0; 32 * it.rows.div_ceil(8) * it_across(it)];
        for (place, code) in codes.iter().enumerate() {
            let (r, c) = (place / it.columns, place % it.columns);
            of_one[32 * number(r, c) + r % 8 * 4 + c % 4] = *code;
        }
        bytes.extend(of_one);
    }
    bytes
}

/// Four columns a word, words column by column.
fn columns_of_words(it: &Given<'_>, aligned: usize, is_big: bool) -> Vec<u8> {
    let mut bytes = vec![0; 4 * aligned * it_across(it)];
    for (place, code) in it.bytes.iter().enumerate() {
        let (r, c) = (place / it.columns, place % it.columns);
        let byte = if is_big { 3 - c % 4 } else { c % 4 };
        bytes[4 * (c / 4 * aligned + r) + byte] = *code;
    }
    bytes
}

fn marlin_tiles(it: &Given<'_>) -> Vec<(usize, usize)> {
    let tops = (0..it.rows).step_by(16);
    tops.flat_map(|top| (0..it.columns).step_by(64).map(move |left| (top, left))).collect()
}

/// What a kernel returns for a question.
fn returned(ask: &LaidOut, kernel: Kernel) -> Reply<Returned> {
    let [batch, rows, columns] = ask.sides().expect("matrices").map(|side| side as usize);
    match kernel(&Given { batch, rows, columns, bytes: &ask.input.0 }) {
        Some(bytes) => Reply::Output(Returned { bytes, ..Returned::default() }),
        None => Reply::Unsupported("the kernel does not take this shape".into()),
    }
}

/// The findings of a testee with a fault in one layout and direction.
fn found(layout: &str, packs: bool, kernel: Kernel) -> Vec<Finding> {
    found_by(&of_suite(Suite::Layouts), |question, _| match question {
        Question::Pack(ask) if packs && ask.layout.name() == layout => Some(returned(ask, kernel)),
        Question::Unpack(ask) if !packs && ask.layout.name() == layout => {
            Some(returned(ask, kernel))
        }
        _ => None,
    })
}

/// A right kernel has no finding, and each fault is one, whose cause is what the kernel does.
#[test]
fn faults_of_layouts_are_named() {
    let right = found("swizzle-128x4", true, |it| Some(padded_with(it, 0)));
    assert!(right.is_empty(), "{right:?}");
    let open = found("swizzle-128x4-any", true, |it| Some(padded_with(it, 0xa7)));
    assert!(open.is_empty(), "{open:?}");
    let mut wrong = Vec::new();
    for (number, (layout, packs, kernel, said)) in FAULTS.into_iter().enumerate() {
        let found = found(layout, packs, kernel);
        let causes: Vec<&str> = found.iter().filter_map(|it| it.cause.as_deref()).collect();
        if found.len() != 1 || !causes.first().is_some_and(|cause| cause.starts_with(said)) {
            let sentences: Vec<&str> =
                found.iter().map(|it| it.example.sentence.as_str()).collect();
            wrong.push(format!(
                "{number}: {layout} {packs}, {said}: {causes:?}\n    {}",
                sentences.join("\n    ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A fault that no wrong layout explains has no cause, and shows its first place.
#[test]
fn an_unknown_fault_of_a_layout_shows_its_place() {
    let packed = found("swizzle-8x4", true, |it| {
        let mut bytes = small_tiles(it, |r, c| r / 8 * it_across(it) + c / 4);
        bytes[0] ^= 1;
        Some(bytes)
    });
    let sentence = |found: &[Finding], rule: &str| {
        let [one] = found else { panic!("one finding is due: {found:?}") };
        assert_eq!((one.cause.as_deref(), one.rule.as_deref()), (None, Some(rule)));
        one.example.sentence.clone()
    };
    let said = sentence(&packed, "LY-07");
    assert!(
        said.contains("where the code at row 0, column 0 belongs; 1 of 32 bytes are"),
        "{said}"
    );
    let unpacked = found("awq", false, |it| Some(vec![0; it.rows * it.columns]));
    let said = sentence(&unpacked, "LY-04");
    assert!(said.contains("0x0, not 0x1, at row 0, column 1; 7 of 8 codes are wrong"), "{said}");
}

/// Each layout is packed and unpacked wrongly where a matrix is three times as high or as wide as those of the file, or more, and rightly
/// elsewhere.
#[test]
fn what_is_wrong_in_larger_matrices_alone_is_found() {
    let file = questions(Suite::Layouts, Level::Core);
    let asks = file.tests.iter().filter_map(|test| laid_out(&test.ask));
    let mut longest: BTreeMap<(String, bool), [u64; 2]> = BTreeMap::new();
    for (kind, [rows, columns]) in asks {
        let most = longest.entry(kind).or_default();
        *most = [most[0].max(rows), most[1].max(columns)];
    }
    for side in [0, 1] {
        let mut spoiled = BTreeSet::new();
        let found = found_by(&of_suite(Suite::Layouts), |question, builtin| {
            let (kind, sides) = laid_out(question)?;
            if sides[side] < 3 * longest[&kind][side] {
                return None;
            }
            spoiled.insert(kind);
            Some(builtin.ask(question).map(|mut returned| {
                returned.bytes[0] ^= 1;
                returned
            }))
        });
        // Random words are no zero points of at least 1, so those are unpacked in the shapes of the file alone.
        let is_random = |(layout, packs): &&(String, bool)| {
            *packs
                || !layout.starts_with("gptq-zeros-v1-")
                || layout.contains("word")
                || layout.contains("field")
        };
        let due: Vec<&(String, bool)> = longest.keys().filter(is_random).collect();
        let missing: Vec<_> = due.into_iter().filter(|kind| !spoiled.contains(*kind)).collect();
        assert!(missing.is_empty(), "side {side} is never larger: {missing:?}");
        assert!(!found.is_empty(), "side {side}");
    }
}

/// The layout of a question, whether it packs, and its rows and columns.
fn laid_out(question: &Question) -> Option<((String, bool), [u64; 2])> {
    let (Question::Pack(ask) | Question::Unpack(ask)) = question else { return None };
    let [_, rows, columns] = ask.sides().expect("matrices");
    let packs = matches!(question, Question::Pack(_));
    Some(((ask.layout.name().to_string(), packs), [rows, columns]))
}

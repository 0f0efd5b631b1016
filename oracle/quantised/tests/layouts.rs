//! Layouts: values that public code gave, and what each layout refuses.

use castproof_quantised::layout::{marlin_slot, pack, unpack};
use castproof_vectors::{Bytes, LaidOut, sha256_hex};

fn ask(layout: &str, shape: &[u64], codes: &[u64]) -> LaidOut {
    let layout: castproof_vectors::CodeLayout = layout.parse().expect("a layout");
    let bytes = codes.iter().flat_map(|code| code.to_le_bytes().into_iter().take(layout.width()));
    LaidOut { layout, shape: shape.to_vec(), input: Bytes(bytes.collect()) }
}

fn packed(ask: &LaidOut) -> Vec<u8> {
    pack(ask).expect("a matrix of the layout").0.bytes.0
}

/// Words as people write them: the highest nibble first.
fn words(ask: &LaidOut) -> String {
    let word = |bytes: &[u8]| {
        format!("{:08x}", u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    packed(ask).chunks(4).map(word).collect::<Vec<_>>().join(" ")
}

/// What flashinfer, torchao and DeepGEMM were read to make of code (r*C + c) mod 251 + 1, by the first digits of SHA-256.
#[test]
fn scales_lie_as_they_were_read() {
    for (rows, columns, due) in [
        (1, 1, [(512, "d839a3521723"), (32, "01d0fabd251f"), (16, "4cbbd8ca5215")]),
        (33, 3, [(512, "2c3d43840a58"), (160, "69ad715fd013"), (144, "f135b7626687")]),
        (128, 4, [(512, "3018ca54ee9d"), (512, "cf731c166cf6"), (512, "cf731c166cf6")]),
        (130, 5, [(2048, "8ae62d96fd97"), (1088, "2169388f048f"), (1056, "2550649a466e")]),
        (200, 7, [(2048, "ae8675241a4a"), (1600, "4de813623d7a"), (1600, "090f4a3e1e38")]),
        (256, 16, [(4096, "2b6fa99da989"), (4096, "51bd7b6bc4bb"), (4096, "59985905993d")]),
    ] {
        let codes: Vec<u64> = (0..rows * columns).map(|place| place % 251 + 1).collect();
        for (name, (size, digits)) in ["swizzle-128x4", "swizzle-8x4", "ue8m0-mn"].iter().zip(due) {
            let bytes = packed(&ask(name, &[rows, columns], &codes));
            assert_eq!(bytes.len(), size, "{name} {rows} x {columns}");
            assert!(sha256_hex(&bytes).starts_with(digits), "{name} {rows} x {columns}");
        }
    }
}

/// Offsets of single scales of a matrix with five columns.
#[test]
fn a_scale_stands_at_its_offset() {
    for (name, rows, due) in [
        (
            "swizzle-128x4",
            130,
            &[
                ((0, 0), 0),
                ((1, 0), 16),
                ((31, 0), 496),
                ((32, 0), 4),
                ((64, 0), 8),
                ((96, 3), 15),
                ((127, 3), 511),
                ((0, 4), 512),
                ((128, 0), 1024),
                ((129, 4), 1552),
            ][..],
        ),
        (
            "swizzle-8x4",
            130,
            &[((1, 0), 4), ((7, 3), 31), ((0, 4), 32), ((8, 0), 64), ((129, 4), 1060)],
        ),
        ("ue8m0-mn", 130, &[((1, 0), 4), ((0, 3), 3), ((0, 4), 528), ((129, 4), 1044)]),
    ] {
        for ((r, c), offset) in due {
            let mut codes = vec![0; 5 * rows as usize];
            codes[r * 5 + c] = 0xa5;
            let bytes = packed(&ask(name, &[rows, 5], &codes));
            assert_eq!(
                bytes.iter().position(|byte| *byte == 0xa5),
                Some(*offset),
                "{name} {r} {c}"
            );
        }
    }
}

#[test]
fn words_are_as_they_were_run() {
    let ordered: Vec<u64> = (0..8).collect();
    assert_eq!(words(&ask("awq", &[1, 8], &ordered)), "75316420");
    assert_eq!(words(&ask("gptq-4", &[8, 1], &ordered)), "76543210");
    assert_eq!(words(&ask("gptq-zeros-v2-4", &[1, 8], &ordered)), "76543210");
    // -8 -1 0 7 1 2 3 4
    let signed = [8, 15, 0, 7, 1, 2, 3, 4];
    assert_eq!(words(&ask("ct-4", &[1, 8], &signed)), "cba9f870");
    assert_eq!(words(&ask("ct-zeros-4", &[8, 1], &signed)), "cba9f870");
    let threes: Vec<u64> = (0..32).map(|i| (5 * i + 3) % 8).collect();
    assert_eq!(words(&ask("gptq-3", &[32, 1], &threes)), "43c67543 7543c675 c67543c6");
    let zeros = [0, 8, 8, 8, 8, 8, 8, 8];
    assert_eq!(words(&ask("gptq-zeros-v2-4", &[1, 8], &zeros)), "88888880");
    assert_eq!(words(&ask("gptq-zeros-v1-word-4", &[1, 8], &zeros)), "7777776f");
    assert_eq!(words(&ask("gptq-zeros-v1-field-4", &[1, 8], &zeros)), "7777777f");
    assert_eq!(packed(&ask("nibbles-low", &[1, 4], &[1, 2, 3, 4])), [0x21, 0x43]);
    assert_eq!(packed(&ask("nibbles-high", &[1, 4], &[1, 2, 3, 4])), [0x12, 0x34]);
    let block: Vec<u64> = (0..32).map(|i| i / 16 + 2 * (i % 2)).collect();
    assert_eq!(packed(&ask("nibbles-split-32", &[1, 32], &block)), [0x10, 0x32].repeat(8));
}

/// Reading a word of version 1 by field takes 7 for the zero point 8 beside a 0.
#[test]
fn a_borrow_is_undone_by_word_alone() {
    let read = |layout: &str| {
        let layout = layout.parse().expect("a layout");
        let input = Bytes(0x7777_776f_u32.to_le_bytes().to_vec());
        unpack(&LaidOut { layout, shape: vec![1, 8], input }).expect("a word").0.bytes.0
    };
    assert_eq!(read("gptq-zeros-v1-word-4"), [0, 8, 8, 8, 8, 8, 8, 8]);
    assert_eq!(read("gptq-zeros-v1-field-4"), [0, 7, 8, 8, 8, 8, 8, 8]);
}

/// The slots of a tile of Marlin as the loops of vLLM give them.
#[test]
fn marlin_has_its_codes_in_the_slots_of_vllm() {
    let slots: Vec<(u64, u64)> = (0..1024).map(|n| marlin_slot(4, n)).collect();
    let first = [(0, 0), (8, 0), (0, 8), (8, 8), (1, 0), (9, 0), (1, 8), (9, 8), (0, 16)];
    assert_eq!(slots[..9], first);
    assert_eq!((slots[32], slots[1023]), ((2, 0), (15, 63)));
    let bytes: Vec<u8> =
        slots.iter().flat_map(|(k, column)| ((64 * k + column) as u16).to_le_bytes()).collect();
    assert!(sha256_hex(&bytes).starts_with("248b189e6395"));
    let codes: Vec<u64> = (0..1024).map(|place| place / 64 % 16).collect();
    assert_eq!(&words(&ask("marlin-4", &[16, 64], &codes))[..17], "91918080 91918080");
}

#[test]
fn what_a_layout_does_not_take_is_refused() {
    let said = |ask: &LaidOut| pack(ask).expect_err("no bytes").to_string();
    assert_eq!(
        said(&ask("awq", &[2, 7], &[0; 14])),
        "awq takes 1 x 8 codes and multiples of that, not 2 x 7"
    );
    assert_eq!(
        said(&ask("awq", &[1, 2, 8], &[0; 16])),
        "awq has no batches: give rows and columns"
    );
    assert_eq!(
        said(&ask("gptq-zeros-v1-4", &[1, 8], &[1, 0, 1, 1, 1, 1, 1, 1])),
        "gptq-zeros-v1-4 has no zero point 0: ask gptq-zeros-v1-word or gptq-zeros-v1-field"
    );
    let short = LaidOut { input: Bytes(vec![0; 7]), ..ask("awq", &[2, 8], &[]) };
    let said = unpack(&short).expect_err("no codes").to_string();
    assert_eq!(said, "7 bytes of awq, not 8, for the shape [2, 8]");
    let none = ask("gptq-zeros-v1-4", &[1, 8], &[]);
    let said =
        unpack(&LaidOut { input: Bytes(vec![0x0f, 0, 0, 0]), ..none }).expect_err("no codes");
    assert!(said.to_string().contains("stores no 0xf"), "{said}");
}

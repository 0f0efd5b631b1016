//! Blocks decoded: the implementation beside the oracle, and testees behind the gate.

use crate::common::{castproof, testee};
use castproof_check::verdict::admits;
use castproof_impl::{BlockDequantizer, BlockFormat, DType};
use castproof_quantised::block::{NUMBERS, decoding, dequantise};
use castproof_vectors::{landmarks, pack, unpack};

/// Every element under every scale, in rows of every length around the number that is decoded at once.
#[test]
fn every_product_is_as_the_oracle_says() {
    for form in BlockFormat::ALL {
        let record = decoding(form);
        let by: Vec<u64> = match record.scale {
            DType::Float8E8M0 => (0..0x100).collect(),
            // Of every second binade with either sign, with many significands.
            DType::Float32 => {
                (0..0x200).step_by(2).map(|at| (at << 23) | (at * 0x9e_3779 % (1 << 23))).collect()
            }
            _ => (0..0x80).collect(),
        };
        let scales = by.len();
        for &from in record.elements {
            let elements = 1u64 << from.bits();
            for to in NUMBERS {
                let decoder = BlockDequantizer::new(form, from, to).expect("in the format");
                assert_eq!(decoder.block_size(), record.size);
                let landmarks = landmarks(to).expect("a float");
                for first in 0..elements {
                    // Each block has one scale, so that the row has them all.
                    let count = scales * record.size - first as usize % record.size;
                    let codes: Vec<u64> =
                        (0..count as u64).map(|place| (first + place) % elements).collect();
                    let scales = pack(record.scale, &by).expect("codes");
                    let mut output = vec![0; count * to.bits() as usize / 8];
                    let input = pack(from, &codes).expect("codes");
                    decoder.run(&input, count, &scales, &mut output).expect("a row");
                    let numbers = unpack(to, &output, count).expect("as many");
                    // The places of one element in each block are enough: others come with other firsts.
                    for place in (0..count).step_by(record.size) {
                        let codes = (codes[place], by[place / record.size]);
                        let (due, _) = dequantise(form, (from, to), codes).expect("codes");
                        let got = numbers[place];
                        assert!(admits(&due, got, landmarks), "{from} {to} {codes:x?} {got:x}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_no_row_is_refused() {
    let none = BlockDequantizer::new(BlockFormat::Nvfp4, DType::Float8E5M2, DType::Float32);
    assert_eq!(
        none.err().expect("no such elements").to_string(),
        "nvfp4 has no blocks from float8e5m2 to float32: use its dtypes"
    );
    let decoder = BlockDequantizer::new(BlockFormat::Mx, DType::Float8E5M2, DType::Float32);
    let decoder = decoder.expect("in the format");
    let refused = |input: usize, scales: usize, output: usize| {
        let run = decoder.run(&vec![0; input], 33, &vec![0; scales], &mut vec![0; output]);
        run.unwrap_err().to_string()
    };
    assert!(refused(32, 2, 132).contains("32 bytes"));
    assert!(refused(33, 1, 132).contains("scales"));
    assert!(refused(33, 2, 128).contains("128 bytes"));
}

#[test]
fn the_builtin_testee_passes() {
    let run = castproof(&["gate", "--testee", "builtin", "--suite", "blocks-decoded"], "");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("\nPASS  ") && !run.out.contains("unsupported"), "{}", run.out);
}

/// A testee behind a pipe that decodes one pair: right, with 0 for the smallest scale, with the scales by turns.
#[test]
fn a_fault_of_decoding_is_told() {
    for (mode, told) in [
        ("right", None),
        ("zero", Some("under the scale 0x00")),
        ("turns", Some("for 0x01 under the scale 0x00 at place 2")),
    ] {
        let command = testee("decoder.py", mode);
        let run = castproof(&["gate", "--testee", &command, "--suite", "blocks-decoded"], "");
        assert_eq!(run.code, i32::from(told.is_some()), "{mode}: {}{}", run.out, run.err);
        assert!(told.is_none_or(|told| run.out.contains(told)), "{mode}: {}", run.out);
    }
}

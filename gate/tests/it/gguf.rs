//! Blocks of GGUF: the implementation beside the oracle.

use castproof_impl::{DType, GgufDequantizer, GgufType};
use castproof_quantised::gguf::{GGUF_NUMBERS, decode_block};
use castproof_vectors::Outcome;
use castproof_vectors::random::Random;

/// Blocks of any bytes, so that every field has every value, and scales are NaN and infinite too.
#[test]
fn every_number_is_as_the_oracle_says() {
    for kind in GgufType::all() {
        let mut random = Random::of(kind.name().bytes());
        let (size, elements) = (kind.record().bytes, kind.record().elements);
        for to in GGUF_NUMBERS {
            let decoder = GgufDequantizer::new(kind, to).expect("a type of GGUF");
            let width = to.bits() as usize / 8;
            let infinity =
                if to == DType::Float16 { 0x7c00 } else { 0x7f80_0000 >> (8 * (4 - width)) };
            for _ in 0..16_384usize.div_ceil(elements) {
                let block: Vec<u8> = (0..size).map(|_| (random.number() >> 24) as u8).collect();
                let mut output = vec![0; elements * width];
                decoder.run(&block, &mut output).expect("a block");
                let due = decode_block(kind, to, &block).expect("a block");
                for (place, (got, due)) in output.chunks(width).zip(&due).enumerate() {
                    let got = got.iter().rev().fold(0, |code, byte| code << 8 | u64::from(*byte));
                    let is_right = match due {
                        Outcome::Code(due) => got == *due,
                        _ => got & !(1 << (8 * width - 1)) > infinity,
                    };
                    assert!(is_right, "{kind} {to} {place} of {block:02x?}: {got:x}, {due:x?}");
                }
            }
        }
    }
}

#[test]
fn what_is_no_block_is_refused() {
    let none = GgufDequantizer::new(GgufType::Q4_K, DType::Float64).err().expect("no float64");
    assert_eq!(
        none.to_string(),
        "Q4_K has no numbers of float64: ask for float32, bfloat16 or float16"
    );
    let decoder = GgufDequantizer::new(GgufType::Q4_0, DType::Float16).expect("a type");
    let refused = |input: usize, output: usize| {
        decoder.run(&vec![0; input], &mut vec![0; output]).unwrap_err().to_string()
    };
    assert!(refused(37, 128).contains("37 bytes: pass exactly 36"));
    assert!(refused(36, 64).contains("64 bytes: pass exactly 128"));
}

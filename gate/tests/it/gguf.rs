//! Blocks of GGUF: the implementation beside the oracle.

use castproof_impl::{DType, GgufDequantizer, GgufQuantizer, GgufType};
use castproof_quantised::gguf::{GGUF_MADE, GGUF_NUMBERS, GgufMachine, decode_block, encode_block};
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

/// Numbers of all magnitudes, ties among them, and in some blocks zeros, infinities and NaN.
#[test]
fn every_block_is_as_the_oracle_says() {
    for kind in GGUF_MADE {
        let mut random = Random::of(kind.name().bytes());
        let making = GgufQuantizer::new(kind).expect("a type that is made");
        for round in 0..600 {
            let least = (random.number() % 250) << 23;
            let mask = if round % 2 == 0 { 0xfff8_0000 } else { 0xffff_ffff };
            let number = |random: &mut Random| {
                let magnitude = (least + random.number() % (4 << 23)) & mask;
                let special = [0, 0x7f80_0000, 0x7fc0_0000, 0x7f7f_ffff];
                let is_special = round % 7 == 3 && random.below(24) == 0;
                let magnitude = if is_special { *random.one_of(&special) } else { magnitude };
                magnitude | (random.number() & 1) << 31
            };
            let codes: Vec<u64> =
                (0..kind.record().elements).map(|_| number(&mut random)).collect();
            let input: Vec<u8> = codes.iter().flat_map(|it| (*it as u32).to_le_bytes()).collect();
            let mut block = vec![0; kind.record().bytes];
            making.run(&input, &mut block).expect("a block");
            let due = encode_block(kind, &codes, GgufMachine::default()).expect("a block");
            assert!(due.admits(0, &block), "{kind} {codes:08x?}: {block:02x?}, due {due:02x?}");
        }
    }
}

#[test]
fn what_makes_no_block_is_refused() {
    let none = GgufQuantizer::new(GgufType::Q4_K).err().expect("not made");
    assert_eq!(
        none.to_string(),
        "Q4_K is not made from numbers: ask for Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, MXFP4 or NVFP4"
    );
    let making = GgufQuantizer::new(GgufType::NVFP4).expect("a type that is made");
    let refused = |input: usize, output: usize| {
        making.run(&vec![0; input], &mut vec![0; output]).unwrap_err().to_string()
    };
    assert!(refused(260, 36).contains("260 bytes: pass exactly 256"));
    assert!(refused(512, 36).contains("36 bytes: pass exactly 72"));
}

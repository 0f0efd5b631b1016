//! Values that others have computed or run.

use super::{code, of_float32};
use castproof_quantised::block::{Quantised, choices, quantise, under_scale};
use castproof_vectors::BlockProfile::{
    self, MxCeil, MxEven, MxFloor, MxOcp, MxRceil, MxRfit, MxTe, MxTorchaoCeil, MxTorchaoEven,
    MxTorchaoFloor, Nvfp4Te, Nvfp4Torchao,
};
use castproof_vectors::DType::{self, Float4E2M1, Float8E4M3FN, Float8E5M2, Float32};
use castproof_vectors::Outcome;

/// The scales of single magnitudes by floor, ceil, rceil, even and rfit. A separate computation with
/// fractions gave them.
#[test]
fn scales_of_magnitudes() {
    for (to, amax, due) in [
        (Float4E2M1, 0x40c0_0001, [127, 128, 128, 127, 127]),
        (Float4E2M1, 0x40df_ffff, [127, 128, 128, 127, 127]),
        (Float4E2M1, 0x40e0_0000, [127, 128, 128, 128, 128]),
        (Float8E4M3FN, 0x43e0_0000, [127, 128, 127, 127, 127]),
        (Float8E4M3FN, 0x43e0_0001, [127, 128, 128, 127, 127]),
        (Float8E4M3FN, 0x43e8_0000, [127, 128, 128, 127, 127]),
        (Float8E4M3FN, 0x43e8_0001, [127, 128, 128, 127, 128]),
        (Float8E4M3FN, 0x43f8_0000, [127, 128, 128, 128, 128]),
        (Float4E2M1, 0x417f_ffff, [128, 129, 129, 129, 129]),
        (Float8E4M3FN, 0x047f_ffff, [0, 1, 1, 1, 1]),
        (Float8E4M3FN, 0x0460_0001, [0, 1, 1, 0, 0]),
        (Float4E2M1, 0x0040_0000, [0, 0, 0, 0, 0]),
        (Float4E2M1, 0x7f60_0000, [252, 253, 253, 253, 253]),
        (Float8E4M3FN, 0x7f7f_ffff, [246, 247, 247, 247, 247]),
        (Float8E4M3FN, 0, [0, 0, 0, 0, 0]),
        (Float8E4M3FN, 0x7f80_0000, [255, 255, 255, 255, 255]),
        (Float4E2M1, 0x7fc0_0001, [255, 255, 255, 255, 255]),
    ] {
        let found = [MxFloor, MxCeil, MxRceil, MxEven, MxRfit]
            .map(|profile| of_float32(profile, to, &[amax], None).scale);
        assert_eq!(found, due, "{to} {amax:x}");
    }
}

/// An infinity, which torchao 0.18.0 takes for 2^128, was run there.
#[test]
fn infinities_in_torchao() {
    let numbers = [0xff80_0000, 0x7f00_0000];
    for profile in [MxTorchaoFloor, MxTorchaoCeil, MxTorchaoEven] {
        for (to, scale, due) in [(Float8E4M3FN, 247, [0xfe, 0x70]), (Float4E2M1, 253, [15, 4])] {
            let answer = of_float32(profile, to, &numbers, None);
            let found = [0, 1].map(|place| code(&answer.elements[place].0).expect("fixed"));
            assert_eq!((answer.scale, found), (scale, due), "{} {to}", profile.name());
        }
    }
    assert_eq!(of_float32(MxTorchaoEven, Float4E2M1, &[0x7f60_0000], None).scale, 253);
}

/// By hand, from what TransformerEngine's sources say.
#[test]
fn special_blocks_of_transformer_engine() {
    for (to, numbers, scale, due) in [
        // 448 * 2^-127(1 + 2^-23/1.75) and the number above: the products are 2^-127 and 2^-127 + 2^-149.
        (Float8E4M3FN, &[0x0460_0001][..], 0, &[0x7e][..]),
        (Float8E4M3FN, &[0x0460_0002], 1, &[0x76]),
        (Float8E4M3FN, &[0x43e0_0001, 0x3f80_0000], 128, &[0x76, 0x30]),
        (Float8E5M2, &[0x4760_0000, 0x3f80_0000], 127, &[0x7b, 0x3c]),
        // An infinity beside 1 and the largest number, which is almost 2^128.
        (Float8E4M3FN, &[0xff80_0000, 0x3f80_0000, 0x7f7f_ffff], 254, &[0xfe, 0x00, 0x40]),
        (Float8E5M2, &[0x7f80_0000, 0xff7f_ffff], 254, &[0x7b, 0xc0]),
        // A NaN beside 1, and alone.
        (Float8E4M3FN, &[0xffc0_0001, 0x3f80_0000], 119, &[0x7f, 0x78]),
        (Float8E5M2, &[0xffc0_0001], 0, &[0x7f]),
    ] {
        let answer = of_float32(MxTe, to, numbers, None);
        let elements = answer.elements[..due.len()].iter();
        let found: Vec<u64> = elements.map(|(it, _)| code(it).expect("fixed")).collect();
        assert_eq!((answer.scale, &found[..]), (scale, due), "{to} {numbers:x?}");
    }
}

/// 7, 1.5 and 0.25 under the scales 1, 1/2, 2 and 4, by hand. NaN is a choice where no rule fixes the
/// scale: beside a NaN, and for zeros.
#[test]
fn scales_that_ocp_leaves_open() {
    let mut numbers = vec![0x40e0_0000, 0x3fc0_0000, 0x3e80_0000, 0x8000_0000];
    let ask = |numbers: &[u64]| {
        let all = choices(MxOcp, (Float32, Float4E2M1), numbers).expect("a block");
        all.expect("a free scale")
    };
    let first = |it: &Quantised| {
        let elements: Vec<_> = it.elements.iter().take(4).map(|(it, _)| code(it)).collect();
        (it.scale, elements)
    };
    let open = (255, vec![None; 4]);
    let due = [(127, [7, 3, 0, 8]), (126, [7, 5, 1, 8]), (128, [6, 2, 0, 8]), (129, [4, 1, 0, 8])];
    let due = due.map(|(scale, elements)| (scale, elements.map(Some).to_vec()));
    let found: Vec<_> = ask(&numbers).iter().map(first).collect();
    assert_eq!(found, due);
    let under = |code| under_scale(MxOcp, (Float32, Float4E2M1), &numbers, code).expect("a block");
    assert_eq!(under(129).map(|it| first(&it)), Some(due[3].clone()));
    assert_eq!(under(255), None);
    // Beside a NaN the scale follows from the rest.
    numbers[3] = 0x7fc0_0000;
    let found: Vec<_> = ask(&numbers).iter().map(first).collect();
    assert_eq!((&found[0], found.len()), (&open, 5));
    assert_eq!(found[1], (126, vec![Some(7), Some(5), Some(1), None]));
    // Zeros may have the scale 1.
    let scales: Vec<u64> = ask(&[0; 32]).iter().map(|it| it.scale).collect();
    assert_eq!(scales, [0, 1, 2, 127, 255]);
    assert_eq!(choices(MxFloor, (Float32, Float4E2M1), &numbers), Ok(None));
}

#[test]
fn elements_of_blocks() {
    let check = |profile: BlockProfile, to, numbers: &[u32], scale, due: &[u64]| {
        let answer = of_float32(profile, to, numbers, None);
        let found: Vec<u64> = answer.elements[..due.len()]
            .iter()
            .map(|(element, _)| code(element).expect("fixed"))
            .collect();
        assert_eq!((answer.scale, &found[..]), (scale, due), "{} {numbers:x?}", profile.name());
    };
    // 6.0000005 and 0.75
    check(MxFloor, Float4E2M1, &[0x40c0_0001, 0x3f40_0000], 127, &[7, 2]);
    check(MxRceil, Float4E2M1, &[0x40c0_0001, 0x3f40_0000], 128, &[5, 1]);
    // 7, 1.5 and 0.25: 3.5 is a tie.
    check(MxFloor, Float4E2M1, &[0x40e0_0000, 0x3fc0_0000, 0x3e80_0000], 127, &[7, 3, 0]);
    check(MxEven, Float4E2M1, &[0x40e0_0000, 0x3fc0_0000, 0x3e80_0000], 128, &[6, 2, 0]);
    // 464 or 448, 1 and 0.001
    let rest = [0x3f80_0000, 0x3a83_126f];
    check(MxRfit, Float8E4M3FN, &[0x43e8_0000, rest[0], rest[1]], 127, &[0x7e, 0x38, 0x01]);
    check(MxRceil, Float8E4M3FN, &[0x43e8_0000, rest[0], rest[1]], 128, &[0x76, 0x30, 0x00]);
    check(MxRceil, Float8E4M3FN, &[0x43e0_0000, rest[0], rest[1]], 127, &[0x7e, 0x38, 0x01]);
    // 2^-127, where torchao divides by twice the scale.
    check(MxFloor, Float8E4M3FN, &[0x0040_0000], 0, &[0x38]);
    for profile in [MxTorchaoFloor, MxTorchaoCeil, MxTorchaoEven] {
        check(profile, Float8E4M3FN, &[0x0040_0000], 0, &[0x30]);
    }
    // Signs of zeros stay, also of those that rounding makes.
    check(MxFloor, Float4E2M1, &[0x40c0_0000, 0x8000_0000, 0x8000_0001, 0], 127, &[7, 8, 8, 0]);
}

/// 2.7, 5.5 and 1.2, whose scale a kernel of vLLM made one too small.
#[test]
fn scales_of_a_division_by_six() {
    for (amax, scale) in [(0x402c_cccd, 126), (0x40b0_0000, 127), (0x3f99_999a, 125)] {
        assert_eq!(of_float32(MxEven, Float4E2M1, &[amax], None).scale, scale, "{amax:x}");
    }
}

/// The scale of a block beside that of the tensor, where two libraries part.
#[test]
fn scales_of_nvfp4() {
    let scale = |profile, amax: u32, tensor| {
        let answer = of_float32(profile, Float4E2M1, &[amax], Some(tensor));
        (answer.scale, code(&answer.elements[0].0).expect("fixed"))
    };
    let [three, whole, of_448] = [0x4040_0000, 0x4528_0000, 0x43e0_0000];
    assert_eq!(scale(Nvfp4Te, 0x3910_0000, three).0, 0x0b);
    assert_eq!(scale(Nvfp4Te, 0x3cb8_0000, of_448).0, 0x0c);
    assert_eq!(scale(Nvfp4Torchao, 0x3cb8_0000, of_448).0, 0x0b);
    assert_eq!(scale(Nvfp4Te, 0x3cc8_0000, of_448).0, 0x0c);
    assert_eq!(scale(Nvfp4Torchao, 0x3cc8_0000, of_448).0, 0x0c);
    // 0.005859375, with a scale of the tensor of 1.
    assert_eq!(scale(Nvfp4Te, 0x3bc0_0000, whole), (0x00, 7));
    assert_eq!(scale(Nvfp4Torchao, 0x3bc0_0000, whole), (0x08, 1));
    assert_eq!(scale(Nvfp4Te, 0, whole), (0x00, 0));
    assert_eq!(scale(Nvfp4Torchao, 0, whole), (0x08, 0));
}

#[test]
fn nan_in_nvfp4() {
    let numbers = [0xffc0_0001, 0x3f80_0000];
    let te = of_float32(Nvfp4Te, Float4E2M1, &numbers, Some(0x3f80_0000));
    assert_eq!((te.scale, code(&te.elements[0].0)), (0x7e, Some(7)));
    let torchao = of_float32(Nvfp4Torchao, Float4E2M1, &numbers, Some(0x3f80_0000));
    assert_eq!((torchao.scale, &torchao.elements[1].0), (0x7f, &Outcome::Any));
}

#[test]
fn a_short_last_block() {
    let short = quantise(MxRceil, (Float32, Float8E4M3FN), &[0x43e8_0000], None).expect("short");
    assert_eq!((short.scale, short.elements.len()), (128, 1));
}

#[test]
fn what_is_refused() {
    let ask = |profile, from, to, codes: &[u64], tensor| {
        quantise(profile, (from, to), codes, tensor).expect_err("refused").to_string()
    };
    let block = [0; 33];
    for (said, due) in [
        (ask(MxFloor, Float32, Float8E4M3FN, &[], None), "mx-floor: a block without numbers"),
        (
            ask(MxFloor, Float32, Float8E4M3FN, &block, None),
            "33 numbers are more than a block of 32",
        ),
        (ask(MxTorchaoFloor, Float32, Float4E2M1, &block[..31], None), "(MX-03)"),
        (ask(MxTe, Float32, Float8E5M2, &block[..31], None), "(MX-25)"),
        (ask(MxTe, Float32, Float4E2M1, &block[..32], None), "no elements of float4e2m1"),
        (ask(Nvfp4Te, Float32, Float4E2M1, &block[..15], Some(0)), "fewer than a block of 16"),
        (ask(MxFloor, DType::Int8, Float4E2M1, &block[..32], None), "takes no int8; known are"),
        (ask(MxFloor, Float32, DType::Float8E8M0, &block[..32], None), "no elements of float8e8m0"),
        (ask(MxTorchaoCeil, DType::Float16, Float4E2M1, &block[..32], None), "takes no float16"),
        (ask(MxFloor, Float32, Float4E2M1, &[1 << 32], None), "0x100000000 does not fit"),
        (ask(MxFloor, Float32, Float4E2M1, &[0], Some(1)), "has no scale of the tensor"),
        (ask(Nvfp4Te, Float32, Float4E2M1, &block[..16], None), "give the largest magnitude"),
        (ask(Nvfp4Te, Float32, Float4E2M1, &block[..16], Some(1 << 31)), "no magnitude of float32"),
    ] {
        assert!(said.contains(due), "{said}");
    }
}

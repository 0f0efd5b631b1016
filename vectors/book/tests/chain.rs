//! Compares chains computed from pieces with chains computed code by code.

use castproof_book::{Book, ComparedChain, Composer};
use castproof_vectors::random::Random;
use castproof_vectors::{DType, Outcome, Profile, Request, Spec};

fn chains(sources: impl Fn(DType) -> bool, mut act: impl FnMut(&ComparedChain, [DType; 3])) {
    for &a in DType::NUMERIC.iter().filter(|dtype| sources(**dtype)) {
        for &b in DType::NUMERIC {
            for &c in DType::NUMERIC {
                act(&ComparedChain::new(Book::carried(), [a, b, c]).expect("numeric"), [a, b, c]);
            }
        }
    }
}

/// Compares all triples whose source has up to 8 bits; `cargo xtask generate --check atlas` compares those of
/// 16 bits.
#[test]
fn every_code_of_narrow_sources() {
    let mut different = 0;
    chains(
        |dtype| dtype.bits() <= 8,
        |chain, [a, b, c]| {
            let whole = chain.difference(0, a.code_mask());
            assert_eq!(whole, chain.difference_by_code(0, a.code_mask()), "{a} {b} {c}");
            different += usize::from(whole.differ.count > 0);
        },
    );
    assert!(different > 1_000, "{different}");
}

/// Compares parts of wide sources that are small enough to compute code by code: around powers of
/// two, pseudo-random codes and both ends.
#[test]
fn parts_of_wide_sources() {
    let mut random = Random::new(1);
    chains(
        |dtype| dtype.bits() >= 16,
        |chain, [a, b, c]| {
            let power = 1 << random.below(a.bits() as usize);
            for near in [0, random.number(), power, a.code_mask()] {
                let first = (near & a.code_mask()).saturating_sub(300);
                let last = (near & a.code_mask()).saturating_add(300).min(a.code_mask());
                let whole = chain.difference(first, last);
                let asked = chain.difference_by_code(first, last);
                assert_eq!(whole, asked, "{a} {b} {c} {first:#x}");
            }
        },
    );
}

#[test]
fn known_chains() {
    use DType::*;
    let whole = |a: DType, b, c| {
        let chain = ComparedChain::new(Book::carried(), [a, b, c]).expect("numeric");
        chain.difference(0, a.code_mask())
    };
    // Widening and back is the identity; narrowing and back keeps what the narrow dtype holds.
    assert_eq!(whole(Float16, Float32, Float16).differ.count, 0);
    assert_eq!(whole(Int32, Int64, Int32).differ.count, 0);
    let kept = (1u128 << 32) - whole(Float32, Float16, Float32).differ.count;
    let finite = 2 * 0x7c00u128;
    let nan = 2 * 0x7f_ffffu128;
    let infinities = 2;
    assert_eq!(kept, finite + infinities + nan);
    assert_eq!(whole(Uint64, Uint8, Uint64).differ.count, (1u128 << 64) - 256);
    // The direct cast keeps the low two bits; the chain gives 1 for all codes but 0. They agree if
    // the low bits are 01, and for 0.
    let low_bits = (1u128 << 32) - whole(Uint32, Bool, Uint2).differ.count;
    assert_eq!(low_bits, (1 << 30) + 1);
    // float64 to float16 through float32 is wrong only beside ties.
    let twice = whole(Float64, Float32, Float16);
    assert!(twice.differ.count > 0 && twice.open.count == 0);
    let first = twice.differ.ends.expect("some").0;
    assert_eq!(first, 0x3e60_0000_0000_0001, "{first:#x}");
}

/// By wasm-sat a signalling NaN is copied from float32 to itself and becomes any quiet one by way of float64; every
/// other code may come back as it was.
#[test]
fn a_signalling_nan_is_quiet_after_two_casts() {
    use DType::{Float32, Float64};
    let cast = |(from, to)| Request::new(Spec::Profile(Profile::WasmSat), from, to);
    let requests = [(Float32, Float64), (Float64, Float32), (Float32, Float32)].map(cast);
    let chain = ComparedChain::of(Book::carried(), requests).expect("numeric");
    let differ = chain.difference(0, Float32.code_mask()).differ;
    assert_eq!(differ.count, 2 * 0x3f_ffff);
    assert_eq!(differ.ends, Some((0x7f80_0001, 0xffbf_ffff)));
    for near in [0x7f80_0000u64, 0x7fbf_ffff, 0x7fff_ffff, 0xff80_0000, 0xffc0_0000, 0xffff_fed0] {
        let (first, last) = (near - 300, near + 300);
        let last = last.min(Float32.code_mask());
        assert_eq!(
            chain.difference(first, last),
            chain.difference_by_code(first, last),
            "{near:#x}"
        );
    }
}

/// The expectation of casts in a row has the same word.
#[test]
fn any_quiet_nan_is_composed() {
    use DType::{Float32, Float64, Int32};
    let spec = Spec::Profile(Profile::WasmSat);
    let composed = |dtypes: &[DType], code| {
        let steps: Vec<Request> =
            dtypes.windows(2).map(|pair| Request::new(spec, pair[0], pair[1])).collect();
        Composer::new(Book::carried())
            .in_turn(&steps, code)
            .expect("casts")
            .expect("an expectation")
    };
    let signalling = 0x7ff0_0000_0000_0001;
    for (dtypes, code, due) in [
        (&[Float64, Float32][..], signalling, Outcome::QuietNan),
        // The code stays, so the quiet ones are those of before.
        (&[Float64, Float32, Float32], signalling, Outcome::QuietNan),
        (&[Float64, Float32, Int32], signalling, Outcome::Code(0)),
        (&[Float64, Float64], signalling, Outcome::Code(signalling)),
        // The one without payload stays without.
        (&[Float64, Float32], 0xfff8 << 48, Outcome::OneOf(vec![0x7fc0_0000, 0xffc0_0000])),
    ] {
        let found = composed(dtypes, code);
        assert_eq!((found.expect, found.tolerate), (due, None), "{dtypes:?} {code:#x}");
    }
}

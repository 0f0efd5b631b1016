//! Compares chains computed from pieces with chains computed code by code.

use castproof_vectors::DType;
use castproof_vectors::book::{Book, Chain};
use castproof_vectors::random::Random;

fn chains(sources: impl Fn(DType) -> bool, mut act: impl FnMut(&Chain, [DType; 3])) {
    for &a in DType::NUMERIC.iter().filter(|dtype| sources(**dtype)) {
        for &b in DType::NUMERIC {
            for &c in DType::NUMERIC {
                act(&Chain::new(Book::carried(), [a, b, c]).expect("numeric"), [a, b, c]);
            }
        }
    }
}

/// Compares all triples whose source has up to 8 bits; `cargo xtask atlas check` compares those of
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
        let chain = Chain::new(Book::carried(), [a, b, c]).expect("numeric");
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

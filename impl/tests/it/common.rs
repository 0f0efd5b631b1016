//! Helpers of the tests.

use castproof_impl::Cast;
use castproof_vectors::DType;
use castproof_vectors::random::Random;

/// Casts one element by the newest rules.
pub(crate) fn cast(from: DType, to: DType, code: u64) -> u64 {
    run(Cast::new(from, to).expect("numeric"), code)
}

/// Casts one element by a given cast.
pub(crate) fn run(cast: Cast, code: u64) -> u64 {
    cast.code(code).expect("the code fits")
}

/// Returns the value of a code, which float64 must hold exactly.
pub(crate) fn value(dtype: DType, code: u64) -> f64 {
    f64::from_bits(cast(dtype, DType::Float64, code))
}

/// Returns random numbers that follow from a seed.
pub(crate) fn random(seed: u64) -> impl Iterator<Item = u64> {
    Random::new(seed).numbers()
}

/// Returns codes of a dtype: all codes up to 16 bits; of a wider dtype powers of two, their
/// neighbours and complements, and random codes.
pub(crate) fn codes(dtype: DType) -> Vec<u64> {
    if dtype.bits() <= 16 {
        return (0..=dtype.code_mask()).collect();
    }
    let ends = (0..64).flat_map(|bit| {
        let power = 1_u64 << bit;
        [power - 1, power, power + 1, power.wrapping_neg(), !power, power | 1 << 63]
    });
    let random = random(1).take(20_000);
    ends.chain(random).map(|code| code & dtype.code_mask()).collect()
}

/// Returns `n` where a test of many codes casts every `n`-th alone: the variable `CASTPROOF_EVERY`, or 1.
///
/// `.ci/machines` sets it for emulators, under which a cast takes some twenty times as long. Its sweeps ask
/// every code of the newest rules there.
pub(crate) fn every() -> usize {
    std::env::var("CASTPROOF_EVERY").map_or(1, |n| n.parse().expect("a count"))
}

/// Returns the codes; of more than 4,096 those that [`every`] leaves.
pub(crate) fn share(codes: Vec<u64>) -> Vec<u64> {
    let every = if codes.len() > 4096 { every() } else { 1 };
    codes.into_iter().step_by(every).collect()
}

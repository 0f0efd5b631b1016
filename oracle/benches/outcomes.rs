//! How many outcomes a second the oracle gives on one core.
//!
//! `cargo bench -p castproof-oracle`

use castproof_oracle::Caster;
use castproof_vectors::random::Random;
use castproof_vectors::{DType, Request};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use std::fmt;

fn main() {
    divan::main();
}

/// Codes in one round.
const CODES: usize = 4096;

/// Pairs of dtypes, under the newest operator set.
const PAIRS: [Pair; 10] = [
    Pair(DType::Float32, DType::Float8E4M3FN),
    Pair(DType::Float32, DType::Float8E8M0),
    Pair(DType::Float32, DType::Float4E2M1),
    Pair(DType::Float32, DType::Float16),
    Pair(DType::Float32, DType::Bfloat16),
    Pair(DType::Float32, DType::Int8),
    Pair(DType::Float64, DType::Float16),
    Pair(DType::Float64, DType::Float8E4M3FN),
    Pair(DType::Int64, DType::Float32),
    Pair(DType::Int64, DType::Int8),
];

#[derive(Clone, Copy)]
struct Pair(DType, DType);

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.0, self.1)
    }
}

#[divan::bench(args = PAIRS)]
fn outcomes(bencher: Bencher<'_, '_>, Pair(from, to): Pair) {
    let caster = Caster::new(&Request::cast(from, to, 28)).expect("a pair of Cast-28");
    let codes = Random::new(1).numbers().map(|number| number & from.code_mask());
    let codes: Vec<u64> = codes.take(CODES).collect();
    bencher.counter(ItemsCount::new(codes.len())).bench_local(|| {
        for &code in &codes {
            black_box(caster.cast(black_box(code)).expect("the code fits"));
        }
    });
}

//! The harness, as a crate under test uses it. The tests of the gate ask all pairs; here are those between dtypes of every class.

use castproof::harness::{main_for, pairs_between};
use castproof::testee::builtin::Builtin;
use castproof_vectors::DType;

fn main() {
    let dtypes =
        [DType::Bool, DType::Uint4, DType::Int64, DType::Float8E8M0, DType::Float32, DType::String];
    main_for(&pairs_between(&dtypes), Builtin::new)
}

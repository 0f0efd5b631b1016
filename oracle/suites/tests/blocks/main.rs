//! Blocks: the oracle against a second way, which was written apart from it, and against values that
//! others have computed or run.

mod agree;
mod decoding;
mod faults;
mod groups;
mod second;
mod values;
mod wrong;

use castproof_quantised::block::{Quantised, quantise};
use castproof_vectors::{BlockProfile, DType, Outcome};

/// Quantises numbers of float32, filled with zeros to a whole block.
fn of_float32(profile: BlockProfile, to: DType, numbers: &[u32], tensor: Option<u32>) -> Quantised {
    let mut codes: Vec<u64> = numbers.iter().map(|&code| code.into()).collect();
    codes.resize(castproof_quantised::block::block_size(profile), 0);
    quantise(profile, (DType::Float32, to), &codes, tensor.map(u64::from)).expect("a block")
}

/// The element where it is fixed.
fn code(element: &Outcome) -> Option<u64> {
    match element {
        Outcome::Code(code) => Some(*code),
        Outcome::Any => None,
        other => panic!("no element is due as {other:?}"),
    }
}

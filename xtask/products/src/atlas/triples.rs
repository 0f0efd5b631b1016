//! The chains of the atlas.

use castproof_vectors::DType;

/// Returns every triple of dtypes.
pub(super) fn triples() -> Vec<[DType; 3]> {
    let all = DType::NUMERIC;
    let pairs = all.iter().flat_map(|&a| all.iter().map(move |&b| (a, b)));
    pairs.flat_map(|(a, b)| all.iter().map(move |&c| [a, b, c])).collect()
}

//! Chains by their ends: what is one part of a run.

use castproof_book::{AtlasFile, ChainRecord};
use castproof_vectors::DType;
use std::collections::BTreeMap;

/// Returns the chains of the atlas by their ends, each with the first and the last dtype in common.
pub fn by_ends() -> Vec<Vec<&'static ChainRecord>> {
    let mut by_ends: BTreeMap<_, Vec<&ChainRecord>> = BTreeMap::new();
    for record in &AtlasFile::carried().chains {
        let [first, _, last] = record.dtypes;
        by_ends.entry((first, last)).or_default().push(record);
    }
    by_ends.into_values().collect()
}

/// Chains with the same first and last dtype.
pub(crate) struct Ends {
    /// The first and the last dtype.
    pub(crate) ends: (DType, DType),
    /// Those of the atlas; none if one end is string.
    pub(crate) records: Vec<&'static ChainRecord>,
}

/// Returns the ends of all chains: those of the atlas, then those of which one is string. A string may stand between both.
pub(crate) fn all_ends() -> Vec<Ends> {
    let of_atlas = by_ends().into_iter().filter_map(|records| {
        let [first, _, last] = records.first()?.dtypes;
        Some(Ends { ends: (first, last), records })
    });
    let texts = DType::NUMERIC.iter().flat_map(|&numeric| {
        let both = [(DType::String, numeric), (numeric, DType::String)];
        both.map(|ends| Ends { ends, records: Vec::new() })
    });
    of_atlas.chain(texts).collect()
}

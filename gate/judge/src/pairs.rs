//! The pairs of dtypes that a suite of casts has, and those of them that the user chose.

use anyhow::{Result, bail};
use castproof_oracle::profile_pairs;
use castproof_results::Filters;
use castproof_vectors::{DType, Suite};
use std::collections::BTreeSet;

/// Returns the pairs of a suite of casts that have vectors, in the order of reports.
pub fn pairs_of(suite: Suite) -> Vec<(DType, DType)> {
    let dtypes = DType::CAST;
    match suite {
        Suite::Profile(profile) => profile_pairs(profile),
        _ => dtypes.iter().flat_map(|&from| dtypes.iter().map(move |&to| (from, to))).collect(),
    }
}

/// Returns the name of a suite of casts for messages about its dtypes.
fn title(suite: Suite) -> &'static str {
    if let Suite::Profile(profile) = suite { profile.name() } else { "Cast" }
}

/// Returns the pairs that the filters let through; if pairs are named, only named ones.
pub fn pairs_named(
    suite: Suite,
    filters: Filters,
    named: &[(DType, DType)],
) -> Result<Vec<(DType, DType)>> {
    let known = dtypes_of(suite);
    if let Some(dtype) =
        named.iter().flat_map(|&(from, to)| [from, to]).find(|it| !known.contains(it))
    {
        let title = title(suite);
        bail!("{dtype} is not a dtype of {title}; --pair names dtypes of {title}");
    }
    let mut pairs = pairs(suite, filters)?;
    pairs.retain(|pair| named.is_empty() || named.contains(pair));
    if pairs.is_empty() {
        bail!("--pair names no pair that --from and --to let through");
    }
    Ok(pairs)
}

/// Returns the pairs that the filters let through.
///
/// # Errors
/// If a filter names a dtype that Cast does not have.
pub fn pairs(suite: Suite, filters: Filters) -> Result<Vec<(DType, DType)>> {
    let known = dtypes_of(suite);
    for dtype in filters.from.iter().chain(&filters.to) {
        if !known.contains(dtype) {
            bail!("{dtype} is not a dtype of {}; its suites have no filter", title(suite));
        }
    }
    let kept = |filter: Option<DType>, dtype: DType| filter.is_none_or(|only| only == dtype);
    let mut pairs = pairs_of(suite);
    pairs.retain(|&(from, to)| kept(filters.from, from) && kept(filters.to, to));
    Ok(pairs)
}

fn dtypes_of(suite: Suite) -> BTreeSet<DType> {
    pairs_of(suite).into_iter().map(|(from, _)| from).collect()
}

//! What a run covers: pairs, operator versions, and by which filters it is reduced.

use super::Suites;
use super::source::Source;
use crate::baseline::Extent;
use crate::results::Filters;
use anyhow::{Result, anyhow, bail};
use castproof_vectors::{DType, Level, Operator, Suite, resolve, type_set, versions};

/// One operator version of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edition {
    /// The operator version, as vector files list it.
    pub(super) version: u32,
    /// The operator set that requests ask for: the version itself, or what the user named.
    pub(super) opset: u32,
}

/// What a run covers.
pub(super) struct Plan {
    /// The filters.
    pub(super) filters: Filters,
    /// The level of the vectors.
    pub(super) level: Level,
    /// Do tolerated results fail?
    pub(super) strict: bool,
    /// The suites to run.
    pub(super) suites: Vec<Suite>,
    /// Were they named by the user? Else all that the testee is held to are run.
    pub(super) suites_named: bool,
    /// Operator versions, ascending.
    pub(super) editions: Vec<Edition>,
    /// Pairs that the source has, in the order of [`DType::CAST`].
    pub(super) pairs: Vec<(DType, DType)>,
    /// Pairs that the filters let through but the source does not have.
    pub(super) missing: Vec<(DType, DType)>,
}

impl Plan {
    /// Applies the filters to all versions and pairs.
    ///
    /// # Errors
    /// If a filter leaves nothing to run.
    pub(super) fn new(
        filters: Filters,
        suites: &Suites,
        strict: bool,
        source: &Source,
    ) -> Result<Plan> {
        let filtered = filters.from.is_some() || filters.to.is_some() || filters.opset.is_some();
        let suites_named = matches!(suites, Suites::Named(_));
        let suites: Vec<Suite> = match suites {
            Suites::Named(suites) => suites.clone(),
            Suites::All if !filtered => Suite::ALL.to_vec(),
            Suites::All | Suites::Casts => vec![Suite::OnnxCast],
        };
        let level = source.level();
        if !suites.contains(&Suite::OnnxCast) {
            if filtered {
                bail!("--from, --to and --opset are filters of the suite onnx-cast; name it too");
            }
            let (editions, pairs, missing) = (vec![], vec![], vec![]);
            return Ok(Plan {
                filters,
                level,
                strict,
                suites,
                suites_named,
                editions,
                pairs,
                missing,
            });
        }
        let editions = match filters.opset {
            None => {
                let all = versions(Operator::Cast).iter();
                all.map(|&version| Edition { version, opset: version }).collect()
            }
            Some(opset) => {
                let version = resolve(Operator::Cast, opset).map_err(|error| anyhow!(error))?;
                vec![Edition { version, opset }]
            }
        };
        let (pairs, missing): (Vec<_>, Vec<_>) =
            cast_pairs(filters)?.into_iter().partition(|&pair| source.has(pair));
        if pairs.is_empty() {
            bail!("the vectors hold no pair that the filters let through");
        }
        Ok(Plan { filters, level, strict, suites, suites_named, editions, pairs, missing })
    }

    /// The pairs of a version's type set that the filters let through.
    pub(super) fn pairs_of(&self, version: u32) -> Vec<(DType, DType)> {
        let set = type_set(Operator::Cast, version);
        let all = self.pairs.iter().chain(&self.missing).copied();
        let mut pairs: Vec<_> =
            all.filter(|(from, to)| set.contains(from) && set.contains(to)).collect();
        pairs.sort_unstable();
        pairs
    }

    /// How much the run covers.
    pub(super) fn extent(&self) -> Extent {
        Extent { level: self.level, whole: self.reductions().is_empty() }
    }

    /// What makes this run smaller than a whole one, as the command line says it; empty for a
    /// whole run.
    pub(super) fn reductions(&self) -> Vec<String> {
        let mut reductions = Vec::new();
        reductions.extend(self.filters.from.map(|dtype| format!("--from {dtype}")));
        reductions.extend(self.filters.to.map(|dtype| format!("--to {dtype}")));
        reductions.extend(self.filters.opset.map(|opset| format!("--opset {opset}")));
        if self.suites_named {
            reductions.extend(self.suites.iter().map(|suite| format!("--suite {}", suite.name())));
        }
        if !self.missing.is_empty() {
            let (missing, all) = (self.missing.len(), self.missing.len() + self.pairs.len());
            reductions.push(format!("no vectors for {missing} of {all} pairs"));
        }
        reductions
    }
}

/// The numeric pairs that the filters let through.
///
/// # Errors
/// If a filter names a dtype that is not numeric.
pub(super) fn pairs(filters: Filters) -> Result<Vec<(DType, DType)>> {
    for dtype in filters.from.iter().chain(&filters.to) {
        if !dtype.is_numeric() {
            bail!("{dtype} is not numeric; only numeric casts are taken here");
        }
    }
    let numeric = |pair: &(DType, DType)| pair.0.is_numeric() && pair.1.is_numeric();
    Ok(cast_pairs(filters)?.into_iter().filter(numeric).collect())
}

/// The pairs of `Cast` that the filters let through, those with string included.
fn cast_pairs(filters: Filters) -> Result<Vec<(DType, DType)>> {
    for dtype in filters.from.iter().chain(&filters.to) {
        if !DType::CAST.contains(dtype) {
            bail!("{dtype} is no dtype of Cast; its suites have no filter");
        }
    }
    let kept = |filter: Option<DType>| {
        DType::CAST.iter().copied().filter(move |&dtype| filter.is_none_or(|f| f == dtype))
    };
    Ok(kept(filters.from).flat_map(|from| kept(filters.to).map(move |to| (from, to))).collect())
}

impl Edition {
    /// `Cast-21`, or `Cast-21 (opset 22)` where the request asks for another operator set.
    pub(super) fn title(self) -> String {
        if self.opset == self.version {
            format!("Cast-{}", self.version)
        } else {
            format!("Cast-{} (opset {})", self.version, self.opset)
        }
    }
}

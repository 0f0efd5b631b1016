//! What a run covers: pairs, operator versions, and by which filters it is reduced.

use super::source::Source;
use crate::arrange::{Arrangements, Arranging};
use crate::baseline::Extent;
use crate::results::Filters;
use anyhow::{Result, anyhow, bail};
use castproof_vectors::{DType, Level, NEWEST, Operator, Suite, resolve, type_set, versions};

/// One operator version of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edition {
    /// The operator version, as vector files list it.
    pub(super) version: u32,
    /// The operator set that requests ask for: the version itself, or what the user named.
    pub(super) opset: u32,
}

/// What of all there is a run is to cover, as its options say.
pub(super) struct Choice<'a> {
    /// The filters.
    pub(super) filters: Filters,
    /// The suites; empty: all.
    pub(super) suites: &'a [Suite],
    /// The pairs; empty: all.
    pub(super) named: &'a [(DType, DType)],
    /// Only the newest version, without refusals?
    pub(super) kernel: bool,
    /// In which versions tensors are arranged.
    pub(super) arrangements: Arrangements,
    /// One more tensor, of so many elements.
    pub(super) large: Option<usize>,
}

/// What a run covers.
pub(super) struct Plan {
    /// The filters.
    pub(super) filters: Filters,
    /// The level of the vectors.
    pub(super) level: Level,
    /// Do tolerated results fail?
    pub(super) strict: bool,
    /// How tensors are arranged.
    pub(super) arranging: Arranging,
    /// Are refusals left out?
    pub(super) kernel: bool,
    /// The pairs that were named; empty: none was.
    pub(super) named: Vec<(DType, DType)>,
    /// The suites to run. Filters by dtype or operator set leave the suites of questions out.
    pub(super) suites: Vec<Suite>,
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
    pub(super) fn new(choice: &Choice<'_>, strict: bool, source: &Source) -> Result<Plan> {
        let Choice { filters, suites, named, kernel, .. } = *choice;
        let suites = suites_within(choice, suites, source)?;
        let level = source.level();
        let arranging =
            Arranging { versions: choice.arrangements, level, large: choice.large, strict };
        let named = named.to_vec();
        if !suites.contains(&Suite::OnnxCast) {
            let (editions, pairs, missing) = (vec![], vec![], vec![]);
            return Ok(Plan {
                filters,
                level,
                strict,
                arranging,
                kernel,
                named,
                suites,
                editions,
                pairs,
                missing,
            });
        }
        let editions = match filters.opset {
            None if kernel => vec![Edition { version: NEWEST, opset: NEWEST }],
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
            pairs_named(filters, &named)?.into_iter().partition(|&pair| source.has(pair));
        if pairs.is_empty() {
            bail!("the vectors hold no pair that the filters let through");
        }
        Ok(Plan {
            filters,
            level,
            strict,
            arranging,
            kernel,
            named,
            suites,
            editions,
            pairs,
            missing,
        })
    }

    /// The suites of questions.
    pub(super) fn questions(&self) -> impl Iterator<Item = Suite> {
        Suite::QUESTIONS.iter().copied().filter(|suite| self.suites.contains(suite))
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
        let version = self.editions.first().map(|edition| edition.version);
        let opset = self.filters.opset.and(version);
        let filters = Filters { opset, ..self.filters };
        let whole = self.named.is_empty() && !self.kernel;
        Extent {
            level: self.level,
            suites: self.suites.clone(),
            filters,
            every_pair: self.missing.is_empty() && whole,
            arranged: self.arranging.versions != Arrangements::None,
        }
    }

    /// What makes this run smaller than a whole one, as the command line says it; empty for a
    /// whole run.
    pub(super) fn reductions(&self) -> Vec<String> {
        let mut reductions = self.filters.words();
        let filtered = !reductions.is_empty() || !self.named.is_empty() || self.kernel;
        if !self.named.is_empty() {
            let names: Vec<String> =
                self.named.iter().map(|(from, to)| format!("{from}:{to}")).collect();
            reductions.push(format!("--pair {}", names.join(",")));
        }
        if self.kernel {
            reductions.push("--kernel".into());
        }
        let casts = self.suites.contains(&Suite::OnnxCast);
        if casts && self.arranging.versions == Arrangements::None {
            reductions.push("--arrangements none".into());
        }
        // The filters are of casts, so where one is named it is plain that nothing else is asked.
        if !self.missing.is_empty() {
            let (missing, all) = (self.missing.len(), self.missing.len() + self.pairs.len());
            reductions.push(format!("no vectors for {missing} of {all} pairs"));
        }
        if !filtered && self.suites.len() < Suite::ALL.len() {
            let left_out = Suite::ALL.iter().filter(|suite| !self.suites.contains(suite));
            let names: Vec<&str> = left_out.map(|suite| suite.name()).collect();
            reductions.push(format!("without {}", names.join(", ")));
        }
        reductions
    }
}

/// The suites that the filters let through and the source has; none named means every suite.
fn suites_within(choice: &Choice<'_>, suites: &[Suite], source: &Source) -> Result<Vec<Suite>> {
    let filtered =
        choice.filters != Filters::default() || !choice.named.is_empty() || choice.kernel;
    let named = if suites.is_empty() { &Suite::ALL[..] } else { suites };
    let kept = |suite: &&Suite| **suite == Suite::OnnxCast || !filtered;
    let suites: Vec<Suite> = named.iter().filter(kept).copied().collect();
    if suites.is_empty() {
        bail!(
            "--from, --to, --opset, --pair and --kernel are filters of the suite onnx-cast; name that suite"
        );
    }
    let held: Vec<Suite> =
        suites.iter().copied().filter(|&suite| source.has_suite(suite)).collect();
    if held.is_empty() {
        let names: Vec<&str> = suites.iter().map(|suite| suite.name()).collect();
        bail!("the vectors hold no questions of {}; name another --suite", names.join(", "));
    }
    Ok(held)
}

/// The pairs that the filters let through and, where pairs are named, were named.
fn pairs_named(filters: Filters, named: &[(DType, DType)]) -> Result<Vec<(DType, DType)>> {
    if let Some(dtype) =
        named.iter().flat_map(|&(from, to)| [from, to]).find(|it| !DType::CAST.contains(it))
    {
        bail!("{dtype} is no dtype of Cast; --pair names dtypes of Cast");
    }
    let mut pairs = pairs(filters)?;
    pairs.retain(|pair| named.is_empty() || named.contains(pair));
    if pairs.is_empty() {
        bail!("--pair names no pair that --from and --to let through");
    }
    Ok(pairs)
}

/// The pairs that the filters let through.
///
/// # Errors
/// If a filter names a dtype that Cast has not.
pub(super) fn pairs(filters: Filters) -> Result<Vec<(DType, DType)>> {
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

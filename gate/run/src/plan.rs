//! What a run covers: pairs, operator versions, and the filters that reduce them.

use crate::sample;
use anyhow::{Result, anyhow, bail};
use castproof_arrange::{Arrangements, Arranging, Calls, Like};
use castproof_judge::pairs::pairs_named;
use castproof_judge::scope::{Judgement, Scope, ScopeEdition};
use castproof_judge::source::Source;
use castproof_results::Filters;
use castproof_testee::Feature;
use castproof_vectors::{BlockProfile, DType, NEWEST, Operator, Spec, Suite, resolve, versions};

/// What a run is to cover, as its options say.
pub(super) struct Choice<'a> {
    /// The filters.
    pub(super) filters: Filters,
    /// The suites; empty: all.
    pub(super) suites: &'a [Suite],
    /// The pairs; empty: all.
    pub(super) named: &'a [(DType, DType)],
    /// Only a sample of pairs, chains and questions?
    pub(super) sample: bool,
    /// The rules by which blocks are asked alone; empty: all.
    pub(super) rules: &'a [BlockProfile],
    /// Only the newest version, without refusals?
    pub(super) kernel: bool,
    /// In which versions tensors are arranged.
    pub(super) arrangements: Arrangements,
    /// Are all vectors asked in every version?
    pub(super) every_vector: bool,
    /// The seed from which tensors are drawn.
    pub(super) seed: u64,
    /// The count of one more tensor.
    pub(super) large: Option<usize>,
    /// In how many calls each pair is asked.
    pub(super) calls: Calls,
    pub(super) long_calls: usize,
    /// The codes that alone are asked of the pairs; empty: those of the vectors.
    pub(super) only: &'a [u64],
}

/// What a run covers, and how it asks.
pub(super) struct Plan {
    /// What it covers.
    pub(super) scope: Scope,
    /// How tensors are arranged.
    pub(super) arranging: Arranging,
    /// Is what deviates explained?
    pub(super) explains: bool,
}

impl Plan {
    /// Applies the filters to all versions and pairs.
    ///
    /// # Errors
    /// If a filter leaves nothing to run.
    pub(super) fn new(choice: &Choice<'_>, judgement: Judgement, source: &Source) -> Result<Plan> {
        let Choice { filters, suites, named, kernel, .. } = *choice;
        let suites = suites_within(choice, suites, source)?;
        let level = source.level();
        let Choice { arrangements: versions, seed, large, .. } = *choice;
        let like = like(choice, &suites);
        let Choice { calls, long_calls, .. } = *choice;
        let arranging =
            Arranging { versions, level, seed, large, calls, long_calls, like, kernel, judgement };
        let casts = suites.iter().copied().find(|suite| suite.is_casts());
        let named = match casts {
            Some(suite) if choice.sample => sample::pairs(suite),
            _ => named.to_vec(),
        };
        let mut scope = Scope {
            filters,
            level,
            judgement,
            arranged: choice.arrangements != Arrangements::None,
            every_version: choice.arrangements == Arrangements::All,
            every_vector: choice.every_vector || choice.arrangements == Arrangements::All,
            kernel,
            named,
            only: choice.only.to_vec(),
            sample: choice.sample,
            rules: choice.rules.to_vec(),
            suites,
            casts,
            editions: vec![],
            pairs: vec![],
            missing: vec![],
        };
        if let Some(suite) = casts {
            scope.editions = editions(suite, filters.opset, kernel)?;
            let pairs = pairs_named(suite, filters, &scope.named)?.into_iter();
            (scope.pairs, scope.missing) = pairs.partition(|&pair| source.has(suite, pair));
            if scope.pairs.is_empty() {
                bail!("the vectors hold no pair that the filters let through");
            }
        }
        Ok(Plan { scope, arranging, explains: true })
    }

    /// Are questions drawn from the seed? Not beside those of a folder that the user chose, which may be those of
    /// one finding.
    pub(super) fn draws(&self, source: &Source) -> bool {
        self.scope.arranged && !source.may_be_partial()
    }

    /// Returns the features for which the run has something to ask and that are not among these.
    pub(super) fn lacking(&self, features: &[Feature]) -> Vec<Feature> {
        let chains = self.scope.suites.contains(&Suite::OnnxChain);
        let arranges = self.scope.casts.is_some() && self.arranging.versions != Arrangements::None;
        let asked = |feature: &Feature| match feature {
            Feature::Chain => chains,
            Feature::ChainCastlike | Feature::ChainBitcast => {
                chains && features.contains(&Feature::Chain)
            }
            Feature::Constant => chains || arranges,
            _ => arranges,
        };
        Feature::ALL.into_iter().filter(|it| asked(it) && !features.contains(it)).collect()
    }
}

/// Returns in which versions `CastLike` is asked of each pair, as `Cast` is. A kernel has no second input.
fn like(choice: &Choice<'_>, suites: &[Suite]) -> Like {
    let is_left_out = !choice.suites.is_empty() && !choice.suites.contains(&Suite::OnnxCastlike);
    match choice.filters.opset {
        _ if is_left_out || choice.kernel || !suites.contains(&Suite::OnnxCast) => Like::None,
        Some(opset) => resolve(Operator::CastLike, opset).map_or(Like::None, |_| Like::At(opset)),
        None => Like::All,
    }
}

/// Returns the suites that the filters let through and the source has; no named suite means every
/// suite.
fn suites_within(choice: &Choice<'_>, suites: &[Suite], source: &Source) -> Result<Vec<Suite>> {
    let of_casts = choice.filters.opset.is_some() || choice.kernel;
    let filtered = choice.filters != Filters::default() || !choice.named.is_empty();
    let named = if suites.is_empty() { &Suite::WITHOUT_PROFILE[..] } else { suites };
    if let Some(profile) = named.iter().find(|suite| matches!(suite, Suite::Profile(_)))
        && named.len() > 1
    {
        bail!("{} is a run of its own; name no other --suite with it", profile.name());
    }
    let kept = |suite: &&Suite| suite.is_casts() || !of_casts && (!filtered || !suites.is_empty());
    let suites: Vec<Suite> = named.iter().filter(kept).copied().collect();
    if suites.is_empty() {
        bail!("--opset and --kernel are filters of suites of casts; name one, such as onnx-cast");
    }
    let held: Vec<Suite> =
        suites.iter().copied().filter(|&suite| source.has_suite(suite)).collect();
    if held.is_empty() {
        let names: Vec<&str> = suites.iter().map(|suite| suite.name()).collect();
        bail!("the vectors hold no questions of {}; name another --suite", names.join(", "));
    }
    Ok(held)
}

/// Returns the editions of a suite of casts: every version; only the newest with `kernel`; or the
/// one in force in the operator set that the user named.
fn editions(suite: Suite, opset: Option<u32>, kernel: bool) -> Result<Vec<ScopeEdition>> {
    let of = |version, opset| ScopeEdition { version: Some(version), spec: Spec::cast(opset) };
    Ok(match (suite, opset) {
        (Suite::Profile(profile), None) => {
            vec![ScopeEdition { version: None, spec: Spec::Profile(profile) }]
        }
        (Suite::Profile(profile), Some(_)) => {
            bail!("{} has no versions; leave --opset out", profile.name())
        }
        (_, None) if kernel => vec![of(NEWEST, NEWEST)],
        (_, None) => versions(Operator::Cast).iter().map(|&version| of(version, version)).collect(),
        (_, Some(opset)) => {
            let version = resolve(Operator::Cast, opset).map_err(|error| anyhow!(error))?;
            vec![of(version, opset)]
        }
    })
}

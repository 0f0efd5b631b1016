//! What a run covers: pairs, operator versions, and the filters that reduce them.

use super::source::Source;
use crate::arrange::{Arrangements, Arranging};
use crate::baseline::Extent;
use crate::results::Filters;
use crate::testee::Feature;
use anyhow::{Result, anyhow, bail};
use castproof_oracle::{Caster, profile_pairs};
use castproof_vectors::{
    DType, Level, NEWEST, Operator, Profile, Request, Spec, Suite, resolve, type_set, versions,
};
use std::collections::BTreeSet;

/// One operator version of a run, or a profile, which has one edition without a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edition {
    /// The operator version, as vector files list it.
    pub(super) version: Option<u32>,
    /// The specification of requests: ONNX with the version itself as operator set or with the one
    /// that the user named, or a profile.
    pub(super) spec: Spec,
}

/// What a run is to cover, as its options say.
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
    /// The count of one more tensor.
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
    /// The pairs that the user named; empty if there are none.
    pub(super) named: Vec<(DType, DType)>,
    /// The suites to run. Filters by dtype or operator set leave the suites of questions out.
    pub(super) suites: Vec<Suite>,
    /// The suite among them that casts elements; the fields below are about it.
    pub(super) casts: Option<Suite>,
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
        let casts = suites.iter().copied().find(|suite| suite.is_casts());
        let mut plan = Plan {
            filters,
            level,
            strict,
            arranging,
            kernel,
            named,
            suites,
            casts,
            editions: vec![],
            pairs: vec![],
            missing: vec![],
        };
        if let Some(suite) = casts {
            plan.editions = editions(suite, filters.opset, kernel)?;
            let pairs = pairs_named(suite, filters, &plan.named)?.into_iter();
            (plan.pairs, plan.missing) = pairs.partition(|&pair| source.has(suite, pair));
            if plan.pairs.is_empty() {
                bail!("the vectors hold no pair that the filters let through");
            }
        }
        Ok(plan)
    }

    /// Returns the profile whose casts are run instead of those of ONNX.
    pub(super) fn profile(&self) -> Option<Profile> {
        match self.casts {
            Some(Suite::Profile(profile)) => Some(profile),
            _ => None,
        }
    }

    /// Returns the features for which the run has something to ask and that are not among these.
    pub(super) fn lacking(&self, features: &[Feature]) -> Vec<Feature> {
        let chains = self.suites.contains(&Suite::OnnxChain);
        let arranges = self.casts.is_some() && self.arranging.versions != Arrangements::None;
        let asked = |feature: &Feature| match feature {
            Feature::Chain => chains,
            Feature::Constant => chains || arranges,
            _ => arranges,
        };
        Feature::ALL.into_iter().filter(|it| asked(it) && !features.contains(it)).collect()
    }

    /// Returns the suites of questions.
    pub(super) fn questions(&self) -> impl Iterator<Item = Suite> {
        Suite::QUESTIONS.iter().copied().filter(|suite| self.suites.contains(suite))
    }

    /// Returns the pairs that an edition casts and the filters let through.
    pub(super) fn pairs_of(&self, edition: Edition) -> Vec<(DType, DType)> {
        let all = self.pairs.iter().chain(&self.missing).copied();
        let mut pairs: Vec<_> = all.filter(|pair| edition.casts(*pair)).collect();
        pairs.sort_unstable();
        pairs
    }

    /// Returns how much the run covers.
    pub(super) fn extent(&self) -> Extent {
        let version = self.editions.first().and_then(|edition| edition.version);
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

    /// Returns what makes this run smaller than a whole one, in the words of the command line;
    /// empty for a whole run.
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
        if self.casts.is_some() && self.arranging.versions == Arrangements::None {
            reductions.push("--arrangements none".into());
        }
        // Filters apply to casts only, so a run with a filter plainly leaves out the other suites.
        if !self.missing.is_empty() {
            let (missing, all) = (self.missing.len(), self.missing.len() + self.pairs.len());
            reductions.push(format!("no vectors for {missing} of {all} pairs"));
        }
        if !filtered && self.profile().is_none() && self.suites.len() < Suite::WITHOUT_PROFILE.len()
        {
            let all = Suite::WITHOUT_PROFILE.iter();
            let left_out = all.filter(|suite| !self.suites.contains(suite));
            let names: Vec<&str> = left_out.map(|suite| suite.name()).collect();
            reductions.push(format!("without {}", names.join(", ")));
        }
        reductions
    }
}

/// Returns the suites that the filters let through and the source has; no named suite means every
/// suite.
fn suites_within(choice: &Choice<'_>, suites: &[Suite], source: &Source) -> Result<Vec<Suite>> {
    let filtered =
        choice.filters != Filters::default() || !choice.named.is_empty() || choice.kernel;
    let named = if suites.is_empty() { &Suite::WITHOUT_PROFILE[..] } else { suites };
    if let Some(profile) = named.iter().find(|suite| matches!(suite, Suite::Profile(_)))
        && named.len() > 1
    {
        bail!("{} is a run of its own; name no other --suite with it", profile.name());
    }
    let kept = |suite: &&Suite| suite.is_casts() || !filtered;
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

/// Returns the editions of a suite of casts: every version; only the newest with `kernel`; or the
/// one in force in the operator set that the user named.
fn editions(suite: Suite, opset: Option<u32>, kernel: bool) -> Result<Vec<Edition>> {
    let of = |version, opset| Edition { version: Some(version), spec: Spec::cast(opset) };
    Ok(match (suite, opset) {
        (Suite::Profile(profile), None) => {
            vec![Edition { version: None, spec: Spec::Profile(profile) }]
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

/// Returns the pairs of a suite of casts that have vectors, in the order of reports.
pub(super) fn pairs_of(suite: Suite) -> Vec<(DType, DType)> {
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
fn pairs_named(
    suite: Suite,
    filters: Filters,
    named: &[(DType, DType)],
) -> Result<Vec<(DType, DType)>> {
    let known = dtypes_of(suite);
    if let Some(dtype) =
        named.iter().flat_map(|&(from, to)| [from, to]).find(|it| !known.contains(it))
    {
        let title = title(suite);
        bail!("{dtype} is no dtype of {title}; --pair names dtypes of {title}");
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
pub(super) fn pairs(suite: Suite, filters: Filters) -> Result<Vec<(DType, DType)>> {
    let known = dtypes_of(suite);
    for dtype in filters.from.iter().chain(&filters.to) {
        if !known.contains(dtype) {
            bail!("{dtype} is no dtype of {}; its suites have no filter", title(suite));
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

impl Edition {
    /// Returns `Cast-21`, or `Cast-21 (opset 22)` if requests name another operator set; for a
    /// profile its name.
    pub(super) fn title(self) -> String {
        let Some(version) = self.version else { return self.spec.family().into() };
        match self.other_opset() {
            None => format!("Cast-{version}"),
            Some(opset) => format!("Cast-{version} (opset {opset})"),
        }
    }

    /// Returns the operator set of requests, if it differs from the version.
    pub(super) fn other_opset(self) -> Option<u32> {
        self.spec.opset().filter(|opset| Some(*opset) != self.version)
    }

    /// Does the edition cast the pair, rather than refuse it?
    pub(super) fn casts(self, (from, to): (DType, DType)) -> bool {
        match self.version {
            Some(version) => {
                let set = type_set(Operator::Cast, version);
                set.contains(&from) && set.contains(&to)
            }
            None => Caster::new(&Request::new(self.spec, from, to))
                .is_ok_and(|caster| !caster.is_refused()),
        }
    }
}

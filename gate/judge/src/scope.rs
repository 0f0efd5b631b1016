//! What a run covers. Its reports and its verdict as a whole depend on nothing else of its plan.

use castproof_oracle::Caster;
use castproof_results::Filters;
use castproof_results::baseline::Extent;
use castproof_vectors::{
    BlockProfile, DType, Level, Operator, Profile, Question, Request, Spec, Suite, type_set,
};

/// How results are judged beside what the specification of a request says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// Do tolerated results fail?
    pub strict: bool,
    /// The profile that says what ONNX leaves open; `None`: nothing does.
    pub silent_as: Option<Profile>,
}

/// What a run covers.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The filters.
    pub filters: Filters,
    /// The level of the vectors.
    pub level: Level,
    /// How it is judged.
    pub judgement: Judgement,
    /// Are tensors arranged?
    pub arranged: bool,
    /// Are they in every version, rather than in the newest that the testee has of a pair?
    pub every_version: bool,
    /// Are all vectors asked in every version, rather than a share of those that a newer version answered?
    pub every_vector: bool,
    /// Are refusals left out?
    pub kernel: bool,
    /// The pairs that the user named, or those of the sample; empty if there are none.
    pub named: Vec<(DType, DType)>,
    /// The codes that alone are asked of the pairs; empty: those of the vectors.
    pub only: Vec<u64>,
    /// Are only some pairs, some chains and some questions of each suite asked?
    pub sample: bool,
    /// The rules by which blocks are asked alone; empty: all.
    pub rules: Vec<BlockProfile>,
    /// The suites to run. Filters by dtype or operator set leave the suites of questions out.
    pub suites: Vec<Suite>,
    /// The suite among them that casts elements; the fields below are about it.
    pub casts: Option<Suite>,
    /// Operator versions, ascending.
    pub editions: Vec<ScopeEdition>,
    /// Pairs that the source has, in the order of [`DType::CAST`].
    pub pairs: Vec<(DType, DType)>,
    /// Pairs that the filters let through but the source does not have.
    pub missing: Vec<(DType, DType)>,
}

impl Scope {
    /// Returns the profile whose casts are run instead of those of ONNX.
    pub fn profile(&self) -> Option<Profile> {
        match self.casts {
            Some(Suite::Profile(profile)) => Some(profile),
            _ => None,
        }
    }

    /// Returns the suites of questions.
    pub fn questions(&self) -> impl Iterator<Item = Suite> {
        Suite::QUESTIONS.iter().copied().filter(|suite| self.suites.contains(suite))
    }

    /// Do `--pair`, `--from` and `--to` let through a question with this input and this output?
    pub fn lets_through(&self, pair: (DType, DType)) -> bool {
        let is = |filter: Option<DType>, dtype| filter.is_none_or(|only| only == dtype);
        let is_named = self.named.is_empty() || self.sample || self.named.contains(&pair);
        is_named && is(self.filters.from, pair.0) && is(self.filters.to, pair.1)
    }

    /// Does `--rule` let through a question?
    pub fn has_rule(&self, question: &Question) -> bool {
        let rule = match question {
            Question::QuantizeBlock(block) => Some(block.profile),
            Question::QuantizeTensor(tensor) => Some(tensor.profile),
            _ => None,
        };
        self.rules.is_empty() || rule.is_some_and(|rule| self.rules.contains(&rule))
    }

    /// Returns the pairs that an edition casts and the filters let through.
    pub fn pairs_of(&self, edition: ScopeEdition) -> Vec<(DType, DType)> {
        let all = self.pairs.iter().chain(&self.missing).copied();
        let mut pairs: Vec<_> = all.filter(|pair| edition.casts(*pair)).collect();
        pairs.sort_unstable();
        pairs
    }

    /// Returns how much the run covers.
    pub fn extent(&self) -> Extent {
        let version = self.editions.first().and_then(|edition| edition.version);
        let opset = self.filters.opset.and(version);
        let filters = Filters { opset, ..self.filters };
        // An entry of a suite of which only some questions are asked may match nothing.
        let is_whole = |suite: &Suite| !self.sample && self.rules.is_empty() || suite.is_casts();
        Extent {
            level: self.level,
            suites: self.suites.iter().copied().filter(is_whole).collect(),
            filters,
            every_pair: self.missing.is_empty(),
            named: self.named.clone(),
            kernel: version.filter(|_| self.kernel),
            arranged: self.arranged,
        }
    }

    /// Returns what makes this run smaller than a whole one, in the words of the command line;
    /// empty for a whole run.
    pub fn reductions(&self) -> Vec<String> {
        let mut reductions = self.filters.words();
        if let (Some(_), Some(opset)) = (self.judgement.silent_as, self.filters.opset) {
            let named = format!("--opset {opset}");
            for word in reductions.iter_mut().filter(|word| **word == named) {
                *word = format!("--spec {}", Spec::cast(opset));
            }
        }
        let filtered = !reductions.is_empty()
            || !self.named.is_empty()
            || !self.rules.is_empty()
            || self.kernel;
        if self.sample {
            reductions.push("--sample".into());
        } else if !self.named.is_empty() {
            let names: Vec<String> =
                self.named.iter().map(|(from, to)| format!("{from}:{to}")).collect();
            reductions.push(format!("--pair {}", names.join(",")));
        }
        if let (Some((from, _)), false) = (self.pairs.first(), self.only.is_empty()) {
            let codes: Vec<String> = self.only.iter().map(|&code| from.hex(code)).collect();
            reductions.push(format!("--only {}", codes.join(",")));
        }
        if !self.rules.is_empty() {
            let names: Vec<&str> = self.rules.iter().map(|rule| rule.name()).collect();
            reductions.push(format!("--rule {}", names.join(",")));
        }
        if self.kernel {
            reductions.push("--kernel".into());
        }
        if self.casts.is_some() && !self.arranged {
            reductions.push("--arrangements none".into());
        }
        // A run with a filter plainly leaves out the suites that are not named.
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

/// One operator version of a run, or a profile, which has one edition without a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeEdition {
    /// The operator version, as vector files list it.
    pub version: Option<u32>,
    /// The specification of requests: ONNX with the version itself as operator set or with the one
    /// that the user named, or a profile.
    pub spec: Spec,
}

impl ScopeEdition {
    /// Returns `Cast-21`, or `Cast-21 (opset 22)` if requests name another operator set; for a
    /// profile its name.
    pub fn title(self) -> String {
        let Some(version) = self.version else { return self.spec.family().into() };
        match self.other_opset() {
            None => format!("Cast-{version}"),
            Some(opset) => format!("Cast-{version} (opset {opset})"),
        }
    }

    /// Returns the operator set of requests, if it differs from the version.
    pub fn other_opset(self) -> Option<u32> {
        self.spec.opset().filter(|opset| Some(*opset) != self.version)
    }

    /// Does the edition cast the pair, rather than refuse it?
    pub fn casts(self, (from, to): (DType, DType)) -> bool {
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

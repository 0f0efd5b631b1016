//! What a reproducer shows: one element of one request, alone or in a tensor of equal elements, what
//! came back, and what is due.

use anyhow::{Context, Result, anyhow, bail};
use castproof_check::verdict::thousands;
use castproof_check::words;
use castproof_judge::answers::Answering;
use castproof_results::finding::{Example, Finding, Kind};
use castproof_results::place::Place;
use castproof_results::{Failure, Misplaced, ResultsFile};
use castproof_testee::{Identity, Layout};
use castproof_vectors::{
    AnswerRecord, Attributes, CastChain, DType, Element, Notation, Outcome, OutcomeRecord,
    Question, Request, Rule, Spec, StepOperator, Suite, TextOutcome, find_rule, landmarks,
    pack_elements,
};

/// Most elements of a tensor that a reproducer holds: room for the tensors beside 2^20.
const MOST_ELEMENTS: u64 = 1 << 21;

/// One wrong element.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// The id of the finding or of the test.
    pub(super) id: String,
    /// Who returned it.
    pub(super) testee: Identity,
    /// The specification: the newest version of Cast in which it shows, or a profile.
    pub(super) spec: Spec,
    /// All versions in which it shows; empty for a profile.
    pub(super) versions: Vec<u32>,
    /// Dtype of the input.
    pub(super) from: DType,
    /// Dtype of the output.
    pub(super) to: DType,
    /// The attributes that were given; for a chain, those of its first cast.
    pub(super) attributes: Attributes,
    /// The ONNX graph that casts it.
    pub(super) graph: Graph,
    /// The input.
    pub(super) input: Element,
    /// How many elements the tensor has, each of them the input.
    pub(super) count: usize,
    /// The index of the first wrong element.
    pub(super) index: usize,
    /// Are only the padding bits behind the last element wrong?
    pub(super) of_padding: bool,
    /// What came back.
    pub(super) got: Got,
    /// What is due.
    pub(super) expect: Outcome,
    /// An outcome that is accepted besides.
    pub(super) tolerate: Option<Outcome>,
    /// The rule that decides.
    pub(super) rule: &'static Rule,
    /// Where it shows, and how often; empty for a single test.
    pub(super) findings: Vec<String>,
}

/// A graph that casts one element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Graph {
    /// One `Cast`.
    Cast,
    /// One `CastLike`.
    CastLike,
    /// Casts in a row.
    Chain {
        /// The dtypes between them.
        between: Vec<DType>,
        /// The attributes that were given to the second cast and to those after it.
        later: Vec<Attributes>,
        /// What each step does; none: every step is a `Cast`.
        operators: Vec<StepOperator>,
        /// Is the input a constant of the model?
        constant: bool,
    },
}

/// What came back.
#[derive(Clone, Debug)]
pub(super) enum Got {
    /// An element.
    Element(Element),
    /// A message instead.
    Said(String),
}

impl Case {
    /// Returns the case of the finding or test with this id.
    ///
    /// # Errors
    /// If the results do not have it, or one element alone cannot show it.
    pub(super) fn find(file: &ResultsFile, id: &str) -> Result<Case> {
        let case = match file.findings.iter().find(|finding| finding.is_called(id)) {
            Some(finding) => Case::of_finding(file, finding)?,
            None => {
                let mut failures = file.results.failures.iter();
                let failure = failures.find(|failure| failure.id == id).with_context(|| {
                    format!(
                        "the results have no finding '{id}'; castproof show --results FILE lists them"
                    )
                })?;
                Case::of_failure(file, failure)?
            }
        };
        case.check()?;
        Ok(case)
    }

    fn of_finding(file: &ResultsFile, finding: &Finding) -> Result<Case> {
        let Example { asked, test, input, .. } = &finding.example;
        if let Some(case) = Case::of_question(file, finding)? {
            return Ok(case);
        }
        let is_cast = asked.suite.is_casts();
        if let (Kind::Error, Some(input), true) = (finding.kind, input, is_cast) {
            return Case::of_error(file, finding, input);
        }
        if finding.kind == Kind::Place && is_cast {
            return Case::of_place(file, finding);
        }
        let kind = match finding.kind {
            Kind::Place => "is of places in a tensor",
            Kind::Open => "is a notice, by the rules nothing is wrong",
            Kind::Error if is_cast => "names no input",
            _ if !is_cast => "is of another operator than Cast and CastLike",
            Kind::Chain
            | Kind::Question
            | Kind::Numeric
            | Kind::Default
            | Kind::Text
            | Kind::Error
            | Kind::Refusal => "names no failing test",
        };
        let same = |failure: &&Failure| {
            Some(&failure.id) == test.as_ref()
                && (failure.from, failure.to) == asked.pair()
                && failure.attributes == asked.attributes
                && Some(&failure.got) == finding.example.got.as_ref()
        };
        let failure = file.results.failures.iter().find(same).filter(|_| is_cast);
        let failure = failure.with_context(|| {
            format!(
                "{} {kind}, and no script is written for it: {}",
                finding.id, finding.example.sentence
            )
        })?;
        let case = Case::of_failure(file, failure)?;
        Ok(Case {
            id: finding.id.clone(),
            spec: asked.opset.map_or(case.spec, Spec::cast),
            versions: finding.versions.clone(),
            findings: extent(finding),
            ..case
        })
    }

    /// Returns the case of a finding about `CastLike` or about two casts in a row; `None` if it is
    /// another finding, or an older program wrote the results.
    fn of_question(file: &ResultsFile, finding: &Finding) -> Result<Option<Case>> {
        let Example { asked, test, .. } = &finding.example;
        let mut deviations = file.results.suites.iter().flat_map(|run| &run.deviations);
        let found = deviations.find(|it| Some(&it.id) == test.as_ref() && it.asked == Some(*asked));
        let Some((deviation, test)) = found.and_then(|it| Some((it, it.test.as_deref()?))) else {
            return Ok(None);
        };
        let (pair, attributes, graph, input) = match &test.ask {
            Question::CastLike(ask) => {
                ((ask.from, ask.to), ask.attributes, Graph::CastLike, &ask.input)
            }
            Question::Chain(chain) => {
                let between = chain.dtypes[1..chain.dtypes.len() - 1].to_vec();
                let mut given = chain.casts().map(|(.., attributes)| attributes);
                let first = given.next().unwrap_or_default();
                let graph = Graph::Chain {
                    between,
                    later: given.collect(),
                    operators: chain.operators.clone(),
                    constant: chain.constant,
                };
                (chain.ends(), first, graph, &chain.input)
            }
            _ => return Ok(None),
        };
        let id = &finding.id;
        let count = count_of(id, &test.ask)?;
        Ok(Some(Case {
            id: id.clone(),
            testee: file.testee.clone(),
            spec: spec_of(id, asked.suite, deviation.opset)?,
            versions: finding.versions.clone(),
            from: pair.0,
            to: pair.1,
            attributes,
            graph,
            input: input.clone(),
            count,
            index: 0,
            of_padding: false,
            got: Got::Said(deviation.got.clone()),
            expect: test.expect.outcome().with_context(|| format!("{id} expects no element"))?,
            tolerate: test.tolerate.as_ref().and_then(AnswerRecord::outcome),
            rule: find_rule(&test.clause)
                .with_context(|| format!("there is no rule '{}'", test.clause))?,
            findings: extent(finding),
        }))
    }

    /// Returns the case of a request without an answer; what was due comes from the program's
    /// answers.
    fn of_error(file: &ResultsFile, finding: &Finding, input: &Element) -> Result<Case> {
        let asked = &finding.example.asked;
        let spec = spec_of(&finding.id, asked.suite, asked.opset)?;
        let (from, to) = asked.pair();
        let request = Request::new(spec, from, to).with(asked.attributes);
        let due = Answering::chosen(&request)?.element(input)?;
        // The example's sentence begins with its input; the message follows.
        let said = &finding.example.sentence;
        let said = said.strip_prefix(&format!("{}: ", words::element(from, input))).unwrap_or(said);
        Ok(Case {
            id: finding.id.clone(),
            testee: file.testee.clone(),
            spec,
            versions: finding.versions.clone(),
            from,
            to,
            attributes: asked.attributes,
            graph: Graph::Cast,
            input: input.clone(),
            count: 1,
            index: 0,
            of_padding: false,
            got: Got::Said(said.into()),
            expect: due.expect,
            tolerate: due.tolerate,
            rule: due.rule.rule(),
            findings: extent(finding),
        })
    }

    /// Returns the case of an element that is wrong at some places of a tensor.
    ///
    /// # Errors
    /// If the tensor has several codes, another layout than a contiguous one of rank 1, or more than
    /// [`MOST_ELEMENTS`] elements, or if the finding names no element of it.
    fn of_place(file: &ResultsFile, finding: &Finding) -> Result<Case> {
        let (id, example) = (&finding.id, &finding.example);
        let mut all = file.results.misplaced.iter();
        let found = all.find(|it| {
            it.asked == example.asked
                && Some(&it.place) == example.place.as_ref()
                && it.sentence == example.sentence
        });
        let of_padding = example.place == Some(Place::PaddingOut);
        let said = || Got::Said("ones in the padding bits".into());
        let got = |it: &Misplaced| match &it.got {
            Some(got) => Some(Got::Element(got.clone())),
            None => of_padding.then(said),
        };
        let wrong = found.and_then(|it| Some((it, it.input.as_ref()?, got(it)?)));
        let refused = |why: &str| anyhow!("{id} {why}: {}", example.sentence);
        let (found, input, got) = wrong.ok_or_else(|| refused("names no wrong element"))?;
        let is_uniform = found.codes[..] == [input.clone()];
        if !is_uniform || found.layout != Layout::Contiguous.name() {
            bail!(refused("needs a tensor of several codes or of another layout, as no form has"));
        }
        let (count, index) = (found.count, found.index.unwrap_or_default());
        if count > MOST_ELEMENTS {
            let [count, most] = [count, MOST_ELEMENTS].map(thousands);
            bail!(refused(&format!(
                "needs a tensor of {count} elements, more than the {most} of a reproducer"
            )));
        }
        if index >= count {
            bail!(refused(&format!("names element {index} of {count}")));
        }
        let (from, to) = found.asked.pair();
        let spec = spec_of(id, found.asked.suite, found.asked.opset)?;
        let request = Request::new(spec, from, to).with(found.asked.attributes);
        let due = Answering::chosen(&request)?.element(input)?;
        Ok(Case {
            id: id.clone(),
            testee: file.testee.clone(),
            spec,
            versions: finding.versions.clone(),
            from,
            to,
            attributes: found.asked.attributes,
            graph: Graph::Cast,
            input: input.clone(),
            count: usize::try_from(count)?,
            index: usize::try_from(index)?,
            of_padding,
            got,
            // A run may be judged by a profile where this specification is silent.
            expect: found.expect.as_ref().map_or(due.expect, OutcomeRecord::outcome),
            tolerate: due.tolerate,
            rule: finding.rule.as_deref().and_then(find_rule).unwrap_or(due.rule.rule()),
            findings: extent(finding),
        })
    }

    fn of_failure(file: &ResultsFile, failure: &Failure) -> Result<Case> {
        let rule = find_rule(&failure.clause);
        Ok(Case {
            id: failure.id.clone(),
            testee: file.testee.clone(),
            spec: spec_of(&failure.id, failure.suite, failure.opsets.last().copied())?,
            versions: failure.opsets.clone(),
            from: failure.from,
            to: failure.to,
            attributes: failure.attributes,
            graph: Graph::Cast,
            input: failure.input.clone(),
            count: 1,
            index: 0,
            of_padding: false,
            got: Got::Element(failure.got.clone()),
            expect: failure.expect.outcome(),
            tolerate: failure.tolerate.as_ref().map(OutcomeRecord::outcome),
            rule: rule.with_context(|| format!("there is no rule '{}'", failure.clause))?,
            findings: vec![],
        })
    }

    fn check(&self) -> Result<()> {
        let mut elements = vec![("input", self.from, &self.input)];
        if let Got::Element(got) = &self.got {
            elements.push(("result", self.to, got));
        }
        for (what, dtype, element) in elements {
            if dtype == DType::String {
                continue;
            }
            pack_elements(dtype, std::slice::from_ref(element))
                .map_err(|problem| anyhow!("{what} of {}: {problem}", self.id))?;
        }
        // Reading results escapes and cuts texts, so such a text is not the one that was cast.
        let input = self.input.text();
        if self.from == DType::String && (input.contains("\\u{") || input.contains(" characters, "))
        {
            bail!(
                "the input of {} holds control characters or is long, and results files keep no such text whole",
                self.id
            );
        }
        Ok(())
    }

    /// Returns the input tensor, little-endian, as a pattern of bytes, how often it repeats, and the
    /// bytes after it. Elements are packed, or each has bytes of its own. Empty for a string.
    pub(super) fn repeats(&self, is_packed: bool) -> (Vec<u8>, usize, Vec<u8>) {
        let bits = self.from.bits() as usize;
        // After this many elements the next one starts a byte.
        let run = if is_packed && bits < 8 { 8 / (bits & bits.wrapping_neg()) } else { 1 };
        let bytes = |count: usize| match self.from {
            DType::String => vec![],
            from => pack_elements(from, &vec![self.input.clone(); count]).unwrap_or_default(),
        };
        match self.count < run {
            true => (bytes(self.count), 1, vec![]),
            false => (bytes(run), self.count / run, bytes(self.count % run)),
        }
    }

    /// Returns the input tensor: equal elements.
    pub(super) fn inputs(&self) -> Vec<Element> {
        vec![self.input.clone(); self.count]
    }

    /// Returns `one element`, or `17 equal elements, of which element 16 is wrong first`.
    pub(super) fn extent_words(&self) -> String {
        match self.count {
            1 => "one element".into(),
            count if self.of_padding => format!("{count} equal elements"),
            count => {
                format!("{count} equal elements, of which element {} is wrong first", self.index)
            }
        }
    }

    /// Returns `0x43e80001 (464.00003)`.
    pub(super) fn input_words(&self) -> String {
        words::element(self.from, &self.input)
    }

    /// Returns `0x7e (448)`, or the message.
    pub(super) fn got_words(&self) -> String {
        match &self.got {
            Got::Element(element) => words::element(self.to, element),
            Got::Said(message) => message.clone(),
        }
    }

    /// Returns `any NaN`.
    pub(super) fn expect_words(&self) -> String {
        if self.of_padding {
            return "zeros there".into();
        }
        let mut text = words::outcome(self.to, &self.expect);
        if let Some(tolerate) = &self.tolerate {
            text += &format!(" (tolerated: {})", words::outcome(self.to, tolerate));
        }
        text
    }

    /// Returns `ONNX Cast-19 float32 -> float8e4m3fn saturate=0`.
    pub(super) fn title(&self) -> String {
        let Case { from, to, attributes, .. } = self;
        let version = match self.spec {
            Spec::Onnx { opset, .. } => opset,
            Spec::Profile(profile) => {
                let text = format!("{} {from} -> {to} {attributes}", profile.name());
                return text.trim_end().to_string();
            }
        };
        let text = match &self.graph {
            Graph::Cast => format!("ONNX Cast-{version} {from} -> {to} {attributes}"),
            Graph::CastLike => {
                format!("ONNX CastLike, opset {version}, {from} -> {to} {attributes}")
            }
            Graph::Chain { operators, constant, .. } => {
                let constant = if *constant { ", of a constant" } else { "" };
                let (dtypes, given) = self.steps();
                let casts =
                    dtypes[1..].iter().zip(&given).enumerate().map(|(step, (to, given))| {
                        let operator = operators.get(step).copied().unwrap_or_default();
                        format!("{to}{} {given}", operator.suffix()).trim_end().to_string()
                    });
                let casts: Vec<String> = casts.collect();
                format!("ONNX Cast-{version} {from} -> {}{constant}", casts.join(" -> "))
            }
        };
        text.trim_end().to_string()
    }

    /// Returns the dtypes of the casts of its graph, first to last, and the attributes of each.
    pub(super) fn steps(&self) -> (Vec<DType>, Vec<Attributes>) {
        let (between, later) = match &self.graph {
            Graph::Chain { between, later, .. } => (&between[..], &later[..]),
            Graph::Cast | Graph::CastLike => (&[][..], &[][..]),
        };
        let dtypes = [&[self.from], between, &[self.to]].concat();
        (dtypes, [&[self.attributes], later].concat())
    }

    /// Refuses cases other than one `Cast`, for forms that can show only that.
    pub(super) fn must_be_one_cast(&self) -> Result<()> {
        if self.graph != Graph::Cast {
            bail!("{} is of {}; write it as a model, with --as onnx", self.id, self.title());
        }
        Ok(())
    }

    /// Returns the version of the model that casts it.
    ///
    /// # Errors
    /// If it is a cast of a profile, which no model and no runtime's script has.
    pub(super) fn version(&self) -> Result<u32> {
        self.spec.opset().with_context(|| {
            format!(
                "{} is of {}; write it as a program, with --as c or rust",
                self.id,
                self.title()
            )
        })
    }

    /// Returns the padding bits of the output's last byte, where only those are wrong.
    pub(super) fn padding(&self) -> u8 {
        let used = self.count * self.to.bits() as usize % 8;
        if self.of_padding && used > 0 { 0xff << used } else { 0 }
    }

    /// Must the request be refused?
    pub(super) fn is_refusal(&self) -> bool {
        self.expect == Outcome::Reject
    }

    /// Returns the codes of the target that are right, as inclusive ranges; empty if texts or a
    /// refusal are due.
    pub(super) fn right_codes(&self) -> Vec<[u64; 2]> {
        let outcomes = [Some(&self.expect), self.tolerate.as_ref()];
        outcomes.into_iter().flatten().flat_map(|outcome| codes_of(outcome, self.to)).collect()
    }

    /// Returns the texts that are right.
    pub(super) fn right_texts(&self) -> Texts {
        let mut right = Texts::default();
        for outcome in [Some(&self.expect), self.tolerate.as_ref()].into_iter().flatten() {
            match outcome {
                Outcome::Text(TextOutcome::Exactly(text)) => right.listed.push(text.clone()),
                Outcome::Text(TextOutcome::OneOf(more)) => {
                    right.listed.extend(more.iter().cloned());
                }
                Outcome::Text(TextOutcome::RoundTrips(notation)) => {
                    // Any notation admits the plain one too.
                    right.read_back = right.read_back.max(Some(*notation));
                }
                Outcome::Any => right.any = true,
                _ => {}
            }
        }
        right
    }
}

/// The texts that are right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Texts {
    /// These.
    pub(super) listed: Vec<String>,
    /// And those in this notation that are read back as the input.
    pub(super) read_back: Option<Notation>,
    /// And all others.
    pub(super) any: bool,
}

/// Returns how many elements the tensor of a question has that a script asks.
fn count_of(id: &str, question: &Question) -> Result<usize> {
    match question {
        Question::Chain(CastChain { shape: Some(shape), .. }) => match shape[..] {
            [count] => Ok(usize::try_from(count)?),
            _ => bail!(
                "{id} is of casts in a row in a tensor of shape {shape:?}, and no script is written for it; castproof gate --suite \
                 onnx-chain asks for it again"
            ),
        },
        _ => Ok(1),
    }
}

/// Returns the specification of a finding or test.
fn spec_of(id: &str, suite: Suite, version: Option<u32>) -> Result<Spec> {
    match suite {
        Suite::Profile(profile) => Ok(Spec::Profile(profile)),
        _ => Ok(Spec::cast(version.with_context(|| format!("{id} names no version"))?)),
    }
}

/// Says where a finding shows, and how often.
pub(super) fn extent(finding: &Finding) -> Vec<String> {
    vec![
        format!("Where it shows: {}; {}.", finding.place(), finding.headline()),
        format!("How often: {}.", finding.extent()),
    ]
}

/// Returns the codes that an outcome admits, as inclusive ranges.
pub(super) fn codes_of(outcome: &Outcome, to: DType) -> Vec<[u64; 2]> {
    let Some(marks) = landmarks(to) else { return vec![] };
    let ranges = |ranges: &[[castproof_vectors::Hex; 2]]| {
        ranges.iter().map(|range| range.map(|code| code.value())).collect()
    };
    match outcome {
        Outcome::Code(code) => vec![[*code; 2]],
        Outcome::OneOf(codes) => codes.iter().map(|&code| [code; 2]).collect(),
        Outcome::AnyNan => ranges(&marks.nan),
        Outcome::QuietNan => ranges(&marks.quiet_nan),
        Outcome::Any => ranges(&marks.valid),
        Outcome::Reject | Outcome::Text(_) => vec![],
    }
}

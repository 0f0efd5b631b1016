//! Is the testee a bare kernel: a function that casts and knows no versions of `Cast`?

use castproof_arrange as arrange;
use castproof_arrange::ask::Judge;
use castproof_arrange::tensor::Way;
use castproof_check::verdict::Verdict;
use castproof_check::words;
use castproof_judge::answers;
use castproof_judge::scope::{Scope, ScopeEdition};
use castproof_results::asked::Asked;
use castproof_results::baseline::Baseline;
use castproof_results::place::Place;
use castproof_results::{Arranged, Failure, Misplaced, Results};
use castproof_testee::{Part, Reply, Testee};
use castproof_vectors::{
    Attributes, DType, Element, Expectation, OutcomeRecord, Request, Suite, packed_len, unpack,
};

/// The line that a run of a bare kernel prints.
pub(crate) const NOTE: &str = "The testee refuses nothing that a version of Cast refuses, so it is \
    judged as a bare kernel, as with --kernel: by the newest version, without refusals.";

/// Returns the line that a run prints whose results show a bare kernel.
pub(crate) fn note_of(scope: &Scope) -> String {
    match scope.profile() {
        None => NOTE.into(),
        Some(profile) => format!(
            "The testee refuses no attribute that {} refuses, so it is judged as a bare kernel, as with --kernel: \
             without attributes.",
            profile.name()
        ),
    }
}

/// What the search for a refusal found.
#[derive(Default)]
pub(crate) struct Search {
    /// Does the testee accept every request that was asked of it though a version refuses it?
    pub(crate) is_kernel: bool,
    /// Why the run fails: the testee died or did not answer during the search, and may not do so
    /// again.
    pub(crate) fault: Option<String>,
    /// The wrong answers among those to the search, which are the first calls of the run.
    pub(crate) wrong: Vec<Probe>,
}

/// A wrong answer of the search: to one zero.
pub(crate) struct Probe {
    request: Request,
    got: u64,
    due: Expectation,
}

/// How often such a zero is asked again, for its rate.
const AGAIN: usize = 8;

/// Asks for the pairs that the testee casts in each version that lacks them, one element of each. The
/// first refusal ends the search, so a runtime that knows versions is asked little. One that lists versions is held
/// to them, and is no bare kernel.
pub(crate) fn search(scope: &Scope, testee: &mut dyn Testee) -> Search {
    if names_versions(scope, testee) {
        return Search::default();
    }
    let mut wrong = Vec::new();
    let accepts = &mut |request| match testee.takes(&request) {
        Reply::Output(output) => {
            wrong.extend(Probe::of(request, &output));
            Ok(true)
        }
        Reply::Unsupported(_) | Reply::Error(_) => Ok(false),
        Reply::Crash(why) | Reply::Timeout(why) => {
            Err(format!("{request}, asked for one zero before the tests, failed: {why}"))
        }
    };
    let (is_kernel, fault) = match is_kernel(scope, accepts) {
        Ok(is_kernel) => (is_kernel, None),
        Err(fault) => (false, Some(fault)),
    };
    Search { is_kernel, fault, wrong }
}

/// Does the testee say in which versions it casts?
pub(crate) fn names_versions(scope: &Scope, testee: &dyn Testee) -> bool {
    let request = scope.pairs.first().zip(scope.editions.last());
    let request = request.map(|(pair, edition)| Request::new(edition.spec, pair.0, pair.1));
    request.is_some_and(|request| testee.lists(&request).is_some())
}

/// Returns why the run fails of a testee that lists casts of versions of which nothing was executed.
pub(crate) fn not_held(scope: &Scope, testee: &dyn Testee, results: &Results) -> Option<String> {
    let lists = |edition: &ScopeEdition, pair: &(DType, DType)| {
        testee.lists(&Request::new(edition.spec, pair.0, pair.1)) == Some(true)
    };
    let is_idle = |edition: &&ScopeEdition| {
        let listed = scope.pairs_of(**edition).iter().any(|pair| lists(edition, pair));
        listed && results.sum(|key| key.opset == edition.version).counts.executed == 0
    };
    let idle: Vec<String> =
        scope.editions.iter().filter(is_idle).map(|edition| edition.title()).collect();
    let titles = idle.join(", ");
    (!idle.is_empty()).then(|| format!("the hello lists casts of {titles}, and none was executed"))
}

impl Probe {
    /// Judges the answer to one zero; `None` if it is not wrong.
    fn of(request: Request, output: &[u8]) -> Option<Probe> {
        let draw = answers::draw(&request).ok().filter(|draw| !draw.is_refused_at(0))?;
        let due = draw.expectation(0);
        // An output of another length is a fault that the tests show.
        let got = *unpack(request.to, output, 1).ok()?.first()?;
        let judge = Judge::new(request.to, false)?;
        let verdict = judge.element((&due.expect, due.tolerate.as_ref()), got);
        (verdict == Verdict::Fail).then_some(Probe { request, got, due })
    }

    /// Returns the finding, unless the tests show the same element to be wrong.
    fn finding(&self, testee: &mut dyn Testee, results: &Results) -> Option<Misplaced> {
        let Request { from, to, .. } = self.request;
        let (asked, zero) = (Asked::of_request(&self.request), Element::code(0, from));
        let is_shown = results.failures.iter().any(|failure| {
            failure.input == zero && failure.asked().iter().any(|it| it.pair() == asked.pair())
        });
        if is_shown {
            return None;
        }
        let again = |_: &usize| match first_code(self.request, testee) {
            Reply::Output(output) => Probe::of(self.request, &output).is_some(),
            _ => false,
        };
        let wrong = 1 + (0..AGAIN).filter(again).count();
        let sentence = format!(
            "wrong {wrong} of {} times that it was asked alone, the first time before the tests: {} gave {}, \
             expected {}",
            1 + AGAIN,
            words::value(from, 0),
            words::value(to, self.got),
            words::outcome(to, &self.due.expect),
        );
        Some(Misplaced {
            asked,
            place: Place::NotEveryTime,
            sentence,
            count: 1,
            layout: Way::Plain.layout(),
            index: Some(0),
            input: Some(zero.clone()),
            got: Some(Element::code(self.got, to)),
            expect: Some(OutcomeRecord::new(&self.due.expect, to)),
            clause: Some(self.due.rule.to_string()),
            codes: vec![zero],
            done: None,
            known: None,
        })
    }
}

/// Adds the findings of wrong answers to the search.
pub(crate) fn note(
    wrong: &[Probe],
    baseline: &Baseline,
    testee: &mut dyn Testee,
    results: &mut Results,
) {
    for probe in wrong {
        let Probe { request, .. } = probe;
        testee.begin(&Part {
            suite: Asked::of_request(request).suite,
            pair: Some((request.from, request.to)),
            kernel: false,
            zero: request.spec.opset(),
        });
        let found = probe.finding(testee, results);
        if let (Some(found), true) = (found, testee.end()) {
            arrange::note(found.asked, Arranged::default(), vec![found], baseline, results);
        }
    }
}

fn is_kernel(
    scope: &Scope,
    accepts: &mut dyn FnMut(Request) -> Result<bool, String>,
) -> Result<bool, String> {
    if !can_be_shown(scope) {
        return Ok(false);
    }
    let is_numeric = |(from, to): &&(DType, DType)| from.is_numeric() && to.is_numeric();
    let mut accepted = 0;
    for &pair in scope.pairs.iter().filter(is_numeric) {
        let (inside, outside): (Vec<ScopeEdition>, Vec<ScopeEdition>) =
            scope.editions.iter().copied().partition(|edition| edition.casts(pair));
        let (Some(newest), false) = (inside.last(), outside.is_empty()) else { continue };
        if !accepts(Request::new(newest.spec, pair.0, pair.1))? {
            continue; // the testee lacks the pair
        }
        for edition in outside {
            if !accepts(Request::new(edition.spec, pair.0, pair.1))? {
                return Ok(false);
            }
            accepted += 1;
        }
    }
    Ok(accepted > 0)
}

/// Are these the results of a bare kernel? The search cannot tell for pairs that every version has: of
/// them a version refuses attributes alone, which the tests ask. So does a profile; where it also refuses elements, as
/// where a cast traps, a testee that refuses none of them is wrong. A testee that refused something, or
/// did not answer something, is not a bare kernel; nor is one whose baseline expects that it refuses
/// nothing, so that every version is asked.
pub(crate) fn is_shown(scope: &Scope, results: &Results) -> bool {
    let is_of_all = match scope.casts {
        Some(Suite::OnnxCast) => scope.pairs.iter().all(|pair| {
            pair.0.is_numeric()
                && pair.1.is_numeric()
                && scope.editions.iter().all(|edition| edition.casts(*pair))
        }),
        Some(Suite::Profile(_)) => results
            .failures
            .iter()
            .all(|it| !is_refusal(it) || it.attributes != Attributes::default()),
        _ => false,
    };
    let counts = results.sum(|_| true).counts;
    is_of_all
        && !scope.kernel
        && scope.filters.opset.is_none()
        && results.failures.iter().any(|it| is_refusal(it) && it.known.is_none())
        && counts.refused() == 0
        && counts.bad() == counts.of(Verdict::Fail)
}

/// Does a failing test expect a refusal?
pub(crate) fn is_refusal(failure: &Failure) -> bool {
    matches!(failure.expect, OutcomeRecord::Reject(_))
}

fn first_code(request: Request, testee: &mut dyn Testee) -> Reply {
    match packed_len(request.from, 1) {
        Ok(bytes) => testee.cast(&request, 1, &vec![0; bytes]),
        Err(problem) => Reply::Error(problem),
    }
}

fn can_be_shown(scope: &Scope) -> bool {
    !scope.kernel && scope.filters.opset.is_none() && scope.casts == Some(Suite::OnnxCast)
}

#[cfg(test)]
mod tests {
    use crate::gate::{Options, run};
    use castproof_testee::builtin::Builtin;
    use castproof_testee::{Identity, Reply, Testee};
    use castproof_vectors::{DType, NEWEST, Operator, Profile, Request, Spec, Suite};
    use std::path::Path;

    /// Casts by the newest version, whichever was asked for, except that it refuses `refused`.
    struct Kernel {
        inner: Builtin,
        refused: Option<u32>,
    }

    impl Testee for Kernel {
        fn identity(&self) -> &Identity {
            self.inner.identity()
        }

        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            if request.spec.opset() == self.refused && self.refused.is_some() {
                return Reply::Unsupported("this version".into());
            }
            let spec = Spec::Onnx { op: Operator::Cast, opset: NEWEST };
            self.inner.cast(&Request { spec, ..*request }, count, input)
        }
    }

    fn gate(refused: Option<u32>) -> (bool, String) {
        gate_pair((DType::Float32, DType::Float8E4M3FN), refused)
    }

    fn gate_pair(pair: (DType, DType), refused: Option<u32>) -> (bool, String) {
        let pairs = vec![pair];
        let options = Options { pairs, threads: 1, ..Options::default() };
        let mut out = Vec::new();
        let mut kernel = Kernel { inner: Builtin::new(), refused };
        let passed = run(&options, &mut kernel, &mut out).expect("a run");
        (passed, String::from_utf8(out).expect("text"))
    }

    #[test]
    fn a_testee_that_refuses_nothing_is_a_kernel() {
        let (passed, text) = gate(None);
        assert!(passed, "{text}");
        assert!(text.contains(super::NOTE) && text.contains("REDUCED: --pair"), "{text}");
        assert!(text.contains("--kernel"), "{text}");
    }

    /// Of a pair that every version has, a version refuses attributes alone.
    #[test]
    fn a_kernel_of_a_pair_of_all_versions_is_one_too() {
        let (passed, text) = gate_pair((DType::Int32, DType::Uint8), None);
        assert!(passed && text.contains(super::NOTE), "{text}");
        assert!(text.contains("REDUCED: --pair int32:uint8, --kernel"), "{text}");
    }

    /// A profile refuses attributes, which a bare kernel does not look at; what it makes of elements is held to the profile.
    #[test]
    fn a_kernel_of_a_profile_is_one_too() {
        let gate = |profile: Profile, is_wrong: bool| {
            let options = Options {
                suites: vec![Suite::Profile(profile)],
                pairs: vec![(DType::Float32, DType::Int32)],
                threads: 1,
                ..Options::default()
            };
            let mut out = Vec::new();
            let mut kernel = OfProfile { inner: Builtin::new(), is_wrong };
            let passed = run(&options, &mut kernel, &mut out).expect("a run");
            (passed, String::from_utf8(out).expect("text"))
        };
        let note = "refuses no attribute that rust-as refuses, so it is judged as a bare kernel";
        let (passed, text) = gate(Profile::RustAs, false);
        assert!(passed && text.contains(note) && text.contains("--kernel"), "{text}");
        let (passed, text) = gate(Profile::RustAs, true);
        assert!(!passed && text.contains(note), "{text}");
        // A cast that must trap, and does not, is wrong.
        let (passed, text) = gate(Profile::WasmTrap, false);
        assert!(!passed && !text.contains("judged as a bare kernel"), "{text}");
    }

    /// Casts as `rust-as` does, without a look at attributes.
    struct OfProfile {
        inner: Builtin,
        is_wrong: bool,
    }

    impl Testee for OfProfile {
        fn identity(&self) -> &Identity {
            self.inner.identity()
        }

        fn profiles(&self) -> Vec<Profile> {
            self.inner.profiles()
        }

        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            let bare = Request::new(Spec::Profile(Profile::RustAs), request.from, request.to);
            match self.inner.cast(&bare, count, input) {
                Reply::Output(output) if self.is_wrong => {
                    Reply::Output(output.iter().map(|byte| !byte).collect())
                }
                reply => reply,
            }
        }
    }

    /// A baseline that expects the missing refusals speaks of a runtime, whose versions are all asked.
    #[test]
    fn a_runtime_with_known_refusals_is_held_to_every_version() {
        let folder = tempfile::tempdir().expect("a folder");
        let baseline = folder.path().join("expectations.toml");
        let entry =
            "[[expect]]\nfrom = \"int32\"\nto = \"uint8\"\nclause = \"T-05\"\nreason = \"known\"\n";
        std::fs::write(&baseline, entry).expect("a file");
        let options = Options {
            pairs: vec![(DType::Int32, DType::Uint8)],
            baseline: Some(baseline),
            threads: 1,
            ..Options::default()
        };
        let mut out = Vec::new();
        let mut kernel = Kernel { inner: Builtin::new(), refused: None };
        let passed = run(&options, &mut kernel, &mut out).expect("a run");
        let text = String::from_utf8(out).expect("text");
        assert!(passed && !text.contains(super::NOTE), "{text}");
        assert!(text.contains("known failures"), "{text}");
    }

    /// What is wrong when all versions are asked, and right when the kernel is, fails the run.
    #[test]
    fn a_fault_that_a_kernel_shows_once_fails_the_run() {
        let options =
            Options { pairs: vec![(DType::Int32, DType::Uint8)], threads: 1, ..Options::default() };
        let mut out = Vec::new();
        let mut kernel = WrongOnce(Kernel { inner: Builtin::new(), refused: None }, false);
        let passed = run(&options, &mut kernel, &mut out).expect("a run");
        let text = String::from_utf8(out).expect("text");
        assert!(!passed && text.contains("right when it was asked again"), "{text}");
    }

    /// Gives one wrong tensor.
    struct WrongOnce(Kernel, bool);

    impl Testee for WrongOnce {
        fn identity(&self) -> &Identity {
            self.0.identity()
        }

        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            match self.0.cast(request, count, input) {
                Reply::Output(output) if !std::mem::replace(&mut self.1, true) => {
                    Reply::Output(output.iter().map(|byte| !byte).collect())
                }
                reply => reply,
            }
        }
    }

    /// A kernel that is always wrong in the same elements: the baseline that a run writes holds its faults, though the
    /// pairs are asked in every version first, and of a kernel in the newest alone.
    #[test]
    fn the_baseline_of_a_kernel_holds_its_faults() {
        for spoiled in [spoil_saturated as Spoil, spoil_body] {
            let folder = tempfile::tempdir().expect("a folder");
            let mut kernel = Spoiled(Kernel { inner: Builtin::new(), refused: None }, spoiled);
            let (passed, text) = with_baseline(folder.path(), true, &mut kernel);
            assert!(passed && text.contains("\nUPDATED  the baseline: "), "{text}");
            let (passed, text) = with_baseline(folder.path(), false, &mut kernel);
            assert!(passed && text.contains(super::NOTE), "{text}");
        }
    }

    /// A kernel with a known fault of place that is also wrong once: at an element of the vectors, which is right at
    /// every other place and when the same tensor is sent again.
    #[test]
    fn a_known_fault_of_place_hides_none_that_comes_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let kernel = || Spoiled(Kernel { inner: Builtin::new(), refused: None }, spoil_body);
        with_baseline(folder.path(), true, &mut kernel());
        for (wrong, at) in [(true, 70), (false, 70), (true, 100)] {
            let mut kernel = SpoiledOnce(kernel(), at, !wrong);
            let (passed, text) = with_baseline(folder.path(), false, &mut kernel);
            assert_eq!(passed, !wrong, "element {at}: {text}");
            assert_eq!(text.contains("right when it was asked again"), wrong, "{text}");
        }
    }

    /// Gates a kernel of one pair, with a file of known failures in the folder.
    fn with_baseline(folder: &Path, update: bool, testee: &mut dyn Testee) -> (bool, String) {
        let options = Options {
            pairs: vec![(DType::Int32, DType::Uint8)],
            baseline: Some(folder.join("known.toml")),
            update_baseline: update,
            threads: 1,
            ..Options::default()
        };
        let mut out = Vec::new();
        let passed = run(&options, testee, &mut out).expect("a run");
        (passed, String::from_utf8(out).expect("text"))
    }

    /// A kernel whose element at this place is wrong besides in the first tensor that has it, unless that has been.
    struct SpoiledOnce(Spoiled, usize, bool);

    impl Testee for SpoiledOnce {
        fn identity(&self) -> &Identity {
            self.0.identity()
        }

        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            let mut reply = self.0.cast(request, count, input);
            if let (Reply::Output(output), false) = (&mut reply, self.2)
                && let Some(element) = output.get_mut(self.1)
            {
                *element ^= 0x40;
                self.2 = true;
            }
            reply
        }
    }

    /// Changes the output that belongs to an input.
    type Spoil = fn(&[u8], &mut [u8]);

    /// -129 is wrong wherever it stands.
    fn spoil_saturated(input: &[u8], output: &mut [u8]) {
        for (number, result) in input.chunks(4).zip(output) {
            if number == (-129_i32).to_le_bytes() {
                *result ^= 1;
            }
        }
    }

    /// The first elements of larger tensors are wrong.
    fn spoil_body(_: &[u8], output: &mut [u8]) {
        if output.len() >= 64 {
            output[..64].iter_mut().for_each(|it| *it ^= 1);
        }
    }

    /// A kernel that is wrong in the same way each time.
    struct Spoiled(Kernel, Spoil);

    impl Testee for Spoiled {
        fn identity(&self) -> &Identity {
            self.0.identity()
        }

        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            let mut reply = self.0.cast(request, count, input);
            if let Reply::Output(output) = &mut reply {
                self.1(input, output);
            }
            reply
        }
    }

    #[test]
    fn a_testee_that_refuses_something_is_held_to_every_version() {
        let (passed, text) = gate(Some(1));
        assert!(!passed, "{text}");
        assert!(!text.contains(super::NOTE), "{text}");
    }

    /// Dies at the second request, and is right otherwise.
    struct DiesOnce {
        inner: Builtin,
        asked: usize,
    }

    impl Testee for DiesOnce {
        fn identity(&self) -> &Identity {
            self.inner.identity()
        }

        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            self.asked += 1;
            if self.asked == 2 {
                return Reply::Crash("died of signal: 11".into());
            }
            self.inner.cast(request, count, input)
        }
    }

    #[test]
    fn a_death_before_the_tests_fails_the_run() {
        let pairs = vec![(DType::Float32, DType::Float8E4M3FN)];
        let options = Options { pairs, threads: 1, ..Options::default() };
        let mut out = Vec::new();
        let mut testee = DiesOnce { inner: Builtin::new(), asked: 0 };
        let passed = run(&options, &mut testee, &mut out).expect("a run");
        let text = String::from_utf8(out).expect("text");
        assert!(!passed && text.contains("before the tests"), "{text}");
    }
}

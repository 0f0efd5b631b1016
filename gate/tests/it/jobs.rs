//! Several testees at once: their number changes nothing but the time.

use castproof::arrange::Arrangements;
use castproof::gate::{self, Options};
use castproof::testee::{Chain, Feature, Identity, Reply, Testee, builtin::Builtin};
use castproof_vectors::{DType, NEWEST, Request, Suite};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};

type Pairs = BTreeSet<(DType, DType)>;

/// A function that a testee calls before each cast.
type Before = Arc<dyn Fn(&Request) + Send + Sync>;

/// Castproof's own implementation with three faults. A bit of the first result is flipped in casts
/// to float16, and in casts from int8 if the tensor has 7 elements. A step to int8 in the middle of
/// a chain is left out.
struct Faulty {
    identity: Identity,
    inner: Builtin,
    before: Before,
    given_up: bool,
    features: Vec<Feature>,
}

impl Testee for Faulty {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn given_up(&self) -> Option<String> {
        self.given_up.then(|| "it died too often".into())
    }

    fn features(&self) -> Vec<Feature> {
        self.features.clone()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        (self.before)(request);
        let reply = self.inner.cast(request, count, input);
        let Reply::Output(mut output) = reply else { return reply };
        let is_faulty = match request.from {
            DType::Int8 => count == 7,
            _ => request.to == DType::Float16 && count > 0,
        };
        if is_faulty && let Some(byte) = output.first_mut() {
            *byte ^= 1;
        }
        Reply::Output(output)
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        let (from, to) = chain.ends();
        let shortcut = Request::cast(from, to, chain.opset);
        match chain.dtypes[1] {
            DType::Int8 => self.inner.cast(&shortcut, count, input),
            _ => self.inner.chain(chain, count, input),
        }
    }
}

fn faulty(before: Before) -> Faulty {
    let identity = Identity { name: "faulty".into(), version: "0".into(), language: "".into() };
    let features = vec![Feature::Chain, Feature::Constant];
    Faulty { identity, inner: Builtin::new(), before, given_up: false, features }
}

fn boxed(testee: Faulty) -> Box<dyn Testee + Send> {
    Box::new(testee)
}

/// Pairs of which some are right, some are wrong everywhere and some are wrong in places.
fn pairs() -> Vec<(DType, DType)> {
    let from = [DType::Float32, DType::Int8, DType::Bool];
    let to = [DType::Float16, DType::Uint4, DType::Float8E5M2];
    from.iter().flat_map(|&from| to.map(|to| (from, to))).collect()
}

fn options(jobs: usize, json: Option<&Path>) -> Options {
    let suites = vec![Suite::OnnxCast, Suite::OnnxChain];
    let json = json.map(Path::to_path_buf);
    Options { suites, pairs: pairs(), jobs, json, threads: 2, ..Options::default() }
}

fn run(options: &Options, make: &(dyn Fn() -> Faulty + Sync)) -> Result<(bool, String), String> {
    let mut out = Vec::new();
    let passed = gate::run_with(options, &|| Ok(boxed(make())), &mut out);
    let out = String::from_utf8(out).expect("text");
    passed.map(|passed| (passed, out)).map_err(|error| format!("{error:#}"))
}

#[test]
fn the_number_of_testees_changes_no_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut all = Vec::new();
    let ends = [DType::Float32, DType::Float16, DType::Int64, DType::Int8, DType::String];
    let pairs: Vec<(DType, DType)> =
        ends.iter().flat_map(|from| ends.iter().map(|to| (*from, *to))).collect();
    for jobs in [0, 1, 3, 20] {
        let json = folder.path().join(format!("{jobs}.json"));
        let options = Options {
            suites: vec![Suite::OnnxCast, Suite::OnnxChain],
            pairs: pairs.clone(),
            arrangements: Arrangements::None,
            ..options(jobs, Some(&json))
        };
        let (passed, out) = run(&options, &|| faulty(Arc::new(|_| ()))).expect("a run");
        assert!(!passed && out.contains("int8"), "{out}");
        let results = std::fs::read_to_string(&json).expect("a results file");
        assert!(results.contains("float32 -> int8 -> "), "no finding of chains");
        all.push((out.replace(&json.display().to_string(), "results.json"), results));
    }
    assert!(all.windows(2).all(|two| two[0] == two[1]), "results depend on --jobs");
}

#[test]
fn each_pair_is_asked_of_one_testee() {
    let asked: Mutex<Vec<Arc<Mutex<Pairs>>>> = Mutex::default();
    let make = || {
        let pairs = Arc::<Mutex<Pairs>>::default();
        asked.lock().expect("unpoisoned").push(Arc::clone(&pairs));
        faulty(Arc::new(move |request| {
            // In the newest version other pairs are asked between, whoever has them.
            if request.spec.opset() != Some(NEWEST) {
                pairs.lock().expect("unpoisoned").insert((request.from, request.to));
            }
        }))
    };
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("results.json");
    // Chains are left out: each asks for its casts, in older versions too.
    let options = |jobs| Options { suites: vec![Suite::OnnxCast], ..options(jobs, Some(&json)) };
    run(&options(4), &make).expect("a run");
    let several = std::fs::read_to_string(&json).expect("a results file");
    run(&options(1), &make).expect("a run");
    assert!(several == std::fs::read_to_string(&json).expect("a results file"));

    let asked: Vec<Pairs> = asked.into_inner().expect("unpoisoned").iter().map(read).collect();
    let [shares @ .., all] = &asked[..] else { panic!("no testee was made") };
    assert_eq!(shares.iter().map(Pairs::len).collect::<Vec<_>>(), [3, 2, 2, 2]);
    assert_eq!(&shares.iter().flatten().copied().collect::<Pairs>(), all);
    assert_eq!(all.len(), pairs().len());
}

fn read(pairs: &Arc<Mutex<Pairs>>) -> Pairs {
    pairs.lock().expect("unpoisoned").clone()
}

/// No more testees are started than there are pairs.
#[test]
fn few_pairs_need_few_testees() {
    let made = Mutex::new(0);
    let make = || {
        *made.lock().expect("unpoisoned") += 1;
        faulty(Arc::new(|_| ()))
    };
    let options = Options { pairs: pairs()[..2].to_vec(), ..options(9, None) };
    run(&options, &make).expect("a run");
    assert_eq!(made.into_inner().expect("unpoisoned"), 2);
}

/// Runs two testees that `change` makes unlike by their numbers, 1 and 2. Returns the error.
fn error_of_unlike(change: fn(&mut Faulty, usize)) -> String {
    let made = Mutex::new(0);
    let make = || {
        let mut number = made.lock().expect("unpoisoned");
        *number += 1;
        let mut testee = faulty(Arc::new(|_| ()));
        change(&mut testee, *number);
        testee
    };
    run(&options(2, None), &make).expect_err("two unlike testees")
}

#[test]
fn a_testee_of_another_version_is_refused() {
    let error = error_of_unlike(|it, number| it.identity.version = number.to_string().into());
    assert_eq!(error, "one testee says that it is faulty 1, another that it is faulty 2");
}

/// Such a testee would leave out the chains of its share.
#[test]
fn a_testee_with_fewer_features_is_refused() {
    let error = error_of_unlike(|it, number| it.features.truncate(3 - number));
    assert_eq!(error, "two testees of faulty 0 list different features or profiles");
}

#[test]
fn a_testee_that_is_given_up_ends_the_work_of_all() {
    for given_up in 0..3 {
        let made = Mutex::new(0);
        let make = || {
            let mut number = made.lock().expect("unpoisoned");
            *number += 1;
            Faulty { given_up: *number > given_up, ..faulty(Arc::new(|_| ())) }
        };
        let (passed, out) = run(&options(3, None), &make).expect("a run");
        assert!(!passed && out.contains("FAIL  "), "{out}");
        assert!(out.contains("the testee was given up, it died too often"), "{out}");
    }
}

/// A run that a fault of one testee ends goes on from its journal, with any number of testees.
#[test]
fn a_journal_holds_the_pairs_of_all_testees() {
    let folder = tempfile::tempdir().expect("a folder");
    let (json, journal) = (folder.path().join("results.json"), folder.path().join("journal"));
    // Of a bare kernel no other pairs are asked between those of a pair, so only the last pair meets the panic.
    let options = |jobs| Options { kernel: true, ..options(jobs, Some(&json)) };
    run(&options(1), &|| faulty(Arc::new(|_| ()))).expect("a run");
    let whole = std::fs::read_to_string(&json).expect("a results file");

    // The last pair that is asked: the testee that has it has finished others.
    let place = |dtype| DType::CAST.iter().position(|it| *it == dtype);
    let last = pairs().into_iter().max_by_key(|&(from, to)| (place(from), place(to)));
    let last = last.expect("pairs");
    let panics: Before = Arc::new(move |request| {
        assert!((request.from, request.to) != last, "as planned");
    });
    let options = |jobs| Options { journal: Some(journal.clone()), ..options(jobs) };
    let error = run(&options(2), &|| faulty(Arc::clone(&panics))).expect_err("a panic");
    assert_eq!(error, "a thread of this program panicked: as planned");
    let (_, out) = run(&options(1), &|| faulty(Arc::new(|_| ()))).expect("a run");
    assert!(out.contains("\nresumed: "), "{out}");
    assert!(whole == std::fs::read_to_string(&json).expect("a results file"));
    assert!(!journal.exists());
}

//! Baselines with a fault hide no failure that the file does not name.

use crate::hostile::mutate::{At, Random, mutated};
use crate::hostile::vectors::{MUTATIONS, folder, options, outcome};
use castproof::gate::Options;
use castproof::testee::builtin::Builtin;
use castproof::testee::{Identity, Reply, Testee};
use castproof::vectors::{DType, Request};
use std::fs;

/// A testee that is wrong only in the first element of each tensor of some targets.
pub(crate) struct Spoiled {
    inner: Builtin,
    targets: &'static [DType],
}

impl Spoiled {
    pub(crate) fn new(targets: &'static [DType]) -> Spoiled {
        Spoiled { inner: Builtin::new(), targets }
    }
}

impl Testee for Spoiled {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let mut reply = self.inner.cast(request, count, input);
        if let Reply::Output(output) = &mut reply
            && self.targets.contains(&request.to)
            && let Some(first) = output.first_mut()
        {
            *first ^= 1;
        }
        reply
    }
}

/// The targets whose failures the baseline names, and those with one more.
const KNOWN: &[DType] = &[DType::Int4];
const MORE: &[DType] = &[DType::Int4, DType::Uint4];

#[test]
fn a_baseline_with_a_fault_hides_nothing() {
    let mut random = Random::new("baseline");
    let folder = folder();
    let file = folder.path().join("expectations.toml");
    let plain = options(folder.path(), Some(folder.path().join("results")));
    let with = Options { baseline: Some(file.clone()), ..plain.clone() };
    let update = Options { update_baseline: true, ..with.clone() };
    outcome(&update, &mut Spoiled::new(KNOWN)).expect("a baseline");
    let written = fs::read_to_string(&file).expect("a baseline");
    // Added by hand: entries that no run reaches, with every member that an entry may have.
    let original = written
        + "\n[[expect]] # another pair\nfrom = [\"float16\", \"float32\"]\nto = \"float8e4m3fn\"\n\
           opsets = [19, 21]\nattributes = { saturate = 0 }\nclause = \"F8-N07\"\nshare = \"some\"\n\
           level = \"standard\"\nverdict = \"error\"\nreason = \"fixed in 2.1\"\nlink = \"https://example.org/17\"\n\
           \n[[expect]]\nfrom = \"*\"\nto = \"bfloat16\"\npairs = 3\ntests = [\"9f3a1c07b2e4\"]\nreason = \"r\"\n";
    fs::write(&file, &original).expect("a baseline");
    let passes = |targets| outcome(&with, &mut Spoiled::new(targets)).map(|(passed, _)| passed);
    assert_eq!((passes(KNOWN), passes(MORE)), (Ok(true), Ok(false)));
    let mut taken = 0;
    for _ in 0..MUTATIONS {
        let (said, bytes) = mutated(&mut random, original.as_bytes());
        let _at = At(&said);
        fs::write(&file, bytes).expect("a baseline");
        let came = passes(MORE);
        assert_ne!(came, Ok(true), "{said}: {}", fs::read_to_string(&file).unwrap_or_default());
        taken += usize::from(came.is_ok());
    }
    // A fault in a comment, a reason or an entry that no run reaches may be taken.
    assert!((1..MUTATIONS / 2).contains(&taken), "{taken} taken");
}

/// An update leaves a file that it cannot read as it is.
#[test]
fn an_update_of_a_baseline_with_a_fault_loses_nothing() {
    let mut random = Random::new("update");
    let folder = folder();
    let file = folder.path().join("expectations.toml");
    let plain = options(folder.path(), Some(folder.path().join("results")));
    let update = Options { baseline: Some(file.clone()), update_baseline: true, ..plain };
    outcome(&update, &mut Spoiled::new(KNOWN)).expect("a baseline");
    let original = fs::read(&file).expect("a baseline");
    for _ in 0..MUTATIONS / 5 {
        let (said, bytes) = mutated(&mut random, &original);
        let _at = At(&said);
        fs::write(&file, &bytes).expect("a baseline");
        match outcome(&update, &mut Spoiled::new(MORE)) {
            Err(_) => assert_eq!(fs::read(&file).expect("a file"), bytes, "{said}"),
            Ok(_) => {
                let again = Options { update_baseline: false, ..update.clone() };
                let (passed, _) = outcome(&again, &mut Spoiled::new(MORE)).expect("a baseline");
                assert!(passed, "{said}: what was updated covers what came");
            }
        }
    }
}

//! WebAssembly's conversions that trap: a kernel must refuse a tensor with an element that has no result.

use crate::profiles::{run_of, without_arrangements};
use castproof::arrange::Arrangements;
use castproof::finding::Kind;
use castproof::gate::Options;
use castproof::place::Place;
use castproof::results::ResultsFile;
use castproof::testee::builtin::Builtin;
use castproof::testee::{Identity, Reply, Testee};
use castproof_oracle::Caster;
use castproof_vectors::{DType, Outcome, Profile, Request, Spec, pack, unpack};

/// Which elements a kernel looks at, given the index and the count; the others saturate.
type Looks = fn(usize, usize) -> bool;

/// Casts as `wasm-trap` says, but saturates where it does not look.
struct Kernel {
    builtin: Builtin,
    looks: Looks,
    /// Which numbers it refuses whether or not they have a result.
    refuses: fn(f64) -> bool,
}

impl Testee for Kernel {
    fn identity(&self) -> &Identity {
        self.builtin.identity()
    }

    fn profiles(&self) -> Vec<Profile> {
        vec![Profile::WasmTrap]
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let caster = Caster::new(request).expect("a request of the profile");
        if caster.is_refused() {
            return Reply::Unsupported("not a cast of the profile".into());
        }
        let codes = unpack(request.from, input, count).expect("the gate packs right");
        let saturating = Request { spec: Spec::Profile(Profile::WasmSat), ..*request };
        let saturated = Caster::new(&saturating).expect("a request of the profile");
        let mut results = Vec::new();
        for (index, &code) in codes.iter().enumerate() {
            let traps = caster.cast(code).expect("a code").expect == Outcome::Reject;
            let number = match request.from {
                DType::Float32 => f64::from(f32::from_bits(code as u32)),
                _ => f64::from_bits(code),
            };
            if traps && (self.looks)(index, count) || (self.refuses)(number) {
                return Reply::Error("trap".into());
            }
            match saturated.cast(code).expect("a code").expect {
                Outcome::Code(code) => results.push(code),
                other => panic!("{other:?}"),
            }
        }
        Reply::Output(pack(request.to, &results).expect("numeric"))
    }
}

type Pair = (DType, DType);

/// The pairs that are asked.
const PAIRS: [Pair; 2] = [(DType::Float32, DType::Int32), (DType::Float64, DType::Uint64)];

fn gate(looks: Looks, refuses: fn(f64) -> bool, options: Options) -> ResultsFile {
    gate_pairs(&PAIRS, looks, refuses, options)
}

fn gate_pairs(
    pairs: &[Pair],
    looks: Looks,
    refuses: fn(f64) -> bool,
    options: Options,
) -> ResultsFile {
    let mut kernel = Kernel { builtin: Builtin::new(), looks, refuses };
    run_of(Profile::WasmTrap, &mut kernel, Options { pairs: pairs.to_vec(), ..options })
}

#[test]
fn a_kernel_that_traps_where_it_must_passes() {
    let file = gate(|_, _| true, |_| false, Options::default());
    assert!(file.passed, "{:?}", file.findings);
}

/// Each trapping element is asked alone, so that one that traps does not hide one that saturates.
#[test]
fn a_kernel_that_saturates_fails_at_each_element() {
    let file = gate(|_, _| false, |_| false, without_arrangements());
    let failures = &file.results.failures;
    assert!(!file.passed && failures.len() > 30, "{}", failures.len());
    assert!(failures.iter().all(|test| test.clause == "WA-02"));
    let kinds: Vec<Kind> = file.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [Kind::Refusal]);
}

/// A kernel that looks at whole vectors only, and one that looks at the first element, trap alone.
#[test]
fn a_kernel_that_traps_at_some_places_only_is_found() {
    let arranged = || Options { arrangements: Arrangements::Newest, ..Options::default() };
    let places: [(Looks, Place, &[Pair]); 3] = [
        (|index, count| count == 1 || index < count / 8 * 8, Place::Tail(8), &PAIRS),
        (|index, _| index == 0, Place::NotExplained, &PAIRS[..1]),
        (|_, count| count == 1, Place::OtherTensors, &PAIRS[1..]),
    ];
    for (looks, place, pairs) in places {
        let file = gate_pairs(pairs, looks, |_| false, arranged());
        assert!(!file.passed && file.results.failures.is_empty(), "{place}");
        let found: Vec<&Place> = file.results.misplaced.iter().map(|it| &it.place).collect();
        assert_eq!(found, vec![&place; pairs.len()], "{place}");
    }
}

/// One that tests the range before it drops the fraction refuses -0.5 to an unsigned integer.
#[test]
fn a_kernel_that_traps_too_early_fails() {
    let file = gate(|_, _| true, |number| number < 0.0 && number > -1.0, without_arrangements());
    assert!(!file.passed);
    let found: Vec<(Kind, usize)> =
        file.findings.iter().map(|it| (it.kind, it.pairs.len())).collect();
    assert_eq!(found, [(Kind::Error, 2)]);
}

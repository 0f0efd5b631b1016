//! Compares the oracle with a witness.

use crate::common::{Nearby, admits};
use castproof_oracle::{Caster, cast};
use castproof_suites::cases;
use castproof_vectors::random::Random;
use castproof_vectors::{
    Attributes, DType, Expectation, Level, NEWEST, Outcome, Profile, Request, RoundMode, Spec,
};
use std::collections::BTreeSet;

/// The number of random codes for each pair whose source is wider than 16 bits.
const RANDOM_CODES: u64 = 20_000;

/// Returns the newest `Cast` with the attributes of most witnesses: float8 does not saturate, and
/// float8e8m0 takes the nearest power of two. If `Cast` lacks one of the dtypes, it returns the
/// request of a profile that casts the pair.
pub(crate) fn unsaturated(from: DType, to: DType) -> Request {
    let attributes = match to {
        DType::Float8E8M0 => {
            Attributes { saturate: Some(false), round_mode: Some(RoundMode::Nearest) }
        }
        DType::Float8E4M3FN | DType::Float8E4M3FNUZ | DType::Float8E5M2 | DType::Float8E5M2FNUZ => {
            Attributes { saturate: Some(false), round_mode: None }
        }
        _ => Attributes::default(),
    };
    let newest = Request::cast(from, to, NEWEST).with(attributes);
    let profiles = Profile::numeric().map(|it| Request::new(Spec::Profile(it), from, to));
    [newest].into_iter().chain(profiles).find(is_cast).unwrap_or(newest)
}

/// Does the specification of the request cast its pair?
pub(crate) fn is_cast(request: &Request) -> bool {
    Caster::new(request).is_ok_and(|caster| !caster.is_refused())
}

/// Returns the codes to compare: all codes of a source of up to 16 bits; of a wider source every
/// boundary of the target and seeded random codes, half of them near the numbers of the target.
pub(crate) fn codes(from: DType, to: DType) -> Vec<u64> {
    match (from, from.bits()) {
        (DType::Bool, _) => return vec![0, 1],
        (_, ..=16) => return (0..=from.code_mask()).collect(),
        _ => {}
    }
    let mut codes: BTreeSet<u64> = cases(from, to, Level::Standard).into_keys().collect();
    let nearby = Nearby::new(from, to);
    let mut random = Random::new(u64::from(from.bits()) << 32 | to as u64);
    for _ in 0..RANDOM_CODES / 2 {
        codes.insert(random.number() & from.code_mask());
        codes.insert(nearby.code([random.number(), random.number()]));
    }
    codes.into_iter().collect()
}

/// A code for which a witness gives a result that the oracle does not expect.
pub(crate) struct Difference {
    pub(crate) input: u64,
    pub(crate) got: u64,
    pub(crate) answer: Expectation,
}

impl Difference {
    /// Do the rules tolerate what the witness gives?
    pub(crate) fn is_tolerated(&self, to: DType) -> bool {
        self.answer.tolerate.as_ref().is_some_and(|more| admits(more, to, self.got))
    }
}

/// Fails unless the witness gives what the oracle expects for all [`codes`].
pub(crate) fn agrees(request: &Request, witness: impl Fn(u64) -> Option<u64>) {
    agrees_but(request, witness, |_| false);
}

/// Fails like [`agrees`], except for differences that `known` accepts.
pub(crate) fn agrees_but(
    request: &Request,
    witness: impl Fn(u64) -> Option<u64>,
    known: impl Fn(&Difference) -> bool,
) {
    let codes = codes(request.from, request.to);
    let got: Vec<Option<u64>> = codes.iter().map(|&code| witness(code)).collect();
    results_agree_but(request, &codes, &got, known);
}

/// Compares the results of a witness with the oracle. `got[i]` is the result for `codes[i]`; `None`
/// if the witness does not define the cast. Cases that the rules leave undefined are not compared.
pub(crate) fn results_agree_but(
    request: &Request,
    codes: &[u64],
    got: &[Option<u64>],
    known: impl Fn(&Difference) -> bool,
) {
    assert_eq!(codes.len(), got.len(), "{request}: one result for each code");
    let caster = Caster::new(request).expect("a numeric pair");
    let mut compared = 0;
    let mut lines = Vec::new();
    for (&input, &got) in codes.iter().zip(got) {
        let answer = caster.cast(input).expect("the code fits");
        let Some(got) = got.filter(|_| answer.expect != Outcome::Any) else { continue };
        compared += 1;
        if admits(&answer.expect, request.to, got) {
            continue;
        }
        let difference = Difference { input, got, answer };
        if !known(&difference) {
            let (input, got) = (request.from.hex(input), request.to.hex(got));
            let answer = difference.answer;
            lines.push(format!("\n  {input}: the witness gives {got}, the oracle {answer:x?}"));
        }
    }
    assert!(compared > 0, "{request}: nothing was compared");
    let (count, first) = (lines.len(), lines.iter().take(8).map(String::as_str));
    assert!(count == 0, "{request}: {count} differences{}", first.collect::<String>());
}

/// Does rounding to float32 first, as many implementations do, explain the difference?
pub(crate) fn is_through_float32(request: &Request, difference: &Difference) -> bool {
    let to_float32 = Request::new(request.spec, request.from, DType::Float32);
    let first = cast(&to_float32, difference.input).expect("the code fits").expect;
    let Outcome::Code(first) = first else { return false };
    let second = cast(&Request { from: DType::Float32, ..*request }, first).expect("fits");
    let either = [Some(second.expect), second.tolerate].into_iter().flatten();
    either.into_iter().any(|outcome| admits(&outcome, request.to, difference.got))
}

/// A fault of a witness, with the input that proves it.
pub(crate) struct Fault {
    pub(crate) request: Request,
    pub(crate) input: u64,
    /// The result of the witness.
    pub(crate) gives: u64,
    /// The right result.
    pub(crate) right: Outcome,
    /// Do the rules tolerate what the witness gives?
    pub(crate) tolerated: bool,
}

/// Fails unless the oracle gives the right result and `got`, the witness's result, is the known
/// fault.
pub(crate) fn proves(fault: &Fault, got: u64) {
    let Fault { request, input, gives, right, tolerated } = fault;
    let answer = cast(request, *input).expect("a numeric pair");
    let case = format!("{request} of {}", request.from.hex(*input));
    assert_eq!(answer.expect, *right, "{case}: what is right");
    assert!(!admits(right, request.to, *gives), "{case}: {gives:#x} is no fault");
    assert_eq!(got, *gives, "{case}: the witness has changed; correct the table of its faults");
    let is_tolerated = Difference { input: *input, got, answer }.is_tolerated(request.to);
    assert_eq!(is_tolerated, *tolerated, "{case}: is {gives:#x} tolerated?");
}

//! Compares `impl` with `oracle`, element by element: every code of the 16-bit floats to every
//! target, four million random codes of wide sources, the pieces of every profile, and the
//! operands of every promotion.

use castproof_impl::Cast;
use castproof_oracle::{
    Caster, attribute_sets_of, partition, profile_pairs, promote_operands, type_set,
};
use castproof_suites::questions;
use castproof_vectors::{
    Attributes, DType, DTypeClass, Expectation, Hex, Level, Operands, Operator, Outcome, Profile,
    Question, Request, RoundMode, Scalar, Spec, Suite, landmarks, pack, packed_len, random, unpack,
};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// At least one of each run of versions with the same answers.
const VERSIONS: [u32; 5] = [6, 9, 13, 23, 28];

/// The number of random codes of the wide sources, over all their requests.
const RANDOM_CODES: usize = 4_000_000;

/// The number of random pairs of operands for each cell of promotion.
const RANDOM_OPERANDS: usize = 500;

/// The wide sources. Each gets an equal share of the random codes.
const WIDE: [DType; 4] = [DType::Float32, DType::Float64, DType::Int64, DType::Uint64];

/// Each run of versions with the same answers has a version in `VERSIONS`.
#[test]
fn one_of_each_run_of_versions_is_asked() {
    let versions = castproof_oracle::versions(Operator::Cast);
    for run in versions.chunk_by(|_, &next| !castproof_oracle::answers_change(next)) {
        assert!(run.iter().any(|version| VERSIONS.contains(version)), "{run:?}: add one of them");
    }
}

/// Of so many neighbouring codes one is asked of a request, the next of the next request. The versions of a cast are next
/// to each other in number, and a sweep asks all codes of the newest.
const SHARE: usize = 4;

/// A share of the codes, another for each request.
fn share(from: DType, request: usize) -> Vec<u64> {
    (0..=from.code_mask()).skip(request % SHARE).step_by(SHARE).collect()
}

#[test]
fn every_code_of_the_16_bit_floats() {
    for (from, number_of_requests) in [(DType::Float16, 95), (DType::Bfloat16, 71)] {
        let requests = requests(from);
        let of_request = |(at, request)| differences(request, &share(from, at));
        let differing: Vec<String> = requests.par_iter().enumerate().flat_map(of_request).collect();
        assert!(differing.is_empty(), "{}", differing.join("\n"));
        assert_eq!(requests.len(), number_of_requests, "{from}");
    }
}

#[test]
fn random_codes_of_wide_sources() {
    for from in WIDE {
        let requests = requests(from);
        let share = RANDOM_CODES.div_ceil(WIDE.len() * requests.len());
        let differing: Vec<String> = (0..requests.len())
            .into_par_iter()
            .flat_map(|index| {
                let codes = random_codes(from, index * share, share);
                differences(&requests[index], &codes)
            })
            .collect();
        assert!(differing.is_empty(), "{}", differing.join("\n"));
    }
}

/// Every cast of every profile: both ends of every piece with their neighbours; all codes of sources of up to 8 bits, a share of
/// those of 16, and random ones of wider sources.
#[test]
fn every_piece_of_every_profile() {
    let casts: Vec<Request> = Profile::numeric()
        .flat_map(|it| {
            let requests = move |(from, to)| {
                let request = Request::new(Spec::Profile(it), from, to);
                let sets = attribute_sets_of(request.spec, (from, to)).into_iter();
                sets.map(move |attributes| request.with(attributes))
            };
            profile_pairs(it).into_iter().flat_map(requests)
        })
        .filter(|request| !Caster::new(request).expect("known").is_refused())
        .collect();
    let of_request = |(at, request): (usize, &Request)| {
        let from = request.from;
        let mut codes: Vec<u64> = match from.bits() {
            ..=8 => (0..=from.code_mask()).collect(),
            16 => share(from, at),
            _ => random_codes(from, 0, 2000),
        };
        for piece in partition(request).expect("numeric") {
            let ends = [piece.first, piece.last];
            let beside = |end: u64| [end.wrapping_sub(1), end, end.wrapping_add(1)];
            codes.extend(ends.into_iter().flat_map(beside).map(|code| code & from.code_mask()));
        }
        differences(request, &codes)
    };
    let differing: Vec<String> = casts.par_iter().enumerate().flat_map(of_request).collect();
    assert!(differing.is_empty(), "{}", differing[..differing.len().min(20)].join("\n"));
}

/// Every cell of both tables of promotion is asked with elements of the suite and random ones.
#[test]
fn operands_of_every_cell() {
    let suite = questions(Suite::MindsporeOperands, Level::Standard);
    let mut asked: Vec<Operands> = suite
        .tests
        .iter()
        .filter_map(|test| match test.ask {
            Question::Operands(question) => Some(question),
            _ => None,
        })
        .collect();
    let cells: BTreeSet<_> = asked.iter().map(|it| (it.tensor, it.with)).collect();
    assert_eq!(cells.len(), 225 + 45);
    for (cell, &(tensor, with)) in cells.iter().enumerate() {
        for index in 0..RANDOM_OPERANDS {
            let first = 8 * (cell * RANDOM_OPERANDS + index);
            let elements = [random_scalar(tensor, first), random_scalar(with.dtype(), first + 4)];
            asked.push(Operands { tensor, with, elements });
        }
    }
    let differing: Vec<String> = asked.par_iter().filter_map(differing_operands).collect();
    assert!(differing.is_empty(), "{}", differing[..differing.len().min(20)].join("\n"));
}

fn random_scalar(dtype: DType, first: usize) -> Scalar {
    let code = |part: DType, at: usize| {
        let code = random_codes(part, at, 1)[0];
        Hex::new(if part == DType::Bool { code & 1 } else { code }, part)
    };
    match dtype.part() {
        None => Scalar::Real(code(dtype, first)),
        Some(part) => Scalar::Complex([code(part, first), code(part, first + 1)]),
    }
}

/// Returns a line about the difference, if the implementation differs from the oracle.
fn differing_operands(question: &Operands) -> Option<String> {
    let Operands { tensor, with, elements } = *question;
    let (promoted, _) = promote_operands(question).expect("elements of their dtypes");
    let ours = castproof_impl::Operands::new(tensor, with).ok();
    let (Some(promoted), Some(ours)) = (&promoted, ours) else {
        return (promoted.is_some() || ours.is_some())
            .then(|| format!("{}: refusals", Question::Operands(*question)));
    };
    let inputs = [elements[0].bytes(tensor), elements[1].bytes(with.dtype())];
    let width = ours.dtype().bits() as usize / 8;
    let (mut left, mut right) = (vec![0; width], vec![0; width]);
    let inputs = inputs.each_ref().map(Vec::as_slice);
    ours.run(inputs, 1, [&mut left, &mut right]).expect("lengths fit");
    let part = promoted.dtype.part().unwrap_or(promoted.dtype);
    let target = landmarks(part).expect("numeric");
    let got =
        [left, right].map(|bytes| unpack(part, &bytes, bytes.len() * 8 / part.bits() as usize));
    let admitted = got.iter().zip(&promoted.operands).all(|(got, expected)| {
        let got = got.as_ref().expect("lengths fit");
        let admits = |(&code, due): (&u64, &Expectation)| due.expect.admits(code, target);
        got.len() == expected.len() && got.iter().zip(expected).all(admits)
    });
    let same = ours.dtype() == promoted.dtype && admitted;
    (!same).then(|| format!("{}: {got:x?}, expected {promoted:x?}", Question::Operands(*question)))
}

/// Returns the requests of every target and mode, in each version that has them.
fn requests(from: DType) -> Vec<Request> {
    let mut requests = Vec::new();
    for version in VERSIONS {
        let set = type_set(Operator::Cast, version);
        for &to in DType::NUMERIC.iter().filter(|to| set.contains(to) && set.contains(&from)) {
            let request = Request::cast(from, to, version);
            requests.extend(attributes(to).into_iter().map(|attributes| request.with(attributes)));
        }
    }
    requests
}

fn attributes(to: DType) -> Vec<Attributes> {
    let saturate = [Some(false), Some(true)];
    match (to, to.class(), to.bits()) {
        (DType::Float8E8M0, ..) => saturate
            .into_iter()
            .flat_map(|saturate| {
                let with = move |mode| Attributes { saturate, round_mode: Some(mode) };
                RoundMode::CAST.map(with)
            })
            .collect(),
        (_, DTypeClass::Float, 8) => {
            saturate.map(|saturate| Attributes { saturate, round_mode: None }).to_vec()
        }
        _ => vec![Attributes::default()],
    }
}

/// Draws codes from a fixed seed. Integers get magnitudes of every size.
fn random_codes(from: DType, first: usize, count: usize) -> Vec<u64> {
    let draw = |index: usize| random::at(index as u64);
    let code = |index: usize| {
        let code = draw(2 * index) & from.code_mask();
        match from {
            DType::Int64 => ((code as i64) >> (draw(2 * index + 1) % 64)) as u64,
            DType::Uint64 => code >> (draw(2 * index + 1) % 64),
            _ => code,
        }
    };
    (first..first + count).map(code).collect()
}

/// Returns a line about each of the first elements that the oracle does not admit.
fn differences(request: &Request, codes: &[u64]) -> Vec<String> {
    let (from, to) = (request.from, request.to);
    let target = landmarks(to).expect("numeric");
    let caster = Caster::new(request).expect("a request of its version");
    let due = |code: &u64| caster.cast(*code).expect("fits");
    let (trapping, codes): (Vec<u64>, Vec<u64>) =
        codes.iter().partition(|code| due(code).expect == Outcome::Reject);
    let mut lines: Vec<String> = Vec::new();
    let cast = cast(request);
    let results = trapping.iter().filter(|&&code| cast.code(code).is_ok());
    lines
        .extend(results.map(|code| format!("{request}: {} has a result", from.hex(*code))).take(5));
    let got = implementation(request, &codes);
    for (&code, &got) in codes.iter().zip(&got) {
        let answer = due(&code);
        let admitted = answer.expect.admits(got, target);
        if !admitted && lines.len() < 5 {
            let (code, got) = (from.hex(code), to.hex(got));
            lines.push(format!("{request}: {code} gives {got}, expected {answer:?}"));
        }
    }
    lines
}

fn cast(request: &Request) -> Cast {
    let Request { spec, from, to, attributes } = *request;
    match spec {
        Spec::Profile(profile) => {
            let Attributes { saturate, round_mode } = attributes;
            let cast = Cast::of_profile_with(profile, from, to, saturate, round_mode);
            cast.expect("a cast of it")
        }
        Spec::Onnx { opset, .. } => Cast::new(from, to)
            .expect("numeric")
            .opset(opset)
            .saturate(attributes.saturate.unwrap_or(true))
            .round_mode(attributes.round_mode.unwrap_or(RoundMode::Up)),
    }
}

fn implementation(request: &Request, codes: &[u64]) -> Vec<u64> {
    let Request { from, to, .. } = *request;
    let cast = cast(request);
    let input = pack(from, codes).expect("numeric");
    let mut output = vec![0; packed_len(to, codes.len()).expect("numeric")];
    cast.run(&input, codes.len(), &mut output).expect("lengths fit");
    unpack(to, &output, codes.len()).expect("lengths fit")
}

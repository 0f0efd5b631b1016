//! `impl` against `oracle`, element by element: every code of the 16-bit floats to every target
//! and mode, and ten million random codes of wide sources.

use castproof_impl::Cast;
use castproof_oracle::{Caster, type_set};
use castproof_vectors::{
    Attributes, DType, Operator, Request, RoundMode, landmarks, pack, packed_len, unpack,
};
use rayon::prelude::*;

/// Versions between which some answer changes.
const VERSIONS: [u32; 5] = [6, 9, 13, 23, 28];

/// Random codes of the wide sources, over all their requests.
const RANDOM_CODES: usize = 10_000_000;

/// The wide sources that get them, in equal shares.
const WIDE: [DType; 4] = [DType::Float32, DType::Float64, DType::Int64, DType::Uint64];

#[test]
fn every_code_of_the_16_bit_floats() {
    for (from, number_of_requests) in [(DType::Float16, 95), (DType::Bfloat16, 71)] {
        let codes: Vec<u64> = (0..=from.code_mask()).collect();
        let requests = requests(from);
        let differing: Vec<String> =
            requests.par_iter().flat_map(|request| differences(request, &codes)).collect();
        assert!(differing.is_empty(), "{}", differing.join("\n"));
        assert_eq!(requests.len(), number_of_requests, "{from}");
    }
}

#[test]
fn ten_million_random_codes_of_wide_sources() {
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

/// Every target and mode, in each version that has them.
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
    match to {
        DType::Float8E8M0 => saturate
            .into_iter()
            .flat_map(|saturate| {
                let with = move |mode| Attributes { saturate, round_mode: Some(mode) };
                RoundMode::ALL.map(with)
            })
            .collect(),
        _ if to.name().starts_with("float8") => {
            saturate.map(|saturate| Attributes { saturate, round_mode: None }).to_vec()
        }
        _ => vec![Attributes::default()],
    }
}

/// SplitMix64 from a fixed seed. Integers get magnitudes of every size.
fn random_codes(from: DType, first: usize, count: usize) -> Vec<u64> {
    let draw = |index: usize| {
        let mut z = (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
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

/// The first elements that the oracle does not admit, as lines.
fn differences(request: &Request, codes: &[u64]) -> Vec<String> {
    let (from, to) = (request.from, request.to);
    let target = landmarks(to).expect("numeric");
    let caster = Caster::new(request).expect("a request of its version");
    let got = implementation(request, codes);
    let mut lines = Vec::new();
    for (&code, &got) in codes.iter().zip(&got) {
        let answer = caster.cast(code).expect("fits");
        let admitted =
            answer.expect.admits(got, |code| target.is_nan(code), |code| target.is_valid(code));
        if !admitted && lines.len() < 5 {
            let (code, got) = (from.hex(code), to.hex(got));
            lines.push(format!("{request}: {code} gives {got}, expected {answer:?}"));
        }
    }
    lines
}

fn implementation(request: &Request, codes: &[u64]) -> Vec<u64> {
    let Request { from, to, opset, attributes, .. } = *request;
    let cast = Cast::new(from, to)
        .expect("numeric")
        .opset(opset)
        .saturate(attributes.saturate.unwrap_or(true))
        .round_mode(attributes.round_mode.unwrap_or(RoundMode::Up));
    let input = pack(from, codes).expect("numeric");
    let mut output = vec![0; packed_len(to, codes.len()).expect("numeric")];
    cast.run(&input, codes.len(), &mut output).expect("lengths fit");
    unpack(to, &output, codes.len()).expect("lengths fit")
}

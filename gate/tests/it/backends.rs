//! Runs the committed vectors of ONNX and of every profile on every backend of `impl` that this machine has.

use castproof::source::Source;
use castproof_impl::{Backend, Cast};
use castproof_oracle::profile_pairs;
use castproof_vectors::{
    Attributes, DType, Group, Level, Outcome, Profile, Spec, Suite, Test, VectorFile, landmarks,
    pack, packed_len, unpack,
};
use rayon::prelude::*;

/// The value of bytes that no cast may touch.
const GUARD: u8 = 0xa5;

/// The least length of a repeated slice. At this length a few codes are cast by table, too.
const LONG: usize = 5000;

#[test]
fn onnx_on_every_backend() {
    let vectors = Source::open(None, Level::Core).expect("the committed vectors");
    let pairs: Vec<(DType, DType)> = DType::NUMERIC
        .iter()
        .flat_map(|from| DType::NUMERIC.iter().map(|to| (*from, *to)))
        .collect();
    let executed: usize = pairs
        .par_iter()
        .map(|&(from, to)| {
            let file = vectors.load(Suite::OnnxCast, (from, to)).expect("a file");
            file.groups.iter().map(|group| assert_group(&file, group)).sum::<usize>()
        })
        .sum();
    let backends = Backend::available().count();
    assert!(executed > 130_000 * backends, "{executed} tests on {backends} backends");
}

#[test]
fn every_profile_on_every_backend() {
    let vectors = Source::open(None, Level::Core).expect("the committed vectors");
    let backends = Backend::available().count();
    for profile in Profile::numeric() {
        let of_pair = |pair| {
            let file = vectors.load(Suite::Profile(profile), pair).expect("a file");
            file.groups.iter().map(|group| assert_group(&file, group)).sum::<usize>()
        };
        let executed: usize = profile_pairs(profile).into_par_iter().map(of_pair).sum();
        assert!(executed > 100 * backends, "{}: {executed} tests", profile.name());
    }
}

/// Codes with what is expected of them.
type Cases = Vec<(u64, Outcome)>;

/// Runs a group on every backend. Returns the number of tests run.
fn assert_group(file: &VectorFile, group: &Group) -> usize {
    let (from, to) = (file.from, file.to);
    // The gate, not the implementation, refuses dtypes that a version does not have.
    let code = |test: &Test| test.input.as_code().expect("numeric");
    let outcomes = group.tests.iter().map(|test| (code(test), test.expect.outcome()));
    let (refused, cases): (Cases, Cases) =
        outcomes.partition(|(_, expect)| *expect == Outcome::Reject);
    if cases.is_empty() {
        return 0;
    }
    let codes: Vec<u64> = cases.iter().map(|(code, _)| *code).collect();
    let long: Vec<u64> = codes.iter().copied().cycle().take(LONG.max(codes.len())).collect();
    let target = landmarks(to).expect("numeric");
    let mut executed = 0;
    for backend in Backend::available() {
        for request in file.requests(group) {
            let cast = match request.spec {
                Spec::Onnx { opset, .. } => Cast::new(from, to).map(|cast| cast.opset(opset)),
                Spec::Profile(profile) => {
                    let Attributes { saturate, round_mode } = group.attributes;
                    Cast::of_profile_with(profile, from, to, saturate, round_mode)
                }
            };
            let cast = cast.expect("a cast that is not refused").backend(backend);
            // Absent attributes have other defaults in a profile.
            let cast = group.attributes.saturate.map_or(cast, |on| cast.saturate(on));
            let cast = group.attributes.round_mode.map_or(cast, |mode| cast.round_mode(mode));
            for (code, _) in &refused {
                let traps = matches!(cast.code(*code), Err(castproof_impl::Error::Traps { .. }));
                assert!(traps, "{cast:?}: {code:#x} has a result");
            }
            let results = run_guarded(&cast, from, to, &codes);
            for ((code, expect), &got) in cases.iter().zip(&results) {
                let admitted = expect.admits(got, target);
                assert!(admitted, "{cast:?}: {code:#x} gives {got:#x}, expected {expect:x?}");
            }
            assert_eq!(run_guarded(&cast, from, to, &long)[..codes.len()], results, "{cast:?}");
        }
        executed += cases.len();
    }
    executed
}

fn run_guarded(cast: &Cast, from: DType, to: DType, codes: &[u64]) -> Vec<u64> {
    let input = pack(from, codes).expect("numeric");
    let end = GUARDS + packed_len(to, codes.len()).expect("numeric");
    let mut room = vec![GUARD; end + GUARDS];
    cast.run(&input, codes.len(), &mut room[GUARDS..end]).expect("lengths fit");
    let around = room[..GUARDS].iter().chain(&room[end..]);
    assert!(around.copied().all(|byte| byte == GUARD), "{cast:?}: a byte beside has changed");
    unpack(to, &room[GUARDS..end], codes.len()).expect("lengths fit")
}

/// The number of guard bytes on each side.
const GUARDS: usize = 64;

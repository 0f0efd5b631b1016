//! RISC-V's conversions to float8: kernels that forget the round mode, the saturation or the NaN are found, and both readings
//! of overflow toward zero pass.

use crate::profiles::{run_of, without_arrangements};
use castproof::gate::Options;
use castproof::results::ResultsFile;
use castproof::testee::builtin::Builtin;
use castproof::testee::{Identity, Reply, Testee};
use castproof_vectors::{Attributes, DType, Profile, Request, RoundMode, pack, unpack};
use std::collections::BTreeSet;

/// How a kernel differs: the attributes that it heeds, and what it gives instead of the right result of a code.
struct Kernel {
    builtin: Builtin,
    heeds: fn(Attributes) -> Attributes,
    gives: fn(&Request, u64, u64) -> u64,
}

impl Testee for Kernel {
    fn identity(&self) -> &Identity {
        self.builtin.identity()
    }

    fn profiles(&self) -> Vec<Profile> {
        vec![Profile::RiscvOfp8]
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let heeded = request.with((self.heeds)(request.attributes));
        self.builtin.cast(&heeded, count, input).map(|right| {
            let codes = unpack(request.from, input, count).expect("the gate packs right");
            let right = unpack(request.to, &right, count).expect("the kernel packs right");
            let given = codes.iter().zip(right);
            let given: Vec<u64> =
                given.map(|(&code, right)| (self.gives)(request, code, right)).collect();
            pack(request.to, &given).expect("numeric")
        })
    }
}

fn gate(heeds: fn(Attributes) -> Attributes, gives: fn(&Request, u64, u64) -> u64) -> ResultsFile {
    gate_with(heeds, gives, without_arrangements())
}

fn gate_with(
    heeds: fn(Attributes) -> Attributes,
    gives: fn(&Request, u64, u64) -> u64,
    options: Options,
) -> ResultsFile {
    let mut kernel = Kernel { builtin: Builtin::new(), heeds, gives };
    run_of(Profile::RiscvOfp8, &mut kernel, options)
}

/// The rules by which a kernel fails, and what its findings say is the cause.
fn found(file: &ResultsFile) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let rules = file.results.failures.iter().map(|test| test.clause.as_str()).collect();
    let causes = file.findings.iter().filter_map(|finding| finding.cause.as_deref()).collect();
    (rules, causes)
}

const ALL: fn(Attributes) -> Attributes = |given| given;
const RIGHT: fn(&Request, u64, u64) -> u64 = |_, _, right| right;

/// The value of a code of float32 or bfloat16.
fn value(request: &Request, code: u64) -> f32 {
    let bits = if request.from == DType::Bfloat16 { code << 16 } else { code };
    f32::from_bits(bits as u32)
}

#[test]
fn wrong_kernels_are_found_and_named() {
    let without_mode = gate(|given| Attributes { round_mode: None, ..given }, RIGHT);
    let (rules, causes) = found(&without_mode);
    assert!(["RO-02", "RO-05"].iter().all(|rule| rules.contains(rule)), "{rules:?}");
    assert_eq!(causes, BTreeSet::from(["round_mode ignored"]));

    let exchanged = gate(
        |given| Attributes {
            round_mode: given.round_mode.map(|mode| match mode {
                RoundMode::Up => RoundMode::Down,
                RoundMode::Down => RoundMode::Up,
                other => other,
            }),
            ..given
        },
        RIGHT,
    );
    assert_eq!(found(&exchanged).1, BTreeSet::from(["round_mode up and down exchanged"]));

    let saturates =
        gate(|given| Attributes { saturate: given.saturate.or(Some(true)), ..given }, RIGHT);
    let (rules, _) = found(&saturates);
    assert_eq!(rules, BTreeSet::from(["RO-03", "RO-04"]), "an absent saturate read as 1");

    let signed_nan = gate(ALL, |request, code, right| {
        let is_negative_nan =
            value(request, code).is_nan() && value(request, code).is_sign_negative();
        if is_negative_nan { right | 0x80 } else { right }
    });
    assert_eq!(found(&signed_nan).0, BTreeSet::from(["RO-08"]));
}

/// A kernel whose instruction with `.sat` gives NaN from 512 to 57344, as a processor's once did, and one that rounds ties of
/// rmm to even.
#[test]
fn faults_of_processors_are_found() {
    let sat: fn(&Request, u64, u64) -> u64 = |request, code, right| {
        let magnitude = value(request, code).abs();
        let is_hit = request.to == DType::Float8E4M3FN
            && request.attributes.saturate == Some(true)
            && (512.0..=57344.0).contains(&magnitude);
        if is_hit { 0x7f } else { right }
    };
    // The vectors have the ends of what saturates. The codes that tensors are arranged from are all those of bfloat16.
    let sat = gate_with(ALL, sat, Options::default());
    assert!(!sat.passed);
    let ties = gate(
        |given| Attributes {
            round_mode: given.round_mode.filter(|mode| *mode != RoundMode::NearestAway),
            ..given
        },
        RIGHT,
    );
    assert!(found(&ties).0.contains("RO-02"));
}

/// The largest number and NaN are both right where a mode goes toward zero.
#[test]
fn both_readings_of_overflow_toward_zero_pass() {
    assert!(gate(ALL, RIGHT).passed);
    let nan = gate(ALL, |request, code, right| {
        let Attributes { saturate, round_mode } = request.attributes;
        let negative = value(request, code).is_sign_negative();
        let inward = match round_mode {
            Some(RoundMode::TowardZero) => true,
            Some(RoundMode::Up) => negative,
            Some(RoundMode::Down) => !negative,
            _ => false,
        };
        let magnitude = value(request, code).abs();
        let overflows = inward && magnitude >= 480.0 && magnitude.is_finite();
        let plain = saturate != Some(true) && request.to == DType::Float8E4M3FN;
        if overflows && plain { 0x7f } else { right }
    });
    assert!(nan.passed, "{:?}", nan.findings);
}

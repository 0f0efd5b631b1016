//! `castproof attest`: every operand of a conversion is asked, what is declared is right, and the certificate holds.

use crate::common::{castproof, program};
use castproof::journal::JournalTerms;
use castproof::sweep::attest::{self, AttestOptions};
use castproof::testee::builtin::Builtin;
use castproof::testee::{Codes, Identity, Reply, Subject, Testee};
use castproof_vectors::{Conversion, Edition, OneLine, Request};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a kernel makes of a code, a random number and the right result.
type Change = Box<dyn Fn(u64, u64, u64) -> u64>;

/// Castproof's own conversions with a change.
struct Kernel {
    inner: Builtin,
    change: Change,
    claims: Vec<OneLine>,
}

impl Testee for Kernel {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.inner.cast(request, count, input)
    }

    fn conversions(&self) -> Vec<OneLine> {
        self.claims.clone()
    }

    fn project(&mut self, conversion: &Conversion, codes: &Codes) -> Reply {
        let Reply::Output(right) = self.inner.project(conversion, codes) else {
            return Reply::Unsupported("no such conversion".into());
        };
        let width = right.len() / codes.count;
        let at = |bytes: &[u8], place: usize| {
            let width = bytes.len() / codes.count;
            let bytes = &bytes[place * width..][..width];
            bytes.iter().rev().fold(0, |code, byte| code << 8 | u64::from(*byte))
        };
        let changed = (0..codes.count).flat_map(|place| {
            let words = (at(&codes.given, place), at(&codes.random, place), at(&right, place));
            let code = (self.change)(words.0, words.1, words.2);
            code.to_le_bytes().into_iter().take(width)
        });
        Reply::Output(changed.collect())
    }
}

fn options(folder: &Path, operations: &[&str]) -> AttestOptions {
    AttestOptions {
        subject: Subject::Builtin,
        conversions: operations.iter().map(|it| it.parse().expect(it)).collect(),
        edition: Edition::Report4,
        out: folder.join("made.json"),
        terms: JournalTerms::default(),
        timeout: Duration::from_secs(60),
        date: "2026-11-28T00:00:00Z".into(),
    }
}

/// Attests conversions of a kernel. Returns whether all are right, and what is printed.
fn attested(
    folder: &Path,
    operations: &[&str],
    change: impl Fn(u64, u64, u64) -> u64 + 'static,
) -> (bool, String) {
    let mut kernel = Kernel { inner: Builtin::new(), change: Box::new(change), claims: vec![] };
    let mut out = Vec::new();
    let made = attest::run_with(
        &options(folder, operations),
        &mut kernel,
        &AtomicBool::new(false),
        &mut out,
    );
    (made.expect("an attestation"), String::from_utf8(out).expect("UTF-8"))
}

const NEAREST: &str = "Convert<binary16, Binary8p4se, (NearestTiesToEven, SatNone)>";
const STOCHASTIC: &str = "Convert<Binary8p3se, Binary4p2sf, (StochasticA(4), SatFinite)>";

#[test]
fn one_wrong_result_is_found_and_not_declared() {
    let folder = tempfile::tempdir().expect("a folder");
    // One code of 65,536, and one pair of code and random number of 4,096.
    for (name, other, change, said) in [
        (
            NEAREST,
            STOCHASTIC,
            Box::new(|code: u64, _, due| due ^ u64::from(code == 0x3c01)) as Change,
            "1 of 65,536 results are wrong, first 0x3c01: 0x41, due 0x40",
        ),
        (
            STOCHASTIC,
            NEAREST,
            Box::new(|code: u64, random: u64, due| due ^ u64::from((code, random) == (0x3d, 15))),
            "1 of 4,096 results are wrong, first 0x3d with the random number 15: ",
        ),
    ] {
        let (passed, printed) = attested(folder.path(), &[NEAREST, STOCHASTIC], change);
        assert!(!passed && printed.contains(&format!("{name}: {said}")), "{printed}");
        assert!(printed.contains("FAIL  1 of 2 conversions give what is due"), "{printed}");
        let yaml = std::fs::read_to_string(folder.path().join("made.yaml")).expect("a declaration");
        let (declared, others) = yaml.split_once("NotDeclared:").expect("both parts");
        assert!(declared.contains(other) && !declared.contains(name), "{yaml}");
        assert!(others.contains(name) && !others.contains(other), "{yaml}");
        let page = std::fs::read_to_string(folder.path().join("made.md")).expect("a page");
        assert!(page.contains(&format!("| `{name}` |")) && page.contains("| 1 |  | 0x"), "{page}");
        let file = folder.path().join("made.json");
        let verify = castproof(&["certify", "verify", file.to_str().expect("UTF-8")], "");
        assert_eq!(verify.code, 1, "{}", verify.out);
    }
}

/// A claim that cannot be read is not left out: the declaration would say less than the testee does.
#[test]
fn what_a_testee_claims_is_asked_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = |claims: &[&str]| {
        let claims = claims.iter().map(|it| OneLine::from(it.to_string())).collect();
        let change: Change = Box::new(|_, _, due| due);
        let mut kernel = Kernel { inner: Builtin::new(), change, claims };
        let mut out = Vec::new();
        let made = attest::run_with(
            &options(folder.path(), &[]),
            &mut kernel,
            &AtomicBool::new(false),
            &mut out,
        );
        made.map(|_| String::from_utf8(out).expect("UTF-8")).map_err(|error| error.to_string())
    };
    let claimed = ran(&[STOCHASTIC]).expect("an attestation");
    assert!(claimed.contains("1 conversions (those that it claims), 4,096 operands"), "{claimed}");
    let refused = ran(&[STOCHASTIC, "Convert<Binary8p3se>"]).expect_err("no conversion");
    assert!(
        refused.contains("the testee's hello: 'Convert<Binary8p3se>' is no conversion"),
        "{refused}"
    );
}

/// What Castproof's own conversion of this name makes of a code of 8 bits.
fn one(name: &str, code: u64, random: u64) -> u64 {
    let conversion: Conversion = name.parse().expect(name);
    let codes = Codes { count: 1, given: vec![code as u8], random: vec![random as u8] };
    match Builtin::new().project(&conversion, &codes) {
        Reply::Output(output) => u64::from(output[0]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn wrong_ways_are_found_and_named() {
    const A: &str = "Convert<Binary8p6se, Binary6p3sf, (StochasticA(2), SatNone)>";
    let folder = tempfile::tempdir().expect("a folder");
    let with = |rounding: &str| A.replace("StochasticA(2)", rounding);
    let (b, c, nearest, zero) = (
        with("StochasticB(2)"),
        with("StochasticC(2)"),
        with("NearestTiesToEven"),
        with("TowardZero"),
    );
    let below = zero.clone();
    let ways: [(&str, Change); 13] = [
        ("rounded StochasticB", Box::new(move |code, random, _| one(&b, code, random))),
        ("rounded StochasticC", Box::new(move |code, random, _| one(&c, code, random))),
        ("rounded NearestTiesToEven", Box::new(move |code, _, _| one(&nearest, code, 0))),
        ("rounded TowardZero", Box::new(move |code, _, _| one(&zero, code, 0))),
        (
            "the random bits in reverse order",
            Box::new(|code, random, _| one(A, code, (random as u8).reverse_bits() as u64 >> 6)),
        ),
        ("the lowest random bit not used", Box::new(|code, random, _| one(A, code, random & !1))),
        (
            "one added to the random number",
            Box::new(|code, random, _| one(A, code, (random + 1) & 3)),
        ),
        (
            "the random number complemented where the input is negative",
            Box::new(|code, random, _| one(A, code, random ^ if code < 128 { 0 } else { 3 })),
        ),
        ("the sign lost", Box::new(|_, _, due| if due == 0x20 { due } else { due & 0x1f })),
        (
            "subnormal results flushed to zero",
            Box::new(|_, _, due| if (1..4).contains(&(due & 0x1f)) { 0 } else { due }),
        ),
        ("NaN taken as zero", Box::new(|code, _, due| if code == 0x80 { 0 } else { due })),
        ("always zero", Box::new(|_, _, _| 0)),
        (
            "the carry into the exponent lost",
            Box::new(move |code, _, due| {
                let carries = due & 3 == 0 && due & 0x1f >= 8 && due == one(&below, code, 0) + 1;
                due - if carries { 4 } else { 0 }
            }),
        ),
    ];
    assert!(attested(folder.path(), &[A], |_, _, due| due).0);
    for (name, way) in ways {
        let (passed, printed) = attested(folder.path(), &[A], way);
        let found = printed.lines().find_map(|line| line.strip_prefix(A));
        let names = found.and_then(|it| it.strip_prefix(": ")).unwrap_or_default();
        let is_named =
            names.split(": ").next().is_some_and(|it| it.split(" or ").any(|it| it == name));
        assert!(!passed && is_named, "{name}: {printed}");
        let file = folder.path().join("made.json");
        let words = ["certify", "verify", file.to_str().expect("UTF-8"), "--allow-failures"];
        let verified = castproof(&words, "");
        assert_eq!(verified.code, 0, "{name}: {}", verified.err);
    }
}

#[test]
fn the_program_attests_verifies_and_replays() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("made.json");
    let file = file.to_str().expect("UTF-8");
    let made = castproof(&["attest", "--testee", "builtin", "--out", file], "");
    assert_eq!(made.code, 0, "{}", made.err);
    assert!(made.out.contains("PASS  16 of 16 conversions"), "{}", made.out);
    assert!(!folder.path().join("made.journal").exists());
    let verified = castproof(&["certify", "verify", file], "");
    assert_eq!(verified.code, 0, "{}", verified.err);
    let replayed = castproof(
        &["certify", "replay", file, "--testee", "builtin", "--blocks", "3", "--seed", "1"],
        "",
    );
    assert!(replayed.out.contains("PASS  3 of 3 conversions"), "{}", replayed.out);
    // Behind a pipe it is the same, and the seal finds an edit.
    let piped = castproof(
        &[
            "attest",
            "--testee",
            &format!("{} testee", program()),
            "--operation",
            STOCHASTIC,
            "--out",
            file,
        ],
        "",
    );
    assert!(piped.out.contains("PASS  1 of 1 conversions"), "{}", piped.err);
    let written = std::fs::read_to_string(file).expect("an attestation");
    std::fs::write(file, written.replace("4096", "4097")).expect("writes");
    refused(&["certify", "verify", file], "was edited: its seal does not match");
}

/// A command that cannot be carried out, and a part of the line that says why.
fn refused(words: &[&str], said: &str) {
    let run = castproof(words, "");
    assert!(run.error_line().contains(said), "{said}: {}", run.err);
}

#[test]
fn bad_input_is_said_before_anything_is_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("made.json");
    let file = file.to_str().expect("UTF-8");
    for (operation, said) in [
        ("Convert<Binary8p9se, Binary8p3se, (ToOdd, SatNone)>", "a precision from 1 to 7"),
        ("Convert<binary64, Binary8p3se, (ToOdd, SatNone)>", "more than 2^32 operands"),
        ("Convert<Binary8p3se>", "is no conversion"),
        ("Convert<Binary8p3se, Binary8p4se, (ToOdd, SatNone)", "is no conversion"),
    ] {
        refused(&["attest", "--testee", "builtin", "--operation", operation, "--out", file], said);
        assert!(!Path::new(file).exists());
    }
    refused(&["attest", "--testee", "builtin", "--profile", "ocp"], "p3109");
    refused(&["attest", "--testee", "builtin", "--edition", "p3109-5"], "unknown edition");
}

/// The names of the formats of P3109 with so many bits.
fn formats(bits: u32) -> Vec<String> {
    let of_kind = |(kind, most): (&str, u32)| {
        let kind = kind.to_string();
        (1..=most).map(move |precision| format!("Binary{bits}p{precision}{kind}"))
    };
    [("se", bits - 1), ("sf", bits - 1), ("ue", bits), ("uf", bits)]
        .into_iter()
        .flat_map(of_kind)
        .collect()
}

/// P3109's names of roundings.
const ROUNDINGS: [&str; 9] = [
    "NearestTiesToEven",
    "NearestTiesToAway",
    "TowardZero",
    "TowardPositive",
    "TowardNegative",
    "ToOdd",
    "StochasticA(2)",
    "StochasticB(2)",
    "StochasticC(2)",
];

/// Signed formats with names of their own, in which nothing is open.
const NAMED: [&str; 7] = [
    "float8e3m4",
    "float8e4m3",
    "float8e4m3fn",
    "float8e4m3fnuz",
    "float8e4m3b11fnuz",
    "float8e5m2",
    "float8e5m2fnuz",
];

/// Further formats, as sources alone.
const SOURCES: [&str; 10] = [
    "float6e2m3",
    "float6e3m2",
    "float4e2m1",
    "float8e8m0",
    "fp8e4b15",
    "ue4m3",
    "ue5m3",
    "tf32",
    "BFloat16",
    "binary16",
];

/// Of a source with many codes so many targets have one that is asked.
fn every(from: &str) -> usize {
    match from {
        "tf32" => 40,
        "BFloat16" | "binary16" => 9,
        _ => 1,
    }
}

/// The oracle's fractions and the machine integers of `impl` know nothing of each other: every pair of formats of 8 bits, of 4 bits
/// and named ones, each under some of the roundings and saturations, in turn.
#[test]
fn oracle_and_implementation_agree_on_every_pair() {
    let targets: Vec<String> = [formats(8), formats(4), formats(3)].concat();
    let saturations = ["SatNone", "SatFinite", "SatPropagate"];
    let others = NAMED.iter().chain(&SOURCES).map(ToString::to_string);
    let sources: Vec<String> = targets.iter().cloned().chain(others).collect();
    let mut operations = Vec::new();
    for (row, from) in sources.iter().enumerate() {
        for (column, to) in targets.iter().enumerate() {
            let turn = row * 7 + column;
            if column % every(from) != 0 {
                continue;
            }
            let (rounding, saturation) = (ROUNDINGS[turn % 9], saturations[turn / 9 % 3]);
            operations.push(format!("Convert<{from}, {to}, ({rounding}, {saturation})>"));
        }
        // The formats of others under what they have, and back.
        for (column, to) in NAMED.iter().enumerate().step_by(every(from)) {
            let (rounding, saturation) =
                (ROUNDINGS[(row + column) % 6], saturations[(row + column) % 2]);
            operations.push(format!("Convert<{from}, {to}, ({rounding}, {saturation})>"));
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (turn, edition) in Edition::ALL.into_iter().enumerate() {
        let words = operations.iter().skip(turn).step_by(2).map(String::as_str);
        let words: Vec<&str> = words.collect();
        let mut out = Vec::new();
        let options = AttestOptions { edition, ..options(folder.path(), &words) };
        let passed =
            attest::run_with(&options, &mut Builtin::new(), &AtomicBool::new(false), &mut out);
        let printed = String::from_utf8(out).expect("UTF-8");
        assert!(passed.expect("an attestation"), "{}", &printed[..printed.len().min(2000)]);
    }
    assert!(operations.len() > 3000, "{}", operations.len());
}

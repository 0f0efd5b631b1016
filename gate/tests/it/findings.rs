//! Each fault is one finding, with the range of inputs that it touches.

use crate::common::right::right;
use castproof::arrange::Arrangements;
use castproof::finding::{Finding, Kind};
use castproof::gate::{self, Matrices, Options};
use castproof::read_results;
use castproof::report;
use castproof::results::{Filters, ResultsFile};
use castproof::testee::{Identity, Reply, Testee};
use castproof_vectors::DType::{self, *};
use castproof_vectors::{Element, Request, pack, unpack};

/// A kernel that is wrong at some codes of one pair.
struct Fault {
    from: DType,
    to: DType,
    /// The first and last code of each run of wrong codes.
    codes: &'static [(u64, u64)],
    /// The results of these codes.
    wrong: Wrong,
    /// The sentence about the range that the finding must have.
    range: &'static str,
}

#[derive(Clone, Copy)]
enum Wrong {
    /// This code.
    Code(u64),
    /// This magnitude with the sign of the input.
    Signed(u64),
    /// The right code with its lowest bit flipped.
    Flipped,
    /// No code: the request fails.
    Throws,
}

use Wrong::{Code, Flipped, Signed, Throws};

/// The fault of a kernel that casts NaN to 0.
const NAN_TO_ZERO: Fault = Fault { wrong: Code(0), ..FAULTS[3] };

const FAULTS: [Fault; 12] = [
    // Magnitudes from 256, one step beyond the largest, to below 272 become the smallest subnormal.
    Fault {
        from: Float32,
        to: Float8E4M3FNUZ,
        codes: &[(0x4380_0000, 0x4387_ffff), (0xc380_0000, 0xc387_ffff)],
        wrong: Code(0x01),
        range: "every value from 256 to below 272 and their negatives",
    },
    Fault {
        from: Int8,
        to: Int16,
        codes: &[(100, 127)],
        wrong: Code(0),
        range: "every value from 100 to 127",
    },
    Fault {
        from: Int8,
        to: Int16,
        codes: &[(0x80, 0xff)],
        wrong: Flipped,
        range: "every value from -128 to -1",
    },
    Fault {
        from: Float32,
        to: Float16,
        codes: &[(0x7f80_0001, 0x7fff_ffff), (0xff80_0001, 0xffff_ffff)],
        wrong: Code(0x3c00),
        range: "NaN",
    },
    Fault {
        from: Float32,
        to: Bfloat16,
        codes: &[(0x7f80_0000, 0x7f80_0000), (0xff80_0000, 0xff80_0000)],
        wrong: Code(0),
        range: "Inf and its negative",
    },
    Fault {
        from: Float32,
        to: Float16,
        codes: &[(0x8000_0000, 0x8000_0000)],
        wrong: Code(0),
        range: "-0",
    },
    Fault {
        from: Float32,
        to: Float16,
        codes: &[(0x3f80_0000, 0x3fff_ffff)],
        wrong: Flipped,
        range: "every value from 1 to below 2",
    },
    Fault {
        from: Uint8,
        to: Float8E4M3FN,
        codes: &[(200, 255)],
        wrong: Code(0x38),
        range: "every value from 200 to 255",
    },
    Fault {
        from: Float64,
        to: Float32,
        codes: &[(0x3ff0_0000_0000_0000, 0x3fff_ffff_ffff_ffff)],
        wrong: Code(0),
        range: "every value from 1 to below 2",
    },
    Fault {
        from: Int64,
        to: Float32,
        codes: &[(0x4000_0000_0000_0000, 0x7fff_ffff_ffff_ffff)],
        wrong: Code(0),
        range: "every value from 4611686018427387904 to 9223372036854775807",
    },
    Fault {
        from: Float16,
        to: Bool,
        codes: &[(0x0001, 0x03ff), (0x8001, 0x83ff)],
        wrong: Code(0),
        range: "every value above 0, up to 6.1e-5 and their negatives",
    },
    Fault {
        from: Float8E8M0,
        to: Float32,
        codes: &[(0xfe, 0xfe)],
        wrong: Code(0x7f80_0000),
        range: "1.7e38",
    },
];

#[test]
fn each_planted_fault_is_one_finding_with_its_exact_range() {
    let mut missed = Vec::new();
    for fault in &FAULTS {
        let file = run(&[fault], None);
        let said: Vec<std::string::String> = file.findings.iter().map(Finding::headline).collect();
        let pair = format!("{} -> {}", fault.from, fault.to);
        let [finding] = &file.findings[..] else {
            missed.push(format!("{pair} {}: {said:?}", fault.range));
            continue;
        };
        let range = finding.range.as_ref();
        let codes: f64 = fault.codes.iter().map(|(first, last)| (last - first + 1) as f64).sum();
        let exact = range.is_some_and(|range| {
            let share = range.share * (fault.from.code_mask() as f64 + 1.0);
            // NaN counts as one code.
            range.exact && (share == codes || fault.range == "NaN" && share == 1.0)
        });
        let right = range.is_some_and(|range| range.sentence == fault.range);
        if !exact || !right || finding.kind != Kind::Numeric || finding.place() != pair {
            missed.push(format!("{pair} {}: {said:?} {range:?}", fault.range));
        }
        assert!(finding.is_new() && finding.failing > 0 && finding.failing <= finding.of);
        assert!(finding.example.sentence.contains(" gave "), "{}", finding.example.sentence);
        assert!(finding.rule.is_some(), "{pair}: a finding names its rule");
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// A right kernel has no findings, so the test above can fail.
#[test]
fn a_right_kernel_has_no_findings() {
    let nothing = Fault { codes: &[], ..FAULTS[0] };
    assert_eq!(run(&[&nothing], None).findings, []);
}

#[test]
fn ids_are_the_same_in_runs_of_other_extent() {
    for fault in [&FAULTS[0], &FAULTS[4]] {
        let ids = [None, None, Some(24)].map(|opset| run(&[fault], opset).findings[0].id.clone());
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
        assert!(ids[0].starts_with("F-") && ids[0].len() == 8, "{ids:?}");
    }
    assert_ne!(run(&[&FAULTS[0]], None).findings[0].id, run(&[&FAULTS[4]], None).findings[0].id);
}

/// The fault for NaN is a known method; the one for numbers is not. The cause of the first does not
/// explain the second, and each failing test belongs to one of the two findings.
#[test]
fn what_a_cause_does_not_explain_is_told_apart() {
    let both = [&NAN_TO_ZERO, &FAULTS[6]];
    let file = run(&both, None);
    assert_eq!(file.findings.len(), 2, "{:?}", file.findings);
    let of = |explained: bool| file.findings.iter().find(|it| it.is_explained() == explained);
    let (nan, bits) = (of(true).expect("a cause"), of(false).expect("a rest"));
    assert_eq!(nan.cause.as_deref(), Some("NaN becomes zero"));
    assert_eq!(nan.range.as_ref().expect("a range").sentence, "NaN");
    assert_eq!(bits.range.as_ref().expect("a range").sentence, FAULTS[6].range);
    let failing: u64 = file.findings.iter().map(|finding| finding.failing).sum();
    assert_eq!(failing, file.totals.of(castproof::Verdict::Fail));
}

/// The kernel clamps from one step beyond the largest on. That step is in the range of the cause.
#[test]
fn a_cause_excludes_no_value_of_its_range() {
    let fault = Fault {
        from: Float32,
        to: Float8E4M3FN,
        codes: &[(0x43f0_0000, 0x43f7_ffff), (0xc3f0_0000, 0xc3f7_ffff)],
        wrong: Signed(0x7e),
        range: "",
    };
    let file = run(&[&fault], None);
    let [clamped] = &file.findings[..] else { panic!("{:?}", file.findings) };
    assert!(clamped.is_explained(), "{clamped:?}");
    let range = clamped.range.as_ref().expect("a range");
    assert_eq!(range.last, Element::code(0x43f7_ffff, Float32));
    assert_eq!(range.sentence, "every value from 480 to below 496 and their negatives");
}

#[test]
fn a_difference_speaks_in_findings() {
    let narrow = Fault { codes: &[(0x3f80_0000, 0x3fbf_ffff)], ..FAULTS[6] };
    let [wide, narrow] = [&FAULTS[6], &narrow].map(|fault| run(&[fault], None));
    let other = run(&[&NAN_TO_ZERO], None);
    let changed = |before: &ResultsFile, after: &ResultsFile| {
        report::diff(before, after).expect("tests in common").findings
    };
    let counts = |changed: &report::ChangedFindings| {
        [&changed.new, &changed.gone, &changed.grown, &changed.shrunk].map(Vec::len)
    };
    assert_eq!(counts(&changed(&wide, &wide)), [0, 0, 0, 0]);
    assert_eq!(counts(&changed(&narrow, &wide)), [0, 0, 1, 0]);
    let shrunk = changed(&wide, &narrow);
    assert_eq!(counts(&shrunk), [0, 0, 0, 1]);
    assert!(shrunk.shrunk[0].contains("it was every value from 1 to below 2"), "{shrunk:?}");
    let replaced = changed(&wide, &other);
    assert_eq!(counts(&replaced), [1, 1, 0, 0]);
    assert!(replaced.new[0].contains("NaN becomes zero"), "{replaced:?}");
}

/// A finding of an error names the one input that causes it and the whole message of the runtime.
#[test]
fn an_error_names_its_input_and_its_whole_message() {
    let fault = Fault { wrong: Throws, codes: &[(127, 127)], ..FAULTS[1] };
    let file = run(&[&fault], None);
    let [finding] = &file.findings[..] else { panic!("{:?}", file.findings) };
    assert_eq!((finding.kind, finding.is_explained()), (Kind::Error, false));
    assert_eq!(finding.example.input, Some(Element::code(127, Int8)));
    let said = &finding.example.sentence;
    assert!(
        said.starts_with("0x7f (127): error: cannot cast") && said.ends_with("the end"),
        "{said}"
    );
}

/// The example of a finding that the baseline expects in part is one that it does not expect.
#[test]
fn the_example_is_not_the_one_that_the_baseline_expects() {
    let first = run(&[&FAULTS[1]], None).findings[0].example.test.clone().expect("a test");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let baseline = folder.path().join("expectations.toml");
    let entry = "[[expect]]\nfrom = \"int8\"\nto = \"int16\"\nreason = \"known\"\n";
    std::fs::write(&baseline, format!("{entry}tests = [\"{first}\"]\n")).expect("a file");
    let file = run_with(&[&FAULTS[1]], Options { baseline: Some(baseline), ..Options::default() });
    let [finding] = &file.findings[..] else { panic!("{:?}", file.findings) };
    assert!(finding.is_new(), "{finding:?}");
    let known =
        file.results.failures.iter().find(|it| it.known.is_some()).expect("an expected failure");
    assert_eq!(known.id, first);
    assert!(finding.example.test.as_ref().is_some_and(|test| *test != first), "{finding:?}");
}

/// A results file of an earlier version has no findings. It is read, and they are computed.
#[test]
fn old_results_get_their_findings() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("old.json");
    let file = run(&[&NAN_TO_ZERO], None);
    let mut old = serde_json::to_value(&file).expect("JSON");
    old.as_object_mut().expect("an object").remove("findings");
    std::fs::write(&path, old.to_string()).expect("a file");
    assert_eq!(read_results(&path).expect("results").findings, file.findings);
    let shown = report::show::one(&file, &file.findings[0].id).expect("a finding");
    for said in ["NaN becomes zero", "(NaN) gave 0x0000 (0)", "rule ", "source ", "tests ("] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    assert!(report::show::one(&file, "F-000000").is_err());
}

/// A testee that follows the rules except for its faults.
struct Planted<'a> {
    identity: Identity,
    faults: Vec<&'a Fault>,
}

impl Testee for Planted<'_> {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let codes = unpack(request.from, input, count).expect("the gate packs right");
        let mut output = Vec::new();
        for code in codes {
            let Some(right) = right(request, code) else {
                return Reply::Unsupported("refused".into());
            };
            let fault = self.faults.iter().find(|fault| {
                let inside = |(first, last): &(u64, u64)| (first..=last).contains(&&code);
                (fault.from, fault.to) == (request.from, request.to)
                    && fault.codes.iter().any(inside)
            });
            output.push(match fault.map(|fault| fault.wrong) {
                None => right,
                Some(Code(wrong)) => wrong,
                Some(Signed(wrong)) => {
                    let sign = code >> (request.from.bits() - 1);
                    wrong | sign << (request.to.bits() - 1)
                }
                Some(Flipped) => right ^ 1,
                Some(Throws) => {
                    return Reply::Error(format!("cannot cast{}the end", " and so on ".repeat(40)));
                }
            });
        }
        Reply::Output(pack(request.to, &output).expect("numeric"))
    }
}

/// Gates the pair of these faults. Returns the results file.
fn run(faults: &[&Fault], opset: Option<u32>) -> ResultsFile {
    let filters = Filters { opset, ..Filters::default() };
    run_with(faults, Options { filters, ..Options::default() })
}

fn run_with(faults: &[&Fault], options: Options) -> ResultsFile {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let json = folder.path().join("results.json");
    let options = Options {
        filters: Filters { from: Some(faults[0].from), to: Some(faults[0].to), ..options.filters },
        json: Some(json.clone()),
        arrangements: Arrangements::None,
        matrices: Matrices::None,
        limit_list: 40,
        ..options
    };
    let identity = Identity { name: "planted".into(), version: "0".into(), language: "".into() };
    let mut testee = Planted { identity, faults: faults.to_vec() };
    gate::run(&options, &mut testee, &mut std::io::sink()).expect("the gate runs");
    read_results(&json).expect("a results file")
}

//! Quantisers with a fault, planted as testees, and what the gate says they do.

use crate::common::{castproof, testee};
use castproof::Verdict;
use castproof::arrange::Arrangements;
use castproof::gate::{self, Options};
use castproof::read_results;
use castproof::recognise_blocks::recognise;
use castproof::testee::builtin::Builtin;
use castproof::testee::{Identity, Reply, Returned, Testee};
use castproof_quantised::block::{block_elements, has_free_scale};
use castproof_vectors::{BlockProfile, DType, Question, Request, Suite, pack};
use faults::{Block, FAULTS, Fault};

#[path = "../../../oracle/suites/tests/blocks/faults.rs"]
mod faults;
#[path = "../../../oracle/suites/tests/blocks/second.rs"]
#[allow(dead_code, reason = "another test uses the rest")]
mod second;

/// Each fault, and what the gate says of it; `None` where no method gives every answer.
const NAMES: [(&str, Option<&str>); 62] = [
    (
        "the exponent of elements is not subtracted",
        Some("the exponent of the largest element is not subtracted"),
    ),
    ("two is not subtracted", Some("the exponent of the largest element is not subtracted")),
    ("two is subtracted twice", Some("the exponent of the largest element is subtracted twice")),
    (
        "the exponent of amax/6 in place of EVEN",
        Some("scale by the exponent of amax/max, not rounded up"),
    ),
    (
        "log2 is truncated, not rounded down",
        Some("scale as mx-floor, with log2 truncated toward zero"),
    ),
    (
        "the largest magnitude is rounded to bfloat16",
        Some("the largest magnitude is rounded to bfloat16, at most its largest number"),
    ),
    (
        "the same, by RCEIL",
        Some("the largest magnitude is rounded to bfloat16, at most its largest number"),
    ),
    (
        "a NaN does not enter the largest magnitude",
        Some(
            "a NaN does not enter the largest magnitude; a NaN becomes the largest element, with its sign",
        ),
    ),
    ("the scale of NaN is the largest number", None),
    (
        "numbers are multiplied by 1 under scale 0",
        Some("every element is zero under the scale 0x00"),
    ),
    ("numbers are zero under scale 0", Some("every element is zero under the scale 0x00")),
    ("2^-126 in place of 2^-127", Some("numbers are divided by 2^-126 under the scale 0x00")),
    ("a block of zeros has the scale NaN", Some("a block of zeros has the scale 0xff")),
    ("a block of zeros has the scale 1", Some("a block of zeros has the scale 0x7f")),
    ("the exponent is rounded to nearest", Some("scale by log2 of amax/max, rounded to nearest")),
    ("log2 and ceil of float32", Some("scale as mx-rceil, from log2 rounded to float32")),
    ("log2 and floor of float32", Some("scale as mx-floor, from log2 rounded to float32")),
    (
        "powers of two are doubled",
        Some(
            "scale by the exponent of amax/max, not rounded up; the exponent of the scale is one too large",
        ),
    ),
    (
        "the exponent is always rounded up",
        Some("scale as mx-floor; the exponent of the scale is one too large"),
    ),
    ("FLOOR where RCEIL was asked for", Some("scale as mx-floor")),
    ("EVEN where RFIT was asked for", Some("scale as mx-even")),
    (
        "the largest finite numbers round to infinity",
        Some("a largest magnitude that rounds to 2^128 has the scale NaN"),
    ),
    ("the scale of infinity is the largest number", Some("infinity gives 0xfe")),
    ("subnormal numbers are flushed", Some("each number is taken for zero where it is subnormal")),
    ("ties of elements go away from zero", Some("ties of elements go away from zero")),
    ("ties of elements go towards zero", Some("ties of elements go toward zero")),
    ("elements are truncated", Some("elements are truncated toward zero")),
    ("a negative zero loses its sign", Some("zeros lose their sign")),
    ("an element beyond the largest is NaN", Some("an element beyond the largest becomes NaN")),
    (
        "an element beyond the largest is infinity",
        Some("an element beyond the largest becomes infinity"),
    ),
    ("a clamped element loses its sign", Some("an element beyond the largest loses its sign")),
    ("subnormal elements are flushed", Some("subnormal elements are flushed to zero")),
    ("numbers are rounded to bfloat16 first", Some("each number is rounded to bfloat16")),
    ("only half of the block enters the largest magnitude", None),
    ("the largest number in place of the largest magnitude", None),
    (
        "the quotient is beyond 448 by clamping too late",
        Some("scale by the exponent of amax/max, not rounded up"),
    ),
    ("the quotient is exact, no product of float32", Some("scale as mx-rceil")),
    ("a NaN enters the largest magnitude", Some("NaN gives 0xff")),
    ("the scale of infinity is NaN", Some("infinity gives 0xff")),
    ("the element of a NaN keeps its sign", Some("a NaN becomes the NaN of elements")),
    ("2^-127 is flushed under the largest scale", None),
    ("a block of zeros has the scale NaN (NVFP4)", Some("a block of zeros has the scale 0x7f")),
    ("the scale of the tensor is left out", Some("the scale of the tensor is left out")),
    ("the steps of the other library", Some("steps as nvfp4-torchao")),
    ("the steps of the other library", Some("steps as nvfp4-te")),
    ("the smallest scale is 2^-9, not 2^-6", None),
    ("subnormal scales are flushed", Some("a subnormal scale is stored as zero")),
    ("a NaN becomes zero", Some("each number is taken for zero where it is NaN")),
    (
        "the scale of a group is a product",
        Some("the scale is the product of m with the rounded 1/448"),
    ),
    ("numbers are divided by the scale of a group", Some("numbers are divided by the scale")),
    ("numbers are multiplied by 448 over the largest", Some("numbers are multiplied by 448/m")),
    ("the floor is 1e-10, not 1e-4", Some("the floor of the largest magnitude is 1e-10")),
    ("there is no floor", Some("the largest magnitude has no floor")),
    ("the scale of a group is inverted", Some("the inverse of the scale is stored")),
    ("the largest element is taken for 240", Some("the largest element is taken for 240")),
    ("elements of a group are clamped to 240", Some("elements are clamped to 240")),
    ("elements of a group are truncated", Some("elements are truncated toward zero")),
    (
        "a NaN does not enter the largest magnitude of a group",
        Some("a NaN does not enter the largest magnitude"),
    ),
    (
        "the power of two of a group is rounded down",
        Some("the scale is rounded down to a power of two"),
    ),
    ("a NaN becomes 448, not -448", Some("a NaN becomes 0x7e")),
    (
        "numbers are multiplied by the inverse of the scale",
        Some("numbers are multiplied by the inverse of the scale"),
    ),
    ("the scale of a group is a quotient", Some("the scale is the quotient m/448")),
];

/// A testee with a fault in one profile with one dtype of elements. It has nothing else.
struct Planted {
    identity: Identity,
    fault: &'static Fault,
}

impl Testee for Planted {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn cast(&mut self, _: &Request, _: usize, _: &[u8]) -> Reply {
        Reply::Unsupported("only blocks".into())
    }

    fn ask(&mut self, question: &Question) -> Reply<Returned> {
        let (_, profile, to, fault) = self.fault;
        let Question::QuantizeBlock(ask) = question else {
            return Reply::Unsupported("only blocks".into());
        };
        if (ask.profile, ask.from, ask.to) != (*profile, DType::Float32, *to) {
            return Reply::Unsupported("another block".into());
        }
        let codes = ask.codes().expect("numbers");
        let numbers: Vec<u32> = codes.iter().map(|&code| code as u32).collect();
        let tensor = ask.largest.map_or(0, |code| code.value() as u32);
        let count = numbers.len();
        let (scale, elements) = fault(&Block { profile: *profile, to: *to, numbers, tensor });
        // What is open under NaN is a code like any other.
        let elements = elements.unwrap_or_else(|| vec![1; count]);
        let mut bytes = pack(ask.scale, &[scale]).expect("a scale");
        bytes.extend(pack(*to, &elements).expect("codes of elements"));
        Reply::Output(Returned { bytes, ..Returned::default() })
    }
}

/// Gates a testee with a fault by the suite of blocks, and returns what explains it. No two causes are
/// found in one pair, and no failing test is left without the cause.
fn named(fault: &'static Fault) -> Option<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let json = folder.path().join("results.json");
    let options = Options {
        suites: vec![Suite::Blocks],
        json: Some(json.clone()),
        arrangements: Arrangements::None,
        ..Options::default()
    };
    let identity = Identity { name: "planted".into(), version: "0".into(), language: "".into() };
    let mut testee = Planted { identity, fault };
    gate::run(&options, &mut testee, &mut std::io::sink()).expect("the gate runs");
    let file = read_results(&json).expect("a results file");
    let deviations = file.results.suites.iter().flat_map(|run| &run.deviations);
    let failing = deviations.filter(|it| it.verdict == Verdict::Fail);
    let mut causes: Vec<Option<String>> = failing.map(|it| it.cause.clone()).collect();
    assert!(!causes.is_empty(), "{} is right", fault.0);
    causes.dedup();
    assert_eq!(causes.len(), 1, "{}: {causes:?}", fault.0);
    causes.remove(0)
}

#[test]
fn planted_quantisers_are_named() {
    let mut wrong = Vec::new();
    for (fault, (name, due)) in FAULTS.iter().zip(NAMES) {
        assert_eq!(fault.0, name);
        let named = named(fault);
        if named.as_deref() != due {
            wrong.push(format!("{name} ({} {}): {named:?}", fault.1.name(), fault.2));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(FAULTS.len(), NAMES.len());
}

/// The finding of a fault says the method, with one of the blocks that show it.
#[test]
fn a_finding_says_what_a_quantiser_does() {
    for (mode, said) in [
        ("emax", "the exponent of the largest element is not subtracted"),
        ("nan", "a NaN does not enter the largest magnitude; a NaN becomes zero, with its sign"),
    ] {
        let run =
            castproof(&["gate", "--testee", &testee("blocks.py", mode), "--suite", "blocks"], "");
        assert!(run.code == 1 && run.out.contains(said), "{}{}", run.out, run.err);
        assert!(run.out.contains("mx-floor float32 -> float8e4m3fn: gave scale"), "{}", run.out);
    }
}

/// Each rule is recognised as itself. Where two of them give the same scales, the first is said.
#[test]
fn profiles_are_recognised() {
    for asked in BlockProfile::ALL.into_iter().filter(|it| !has_free_scale(*it)) {
        let mut followed = recognise(&[], Some(asked), &mut Builtin::new()).expect("blocks");
        assert_eq!(followed.len(), 1);
        let followed = followed.remove(0);
        assert_eq!((followed.asked, followed.rules.len()), (asked, block_elements(asked).len()));
        for (to, rule) in followed.rules {
            let is_same = asked == BlockProfile::MxRfit && to != DType::Float8E4M3FN;
            let due = if is_same { BlockProfile::MxEven } else { asked };
            assert_eq!(rule.as_deref(), Ok(due.name()), "{to}");
        }
    }
}

/// What is said of planted faults, by the place in their list.
#[test]
fn faults_are_recognised() {
    for (name, due) in [
        (
            "two is not subtracted",
            "mx-floor; the exponent of the largest element is not subtracted",
        ),
        ("log2 and floor of float32", "scale as mx-floor, from log2 rounded to float32"),
        ("the exponent is rounded to nearest", "scale by log2 of amax/max, rounded to nearest"),
        ("FLOOR where RCEIL was asked for", "mx-floor"),
        ("EVEN where RFIT was asked for", "mx-even"),
        ("the scale of infinity is the largest number", "mx-floor; infinity gives 0xfe"),
        ("a block of zeros has the scale 1", "mx-rceil; a block of zeros has the scale 0x7f"),
        ("ties of elements go away from zero", "mx-floor; ties of elements go away from zero"),
        (
            "only half of the block enters the largest magnitude",
            "no known rule; nearest is mx-floor, first difference at [",
        ),
        (
            "a block of zeros has the scale NaN (NVFP4)",
            "nvfp4-torchao; a block of zeros has the scale 0x7f",
        ),
        (
            "the scale of the tensor is left out",
            "nvfp4-torchao; the scale of the tensor is left out",
        ),
        ("the steps of the other library", "nvfp4-torchao"),
        (
            "the smallest scale is 2^-9, not 2^-6",
            "no known rule; nearest is nvfp4-torchao, first difference at [",
        ),
        ("subnormal scales are flushed", "nvfp4-te; a subnormal scale is stored as zero"),
        ("a NaN becomes zero", "nvfp4-te; each number is taken for zero where it is NaN"),
        (
            "the quotient is exact, no product of float32",
            "mx-rceil; infinity gives 0xfe; a NaN does not enter the largest magnitude; \
             a NaN becomes the positive NaN of elements",
        ),
    ] {
        let fault = FAULTS.iter().find(|fault| fault.0 == name).expect("a fault");
        let identity = Identity { name: "x".into(), version: "0".into(), language: "".into() };
        let mut testee = Planted { identity, fault };
        let mut followed = recognise(&[fault.2], None, &mut testee).expect("blocks");
        let followed = followed.remove(0);
        assert_eq!(followed.asked, fault.1, "{name}");
        let rule = followed.rules[0].1.as_ref().expect("an answer");
        assert!(rule == due || due.ends_with('[') && rule.starts_with(due), "{name}: {rule}");
    }
}

#[test]
fn what_cannot_be_recognised_is_said() {
    let ask = |more: &[&str], subject: &str| {
        castproof(&[&["recognise", "--testee", subject][..], more].concat(), "")
    };
    let run = ask(&["--block", "--to", "float4e2m1"], "builtin");
    assert_eq!(run.code, 0, "{}", run.err);
    let both = "\n\nblocks of float32, asked as mx-floor\nfloat4e2m1: mx-floor\n\n\
                blocks of float32, asked as nvfp4-torchao\nfloat4e2m1: nvfp4-torchao\n";
    assert!(run.out.ends_with(both), "{}", run.out);
    let one_pair = testee("blocks.py", "right");
    let run = ask(&["--block", "--to", "float8e4m3fn,float4e2m1"], &one_pair);
    let rules = "float8e4m3fn: mx-floor\nfloat4e2m1: not answered: another block\n";
    assert!(run.code == 0 && run.out.ends_with(rules), "{}{}", run.out, run.err);
    for (more, subject, said) in [
        (&["--block", "--to", "int8"][..], "builtin", "int8 has no blocks that are recognised"),
        (
            &["--block", "--as", "nvfp4-te", "--to", "float8e5m2"],
            "builtin",
            "no block was answered: nvfp4-te has no such elements",
        ),
        (&["--block", "--as", "floor"], "builtin", "there is no such profile of blocks"),
        (&["--block", "--as", "mx-ocp"], "builtin", "mx-ocp fixes no scale"),
        (&["--to", "float4e2m1"], "builtin", "--block"),
        (&["--block", "--to", "float4e2m1"], &one_pair, "no block was answered: another block"),
    ] {
        let run = ask(more, subject);
        assert!(run.code != 0 && run.err.contains(said), "{more:?}: {}{}", run.out, run.err);
    }
}

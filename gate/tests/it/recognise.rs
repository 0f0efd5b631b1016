//! Which specification a testee casts as where ONNX leaves the result open.

use crate::common::castproof;
use castproof::recognise::recognise;
use castproof::results::Results;
use castproof::testee::{Identity, Reply, Testee, builtin::Builtin};
use castproof_vectors::DType::{self, Float32, Float64, Int8, Int32, Int64, Uint8, Uint32};
use castproof_vectors::{Profile, Request, Spec, landmarks, pack, unpack};

const PAIRS: [(DType, DType); 7] = [
    (Float32, Int8),
    (Float32, Uint8),
    (Float32, Int32),
    (Float32, Uint32),
    (Float32, Int64),
    (Float64, Int32),
    (Float64, Int64),
];

/// What a planted testee gives for an element whose result is open: from the code, its index, the
/// number of elements and the target.
type Open = fn(&Element) -> u64;

struct Element {
    from: DType,
    to: DType,
    code: u64,
    index: usize,
    count: usize,
}

impl Element {
    /// What a profile gives; 3 if it lacks the pair.
    fn by(&self, profile: Profile) -> u64 {
        let mut builtin = Builtin::new();
        let request = Request::new(Spec::Profile(profile), self.from, self.to);
        let input = pack(self.from, &[self.code]).expect("a code");
        match builtin.cast(&request, 1, &input) {
            Reply::Output(output) => unpack(self.to, &output, 1).expect("an element")[0],
            _ => 3,
        }
    }

    fn is_nan(&self) -> bool {
        landmarks(self.from).expect("numeric").is_nan(self.code)
    }

    /// The largest value of the target.
    fn largest(&self) -> u64 {
        self.to.code_mask() >> u32::from(self.to.is_signed())
    }

    fn cut(&self, code: u64) -> u64 {
        code & self.to.code_mask()
    }
}

/// The low bits of what the cast to int64 gives.
fn through_int64(it: &Element) -> u64 {
    it.cut(Element { to: Int64, ..*it }.by(Profile::X86Sse2))
}

fn body_and_tail(it: &Element) -> u64 {
    let is_in_body = it.index < it.count / 8 * 8;
    it.by(if is_in_body { Profile::RustAs } else { Profile::X86Sse2 })
}

const PLANTED: [(&str, Open); 12] = [
    ("rust-as", |it| it.by(Profile::RustAs)),
    ("x86-sse2", |it| it.by(Profile::X86Sse2)),
    ("x86-avx512", |it| it.by(Profile::X86Avx512)),
    ("java-cast", |it| it.by(Profile::JavaCast)),
    ("js-typed-array", |it| it.by(Profile::JsTypedArray)),
    ("riscv-fcvt", |it| it.by(Profile::RiscvFcvt)),
    ("arm-a64", |it| it.by(Profile::ArmA64)),
    ("", body_and_tail),
    ("", through_int64),
    ("", |it| if it.is_nan() { it.largest() } else { it.by(Profile::RustAs) }),
    ("", |it| if it.is_nan() { 0 } else { it.cut(it.largest() + 1) }),
    ("", |_| 7),
];

/// Casts by ONNX, except where ONNX leaves the result open.
struct Planted(Builtin, Open);

impl Testee for Planted {
    fn identity(&self) -> &Identity {
        self.0.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let Reply::Output(output) = self.0.cast(request, count, input) else {
            return Reply::Unsupported("no such cast".into());
        };
        let (from, to) = (request.from, request.to);
        let codes = unpack(from, input, count).expect("the gate packs right");
        let mut got = unpack(to, &output, count).expect("so does the builtin");
        let answers = castproof::answers::Answering::chosen(request).expect("a request");
        for (index, (&code, got)) in codes.iter().zip(&mut got).enumerate() {
            let input = castproof_vectors::Element::code(code, from);
            let due = answers.element(&input).expect("an element").expect;
            if due == castproof_vectors::Outcome::Any {
                *got = (self.1)(&Element { from, to, code, index, count });
            }
        }
        Reply::Output(pack(to, &got).expect("codes"))
    }
}

fn recognised(open: Open) -> Results {
    recognise(&PAIRS, &mut Planted(Builtin::new(), open)).expect("it answers")
}

#[test]
fn a_testee_that_follows_a_profile_is_recognised() {
    for (name, open) in PLANTED {
        let results = recognised(open);
        assert_eq!(results.recognitions.len(), PAIRS.len());
        for it in &results.recognitions {
            let is_like = it.like.iter().any(|profile| profile.name() == name);
            let has_pair = name.parse().is_ok_and(|profile| {
                let request = Request::new(Spec::Profile(profile), it.from, it.to);
                let input = pack(it.from, &[0]).expect("a code");
                matches!(Builtin::new().cast(&request, 1, &input), Reply::Output(_))
            });
            assert_eq!(is_like, has_pair, "{name}: {it}");
            assert_eq!(it.like.is_empty(), it.to_string().contains("as no profile"), "{it}");
        }
    }
}

/// Each planted testee differs from each other one at some pair.
#[test]
fn planted_testees_are_told_apart() {
    let said = |results: &Results| {
        let likes = results.recognitions.iter().map(|it| (it.like.clone(), it.shown.clone()));
        let varies = results.fingerprints.iter().any(|it| it.depends_on_place);
        (likes.collect::<Vec<_>>(), varies)
    };
    let all: Vec<_> = PLANTED.iter().map(|(_, open)| said(&recognised(*open))).collect();
    for (index, one) in all.iter().enumerate() {
        for (other, another) in all.iter().enumerate().skip(index + 1) {
            assert_ne!(one, another, "{index} and {other}");
        }
    }
    assert_eq!(all.iter().map(|(_, varies)| *varies).filter(|varies| *varies).count(), 1);
}

#[test]
fn the_command_prints_a_line_for_each_pair() {
    let run = castproof(&["recognise", "--testee", "builtin", "--pair", "float32:int32"], "");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("\nfloat32 -> int32: as "), "{}", run.out);
    let run = castproof(&["recognise", "--testee", "builtin", "--pair", "int8:int32"], "");
    assert_eq!(run.code, 2);
    assert!(run.error_line().contains("name pairs of a float and an integer"), "{}", run.err);
}

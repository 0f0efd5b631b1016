//! Which specification a testee casts as where ONNX leaves the result open.

use crate::common::castproof;
use castproof::arrange::Arrangements;
use castproof::finding::{Finding, Kind};
use castproof::gate::{self, Options};
use castproof::place::Place;
use castproof::read_results;
use castproof::recognise::{recognise, table};
use castproof::report;
use castproof::results::{Results, ResultsFile};
use castproof::testee::{Identity, Reply, Testee, builtin::Builtin};
use castproof_vectors::DType::{self, Float32, Float64, Int8, Int32, Int64, Uint8, Uint32};
use castproof_vectors::{NEWEST, Outcome, Profile, Request, Spec, landmarks, pack, unpack};
use std::collections::BTreeSet;

pub(crate) const PAIRS: [(DType, DType); 7] = [
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
pub(crate) type Open = fn(&Element) -> u64;

pub(crate) struct Element {
    from: DType,
    to: DType,
    pub(crate) code: u64,
    index: usize,
    count: usize,
}

impl Element {
    /// What a profile gives; 3 if it lacks the pair.
    pub(crate) fn by(&self, profile: Profile) -> u64 {
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

/// The code that x86 gives for every input that is out of range.
fn indefinite(it: &Element) -> u64 {
    it.cut(it.largest() + 1)
}

/// Each testee with the profile that it follows, if it follows one.
pub(crate) const PLANTED: [(&str, Open); 12] = [
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
    ("", |it| if it.is_nan() { 0 } else { indefinite(it) }),
    ("", indefinite),
];

/// The planted testee that tests the range of what it casts before it drops the fraction, so that it
/// also gives its code for what ONNX casts: 127.5 to int8.
const BEFORE_ROUNDING: usize = 11;

/// The rule of what is out of range until its fraction is dropped.
const JUST_OUTSIDE: &str = "FI-03";

/// Casts by ONNX, except where ONNX leaves the result open, and by these rules.
pub(crate) struct Planted {
    builtin: Builtin,
    open: Open,
    too: &'static [&'static str],
}

impl Planted {
    pub(crate) fn new(open: Open) -> Planted {
        Planted { builtin: Builtin::new(), open, too: &[] }
    }

    fn number(number: usize) -> Planted {
        let too: &[&str] = if number == BEFORE_ROUNDING { &[JUST_OUTSIDE] } else { &[] };
        Planted { too, ..Planted::new(PLANTED[number].1) }
    }
}

impl Testee for Planted {
    fn identity(&self) -> &Identity {
        self.builtin.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let Reply::Output(output) = self.builtin.cast(request, count, input) else {
            return Reply::Unsupported("no such cast".into());
        };
        let (from, to) = (request.from, request.to);
        let codes = unpack(from, input, count).expect("the gate packs right");
        let mut got = unpack(to, &output, count).expect("so does the builtin");
        let answers = castproof::answers::Answering::chosen(request).expect("a request");
        for (index, (&code, got)) in codes.iter().zip(&mut got).enumerate() {
            let input = castproof_vectors::Element::code(code, from);
            let due = answers.element(&input).expect("an element");
            if due.expect == Outcome::Any || self.too.contains(&due.rule.as_str()) {
                *got = (self.open)(&Element { from, to, code, index, count });
            }
        }
        Reply::Output(pack(to, &got).expect("codes"))
    }
}

fn recognised(number: usize) -> Results {
    recognise(&PAIRS, &mut Planted::number(number)).expect("it answers")
}

#[test]
fn a_testee_that_follows_a_profile_is_recognised() {
    for (number, (name, _)) in PLANTED.into_iter().enumerate() {
        let results = recognised(number);
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
        let broken = results.failures.iter().map(|it| it.clause.clone());
        (likes.collect::<Vec<_>>(), results.varying.clone(), broken.collect::<BTreeSet<_>>())
    };
    let all: Vec<_> = (0..PLANTED.len()).map(|number| said(&recognised(number))).collect();
    for (index, one) in all.iter().enumerate() {
        for (other, another) in all.iter().enumerate().skip(index + 1) {
            assert_ne!(one, another, "{index} and {other}");
        }
    }
    for (number, (_, varying, broken)) in all.into_iter().enumerate() {
        let places: BTreeSet<Place> = varying.into_iter().map(|it| it.place).collect();
        let is_of_places = PLANTED[number].1 as usize == body_and_tail as Open as usize;
        let due = if is_of_places { vec![Place::Body(8)] } else { vec![] };
        assert_eq!(Vec::from_iter(places), due, "{number}");
        let due = if number == BEFORE_ROUNDING { vec![JUST_OUTSIDE] } else { vec![] };
        assert_eq!(Vec::from_iter(broken), due, "{number}");
    }
}

/// Gates the newest version, without arrangements. Returns what is printed and the results file.
fn gated(open: Open, strict: bool) -> (String, ResultsFile) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let json = folder.path().join("results.json");
    let options = Options {
        pairs: vec![(Float32, Int32), (Float32, Uint8)],
        kernel: true,
        arrangements: Arrangements::None,
        json: Some(json.clone()),
        limit_list: 40,
        strict,
        ..Options::default()
    };
    let mut out = Vec::new();
    gate::run(&options, &mut Planted::new(open), &mut out).expect("the gate runs");
    let out = String::from_utf8(out).expect("text");
    (out, read_results(&json).expect("a results file"))
}

/// Where ONNX leaves a result open, it may depend on the place of its element. That fails no run, and
/// every report names it.
#[test]
fn an_open_result_that_depends_on_its_place_is_a_notice() {
    for strict in [false, true] {
        let (out, file) = gated(body_and_tail, strict);
        assert!(file.passed && out.contains("\nPASS  1,333 tests, "), "{out}");
        let [notice] = &file.findings[..] else { panic!("{:?}", file.findings) };
        let Finding { kind, failing, rule, example, .. } = notice;
        assert_eq!((*kind, *failing, notice.is_new()), (Kind::Open, 0, false));
        assert_eq!(example.place, Some(Place::Body(8)));
        assert!(rule.as_deref().is_some_and(|rule| ["FI-04", "FI-05"].contains(&rule)));
        assert_eq!(notice.pairs.len(), 2, "one habit of both pairs: {notice:?}");
        let sentence = "in the body of 8 (element 0 of 8), and ";
        assert!(example.sentence.contains(sentence), "{}", example.sentence);
        assert_eq!(example.asked.opset, Some(NEWEST));

        let what = "float32 -> 2 dtypes: an open result depends on its place: the body of 8";
        let head = format!("\nNotices, which fail nothing:\nopen     {what}  {}\n", notice.id);
        assert!(out.contains(&head), "{out}");
        let shown = report::show::one(&file, &notice.id).expect("a finding");
        assert!(shown.contains(sentence) && !shown.contains("\ntests ("), "{shown}");
        assert!(report::show::list(&file).expect("a list").contains("the body of 8"));
    }
}

/// A testee that converts alike everywhere has no notice, whatever it gives.
#[test]
fn a_testee_that_converts_alike_everywhere_has_no_notice() {
    for number in [0, 1, 8, 9] {
        let (out, file) = gated(PLANTED[number].1, false);
        assert!(file.findings.is_empty() && !out.contains("otice"), "{number}: {out}");
    }
}

/// The result of one call in two depends on nothing that a place could name.
#[test]
fn a_result_that_changes_from_call_to_call_is_not_blamed_on_a_place() {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let (_, file) = gated(|_| CALLS.fetch_add(1, Relaxed) % 5, false);
    let places = file.results.varying.iter().map(|it| it.place.clone());
    assert_eq!(Vec::from_iter(places), vec![Place::NotEveryTime; 2], "{:?}", file.results.varying);
    assert!(file.passed && file.findings[0].example.sentence.contains(" in one call, and "));
}

#[test]
fn every_report_names_a_notice() {
    let (_, file) = gated(body_and_tail, false);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_string();
    let json = path("r.json");
    std::fs::write(&json, serde_json::to_string(&file).expect("JSON")).expect("a file");
    let id = &file.findings[0].id;
    let (html, sarif, markdown) = (path("r.html"), path("r.sarif"), path("r.md"));
    let files = [("--html", &html), ("--sarif", &sarif), ("--markdown", &markdown)];
    let mut arguments = vec!["report", &json];
    arguments.extend(files.iter().flat_map(|(flag, path)| [*flag, path.as_str()]));
    let run = castproof(&arguments, "");
    assert_eq!(run.code, 0, "{}", run.err);
    for (flag, path) in files {
        let text = std::fs::read_to_string(path).expect("a report");
        assert!(text.contains(id), "{flag}");
        assert!(flag != "--sarif" || !text.contains("\"error\""), "{text}");
        assert!(
            flag != "--markdown" || text.contains("\nNotices, which fail nothing:\n"),
            "{text}"
        );
    }
    let same = report::diff(&file, &file).expect("the same tests");
    assert!(same.is_no_worse() && same.findings.new.is_empty() && same.findings.gone.is_empty());
    let refused = castproof(&["reproduce", id, "--results", &json, "--out", &path("out")], "");
    assert!(refused.error_line().contains("is a notice"), "{}", refused.err);
}

/// Runtimes side by side have a row for the pairs of which each does the same.
#[test]
fn runtimes_are_compared_where_onnx_is_silent() {
    let files = [gated(PLANTED[1].1, false).1, gated(body_and_tail, false).1];
    let table = report::table(&files);
    let head = "\n| where ONNX leaves the result open, as | castproof 0.1.0 (rust) | ";
    assert!(table.contains(head), "{table}");
    for row in [
        "\n| float32 -> uint8 | x86-sse2, x86-avx512, js-typed-array | no profile, nearest ",
        "\n| float32 -> int32 | x86-sse2, x86-avx512 | no profile, nearest ",
    ] {
        assert!(table.contains(row), "{row}: {table}");
    }
    assert_eq!(table.matches("; another result in the body of 8 |\n").count(), 2, "{table}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_string();
    let (one, other, html) = (path("1.json"), path("2.json"), path("r.html"));
    for (path, file) in [&one, &other].into_iter().zip(&files) {
        std::fs::write(path, serde_json::to_string(file).expect("JSON")).expect("a file");
    }
    let run = castproof(&["report", "--compare", &one, &other, "--html", &html], "");
    assert_eq!(run.code, 0, "{}", run.err);
    let page = std::fs::read_to_string(&html).expect("a page");
    let row = "[\"float32 -> int32\",[\"x86-sse2, x86-avx512\",\"no profile, nearest ";
    assert!(page.contains(row), "no row of the table");
}

#[test]
fn recognise_prints_where_results_differ() {
    let text = table(Builtin::new().identity(), &recognised(7));
    let line = "    depends on the place in the tensor: 0x4f000000 (2147483648) gave 0x7fffffff \
                (2147483647) in the body of 8 (element 0 of 8), and 0x80000000 (-2147483648) elsewhere";
    assert!(text.contains(line), "{text}");
}

#[test]
fn the_command_prints_a_line_for_each_pair() {
    let run = castproof(&["recognise", "--testee", "builtin", "--pair", "float32:int32"], "");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("\nfloat32 -> int32: as "), "{}", run.out);
    assert!(!run.out.contains("Of "), "{}", run.out);
    let run = castproof(&["recognise", "--testee", "builtin"], "");
    let last = run.out.lines().last().expect("a summary");
    assert!(
        last.starts_with("Of ") && last.contains(" pairs: as ") && last.contains("rust-as in "),
        "{last}"
    );
    let run = castproof(&["recognise", "--testee", "builtin", "--pair", "int8:int32"], "");
    assert_eq!(run.code, 2);
    assert!(run.error_line().contains("name pairs of a float and an integer"), "{}", run.err);
}

//! Testees that are wrong where nobody asked: by `CastLike` alone, once and not again, in versions that they list, for
//! codes, blocks and tensors that no earlier run had. Each fails over the pipe.
//!
//! `served serve-questions NAME [FILE]` makes this program the testee with that fault.

use crate::common::{Run, castproof, testee};
use castproof::testee::{
    Feature, Identity, Reply, Returned, Testee, builtin::Builtin, serve::serve,
};
use castproof_vectors::{Operator, Question, Request, Spec, pack, unpack};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

type Checked = Result<(), Failed>;

/// 2^64, the code that the suite of `CastLike` has of float32 to float16.
const ASKED_BEFORE: u64 = 0x5f80_0000;

struct Planted {
    inner: Builtin,
    fault: String,
    /// Where a recording is, or is made.
    file: String,
    recorded: BTreeSet<String>,
    log: Option<BufWriter<File>>,
    calls: u64,
    asked: BTreeSet<u64>,
    was_refused: bool,
    before: Vec<u8>,
}

impl Planted {
    fn new(fault: &str, file: &str) -> Planted {
        let recorded = match fault {
            "recorded" => fs::read_to_string(file).expect("a recording"),
            _ => String::new(),
        };
        let log = (fault == "records").then(|| BufWriter::new(File::create(file).expect("a file")));
        Planted {
            inner: Builtin::new(),
            fault: fault.into(),
            file: file.into(),
            recorded: recorded.lines().map(String::from).collect(),
            log,
            calls: 0,
            asked: BTreeSet::new(),
            was_refused: false,
            before: Vec::new(),
        }
    }

    /// Puts what is recorded into the file.
    fn flush(&mut self) {
        if let Some(log) = &mut self.log {
            log.flush().unwrap_or_else(|error| panic!("{}: {error}", self.file));
        }
    }

    /// Is this element wrong?
    fn is_wrong(&mut self, request: &Request, code: u64, index: usize, count: usize) -> bool {
        let is_like = matches!(request.spec, Spec::Onnx { op: Operator::CastLike, .. });
        match self.fault.as_str() {
            "like" => is_like && code != ASKED_BEFORE,
            "like-tail" => is_like && count > 8 && index >= count / 8 * 8,
            "like-drawn" => is_like && code & 0xff == 0x5a,
            "first-time" => count == 1 && self.asked.insert(code),
            "first-call" => self.calls == 1,
            "after-refusal" => self.was_refused && count == 1,
            "older" => request.spec.opset() != Some(28),
            "records" => {
                let line = format!("{}:{} {code:x}", request.from, request.to);
                if self.recorded.insert(line.clone()) {
                    writeln!(self.log.as_mut().expect("a log"), "{line}").expect("written");
                }
                false
            }
            "recorded" => {
                !self.recorded.contains(&format!("{}:{} {code:x}", request.from, request.to))
            }
            _ => false,
        }
    }
}

impl Testee for Planted {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.calls += 1;
        let is_like = matches!(request.spec, Spec::Onnx { op: Operator::CastLike, .. });
        if is_like && self.fault == "no-like" {
            return Reply::Unsupported("there is no CastLike".into());
        }
        let newest = Request { spec: Spec::cast(28), ..*request };
        let is_bare = self.fault == "older";
        let asked = if is_bare { &newest } else { request };
        let reply = self.inner.cast(asked, count, input);
        let Reply::Output(output) = reply else {
            self.was_refused = true;
            return reply;
        };
        let is_numeric = request.from.is_numeric() && request.to.is_numeric();
        if !is_numeric {
            return Reply::Output(output);
        }
        let codes = unpack(request.from, input, count).expect("the program packs right");
        let mut got = unpack(request.to, &output, count).expect("so does the builtin");
        for (index, (code, got)) in codes.iter().zip(&mut got).enumerate() {
            if self.is_wrong(request, *code, index, count) {
                *got ^= 1;
            }
        }
        self.was_refused = false;
        self.flush();
        Reply::Output(pack(request.to, &got).expect("numeric"))
    }

    fn ask(&mut self, question: &Question) -> Reply<Returned> {
        let reply = self.inner.ask(question);
        let Reply::Output(mut right) = reply else { return reply };
        let line = serde_json::to_string(question).expect("JSON");
        match self.fault.as_str() {
            "records" => {
                let log = self.log.as_mut().expect("a log");
                writeln!(log, "{line}").expect("written");
                self.flush();
            }
            "recorded" if !self.recorded.contains(&line) => {
                right.bytes.iter_mut().for_each(|byte| *byte ^= 1);
            }
            "previous" => {
                let is_same = self.before.len() == right.bytes.len();
                if is_same {
                    right.bytes.clone_from(&self.before);
                }
                self.before.clone_from(&right.bytes);
            }
            _ => {}
        }
        Reply::Output(right)
    }

    fn features(&self) -> Vec<Feature> {
        Vec::new()
    }
}

/// Answers as the testee with this fault.
pub(crate) fn serve_as(fault: &str, file: &str) {
    let mut planted = Planted::new(fault, file);
    let mut out = BufWriter::new(io::stdout().lock());
    serve(&mut planted, &mut io::stdin().lock(), &mut out).expect("a conversation");
}

/// Returns the command of this program as a testee with this fault.
fn served(fault: &str, file: &Path) -> String {
    let program = std::env::current_exe().expect("this program");
    format!("'{}' serve-questions {fault} '{}'", program.display(), file.display())
}

fn gate(fault: &str, more: &[&str]) -> Run {
    let testee = served(fault, Path::new("none"));
    castproof(&[&["gate", "--testee", &testee], more].concat(), "")
}

const HALF: &[&str] = &["--pair", "float32:float16"];

fn last(run: &Run) -> &str {
    run.out.lines().last().unwrap_or_default()
}

/// `CastLike` is asked for what `Cast` is asked, with `--pair` too.
fn cast_like_is_asked_as_cast_is() -> Checked {
    for (fault, said) in [
        ("like", "CastLike alone"),
        ("like-tail", "the tail of 8"),
        ("like-drawn", "CastLike alone"),
    ] {
        let run = gate(fault, HALF);
        assert_eq!(run.code, 1, "{fault}: {}{}", run.out, run.err);
        assert!(run.out.contains(said), "{fault}: {}", run.out);
    }
    let run = gate("none", HALF);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("\nCastLike was asked of 1 pair, "), "{}", run.out);
    Ok(())
}

/// What is not asked of `CastLike` is said.
fn what_is_not_asked_of_cast_like_is_said() -> Checked {
    for (fault, more, said) in [
        ("no-like", &[][..], "not of 1 pair, which the testee does not have"),
        ("like", &["--kernel"], "CastLike was not asked: a bare kernel"),
        ("like", &["--suite", "onnx-cast"], "CastLike was not asked: the suites that are named"),
        ("like", &["--opset", "13"], "CastLike was not asked: the operator set is older"),
        ("like", &["--arrangements", "none"], "CastLike was not asked: --arrangements none"),
    ] {
        let run = gate(fault, &[HALF, more].concat());
        assert_eq!(run.code, 0, "{more:?}: {}{}", run.out, run.err);
        assert!(run.out.contains(said), "{more:?}: {}", run.out);
    }
    let run = gate("like", &[HALF, &["--opset", "22"]].concat());
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    Ok(())
}

/// Fuzzing asks `CastLike` too.
fn cast_like_is_fuzzed() -> Checked {
    let fuzz = |fault: &str| {
        let testee = served(fault, Path::new("none"));
        let asked = ["fuzz", "--testee", &testee, "--tensors", "400", "--seed", "3"];
        castproof(&[&asked[..], HALF].concat(), "")
    };
    let run = fuzz("like-drawn");
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(run.out.contains("CastLike alone"), "{}", run.out);
    let run = fuzz("like-tail");
    assert!(run.code == 1 && run.out.contains("onnx-castlike"), "{}", run.out);
    let run = fuzz("none");
    assert!(run.code == 0 && run.out.contains("\nCastLike was asked of 1 pair, "), "{}", run.out);
    let run = fuzz("no-like");
    assert!(run.code == 0 && run.out.contains("CastLike was asked not of 1 pair"), "{}", run.out);
    Ok(())
}

/// A wrong answer is a finding even if it is right later, with its rate: also of the first call of a process, and of
/// the first element after a refusal.
fn what_is_wrong_once_is_found() -> Checked {
    let rate = "wrong 1 of 9 times that it was asked alone";
    let first = format!("{rate}, the first time before the tests");
    let small = ["--pair", "float32:float8e4m3fn"];
    for (fault, pair, said) in [
        ("first-time", HALF, rate),
        ("after-refusal", HALF, "wrong 1 of 9 times"),
        // Before the tests the gate looks for a version that refuses the pair.
        ("first-call", &small, &first),
    ] {
        let run = gate(fault, pair);
        assert_eq!(run.code, 1, "{fault}: {}{}", run.out, run.err);
        assert!(run.out.contains(said), "{fault}: {}", run.out);
    }
    Ok(())
}

/// The last line says in which versions elements were judged, and a testee that lists versions is held to them.
fn versions_that_a_testee_lists_are_judged() -> Checked {
    for (mode, code, said) in [
        ("unlisted", 0, "; judged: Cast-28 alone; REDUCED: --pair bfloat16:float32, --kernel"),
        (
            "listed",
            1,
            "; judged: Cast-1 to Cast-28, in full the newest of each pair; REDUCED: --pair bfloat16:float32",
        ),
        ("idle", 1, "the hello lists casts of Cast-13, and none was executed"),
    ] {
        let command = testee("versions.py", mode);
        let pair = ["--pair", "bfloat16:float32"];
        let run = castproof(&[&["gate", "--testee", &command], &pair[..]].concat(), "");
        assert_eq!(run.code, code, "{mode}: {}{}", run.out, run.err);
        assert!(last(&run).contains(said), "{mode}: {}", run.out);
        assert_eq!(run.out.contains("--kernel"), mode == "unlisted", "{mode}: {}", run.out);
    }
    Ok(())
}

/// A testee that recorded a run, and is wrong for everything else, passes the same run alone: codes, blocks, tensors
/// and bitcasts follow the seed.
fn a_recorded_run_passes_at_its_seed_alone() -> Checked {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("recorded");
    let blocks = ["blocks", "blocks-tensors", "blocks-decoded"];
    let others = ["onnx-quantize", "onnx-bitcast", "tf-bitcast"];
    let suites = blocks.into_iter().chain(others).map(|suite| vec!["--suite", suite]);
    let suites: Vec<Vec<&str>> = suites.collect();
    for more in [HALF.to_vec()].iter().chain(&suites) {
        let gate = |fault: &str, seed: &str| {
            let testee = served(fault, &file);
            castproof(&[&["gate", "--testee", &testee, "--seed", seed], &more[..]].concat(), "")
        };
        assert_eq!(gate("records", "0").code, 0, "{more:?}");
        let run = gate("recorded", "0");
        assert_eq!(run.code, 0, "{more:?}: {}{}", run.out, run.err);
        let run = gate("recorded", "1");
        assert_eq!(run.code, 1, "{more:?}: {}{}", run.out, run.err);
        assert!(run.out.contains(", seed 1"), "{}", run.out);
    }
    Ok(())
}

/// A testee that gives its previous answer where the sizes match.
fn a_previous_answer_is_found() -> Checked {
    for suite in ["blocks", "blocks-tensors", "blocks-decoded", "tf-bitcast", "onnx-bitcast"] {
        let run = gate("previous", &["--suite", suite]);
        assert_eq!(run.code, 1, "{suite}: {}{}", run.out, run.err);
    }
    Ok(())
}

/// A level that adds nothing to a suite says so.
fn a_level_that_adds_nothing_says_so() -> Checked {
    let all = ["--level", "full", "--suite", "mindspore-promotion", "--suite", "onnx-bitcast"];
    let of = |arrangements: &str| {
        let more = [&all[..], &["--arrangements", arrangements]].concat();
        castproof(&[&["gate", "--testee", "builtin"], &more[..]].concat(), "").out
    };
    let drawn = of("newest");
    assert!(drawn.contains("\nLevel full adds nothing to mindspore-promotion\n"), "{drawn}");
    let not = of("none");
    assert!(not.contains("Level full adds nothing to mindspore-promotion, onnx-bitcast"), "{not}");
    Ok(())
}

/// Texts whose meaning is open may be refused; what passes is counted as such.
fn refused_texts_hide_no_pass() -> Checked {
    let run = gate("none", &["--from", "string", "--to", "int32"]);
    let last = last(&run);
    assert!(run.code == 0 && last.contains(" executed: pass "), "{}{}", run.out, run.err);
    Ok(())
}

type Test = fn() -> Checked;

pub(crate) fn trials() -> Vec<Trial> {
    let tests: [(&str, Test); 9] = [
        ("cast_like_is_asked_as_cast_is", cast_like_is_asked_as_cast_is),
        ("what_is_not_asked_of_cast_like_is_said", what_is_not_asked_of_cast_like_is_said),
        ("cast_like_is_fuzzed", cast_like_is_fuzzed),
        ("what_is_wrong_once_is_found", what_is_wrong_once_is_found),
        ("versions_that_a_testee_lists_are_judged", versions_that_a_testee_lists_are_judged),
        ("a_recorded_run_passes_at_its_seed_alone", a_recorded_run_passes_at_its_seed_alone),
        ("a_previous_answer_is_found", a_previous_answer_is_found),
        ("a_level_that_adds_nothing_says_so", a_level_that_adds_nothing_says_so),
        ("refused_texts_hide_no_pass", refused_texts_hide_no_pass),
    ];
    tests.map(|(name, test)| Trial::test(format!("questions::{name}"), test)).into()
}

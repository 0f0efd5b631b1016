//! Faults planted in a right testee. `castproof fuzz` finds them over the pipe and makes them
//! small; the gate replays them.
//!
//! `served serve-fuzz NAME` makes this program the testee with that fault.

use crate::common::{Run, castproof, program, testee};
use castproof::read_results;
use castproof::results::ResultsFile;
use castproof::testee::{Chain, Feature, Identity, Reply, Testee, builtin::Builtin, serve::serve};
use castproof_vectors::DType::{self, Float8E4M3FN, Float16, Float32, Int8, Int32};
use castproof_vectors::{
    Element, Profile, Question, Request, Suite, pack, pack_elements, unpack, unpack_elements,
};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::io::{self, BufWriter};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

type Checked = Result<(), Failed>;

/// Codes of float32 that `ten` casts to a wrong float8e4m3fn: ends of pieces, ties, ties with one
/// lower bit set, landmarks of both dtypes, infinities, NaN.
const TEN: [u64; 10] = [
    0x43e8_0000,
    0x43e8_0001,
    0x3f88_0000,
    0x3f88_0400,
    0x0000_0001,
    0x4050_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
];

/// The code at which `crash` exits and `hang` sleeps.
const DEADLY: u64 = 0x43e8_0000;

/// The simplest of the codes that `range` gets wrong, which are those from 480 to below 496.
const SIMPLEST: u64 = 0x43f0_0000;

/// Codes of float32 that `profile` casts to a wrong int8: 128, infinity, NaN.
const OF_PROFILE: [u64; 3] = [0x4300_0000, 0x7f80_0000, 0x7fc0_0000];

/// The call that `flaky` gets wrong.
const ONCE: u64 = 30;

struct Planted {
    inner: Builtin,
    fault: String,
    calls: u64,
}

impl Planted {
    fn is_wrong(&self, (from, to): (DType, DType), code: u64, index: usize, count: usize) -> bool {
        match (self.fault.as_str(), from, to) {
            ("ten", Float32, Float8E4M3FN) => TEN.contains(&code),
            ("range", Float32, Float8E4M3FN) => (0x43f0_0000..0x43f8_0000).contains(&code),
            ("flaky", ..) => self.calls == ONCE && index == 0,
            ("sticky", ..) => self.calls > ONCE && index == 0,
            ("chain-second", Int8, Float32) => code == 5,
            ("tail", Float32, Float16) | ("profile-tail", Float32, Int8) => {
                count > 8 && index >= count / 8 * 8
            }
            ("profile", Float32, Int8) => OF_PROFILE.contains(&code),
            _ => false,
        }
    }
}

impl Planted {
    /// Reads a numeral with a zero in front as octal, or writes three digits of a float32.
    fn texts(&self, request: &Request, count: usize, input: &[u8], output: &[u8]) -> Reply {
        let inputs = unpack_elements(request.from, input, count).expect("the program packs right");
        let mut got = unpack_elements(request.to, output, count).expect("so does the builtin");
        for (input, got) in inputs.iter().zip(&mut got) {
            let text = input.text();
            let octal = i32::from_str_radix(&text, 8).ok().filter(|_| text.starts_with('0'));
            match (self.fault.as_str(), octal, input.as_code()) {
                ("octal", Some(octal), _) if request.to == Int32 => {
                    *got = Element::code(u64::from(octal.cast_unsigned()), Int32);
                }
                ("digits", _, Some(code)) if request.from == Float32 => {
                    let number = f32::from_bits(u32::try_from(code).expect("32 bits"));
                    let is_short = !number.is_finite() || format!("{number:e}").len() < 6;
                    if !is_short {
                        *got = Element::Text(format!("{number:.2e}"));
                    }
                }
                _ => {}
            }
        }
        Reply::Output(pack_elements(request.to, &got).expect("of the target"))
    }
}

impl Testee for Planted {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.calls += 1;
        let Reply::Output(output) = self.inner.cast(request, count, input) else {
            return self.inner.cast(request, count, input);
        };
        if [request.from, request.to].contains(&DType::String) {
            return self.texts(request, count, input, &output);
        }
        let codes = unpack(request.from, input, count).expect("the program packs right");
        if codes.contains(&DEADLY) {
            match self.fault.as_str() {
                "crash" => std::process::exit(7),
                "hang" => thread::sleep(Duration::from_secs(600)),
                _ => {}
            }
        }
        if self.fault == "many" && count >= 17 {
            std::process::exit(8);
        }
        let mut got = unpack(request.to, &output, count).expect("so does the builtin");
        for (index, (code, got)) in codes.iter().zip(&mut got).enumerate() {
            if self.is_wrong((request.from, request.to), *code, index, count) {
                *got = other(request, *got);
            }
        }
        Reply::Output(pack(request.to, &got).expect("numeric"))
    }

    fn profiles(&self) -> Vec<Profile> {
        if self.fault.starts_with("profile") { self.inner.profiles() } else { Vec::new() }
    }

    fn features(&self) -> Vec<Feature> {
        if self.fault.starts_with("chain") { vec![Feature::Chain] } else { Vec::new() }
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        let is_ours = chain.dtypes == [Float32, Int8, Float32];
        match self.fault.as_str() {
            "chain-dropped" if is_ours => {
                self.inner.cast(&Request::cast(Float32, Float32, chain.opset), count, input)
            }
            "chain-crash" if is_ours => std::process::exit(9),
            _ => self.inner.chain(chain, count, input),
        }
    }
}

/// Returns a code other than the right one. In float8e4m3fn two bits change, because one would turn
/// the largest into NaN.
fn other(request: &Request, code: u64) -> u64 {
    if request.to == Float8E4M3FN { code ^ 3 } else { code ^ 1 }
}

/// Returns the command of this program as a testee with this fault.
fn served(fault: &str) -> String {
    let program = std::env::current_exe().expect("this program");
    format!("'{}' serve-fuzz {fault}", program.display())
}

/// A run of `castproof fuzz` and the folder of its files.
struct Fuzzed {
    run: Run,
    folder: tempfile::TempDir,
}

impl Fuzzed {
    fn new(testee: &str, more: &[&str]) -> Fuzzed {
        let folder = tempfile::tempdir().expect("a folder");
        let (out, json) = (folder.path().join("found"), folder.path().join("results.json"));
        let (out, json) = (out.to_str().expect("text"), json.to_str().expect("text"));
        let mut arguments = vec!["fuzz", "--testee", testee, "--out", out, "--json", json];
        arguments.extend(more);
        let run = castproof(&arguments, "");
        Fuzzed { run, folder }
    }

    fn results(&self) -> ResultsFile {
        read_results(&self.folder.path().join("results.json")).expect("a results file")
    }

    /// Gates a testee with the vectors that the fuzzing kept.
    fn replay(&self, testee: &str) -> (Run, ResultsFile) {
        let json = self.folder.path().join("replayed.json");
        let found = self.folder.path().join("found");
        let (found, json_text) = (found.to_str().expect("text"), json.to_str().expect("text"));
        let run =
            castproof(&["gate", "--testee", testee, "--vectors", found, "--json", json_text], "");
        (run, read_results(&json).expect("a results file"))
    }
}

fn failing(file: &ResultsFile) -> BTreeSet<u64> {
    file.results.failures.iter().filter_map(|failure| failure.input.as_code()).collect()
}

/// Each of ten wrong codes out of 2^32 is found, and no right code is reported.
fn ten_wrong_codes_are_found() -> Checked {
    let pair = ["--pair", "float32:float8e4m3fn", "--tensors", "20000", "--seed", "7"];
    let fuzzed = Fuzzed::new(&served("ten"), &pair);
    let out = &fuzzed.run.out;
    assert_eq!(fuzzed.run.code, 1, "{out}{}", fuzzed.run.err);
    assert_eq!(failing(&fuzzed.results()), BTreeSet::from(TEN), "{out}");
    assert!(out.contains("Replay with: castproof gate --testee ") && out.contains("seed 7"));
    let (run, replayed) = fuzzed.replay(&served("ten"));
    assert_eq!(run.code, 1, "{}", run.out);
    assert_eq!(failing(&replayed), BTreeSet::from(TEN));
    let (run, _) = fuzzed.replay("builtin");
    assert_eq!(run.code, 0, "a right testee passes what was kept: {}", run.out);
    Ok(())
}

/// Half a million wrong codes are one finding, which the simplest of them represents.
fn a_range_is_told_by_its_simplest_code() -> Checked {
    let pair = ["--pair", "float32:float8e4m3fn", "--tensors", "4000", "--seed", "7"];
    let fuzzed = Fuzzed::new(&served("range"), &pair);
    let file = fuzzed.results();
    assert_eq!(failing(&file), BTreeSet::from([SIMPLEST]), "{}", fuzzed.run.out);
    assert_eq!(file.findings.len(), 1, "{}", fuzzed.run.out);
    let failure = &file.results.failures[0];
    assert_eq!(failure.attributes, Default::default(), "no attribute is needed");
    let headline = file.findings[0].headline();
    assert!(headline.contains("every value from 480 to below 496"), "{headline}");
    Ok(())
}

/// A kernel that is wrong only in the tail of vectors is found, although no code is wrong alone.
fn a_fault_of_a_place_is_found() -> Checked {
    let pair = ["--pair", "float32:float16", "--tensors", "300", "--seed", "7"];
    let fuzzed = Fuzzed::new(&served("tail"), &pair);
    let file = fuzzed.results();
    assert_eq!((fuzzed.run.code, failing(&file).len()), (1, 0), "{}", fuzzed.run.out);
    let misplaced = &file.results.misplaced;
    let told = misplaced.iter().find(|found| found.place.to_string() == "the tail of 8");
    let told = told.ok_or_else(|| format!("{misplaced:?}"))?;
    assert_eq!((told.count, told.index), (9, Some(8)), "the fewest elements: {told}");
    let (run, replayed) = fuzzed.replay(&served("tail"));
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(
        replayed.results.misplaced.iter().any(|found| found.place.to_string() == "the tail of 8")
    );
    assert_eq!(fuzzed.replay("builtin").0.code, 0);
    Ok(())
}

/// A result that is wrong once, and right when it is asked again, is a fault.
fn a_fault_that_does_not_come_again_is_found() -> Checked {
    let tensors = (2 * ONCE).to_string();
    let pair = ["--pair", "int16:int32", "--tensors", &tensors, "--opset", "28", "--seed", "7"];
    let fuzzed = Fuzzed::new(&served("flaky"), &[&pair[..], &["--jobs", "1"]].concat());
    let (file, out) = (fuzzed.results(), &fuzzed.run.out);
    assert_eq!((fuzzed.run.code, failing(&file).len()), (1, 0), "{out}");
    let places: Vec<String> =
        file.results.misplaced.iter().map(|it| it.place.to_string()).collect();
    assert_eq!(places, ["not every time"], "{out}");
    assert_eq!(file.results.misplaced[0].index, Some(0), "{out}");
    // The vectors alone would pass, so the command that is printed repeats the sequence.
    assert!(!out.contains("castproof gate "), "{out}");
    repeated(&fuzzed)
}

/// What ONNX leaves open is judged by a profile: codes and places, which the printed command replays.
fn faults_of_a_profile_are_found() -> Checked {
    let casts =
        ["--profile", "java-cast", "--pair", "float32:int8", "--tensors", "3000", "--seed", "7"];
    let codes = Fuzzed::new(&served("profile"), &casts);
    let (file, out) = (codes.results(), &codes.run.out);
    assert_eq!(failing(&file), BTreeSet::from(OF_PROFILE), "{out}{}", codes.run.err);
    let of_java = |suite| suite == Suite::Profile(Profile::JavaCast);
    assert!(file.results.failures.iter().all(|it| of_java(it.suite) && it.opsets.is_empty()));
    let tail = Fuzzed::new(&served("profile-tail"), &casts);
    let file = tail.results();
    let place = |file: &ResultsFile| {
        file.results.misplaced.iter().any(|it| it.place.to_string() == "the tail of 8")
    };
    assert!(place(&file) && failing(&file).is_empty(), "{}", tail.run.out);
    for fuzzed in [&codes, &tail] {
        let (run, again) = replayed_by_command(fuzzed)?;
        assert_eq!(run, 1, "{}", fuzzed.run.out);
        assert_eq!(failing(&again), failing(&fuzzed.results()));
        assert_eq!(place(&again), place(&fuzzed.results()));
        let found = fuzzed.folder.path().join("found");
        let found = found.to_str().ok_or("text")?;
        let gate = ["gate", "--testee", "builtin", "--profile", "java-cast", "--vectors", found];
        assert_eq!(castproof(&gate, "").code, 0, "a right testee passes what was kept");
    }
    let lacking = castproof(&["fuzz", "--testee", &served("ten"), "--profile", "java-cast"], "");
    assert!(lacking.code == 2 && lacking.err.contains("java-cast"), "{}", lacking.err);
    let both = ["fuzz", "--testee", "builtin", "--profile", "java-cast", "--opset", "25"];
    assert!(castproof(&both, "").err.contains("cannot be used with"));
    Ok(())
}

/// Runs the command that a run prints for its vectors. Returns the exit status and the results.
fn replayed_by_command(fuzzed: &Fuzzed) -> Result<(i32, ResultsFile), Failed> {
    let json = fuzzed.folder.path().join("by_command.json");
    let out = &fuzzed.run.out;
    let command = out.lines().find_map(|line| line.strip_prefix("Replay with: castproof "));
    let command = command.ok_or(out)?;
    let script = format!("'{}' {command} --json '{}'", program(), json.display());
    let status = Command::new("sh").args(["-c", &script]).output()?.status;
    Ok((status.code().unwrap_or_default(), read_results(&json)?))
}

/// Runs the command that repeats the sequence of a run. It finds the fault again.
fn repeated(fuzzed: &Fuzzed) -> Checked {
    let out = &fuzzed.run.out;
    let line = out.lines().find(|line| line.contains("a fault depends on earlier requests"));
    let command = line.and_then(|line| line.split_once("Replay with: castproof ")).ok_or(out)?.1;
    let script = format!("'{}' {command}", program());
    let again = Command::new("sh").args(["-c", &script]).output()?;
    let said = String::from_utf8_lossy(&again.stdout);
    assert_eq!(again.status.code(), Some(1), "{command}: {said}");
    let found = |out: &str| -> BTreeSet<String> {
        out.lines().filter_map(|line| Some(line.rsplit_once("  F-")?.1.to_string())).collect()
    };
    assert_eq!(found(&said), found(out), "{command}: {said}");
    Ok(())
}

/// A testee that is wrong from some request on is wrong at codes that a new one gets right.
fn a_fault_by_history_is_repeated() -> Checked {
    let pair = ["--pair", "int16:int32", "--tensors", "60", "--opset", "28", "--seed", "7"];
    let fuzzed = Fuzzed::new(&served("sticky"), &[&pair[..], &["--jobs", "1"]].concat());
    assert_eq!(fuzzed.run.code, 1, "{}", fuzzed.run.out);
    repeated(&fuzzed)
}

/// The steps of a chain are judged as casts of their own, whatever pairs are named.
fn a_wrong_step_of_a_chain_is_found() -> Checked {
    let pair = ["--pair", "float32:int8", "--tensors", "3000", "--seed", "7"];
    let fuzzed = Fuzzed::new(&served("chain-second"), &pair);
    let file = fuzzed.results();
    assert_eq!(fuzzed.run.code, 1, "{}", fuzzed.run.out);
    let failing: BTreeSet<_> =
        file.results.failures.iter().map(|it| (it.from, it.to, it.input.as_code())).collect();
    assert_eq!(failing, BTreeSet::from([(Int8, Float32, Some(5))]), "{}", fuzzed.run.out);
    let (run, _) = fuzzed.replay(&served("chain-second"));
    assert_eq!(run.code, 1, "{}", run.out);
    Ok(())
}

/// A testee that dies at a code or at a count is found, and so is one that hangs at a code.
fn crashes_and_hangs_are_found() -> Checked {
    for (fault, verdict) in [("crash", "crash"), ("hang", "timeout")] {
        let pair = ["--pair", "float32:float8e4m3fn", "--tensors", "400", "--opset", "28"];
        let more = ["--seed", "7", "--timeout", "1"];
        let fuzzed = Fuzzed::new(&served(fault), &[&pair[..], &more].concat());
        let (file, out) = (fuzzed.results(), &fuzzed.run.out);
        assert_eq!(fuzzed.run.code, 1, "{out}");
        let remarks = file.results.remarks.iter().filter(|(key, _)| key.verdict.is_bad());
        let inputs: Vec<_> =
            remarks.clone().filter_map(|(_, remark)| remark.input.clone()).collect();
        assert!(remarks.clone().all(|(key, _)| key.verdict.name() == verdict), "{out}");
        let deadly = Element::code(DEADLY, Float32);
        assert!(inputs.contains(&deadly), "{inputs:?}\n{out}");
        assert!(!file.findings.is_empty() && out.contains(verdict), "{out}");
    }
    let pair = ["--pair", "float32:float16", "--tensors", "10", "--opset", "28", "--seed", "7"];
    let fuzzed = Fuzzed::new(&served("many"), &pair);
    let misplaced = fuzzed.results().results.misplaced;
    assert!(
        misplaced.iter().any(|it| it.place.to_string() == "crash at a count of 17"),
        "{misplaced:?}"
    );
    Ok(())
}

/// A code at which the testee dies is kept: the testee dies at it in the gate, too.
fn a_crash_is_replayed() -> Checked {
    let pair = ["--pair", "float32:float8e4m3fn", "--tensors", "200", "--seed", "7"];
    let fuzzed = Fuzzed::new(&served("crash"), &pair);
    let (run, file) = fuzzed.replay(&served("crash"));
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(file.totals.of(castproof::Verdict::Crash) > 0, "{}", run.out);
    assert_eq!(fuzzed.replay("builtin").0.code, 0);
    Ok(())
}

/// A step that an optimiser drops is found, shown by one element, and replayed.
fn a_dropped_step_is_found() -> Checked {
    let pair = ["--pair", "float32:int8", "--tensors", "3000", "--seed", "7"];
    let fuzzed = Fuzzed::new(&served("chain-dropped"), &pair);
    assert_eq!(fuzzed.run.code, 1, "{}{}", fuzzed.run.out, fuzzed.run.err);
    let file = fuzzed.results();
    let [suite] = &file.results.suites[..] else { panic!("{}", fuzzed.run.out) };
    assert!(suite.deviations.len() > 1 && suite.counts.of(castproof::Verdict::Pass) > 1000);
    assert!(file.results.failures.is_empty() && file.results.misplaced.is_empty());
    for it in &suite.deviations {
        let test = it.test.as_ref().expect("a failing test");
        let Question::Chain(chain) = &test.ask else { panic!("{}", it.question) };
        assert_eq!(chain.dtypes, [Float32, Int8, Float32]);
    }
    let (run, replayed) = fuzzed.replay(&served("chain-dropped"));
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(replayed.results.suites[0].counts.of(castproof::Verdict::Fail) > 1, "{}", run.out);
    assert_eq!(fuzzed.replay("builtin").0.code, 0);
    // A testee whose hello lists no chains is not asked for them.
    let (_, unasked) = fuzzed.replay(&served("none"));
    assert_eq!((unasked.totals.executed, unasked.totals.bad()), (0, 0));
    // A later run adds to the vectors in the folder.
    let (first, found) = (replayed.totals.executed, fuzzed.folder.path().join("found"));
    let again =
        ["fuzz", "--testee", &served("chain-dropped"), "--out", found.to_str().expect("text")];
    let more = ["--pair", "float32:int8", "--tensors", "3000", "--seed", "8"];
    assert_eq!(castproof(&[&again[..], &more].concat(), "").code, 1);
    let (run, replayed) = fuzzed.replay(&served("chain-dropped"));
    assert!(replayed.totals.executed > first, "{}", run.out);
    Ok(())
}

/// A chain at which the testee dies is kept, too.
fn a_chain_that_ends_the_testee_is_found() -> Checked {
    let pair = ["--pair", "float32:int8", "--tensors", "1500", "--seed", "7"];
    let fuzzed = Fuzzed::new(&served("chain-crash"), &pair);
    assert_eq!(fuzzed.run.code, 1, "{}{}", fuzzed.run.out, fuzzed.run.err);
    let crash = castproof::Verdict::Crash;
    assert!(fuzzed.results().results.suites[0].counts.of(crash) > 0, "{}", fuzzed.run.out);
    let (run, replayed) = fuzzed.replay(&served("chain-crash"));
    assert!(replayed.totals.of(crash) > 0, "{}{}", run.out, run.err);
    Ok(())
}

fn a_right_testee_passes() -> Checked {
    let all = castproof(&["fuzz", "--testee", "builtin", "--tensors", "3000", "--seed", "1"], "");
    assert_eq!((all.code, all.err.as_str()), (0, ""), "{}", all.out);
    assert!(all.out.contains("\nPASS  3,000 tensors, "), "{}", all.out);
    let asked = ["fuzz", "--testee", "builtin", "--pair", "float32:int8", "--tensors", "300"];
    let worked_out = castproof(&[&["--answers", "oracle"], &asked[..]].concat(), "");
    assert_eq!(worked_out.code, 0, "{}{}", worked_out.out, worked_out.err);
    let some = ["--pair", "float32:float16,int8:int4", "--pair", "uint8:bool", "--opset", "21"];
    for (subject, more) in [(served("none"), "1"), ("builtin".into(), "3")] {
        let fuzzed =
            Fuzzed::new(&subject, &[&some[..], &["--tensors", "600", "--jobs", more]].concat());
        assert_eq!(fuzzed.run.code, 0, "{}", fuzzed.run.out);
        let reduced = "REDUCED: --pair float32:float16,int8:int4,uint8:bool, --opset 21\n";
        assert_eq!(fuzzed.run.out.matches(reduced).count(), 2, "{}", fuzzed.run.out);
    }
    Ok(())
}

/// The same seed gives the same results in the same order; another seed gives others.
fn a_seed_is_repeated() -> Checked {
    let file = |seed: &str| {
        let more = ["--pair", "float32:float8e4m3fn", "--tensors", "500", "--seed", seed];
        let fuzzed = Fuzzed::new(&served("ten"), &more);
        serde_json::to_string(&fuzzed.results().results).expect("JSON")
    };
    let first = file("3");
    assert_eq!(first, file("3"));
    assert_ne!(first, file("4"));
    Ok(())
}

/// A testee dies and does not start again: the run reports the crash, then the error.
fn a_testee_that_stays_dead_is_told() -> Checked {
    let folder = tempfile::tempdir()?;
    let once = folder.path().join("once");
    let command = format!("sh -c 'mkdir {} && exec {}'", once.display(), served("crash"));
    let command =
        command.replace("exec '", "exec \"").replace("' serve-fuzz crash'", "\" serve-fuzz crash'");
    let pair = ["--pair", "float32:float8e4m3fn", "--tensors", "400", "--seed", "7"];
    let fuzzed = Fuzzed::new(&command, &pair);
    assert_eq!(fuzzed.run.code, 2, "{}{}", fuzzed.run.out, fuzzed.run.err);
    assert!(fuzzed.run.out.contains("exited with code 7"), "{}", fuzzed.run.out);
    assert!(fuzzed.run.out.contains("; ended by an error; "), "{}", fuzzed.run.out);
    assert!(fuzzed.run.error_line().starts_with("testee 'sh -c "), "{}", fuzzed.run.err);
    assert!(fuzzed.folder.path().join("found/manifest.json").exists());
    Ok(())
}

/// A reader that takes `010` for octal, and a writer of three digits, are each found, made small and replayed.
fn faults_of_texts_are_found() -> Checked {
    for (fault, pair, told) in [
        ("octal", "string:int32", "\"010\" gave 0x00000008 (8), expected 0x0000000a (10)"),
        ("digits", "float32:string", "expected "),
    ] {
        let more = ["--pair", pair, "--tensors", "6", "--seed", "7"];
        let fuzzed = Fuzzed::new(&served(fault), &more);
        let (file, out) = (fuzzed.results(), &fuzzed.run.out);
        assert_eq!(fuzzed.run.code, 1, "{out}{}", fuzzed.run.err);
        assert_eq!(file.findings.len(), 1, "{out}");
        assert!(file.results.misplaced[0].sentence.contains(told), "{out}");
        let (run, _) = fuzzed.replay(&served(fault));
        assert_eq!(run.code, 1, "{}", run.out);
        assert_eq!(fuzzed.replay("builtin").0.code, 0, "a right testee passes what was kept");
        let right = castproof(&[&["fuzz", "--testee", "builtin"], &more[..]].concat(), "");
        assert_eq!(right.code, 0, "{}", right.out);
    }
    Ok(())
}

/// Ctrl-C ends a run, which then reports and keeps its findings.
#[cfg(unix)]
fn an_interrupted_run_keeps_what_it_found() -> Checked {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let folder = tempfile::tempdir()?;
    let found = folder.path().join("found");
    let child = Command::new(program())
        .args(["fuzz", "--testee", &served("range"), "--pair", "float32:float8e4m3fn"])
        .args(["--time", "1h", "--out", found.to_str().ok_or("text")?])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    while !found.join("manifest.json").exists() {
        thread::sleep(Duration::from_millis(20));
    }
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT)?;
    let output = child.wait_with_output()?;
    let out = String::from_utf8(output.stdout)?;
    assert_eq!(output.status.code(), Some(1), "{out}");
    assert!(out.contains("; stopped by the user; ") && out.contains("F-"), "{out}");
    let found = found.to_str().ok_or("text")?;
    let replayed = castproof(&["gate", "--testee", &served("range"), "--vectors", found], "");
    assert_eq!(replayed.code, 1, "{}", replayed.out);
    Ok(())
}

/// A command that cannot be carried out is an error of one line and changes no file.
fn bad_input_is_one_line() -> Checked {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("file");
    std::fs::write(&file, "mine")?;
    let file_text = file.to_str().ok_or("text")?;
    for (more, said) in [
        (["--pair", "string:string"], "string:string copies texts"),
        (["--pair", "float32"], "'float32' is not a pair"),
        (["--opset", "99"], "opset 99 is not known"),
        (["--time", "soon"], "it must be a time above 0"),
        (["--jobs", "0"], "a whole number of 1 or more"),
        (["--time", "-5s"], "it must be a time above 0"),
        (["--out", file_text], "file"),
        (["--json", "/"], "cannot be written"),
    ] {
        let run = castproof(&[&["fuzz", "--testee", "builtin"], &more[..]].concat(), "");
        assert!(run.error_line().contains(said), "{more:?}: {}", run.err);
    }
    assert_eq!(std::fs::read_to_string(&file)?, "mine");
    let none = testee("echo.py", "never");
    let arguments = ["fuzz", "--testee", &none, "--pair", "int8:int8", "--tensors", "50"];
    let run = castproof(&arguments, "");
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("\nFAIL  no element was executed; 0 tensors"), "{}", run.out);
    Ok(())
}

/// A shared library is fuzzed through its C function.
#[cfg(target_os = "linux")]
fn a_shared_library_is_fuzzed() -> Checked {
    let folder = tempfile::tempdir()?;
    let (source, library) = (folder.path().join("k.c"), folder.path().join("libk.so"));
    std::fs::write(
        &source,
        "#include \"castproof.h\"\n#include <string.h>\n\
         int castproof_cast(const struct castproof_request *r, const void *input, void *output, \
         char *m, size_t s) {\n  (void)s; m[0] = 0;\n\
         if (strcmp(r->from, \"uint8\") || strcmp(r->to, \"float32\")) return 1;\n\
         const unsigned char *a = input; float *b = output; size_t i;\n\
         for (i = 0; i < r->count; i++) b[i] = a[i] == 77 ? 0 : a[i];\n return 0;\n}\n",
    )?;
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-shared", "-fPIC", "-I"]).arg(&include);
    let status = compiler.arg("-o").args([&library, &source]).status()?;
    assert!(status.success());
    let library = library.to_str().ok_or("text")?;
    let more = ["--pair", "uint8:float32", "--tensors", "200", "--seed", "1"];
    let run = castproof(&[&["fuzz", "--library", library], &more[..]].concat(), "");
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(run.out.contains("0x4d (77) gave 0x00000000 (0), expected 0x429a0000 (77)"));
    Ok(())
}

/// Answers as the testee with this fault.
pub(crate) fn serve_as(fault: &str) {
    let mut planted = Planted { inner: Builtin::new(), fault: fault.into(), calls: 0 };
    let output = &mut BufWriter::new(io::stdout().lock());
    serve(&mut planted, &mut io::stdin().lock(), output).expect("a conversation");
}

/// Returns the tests.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("ten_wrong_codes_are_found", ten_wrong_codes_are_found),
        Trial::test("a_range_is_told_by_its_simplest_code", a_range_is_told_by_its_simplest_code),
        Trial::test("a_fault_of_a_place_is_found", a_fault_of_a_place_is_found),
        Trial::test(
            "a_fault_that_does_not_come_again_is_found",
            a_fault_that_does_not_come_again_is_found,
        ),
        Trial::test("faults_of_a_profile_are_found", faults_of_a_profile_are_found),
        Trial::test("a_fault_by_history_is_repeated", a_fault_by_history_is_repeated),
        Trial::test("a_wrong_step_of_a_chain_is_found", a_wrong_step_of_a_chain_is_found),
        Trial::test("crashes_and_hangs_are_found", crashes_and_hangs_are_found),
        Trial::test("a_crash_is_replayed", a_crash_is_replayed),
        Trial::test("a_dropped_step_is_found", a_dropped_step_is_found),
        Trial::test("a_chain_that_ends_the_testee_is_found", a_chain_that_ends_the_testee_is_found),
        Trial::test("a_testee_that_stays_dead_is_told", a_testee_that_stays_dead_is_told),
        Trial::test("a_right_testee_passes", a_right_testee_passes),
        Trial::test("a_seed_is_repeated", a_seed_is_repeated),
        Trial::test("faults_of_texts_are_found", faults_of_texts_are_found),
        Trial::test("bad_input_is_one_line", bad_input_is_one_line),
    ];
    #[cfg(unix)]
    trials.push(Trial::test(
        "an_interrupted_run_keeps_what_it_found",
        an_interrupted_run_keeps_what_it_found,
    ));
    #[cfg(target_os = "linux")]
    trials.push(Trial::test("a_shared_library_is_fuzzed", a_shared_library_is_fuzzed));
    trials
}

//! Recordings: what they answer is what the runtime answered, and nothing else.

use crate::common::{Run, castproof};
use castproof::arrange::Arrangements;
use castproof::gate::{self, Options};
use castproof::record::record;
use castproof::recordings::{About, Lacking, NamedTestee, Recorder, Recording, Replaying};
use castproof::testee::{Chain, Feature, Form, Identity, Reply, Testee, builtin::Builtin};
use castproof_vectors::{DType, Request, Suite};
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

const PYTHON: &str = "python3 -S '{}/../adapters/templates/python/testee.py'";

fn python() -> String {
    PYTHON.replace("{}", env!("CARGO_MANIFEST_DIR"))
}

/// Records the template in Python, as far as these arguments say.
fn recorded(folder: &Path, arguments: &[&str]) -> String {
    let file = folder.join("template.bin").display().to_string();
    let run =
        castproof(&[&["record", "--testee", &python(), "--out", &file], arguments].concat(), "");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.starts_with("recorded python-template 1: "), "{}", run.out);
    file
}

fn judge(file: &str, arguments: &[&str]) -> Run {
    castproof(&[&["gate", "--recorded", file, "--matrix", "none"], arguments].concat(), "")
}

/// The results file of a run.
fn results(folder: &Path, arguments: &[&str]) -> Value {
    let file = folder.join("results.json").display().to_string();
    let run = castproof(&[&["gate", "--json", &file], arguments].concat(), "");
    assert!(run.code < 2, "{}", run.err);
    serde_json::from_slice(&fs::read(file).expect("results")).expect("JSON")
}

#[test]
fn a_recorded_template_gives_the_results_of_the_template() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("testee");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/templates/c/testee.c");
    let built = Command::new("cc").arg("-O1").arg(source).arg("-o").arg(&program).status();
    assert!(built.expect("a compiler").success());
    let program = program.display().to_string();
    let two = ["--pair", "uint8:float32,int8:float32"];
    // The one in C is asked for all, since it answers sooner.
    for (testee, limit) in [(&program, &[][..]), (&python(), &two[..])] {
        let file = folder.path().join("template.bin").display().to_string();
        let record = ["record", "--testee", testee, "--out", &file];
        let run = castproof(&[&record, limit].concat(), "");
        assert_eq!(run.code, 0, "{}", run.err);
        // Of a whole recording each pair can be judged alone.
        for asked in [limit, &two] {
            let live = results(folder.path(), &[&["--testee", testee], asked].concat());
            let came = results(folder.path(), &[&["--recorded", &file], asked].concat());
            assert_eq!(came, live, "{testee} {asked:?}");
        }
    }
}

/// Castproof's own casts with faults of every kind that a recording must hold: other codes, other
/// places, refusals, messages, deaths, rewritten chains, other forms of tensors.
struct Faulty(Builtin, Identity);

impl Faulty {
    fn new() -> Faulty {
        let [name, version, language] = ["faulty", "2", "rust"].map(Into::into);
        Faulty(Builtin::new(), Identity { name, version, language })
    }
}

impl Testee for Faulty {
    fn identity(&self) -> &Identity {
        &self.1
    }

    fn features(&self) -> Vec<Feature> {
        vec![Feature::Shapes, Feature::Chain, Feature::Strided, Feature::Constant]
    }

    fn ahead(&self) -> usize {
        7
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        match (request.from, request.to) {
            // As the casts of a processor.
            (DType::Float32, DType::Int8) => {
                let spec = "x86-sse2".parse().map(castproof_vectors::Spec::Profile);
                let request = Request { spec: spec.expect("a profile"), ..*request };
                return self.0.cast(&request, count, input);
            }
            (DType::Int8, DType::Uint8) if count == 9 => {
                return Reply::Error(format!("no memory\n for {count}"));
            }
            (DType::Uint8, DType::Int8) if count == 33 => return Reply::Crash("died".into()),
            (_, DType::Bool) => return Reply::Unsupported("no bool".into()),
            _ => {}
        }
        let reply = self.0.cast(request, count, input);
        let Reply::Output(mut output) = reply else { return reply };
        match (request.from, request.to) {
            // One element of long tensors.
            (DType::Int8, DType::Float16) if count > 100 => output[7] ^= 1,
            // One code everywhere.
            (DType::Uint8, DType::Float16) => {
                for (code, pair) in input.iter().zip(output.chunks_mut(2)) {
                    pair[0] |= u8::from(*code == 3);
                }
            }
            // Padding bits.
            (DType::Int8, DType::Int4) if count % 2 == 1 => output[count / 2] |= 0xf0,
            _ => {}
        }
        Reply::Output(output)
    }

    fn cast_formed(&mut self, request: &Request, form: &Form, input: &[u8]) -> Reply {
        let count = castproof_vectors::element_count(&form.shape).expect("few");
        let reply = self.cast(request, count, input);
        match reply {
            Reply::Output(mut output) if form.constant && !output.is_empty() => {
                output[0] ^= u8::from(request.to == DType::Uint8);
                Reply::Output(output)
            }
            reply => reply,
        }
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        let (first, last) = chain.ends();
        match chain.dtypes[1] {
            DType::Int4 => self.cast(&Request::cast(first, last, chain.opset), count, input),
            _ => self.cast_in_turn(chain, count, input),
        }
    }
}

/// The pairs of the tests in this process.
const PAIRS: [(DType, DType); 8] = [
    (DType::Float32, DType::Int8),
    (DType::Int8, DType::Uint8),
    (DType::Uint8, DType::Int8),
    (DType::Int8, DType::Bool),
    (DType::Int8, DType::Float16),
    (DType::Uint8, DType::Float16),
    (DType::Int8, DType::Int4),
    (DType::Float32, DType::String),
];

fn of_pairs() -> Options {
    Options { pairs: PAIRS.to_vec(), threads: 1, jobs: 1, ..Options::default() }
}

fn of_suites() -> Options {
    let suites = vec![Suite::OnnxChain, Suite::TfBitcast, Suite::ComplexCast];
    Options { suites, threads: 1, jobs: 2, ..Options::default() }
}

/// Records a testee.
fn record_of(options: &Options, make: &(dyn Fn() -> Box<dyn Testee + Send> + Sync)) -> Vec<u8> {
    let recorder = Arc::new(Recorder::default());
    record(options, &recorder, &|| Ok(make())).expect("a run");
    recorder.finish(about()).expect("a recording")
}

fn about() -> About {
    About {
        subject: NamedTestee { command: Some("./testee".into()), ..NamedTestee::default() },
        machine: "a machine".into(),
        date: "2026-11-26T12:00:00Z".into(),
        program: "castproof".into(),
        asked: json!({"level": "core", "seed": 0, "arrangements": "newest"}),
        reduced: vec![],
    }
}

/// Judges what a recording answers. Returns the results, and what is lacking.
fn judged(bytes: &[u8], options: &Options) -> (Value, Option<String>) {
    let recording = Arc::new(Recording::of(bytes).expect("a recording"));
    let lacking = Arc::new(Mutex::new(Lacking::of("castproof record --out FILE".into())));
    let file = run(options, &|| Box::new(Replaying::new(&recording, &lacking)));
    let lacking = lacking.lock().expect("no panic").sentence();
    (file, lacking)
}

fn run(options: &Options, make: &(dyn Fn() -> Box<dyn Testee + Send> + Sync)) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("results.json");
    let options = Options { json: Some(json.clone()), ..options.clone() };
    gate::run_with(&options, &|| Ok(make()), &mut Vec::new()).expect("a run");
    serde_json::from_slice(&fs::read(json).expect("results")).expect("JSON")
}

#[test]
fn every_kind_of_answer_is_recorded() {
    for options in [of_pairs(), of_suites()] {
        let bytes = record_of(&options, &|| Box::new(Faulty::new()));
        let live = run(&options, &|| Box::new(Faulty::new()));
        assert!(!live["findings"].as_array().expect("a list").is_empty());
        let (came, lacking) = judged(&bytes, &Options { jobs: 3, ..options });
        assert_eq!(lacking, None);
        assert_eq!(came, live);
        assert!(bytes.len() < 100_000, "{} bytes", bytes.len());
    }
}

/// Gives another answer every second time.
struct Wavering(Faulty, u64);

impl Testee for Wavering {
    fn identity(&self) -> &Identity {
        self.0.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.1 += 1;
        match self.0.0.cast(request, count, input) {
            Reply::Output(mut output) if self.1.is_multiple_of(2) && count > 1 => {
                output[0] ^= 1;
                Reply::Output(output)
            }
            reply => reply,
        }
    }
}

#[test]
fn a_runtime_whose_answers_vary_is_said_to() {
    let options = Options { pairs: vec![(DType::Int8, DType::Uint8)], ..of_pairs() };
    let bytes = record_of(&options, &|| Box::new(Wavering(Faulty::new(), 0)));
    let recording = Recording::of(&bytes).expect("a recording");
    assert!(recording.header.varying > 0);
    let steady = record_of(&options, &|| Box::new(Faulty::new()));
    assert_eq!(Recording::of(&steady).expect("a recording").header.varying, 0);
    // What came the first and the second time comes again.
    let (came, lacking) = judged(&bytes, &options);
    let live = run(&options, &|| Box::new(Wavering(Faulty::new(), 0)));
    assert_eq!((came, lacking), (live, None));
}

#[test]
fn a_question_that_was_not_recorded_is_named_and_fails_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = recorded(folder.path(), &["--pair", "uint8:float32"]);
    let run = judge(&file, &["--pair", "uint8:float32"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("\nrecorded on "), "{}", run.out);

    let run = judge(&file, &["--pair", "uint8:float32,uint8:float16"]);
    assert_eq!(run.code, 1, "{}", run.out);
    let last = run.out.lines().last().expect("a verdict");
    assert!(last.starts_with("FAIL  the recording lacks "), "{last}");
    assert!(last.contains("uint8 -> float16") && last.contains(" questions of "), "{last}");
    assert!(last.contains("castproof record --testee "), "{last}");
    // What was recorded is judged, and nothing else.
    let json = folder.path().join("lacking.json").display().to_string();
    judge(&file, &["--pair", "uint8:float32,uint8:float16", "--json", &json]);
    let results: Value = serde_json::from_slice(&fs::read(&json).expect("a file")).expect("JSON");
    let cells = results["cells"].as_array().expect("a list");
    assert!(!cells.is_empty());
    assert!(cells.iter().all(|cell| cell.to_string().contains("float32")), "{cells:?}");
    let baseline = folder.path().join("known.toml").display().to_string();
    let run = judge(&file, &["--baseline", &baseline, "--update-baseline"]);
    assert_eq!((run.code, Path::new(&baseline).exists()), (1, false), "{}", run.out);
}

/// Every version in full is recorded where that is asked for, and judged alike; what a file lacks of it is one line.
#[test]
fn every_version_is_recorded_in_full_where_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let pair = ["--pair", "uint8:float32"];
    let full = [&pair[..], &["--all-versions"]].concat();
    let file = recorded(folder.path(), &pair);
    let run = judge(&file, &full);
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
    let last = run.out.lines().last().expect("a verdict");
    assert!(last.starts_with("FAIL  ") && last.contains("the recording lacks "), "{last}");
    assert!(
        last.contains("castproof record --testee ") && last.contains(" --all-versions; "),
        "{last}"
    );

    let file = recorded(folder.path(), &full);
    let live = results(folder.path(), &[&["--testee", &python()][..], &full[..]].concat());
    for asked in [&pair[..], &full[..]] {
        let came = results(folder.path(), &[&["--recorded", &file][..], asked].concat());
        assert_eq!(came, live, "{asked:?}");
    }
}

/// Returns a recording with another first line, and the digest that it then has.
fn with_line(bytes: &[u8], change: impl Fn(&str) -> String) -> Vec<u8> {
    let end = bytes.iter().position(|&byte| byte == b'\n').expect("a line");
    let line = change(std::str::from_utf8(&bytes[..end]).expect("text"));
    signed([line.as_bytes(), &bytes[end..bytes.len() - 32]].concat())
}

fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let digest = blake3::hash(&bytes);
    bytes.extend(digest.as_bytes());
    bytes
}

#[test]
fn a_recording_of_other_questions_is_told_from_its_first_answers_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = recorded(folder.path(), &["--pair", "uint8:float32"]);
    let bytes = fs::read(&file).expect("a file");
    let other = with_line(&bytes, |line| line.replace(r#""seed":0"#, r#""seed":1"#));
    fs::write(&file, other).expect("a file");
    let json = folder.path().join("other.json").display().to_string();
    let run = judge(&file, &["--pair", "uint8:float32", "--json", &json]);
    assert_eq!(run.code, 1, "{}", run.out);
    let last = run.out.lines().last().expect("a verdict");
    assert!(last.contains("it is of other questions") && last.contains("--seed 1"), "{last}");
    let results: Value = serde_json::from_slice(&fs::read(&json).expect("a file")).expect("JSON");
    assert_eq!(results["cells"], json!([]), "no answer is invented");
}

#[test]
fn files_that_are_no_recordings_are_refused_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = recorded(folder.path(), &["--pair", "uint8:float32"]);
    let bytes = fs::read(&file).expect("a file");
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    let line = |from: &'static str, to: &'static str| {
        with_line(&bytes, move |line| {
            assert!(line.contains(from), "{line}");
            line.replace(from, to)
        })
    };
    let cases = [
        (flipped, "damaged or cut short"),
        (bytes[..bytes.len() - 1].to_vec(), "damaged or cut short"),
        (bytes[..bytes.len() / 2].to_vec(), "damaged or cut short"),
        (bytes[..20].to_vec(), "not a recording"),
        (Vec::new(), "not a recording"),
        ([&bytes[..], b"x"].concat(), "damaged or cut short"),
        (b"{\"format\":\"castproof-results/9\"}\n".to_vec(), "not a recording"),
        (line("castproof-recording/1", "castproof-recording/0"), "castproof-recording/0"),
        (line(r#""methods":["due""#, r#""methods":["as-in-2030""#), "as-in-2030"),
        (line(r#""arrangements":"newest""#, r#""arrangements":"some""#), "how it was asked"),
        (line(r#""command":"#, r#""adapter":"x","command":"#), "what was recorded"),
    ];
    for (content, due) in cases {
        fs::write(&file, content).expect("a file");
        let run = judge(&file, &["--pair", "uint8:float32"]);
        let error = run.error_line();
        assert!(error.contains(due) && error.contains("template.bin"), "{due}: {error}");
        assert_eq!(run.out, "", "{due}");
    }
    for (conflict, value) in [("--journal", "j"), ("--seed", "3"), ("--level", "full")] {
        let run = judge(&file, &[conflict, value]);
        assert!(run.error_line().contains("cannot be used with"), "{}", run.err);
    }
    let run = castproof(&["gate", "--recorded", &file, "--testee", "builtin"], "");
    assert!(run.error_line().contains("cannot be used with"), "{}", run.err);
}

/// Edits of the entries, with the digest that they then have: whatever they say, nothing panics, and a
/// part counts only if its answers are those of its digest.
#[test]
fn edited_entries_give_the_same_results_or_none() {
    let options =
        Options { pairs: PAIRS[..2].to_vec(), arrangements: Arrangements::Newest, ..of_pairs() };
    let bytes = record_of(&options, &|| Box::new(Faulty::new()));
    let due = judged(&bytes, &options).0;
    let end = bytes.iter().position(|&byte| byte == b'\n').expect("a line") + 1;
    let mut entries = Vec::new();
    ZlibDecoder::new(&bytes[end..bytes.len() - 32]).read_to_end(&mut entries).expect("entries");
    let mut random = castproof_vectors::random::Random::new(20_261_126);
    let (mut refused, mut lacking) = (0, 0);
    for _ in 0..60 {
        let mut edited = entries.clone();
        let place = random.below(edited.len());
        edited[place] ^= 1 << random.below(8);
        let mut encoder = ZlibEncoder::new(bytes[..end].to_vec(), flate2::Compression::fast());
        encoder.write_all(&edited).expect("memory");
        let edited = signed(encoder.finish().expect("memory"));
        if Recording::of(&edited).is_err() {
            refused += 1;
            continue;
        }
        let (came, lacks) = judged(&edited, &options);
        if lacks.is_some() {
            lacking += 1;
            assert_eq!(came["passed"], json!(false));
        } else if came != due {
            // Only what is said of it may have changed: the texts of messages.
            assert_eq!(came["totals"], due["totals"], "byte {place}");
        }
    }
    assert!(refused > 0 && lacking > 10, "{refused} refused, {lacking} lacking");
}

#[test]
fn a_sample_says_that_it_is_one() {
    let run = castproof(&["gate", "--testee", "builtin", "--sample", "--matrix", "none"], "");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let [first, .., last] = run.out.lines().collect::<Vec<_>>()[..] else { panic!("{}", run.out) };
    assert!(first.contains("REDUCED: --sample") && last.contains("REDUCED: --sample"), "{first}");
    assert!(run.out.contains("40 of 40 pairs ran"), "{}", run.out);
    for suite in Suite::WITHOUT_PROFILE {
        assert!(suite == Suite::OnnxCast || run.out.contains(suite.name()), "{}", suite.name());
    }
    let run = castproof(&["gate", "--testee", "builtin", "--sample", "--pair", "int8:int4"], "");
    assert!(run.error_line().contains("cannot be used with"), "{}", run.err);
}

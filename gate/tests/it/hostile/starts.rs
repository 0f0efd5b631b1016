//! Files with a fault, through every command of the program that reads them: no panic, an error is one line, and no
//! PASS that a fresh run would not give. The kernel behind all of them is wrong. Each start of the program takes longer
//! than reading its file, so these are few; the modules beside this one read many more in one process.

use crate::common::{Run, castproof};
use crate::hostile::mutate::{At, Random, mutated, mutated_value};
use crate::hostile::records::seal;
use crate::hostile::{FOR_EVER, Running, is_harmless, text, within};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files of each of five kinds: results, certificates, journals, baselines, vectors.
const EACH: usize = 50;

/// The folder of a wrong kernel and of the files that it left.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// Compiles the templates in C with a fault at the code 255.
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        let place = Place { folder };
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let templates = root.with_file_name("adapters").join("templates");
        for (source, name, more) in [
            ("c/testee.c", "testee", &[][..]),
            ("library/kernel.c", "kernel.so", &["-shared", "-fPIC"]),
        ] {
            let right = fs::read_to_string(templates.join(source)).expect("a template");
            let wrong = right.replace("= input[i];", "= input[i] == 255 ? 0 : input[i];");
            assert_ne!(right, wrong, "{source}");
            fs::write(place.at("kernel.c"), wrong).expect("a file");
            let mut compiler = Command::new("cc");
            compiler.args(more).arg("-I").arg(root.join("include"));
            compiler.arg(place.at("kernel.c")).arg("-o").arg(place.at(name));
            assert!(compiler.status().expect("a C compiler").success());
        }
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the program with these words, in which `$` is the folder.
    fn run(&self, words: &str) -> Run {
        let folder = text(self.folder.path());
        let words: Vec<String> = words.split(' ').map(|word| word.replace('$', folder)).collect();
        let run = castproof(&words.iter().map(String::as_str).collect::<Vec<_>>(), "");
        // Annotations are commands of a CI log, each on a line of its own.
        let is_command =
            |line: &&str| line.starts_with("::error ") || line.starts_with("::warning ");
        let (commands, others): (Vec<&str>, Vec<&str>) = run.out.lines().partition(is_command);
        assert!(commands.is_empty() || words.contains(&"--annotations".into()), "{}", run.out);
        is_harmless(&Run { out: others.join("\n"), err: run.err.clone(), ..run });
        run
    }

    /// Runs a command whose verdict on the wrong kernel is not PASS.
    fn does_not_pass(&self, words: &str, said: &str) {
        let run = self.run(words);
        assert_ne!(run.code, 0, "{said}: {words}: {}", run.out);
        assert!(!run.out.lines().any(|line| line.starts_with("PASS  ")), "{said}: {}", run.out);
    }
}

const GATE: &str = "gate --testee $/testee --pair uint8:float32 --arrangements none --matrix none";
const SWEEP: &str = "sweep --library $/kernel.so --from uint8 --to float32 --threads 1";

/// Returns an edited copy of a file in JSON: every second one as bytes, the others as values.
fn edited(random: &mut Random, round: usize, original: &[u8]) -> (String, Vec<u8>) {
    if round.is_multiple_of(2) {
        return mutated(random, original);
    }
    let value: Value = serde_json::from_slice(original).expect("JSON");
    let (said, value) = mutated_value(random, &value);
    (said, value.to_string().into_bytes())
}

#[test]
fn results() {
    let place = Place::new();
    let mut random = Random::new("started results");
    let whole = place.run(&format!("{GATE} --json $/whole.json"));
    assert_eq!(whole.code, 1, "{}", whole.err);
    let original = fs::read(place.at("whole.json")).expect("results");
    let finding = whole.out.lines().find_map(|line| line.rsplit_once("  F-")).expect("a finding");
    let id = format!("F-{}", finding.1);
    for round in 0..EACH {
        let (said, bytes) = edited(&mut random, round, &original);
        let _at = At(&said);
        fs::write(place.at("results.json"), bytes).expect("results");
        for words in [
            "show --results $/results.json".to_string(),
            format!("show {id} --results $/results.json"),
            format!("reproduce {id} --results $/results.json --library $/kernel.so --out $/out"),
            "diff $/results.json $/whole.json".into(),
            "diff $/whole.json $/results.json".into(),
        ] {
            let run = place.run(&words);
            assert!(!run.out.contains("PASS  "), "{said}: {words}: {}", run.out);
        }
        let targets = "--html $/html --junit $/junit --sarif $/sarif --markdown $/markdown";
        let reports = place.run(&format!("report $/results.json --annotations {targets}"));
        let compared = place.run("report --compare $/results.json $/whole.json");
        assert_eq!(reports.code, compared.code, "{said}");
        if reports.code == 0 {
            let read = |name: &str| fs::read_to_string(place.at(name)).expect("a report");
            assert!(read("markdown").starts_with("## ❌ "), "{said}");
            assert!(read("junit").contains("<failure"), "{said}");
            assert!(read("sarif").contains("\"exitCode\": 1"), "{said}");
            assert!(read("html").contains("\"passed\":false"), "{said}");
            assert!(reports.out.contains("::error"), "{said}");
            assert!(!compared.out.contains("| PASS |"), "{said}: {}", compared.out);
        }
    }
}

#[test]
fn certificates() {
    let place = Place::new();
    let mut random = Random::new("started certificates");
    let whole = place.run(&format!("{SWEEP} --certificate $/whole.json"));
    assert_eq!(whole.code, 1, "{}", whole.err);
    let original: Value =
        serde_json::from_slice(&fs::read(place.at("whole.json")).expect("a certificate"))
            .expect("JSON");
    for _ in 0..EACH {
        let (said, value) = mutated_value(&mut random, &original);
        let _at = At(&said);
        seal(&place.at("certificate.json"), value);
        place.does_not_pass("certify verify $/certificate.json", &said);
        place.does_not_pass("sweep merge $/certificate.json --certificate $/joined.json", &said);
        // A replay says no more than that the testee gives again what it gave.
        place.run("certify replay $/certificate.json --library $/kernel.so --blocks 2");
    }
}

#[test]
fn journals_of_the_gate() {
    let place = Place::new();
    let mut random = Random::new("started journals of the gate");
    let gate = format!("{GATE} --journal $/journal");
    // Results that cannot be written leave the journal.
    let stopped = place.run(&format!("{gate} --json /dev/full"));
    assert_eq!(stopped.code, 2, "{}", stopped.out);
    let original = fs::read(place.at("journal")).expect("a journal");
    let whole = place.run(&gate);
    assert!(whole.out.contains("\nresumed: 1 of 1 pairs and suites"), "{}", whole.out);
    for _ in 0..EACH / 2 {
        let (said, bytes) = mutated(&mut random, &original);
        let _at = At(&said);
        fs::write(place.at("journal"), bytes).expect("a journal");
        place.does_not_pass(&gate, &said);
    }
}

#[test]
fn journals_of_sweeps() {
    let place = Place::new();
    let mut random = Random::new("started journals of sweeps");
    // Wrong at every code of a cast from a dtype to itself; it waits at uint16.
    let source =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/testees/gated.py"));
    let wrong = source.expect("a kernel").replace("SPOILED = False", "SPOILED = True");
    fs::write(place.at("gated.py"), wrong).expect("a kernel");
    fs::write(place.at("stop"), "uint16").expect("a file");
    let command = format!("python3 {}", text(&place.at("gated.py")));
    let certificate = place.at("certificate.json");
    let journal = place.at("certificate.json.journal");
    let words = ["sweep", "--testee", &command, "--to", "int16", "--threads", "1", "--certificate"];
    let words = [&words[..], &[text(&certificate)]].concat();
    let mut running = Running::start(&words, &[]);
    let has_failed = || fs::read_to_string(&journal).unwrap_or_default().contains("\"fail\":");
    assert!(within(FOR_EVER, || has_failed() || running.is_over()));
    running.signal("KILL");
    running.child.wait().expect("it ends");
    running.no_process_is_left();
    fs::remove_file(place.at("stop")).expect("a file");
    let original = fs::read(&journal).expect("a journal");
    let mut went_on = 0;
    for _ in 0..EACH / 2 {
        let (said, bytes) = mutated(&mut random, &original);
        let _at = At(&said);
        fs::write(&journal, &bytes).expect("a journal");
        place.does_not_pass(
            "sweep merge $/certificate.json.journal --certificate $/joined.json",
            &said,
        );
        let resumed = castproof(&words, "");
        is_harmless(&resumed);
        assert_ne!(resumed.code, 0, "{said}: {}", resumed.out);
        went_on += usize::from(resumed.out.contains("\nresumed: "));
    }
    assert!(went_on > 0, "no run went on");
}

#[test]
fn baselines() {
    let place = Place::new();
    let mut random = Random::new("started baselines");
    let original = "# Known failures.\n\n[[expect]]\nfrom = \"int8\"\nto = [\"float16\", \"int4\"]\n\
        opsets = [13, 19]\nattributes = { saturate = 0 }\nclause = \"IF-02\"\nshare = \"any\"\n\
        reason = \"ties go up\"\nlink = \"https://example.org/issues/17\"\n\n[[expect]]\n\
        from = \"int8\"\nto = \"float16\"\nplace = \"the tail of 8\"\nshare = \"any\"\n\
        reason = \"the tail\"\n";
    for _ in 0..EACH {
        let (said, bytes) = mutated(&mut random, original.as_bytes());
        let _at = At(&said);
        fs::write(place.at("known.toml"), &bytes).expect("a baseline");
        place.does_not_pass(&format!("{GATE} --baseline $/known.toml"), &said);
        // The failures of a run that writes them down are not known before.
        let run = place.run(&format!("{GATE} --baseline $/known.toml --update-baseline"));
        assert!(!run.out.lines().any(|line| line.starts_with("PASS  ")), "{said}: {}", run.out);
        let last = run.out.lines().last().unwrap_or_default();
        assert_eq!(run.code == 0, last.starts_with("UPDATED  the baseline: 1 "), "{said}: {last}");
    }
}

#[test]
fn vectors() {
    let place = Place::new();
    let mut random = Random::new("started vectors");
    // What fuzzing finds is a small folder of vectors with its manifest.
    let found = place
        .run("fuzz --testee $/testee --pair uint8:float32 --tensors 300 --seed 1 --out $/vectors");
    assert_eq!(found.code, 1, "{}{}", found.out, found.err);
    let names = ["vectors/manifest.json", "vectors/cast/uint8__float32.json"];
    let originals = names.map(|name| fs::read(place.at(name)).expect("vectors"));
    for round in 0..EACH {
        let which = round / 2 % 2;
        let (said, bytes) = edited(&mut random, round, &originals[which]);
        let _at = At(&said);
        for (name, original) in names.iter().zip(&originals) {
            fs::write(place.at(name), original).expect("vectors");
        }
        fs::write(place.at(names[which]), bytes).expect("vectors");
        place.does_not_pass(&format!("{GATE} --vectors $/vectors --no-baseline"), &said);
        place.run("vectors export --format jsonl --from uint8 --to float32 --vectors $/vectors");
    }
}

//! Sweeps: a fault at one code out of 2^32 is found and named, a killed sweep continues, shares are
//! merged, and an edited certificate is refused.
//!
//! `served serve-sweep FROM TO CODE...` makes this program a testee that is wrong at those codes.

use crate::common::{castproof, program};
use castproof::journal::JournalTerms;
use castproof::results::Filters;
use castproof::sweep::{self, Conclusion, Shard, SweepOptions};
use castproof::testee::Subject;
use castproof::testee::{Identity, Reply, Testee, builtin::Builtin, serve::serve};
use castproof_vectors::{DType, Request, code_at, unpack};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::Duration;

type Checked = Result<(), Failed>;

/// Returns the tests.
pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test(
            "a_fault_at_one_code_is_found_in_process",
            a_fault_at_one_code_is_found_in_process,
        ),
        Trial::test("a_fault_at_a_place_is_found", a_fault_at_a_place_is_found),
        Trial::test("faults_are_found_through_the_protocol", faults_are_found_through_the_protocol),
        Trial::test("a_fault_at_a_boundary_is_found", a_fault_at_a_boundary_is_found),
        Trial::test("a_killed_sweep_goes_on", a_killed_sweep_goes_on),
        Trial::test("an_interrupted_sweep_says_so", an_interrupted_sweep_says_so),
        Trial::test("shares_join_without_gap_or_overlap", shares_join_without_gap_or_overlap),
        Trial::test("edits_of_a_certificate_are_found", edits_of_a_certificate_are_found),
        Trial::test("a_testee_that_dies_ends_its_request", a_testee_that_dies_ends_its_request),
    ]
}

/// Castproof's own implementation, except that it flips the lowest bit of the result at some codes
/// of one pair. The source of the pair has 32 or 64 bits.
struct Planted {
    inner: Builtin,
    from: DType,
    to: DType,
    codes: Vec<u64>,
}

impl Planted {
    fn new(from: DType, to: DType, codes: Vec<u64>) -> Planted {
        assert!(from.bits() >= 32, "a code has whole words");
        Planted { inner: Builtin::new(), from, to, codes }
    }

    fn flip(&self, input: &[u8], output: &mut [u8]) {
        let (width, bits) = (self.from.bits() as usize / 8, self.to.bits() as usize);
        let count = input.len() / width;
        let code = |element: usize| code_at(self.from, input, element);
        let (first, last) = (code(0), code(count - 1));
        let every = last.checked_sub(first) == Some(count as u64 - 1);
        let hits: Vec<usize> = if every {
            let places = self.codes.iter().filter_map(|planted| planted.checked_sub(first));
            places.map(|place| place as usize).filter(|&place| place < count).collect()
        } else {
            let codes = unpack(self.from, input, count).expect("the gate packs right");
            // Tests are hardly optimised, so a tensor without these codes is passed over by a function of the standard library.
            if !self.codes.iter().any(|planted| codes.contains(planted)) {
                return;
            }
            let is_planted = |(_, code): &(usize, &u64)| self.codes.contains(code);
            codes.iter().enumerate().filter(is_planted).map(|(element, _)| element).collect()
        };
        for element in hits {
            output[element * bits / 8] ^= 1 << (element * bits % 8);
        }
    }
}

impl Testee for Planted {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let mut reply = self.inner.cast(request, count, input);
        if let Reply::Output(output) = &mut reply
            && (request.from, request.to) == (self.from, self.to)
        {
            self.flip(input, output);
        }
        reply
    }
}

pub(crate) fn serve_as(from: &str, to: &str, codes: &[&str]) {
    let dtype = |name: &str| name.parse().expect("a dtype");
    let codes = codes.iter().map(|code| code.parse().expect("a decimal code")).collect();
    let mut planted = Planted::new(dtype(from), dtype(to), codes);
    let output = &mut BufWriter::new(io::stdout().lock());
    serve(&mut planted, &mut io::stdin().lock(), output).expect("the gate speaks the protocol");
}

/// Returns the command that makes this program a testee.
fn planted_command(from: DType, to: DType, codes: &[u64]) -> String {
    let this = std::env::current_exe().expect("this program");
    let codes: Vec<String> = codes.iter().map(u64::to_string).collect();
    format!("'{}' serve-sweep {from} {to} {}", this.display(), codes.join(" "))
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a certificate");
    serde_json::from_str(&text).expect("JSON")
}

/// Returns the first and the last code of every failing range of a certificate.
fn failing(certificate: &Value) -> Vec<(u64, u64)> {
    let code = |value: &Value| {
        let text = value.as_str().expect("a code");
        u64::from_str_radix(&text[2..], 16).expect("hexadecimal")
    };
    let requests = certificate["requests"].as_array().expect("requests");
    let found = requests.iter().flat_map(|request| match &request["whole"] {
        Value::Null => {
            let parts = request["parts"].as_array().expect("whole or in parts").iter();
            parts.map(|part| &part["found"]).collect()
        }
        whole => vec![&whole["found"]],
    });
    let ranges = found.flat_map(|found| found["failures"].as_array().cloned().unwrap_or_default());
    ranges.map(|range| (code(&range["first"]), code(&range["last"]))).collect()
}

fn options(from: DType, to: DType, shard: Shard, certificate: PathBuf) -> SweepOptions {
    SweepOptions {
        subject: Subject::Builtin,
        profile: None,
        filters: Filters { from: Some(from), to: Some(to), opset: None },
        shard,
        threads: 2,
        certificate,
        terms: JournalTerms::default(),
        timeout: Duration::from_secs(60),
        date: "2026-01-01T00:00:00Z".into(),
    }
}

/// Returns the share that sweeps the chunk of this code, and no other chunk of a 32-bit source.
fn share_of(code: u64) -> Shard {
    Shard { index: (code >> 24) + 1, of: 256 }
}

/// Sweeps a planted fault in this process. Returns the failing ranges and the printed text.
fn sweep_planted(from: DType, to: DType, code: u64, shard: Shard) -> (Vec<(u64, u64)>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let options = options(from, to, shard, folder.path().join("certificate.json"));
    let testee = || Box::new(Planted::new(from, to, vec![code])) as Box<dyn Testee + Send>;
    let mut printed = Vec::new();
    let never = AtomicBool::new(false);
    let clean = sweep::run_with(&options, vec![testee(), testee()], &never, &mut printed);
    assert_eq!(clean.expect("swept"), Conclusion::Fails, "the planted fault went unseen");
    let ranges = failing(&read(&options.certificate));
    (ranges, String::from_utf8(printed).expect("text"))
}

/// Spoils some of the packed float32 elements of a tensor.
type Spoil = fn(&mut [u8]);

/// Castproof's own implementation, wrong at the start or the end of a tensor of float32.
struct Misplaced {
    inner: Builtin,
    spoil: Spoil,
}

impl Testee for Misplaced {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.inner.cast(request, count, input)
    }

    fn cast_into(
        &mut self,
        request: &Request,
        count: usize,
        input: &[u8],
        output: &mut [u8],
    ) -> Option<Reply<()>> {
        let reply = self.inner.cast_into(request, count, input, output);
        (self.spoil)(output);
        reply
    }
}

/// These kernels are right in every tensor whose length and address are multiples of 32.
fn a_fault_at_a_place_is_found() -> Checked {
    const INFINITY: [u8; 4] = [0, 0, 0x80, 0x7f];
    let spoils: [(&str, Spoil); 3] = [
        ("NaN becomes infinity in the tail of 32", |output| {
            let body = output.len() / 4 / 32 * 32;
            for element in output[4 * body..].chunks_exact_mut(4) {
                if element[3] & 0x7f == 0x7f && element[2] > 0x80 {
                    element.copy_from_slice(&INFINITY);
                }
            }
        }),
        ("the output is taken for aligned", |output| {
            let misaligned = output.as_ptr().align_offset(16);
            output[..misaligned].fill(0);
        }),
        ("the last element of an odd count is not written", |output| {
            if output.len() / 4 % 2 == 1 {
                let last = output.len() - 4;
                output[last..].fill(0xa5);
            }
        }),
    ];
    for (fault, spoil) in spoils {
        let folder = tempfile::tempdir().expect("a folder");
        let certificate = folder.path().join("certificate.json");
        let options = options(DType::Float16, DType::Float32, Shard::WHOLE, certificate);
        let testee = || Box::new(Misplaced { inner: Builtin::new(), spoil });
        let never = AtomicBool::new(false);
        let testees: Vec<Box<dyn Testee + Send>> = vec![testee(), testee()];
        let clean = sweep::run_with(&options, testees, &never, &mut Vec::new());
        assert_eq!(clean.expect("a whole sweep"), Conclusion::Fails, "{fault}: unseen");
        // A replay divides its blocks into the same tensors as the sweep did.
        let draws = (8, 1);
        let path = &options.certificate;
        let again = sweep::replay(path, testee().as_mut(), draws, &never, &mut Vec::new());
        assert!(again.expect("a replay"), "{fault}: other elements came of the same blocks");
        let right = sweep::replay(path, &mut Builtin::new(), draws, &never, &mut Vec::new());
        assert!(!right.expect("a replay"), "{fault}: a right kernel gave the wrong elements");
    }
    Ok(())
}

/// The faults are at first and last codes, a NaN and ties, in packed, narrow and wide targets.
fn a_fault_at_one_code_is_found_in_process() -> Checked {
    use DType::*;
    for (from, to, code) in [
        (Float32, Bool, 0),
        (Float32, Float4E2M1, 0xffff_ffff),
        (Uint32, Int8, 0xffff_ffff),
        (Int32, Float6E2M3, 0x8000_0000),
        (Float32, Bfloat16, 0x3f80_8000),
        (Int32, Float32, 0x0100_0001),
    ] {
        // The share of the code's chunk tells as much as a whole sweep.
        let (ranges, printed) = sweep_planted(from, to, code, share_of(code));
        assert_eq!(ranges, [(code, code)], "{from} -> {to}");
        let named = format!("{} (", from.hex(code));
        assert!(printed.contains(&named), "{printed}");
        assert!(printed.contains("1 of 16,777,216 codes fail"), "{printed}");
    }
    Ok(())
}

/// Sweeps of 64-bit sources visit a tie between two float16 neighbours, the largest int64 and 0.
fn a_fault_at_a_boundary_is_found() -> Checked {
    use DType::*;
    for (from, to, code) in [
        (Float64, Float16, 0x3ff0_0200_0000_0000),
        (Int64, Float32, 0x7fff_ffff_ffff_ffff),
        (Uint64, Float8E8M0, 0),
    ] {
        let (ranges, _) = sweep_planted(from, to, code, Shard::WHOLE);
        assert!(!ranges.is_empty(), "{from} -> {to}");
        assert!(ranges.iter().all(|&range| range == (code, code)), "{from} -> {to}: {ranges:x?}");
    }
    Ok(())
}

fn faults_are_found_through_the_protocol() -> Checked {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("certificate.json");
    let file = path.to_str().expect("text");
    let sweep = |to: DType, codes: &[u64], shard: &str| {
        let from = DType::Float32;
        let testee = planted_command(from, to, codes);
        let arguments = ["sweep", "--testee", &testee, "--from", from.name(), "--to", to.name()];
        let more = ["--opset", "19", "--shard", shard, "--certificate", file];
        let run = castproof(&[&arguments[..], &more].concat(), "");
        assert_eq!(run.code, 1, "{}{}", run.out, run.err);
        (failing(&read(&path)), run.out)
    };
    // One request with all 2^32 codes has three faults. Each bool is the only right one, also
    // that of a NaN.
    let codes = [0, 0x4260_0000, 0xffff_ffff];
    let (ranges, printed) = sweep(DType::Bool, &codes, "1/1");
    assert_eq!(ranges, codes.map(|code| (code, code)));
    assert!(printed.contains("3 of 4,294,967,296 codes fail"), "{printed}");
    // Each range is there three times, because `saturate` is 0, 1 or absent.
    for code in codes {
        let (ranges, _) = sweep(DType::Float8E4M3FN, &[code], &share_of(code).to_string());
        assert_eq!(ranges, [(code, code); 3]);
    }
    Ok(())
}

/// Returns a certificate without the members that differ from run to run.
fn lasting(path: &Path) -> Value {
    let mut certificate = read(path);
    let members = certificate.as_object_mut().expect("an object");
    for key in ["date", "machine", "seal"] {
        assert!(members.remove(key).is_some(), "{key}");
    }
    for request in certificate["requests"].as_array_mut().expect("requests") {
        let swept = match request.get_mut("parts") {
            Some(parts) => parts.as_array_mut().expect("parts").iter_mut().collect(),
            None => vec![request.get_mut("whole").expect("swept in parts or to its end")],
        };
        for one in swept {
            assert!(one.as_object_mut().expect("an object").remove("milliseconds").is_some());
        }
    }
    certificate
}

fn start(arguments: &[&str]) -> std::process::Child {
    Command::new(program())
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

fn a_killed_sweep_goes_on() -> Checked {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = folder.path().join("whole.json");
    let resumed = folder.path().join("resumed.json");
    let arguments = |path: &Path| {
        let path = path.to_str().expect("text").to_string();
        // Half a sweep, whose certificate holds each chunk.
        ["sweep", "--testee", "builtin", "--from", "uint32", "--to", "float64"]
            .into_iter()
            .chain(["--shard", "1/2", "--certificate"])
            .map(String::from)
            .chain([path])
            .collect::<Vec<_>>()
    };
    let text = arguments(&whole);
    let text: Vec<&str> = text.iter().map(String::as_str).collect();
    assert_eq!(castproof(&text, "").code, 3, "a share");

    let text = arguments(&resumed);
    let text: Vec<&str> = text.iter().map(String::as_str).collect();
    let journal = folder.path().join("resumed.json.journal");
    let lines = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    let mut kills = 0;
    for attempt in 0u64..10 {
        let before = lines();
        let mut child = start(&text);
        // The sweep is killed after some progress, at another moment in each attempt.
        while lines() <= before && child.try_wait().expect("a child").is_none() {
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_millis(attempt * 37 % 50));
        if child.try_wait().expect("a child").is_none() {
            child.kill().expect("it is killed"); // SIGKILL
            kills += 1;
        }
        child.wait().expect("it ends");
    }
    assert_eq!(kills, 10, "the sweep ended before it was killed ten times");
    assert!(!resumed.exists(), "a certificate before the end");
    let run = castproof(&text, "");
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.out.contains("resumed: "), "{}", run.out);
    assert_eq!(lasting(&resumed), lasting(&whole));
    assert!(!journal.exists());
    Ok(())
}

fn an_interrupted_sweep_says_so() -> Checked {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("certificate.json");
    let file = path.to_str().expect("text");
    let arguments = ["sweep", "--testee", "builtin", "--from", "int32", "--certificate", file];
    let child = start(&arguments);
    let journal = folder.path().join("certificate.json.journal");
    while std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) < 3 {
        sleep(Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("interrupted; ") && said.contains("goes on from there"), "{said}");
    assert!(journal.exists() && !path.exists());

    // Another sweep does not continue with this journal.
    let other = ["sweep", "--testee", "builtin", "--from", "int8", "--certificate", file];
    let run = castproof(&other, "");
    assert!(run.error_line().contains("of another run, with another"), "{}", run.err);
    assert!(run.err.contains("requests"), "{}", run.err);
    Ok(())
}

fn shares_join_without_gap_or_overlap() -> Checked {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_string();
    let sweep = |shard: &str, to: &str, file: &str| {
        let arguments = ["sweep", "--testee", "builtin", "--from", "uint32", "--to", to];
        let run =
            castproof(&[&arguments[..], &["--shard", shard, "--certificate", file]].concat(), "");
        assert_eq!(run.code, if shard == "1/1" { 0 } else { 3 }, "{}", run.err);
        run.out
    };
    let shares = ["1/3", "2/3", "3/3"].map(|shard| {
        let file = path(&format!("{}.json", &shard[..1]));
        assert!(sweep(shard, "uint8", &file).contains(&format!("a reduced run: share {shard}")));
        file
    });
    let (whole, other, joined) = (path("whole.json"), path("other.json"), path("joined.json"));
    sweep("1/1", "uint8", &whole);
    sweep("2/3", "int8", &other);
    let [first, second, third] = &shares;
    let merge = |files: &[&str]| {
        castproof(&[&["sweep", "merge", "--certificate", &joined], files].concat(), "")
    };
    assert!(merge(&[first, second]).error_line().contains("chunk 2 of 256 is missing"));
    assert!(merge(&[first, second, second]).error_line().contains("overlaps: chunk 1 of"));
    assert!(merge(&[first, &other, third]).error_line().contains("is of another sweep"));
    assert!(!Path::new(&joined).exists());
    let run = merge(&[third, first, second]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(lasting(Path::new(&joined)), lasting(Path::new(&whole)));
    assert!(merge(&[&joined, second]).error_line().contains("is an input of this command"));
    let empty = ["sweep", "--testee", "builtin", "--from", "int8", "--to", "int8"];
    let run = castproof(&[&empty[..], &["--shard", "2/2", "--certificate", &other]].concat(), "");
    assert!(run.code == 3 && run.out.contains("share 2/2 is empty"), "{}{}", run.out, run.err);
    let share = castproof(&["certify", "verify", second], "");
    assert_eq!(share.code, 3, "{}{}", share.out, share.err);
    assert!(share.out.contains("; share 2/3, not the whole sweep"), "{}", share.out);
    assert_eq!(castproof(&["certify", "verify", &joined], "").code, 0);
    Ok(())
}

fn edits_of_a_certificate_are_found() -> Checked {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("certificate.json");
    let file = path.to_str().expect("text");
    let run = castproof(
        &["sweep", "--testee", "builtin", "--from", "float16", "--certificate", file],
        "",
    );
    assert_eq!(run.code, 0, "{}", run.err);
    let verified = castproof(&["certify", "verify", file], "");
    assert!(verified.out.contains("44 of 44 requests verified"), "{}", verified.err);
    let text = std::fs::read_to_string(&path).expect("text");
    for (old, new) in [
        ("\"codes\":65536", "\"codes\":65537"),
        ("castproof 0", "castproof 1"),
        ("\"date\": \"2", "\"date\": \"3"),
        ("\"request\":", "\"note\":1,\"request\":"),
        ("\n{", "\n {"),
        ("\"undefined\":", "\"fail\":1,\"undefined\":"),
    ] {
        assert!(text.contains(old), "{old}");
        std::fs::write(&path, text.replacen(old, new, 1)).expect("it is written");
        let run = castproof(&["certify", "verify", file], "");
        assert!(run.error_line().contains("was edited"), "{new}: {}", run.err);
    }
    std::fs::write(&path, &text[..text.len() / 2]).expect("it is written");
    assert!(
        castproof(&["certify", "verify", file], "").error_line().contains("is not a certificate")
    );
    Ok(())
}

fn a_testee_that_dies_ends_its_request() -> Checked {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("certificate.json");
    let file = path.to_str().expect("text");
    let testee = crate::common::testee("echo.py", "die");
    // The testee dies at its second request, which is the second batch of the only cast.
    let arguments = ["sweep", "--testee", &testee, "--from", "int32", "--to", "int32"];
    let more = ["--threads", "1", "--certificate", file];
    let run = castproof(&[&arguments[..], &more].concat(), "");
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("crash: "), "{}", run.out);
    assert!(run.out.contains(" codes swept, 1 request ended by an error"), "{}", run.out);
    Ok(())
}

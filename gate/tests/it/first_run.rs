//! What a new user meets first: the verdict on a right kernel, the counts, the matrix, the next
//! commands, and the words of errors.

use crate::common::{castproof, testee};
use castproof::gate::{self, Options};
use castproof::testee::{Identity, Reply, Testee, builtin::Builtin};
use castproof_vectors::{DType, Request, pack, unpack};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A right cast of float32 to float8e4m3fn in C, which knows no versions. `{}` is where it may be spoiled.
const KERNEL: &str = r#"
#include "castproof.h"
#include <math.h>
#include <string.h>

static unsigned char code_of(float x)
{
    int sign = signbit(x) ? 0x80 : 0, exponent;
    double quantum, scaled;
    float magnitude = fabsf(x);
    if (isnan(x))
        return 0x7f;
    {}
    frexpf(magnitude, &exponent);
    quantum = ldexp(1.0, exponent < -5 ? -9 : exponent - 4);
    scaled = nearbyint(magnitude / quantum) * quantum;
    if (scaled > 448)
        return sign | SATURATED;
    if (scaled < 0.015625)
        return sign | (int)(scaled * 512);
    frexp(scaled, &exponent);
    return sign | (exponent + 6) << 3 | ((int)ldexp(scaled, 4 - exponent) & 7);
}

int castproof_cast(const struct castproof_request *r, const void *input, void *output, char *m, size_t n)
{
    const float *x = input;
    unsigned char *y = output;
    size_t i;
    if (strcmp(r->from, "float32") || strcmp(r->to, "float8e4m3fn")) {
        if (n)
            strncpy(m, "no such cast", n - 1);
        return CASTPROOF_UNSUPPORTED;
    }
    for (i = 0; i < r->count; i++) {
        y[i] = code_of(x[i]);
        if (r->saturate == 0 && (y[i] & 0x7f) == 0x7e && fabsf(x[i]) >= 464)
            y[i] = fabsf(x[i]) > 464 ? (y[i] & 0x80) | 0x7f : y[i];
    }
    return CASTPROOF_OK;
}
"#;

/// Compiles a kernel that is spoiled by this statement. Returns the library.
fn library(folder: &Path, spoiled: &str) -> PathBuf {
    let source = folder.join("kernel.c");
    fs::write(&source, KERNEL.replace("{}", spoiled).replace("SATURATED", "0x7e")).expect("a file");
    let library = folder.join("libkernel.so");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-shared", "-fPIC", "-I"]).arg(include).arg("-o").arg(&library);
    assert!(compiler.arg(source).arg("-lm").status().expect("a C compiler").success());
    library
}

const PAIR: &str = "float32:float8e4m3fn";

/// A right kernel passes, with and without --kernel, and the run says how it is judged.
#[test]
fn a_right_bare_kernel_passes() {
    let folder = tempfile::tempdir().expect("a folder");
    let library = library(folder.path(), ";");
    let library = library.to_str().expect("text");
    for more in [&[][..], &["--kernel"], &["--pair", PAIR], &["--pair", PAIR, "--kernel"]] {
        let run = castproof(&[&["gate", "--library", library], more].concat(), "");
        assert_eq!(run.code, 0, "{more:?}: {}{}", run.out, run.err);
        let is_told = run.out.contains("so it is judged as a bare kernel");
        assert_eq!(is_told, !more.contains(&"--kernel"), "{more:?}: {}", run.out);
    }
}

/// A wrong kernel has one finding; every command that the run proposes works as it stands.
#[test]
fn a_wrong_kernel_has_one_finding_and_its_commands_work() {
    for (spoiled, name) in [
        ("if (isinf(x)) return sign | 0x7f;", "infinity becomes NaN"),
        (
            "{ unsigned u; memcpy(&u, &magnitude, 4); u &= ~0xffffu; memcpy(&magnitude, &u, 4); }",
            "sticky bits are lost",
        ),
        ("if (magnitude >= 464 && magnitude < 480) return sign | 0x7d;", "a range"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        library(folder.path(), spoiled);
        let words = ["gate", "--library", "./libkernel.so", "--pair", PAIR, "--kernel"];
        let (code, out) = shell(
            folder.path(),
            &format!("castproof {} --json 'my results.json'", words.join(" ")),
        );
        assert_eq!(code, 1, "{name}: {out}");
        assert!(out.contains("1 finding, "), "{name}: {out}");
        let proposed = proposed(&out);
        assert!(proposed.iter().any(|it| it.contains("castproof reproduce ")), "{name}: {out}");
        for command in proposed {
            let (code, said) = shell(folder.path(), &command);
            assert_eq!(code, 0, "{command}: {said}");
            if let Some(run) = said.lines().find_map(|line| line.strip_prefix("run: ")) {
                let (code, shown) = shell(folder.path(), run);
                assert_eq!(code, 1, "it is still wrong: {run}: {shown}");
                assert!(shown.contains("expected"), "{run}: {shown}");
                library(folder.path(), ";");
                let (code, shown) = shell(folder.path(), run);
                assert_eq!(code, 0, "it is right now: {run}: {shown}");
            }
        }
    }
}

/// A bare kernel that casts one pair by this function of codes.
struct Kernel {
    inner: Builtin,
    pair: (DType, DType),
    cast: fn(u64) -> u64,
}

impl Testee for Kernel {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        if (request.from, request.to) != self.pair {
            return Reply::Unsupported("no such cast".into());
        }
        let codes = unpack(request.from, input, count).expect("whole elements");
        let codes: Vec<u64> = codes.into_iter().map(self.cast).collect();
        Reply::Output(pack(request.to, &codes).expect("numeric"))
    }
}

/// Rounds float32 to bfloat16, ties to even, with this many of the bits below kept.
fn bfloat16(code: u64, kept: u32) -> u64 {
    let code = code >> (16 - kept) << (16 - kept);
    (code + 0x7fff + (code >> 16 & 1)) >> 16 & 0xffff
}

/// One fault is one finding, however many attributes it shows with.
#[test]
fn one_fault_is_one_finding() {
    type Fault = fn(u64) -> u64;
    let faults: [(&str, Fault); 3] = [
        // 0x7f800001 loses its last bit and is infinity then.
        ("NaN is cut to infinity", |code| match code & 0x7fff_ffff > 0x7f80_0000 {
            true => code >> 16,
            false => bfloat16(code, 16),
        }),
        ("sticky bits are lost", |code| match code & 0x7fff_ffff > 0x7f80_0000 {
            true => 0x7fc0,
            false => bfloat16(code, 2),
        }),
        ("ties go away from zero", |code| match code & 0x7fff_ffff > 0x7f80_0000 {
            true => 0x7fc0,
            false => (code + 0x8000) >> 16 & 0xffff,
        }),
    ];
    let pair = (DType::Float32, DType::Bfloat16);
    for (name, cast) in faults {
        for kernel in [true, false] {
            let options = Options { pairs: vec![pair], kernel, threads: 1, ..Options::default() };
            let mut testee = Kernel { inner: Builtin::new(), pair, cast };
            let mut out = Vec::new();
            let passed = gate::run(&options, &mut testee, &mut out).expect("a run");
            let out = String::from_utf8(out).expect("text");
            assert!(!passed && out.contains("FAIL  1 finding, "), "{name}: {out}");
        }
    }
}

/// Returns the commands that a report proposes, each from `castproof` to the end of its part.
fn proposed(out: &str) -> Vec<String> {
    let parts = out.lines().flat_map(|line| line.trim().split("; "));
    let commands = parts.filter_map(|part| part.strip_prefix("castproof "));
    let commands = commands.filter(|rest| !rest.starts_with("gate:"));
    commands.map(|rest| format!("castproof {}", rest.trim_end_matches(" lists all"))).collect()
}

/// Runs a command line in a folder, with the program on the path.
fn shell(folder: &Path, command: &str) -> (i32, String) {
    let program = Path::new(crate::common::program()).parent().expect("a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").expect("a path"));
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", command]).env("PATH", path).current_dir(folder).output();
    let output = output.expect("a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout) + &text(&output.stderr))
}

/// A testee behind a pipe has a script that starts it. A command that would not work is not proposed.
#[test]
fn what_is_proposed_for_a_process_works() {
    let folder = tempfile::tempdir().expect("a folder");
    let wrong = testee("wrong.py", "");
    let gate = format!(
        "castproof gate --testee \"{wrong}\" --pair {PAIR} --arrangements none --json results.json"
    );
    let (code, out) = shell(folder.path(), &gate);
    assert_eq!(code, 1, "{out}");
    let proposed = proposed(&out);
    let reproduce = proposed.iter().find(|it| it.contains("castproof reproduce "));
    for command in &proposed {
        let (code, said) = shell(folder.path(), command);
        assert_eq!(code, 0, "{command}: {said}");
    }
    let (_, said) = shell(folder.path(), reproduce.expect("a reproducer"));
    let run = said.lines().find_map(|line| line.strip_prefix("run: ")).expect("how to run it");
    let (code, shown) = shell(folder.path(), run);
    assert_eq!(code, 1, "{run}: {shown}");
    assert!(shown.contains("got 0x") && shown.contains("expected"), "{run}: {shown}");
}

/// What was executed is what the testee answered with an element: the sum of the verdicts on elements.
#[test]
fn executed_counts_what_was_executed() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("results.json");
    let suites =
        ["--suite", "onnx-bitcast", "--suite", "mindspore-promotion", "--suite", "onnx-cast"];
    let pair = ["--testee", "builtin", "--arrangements", "none", "--json"];
    let words = [&["gate"], &suites[..], &pair, &[place.to_str().expect("text")]].concat();
    let run = castproof(&words, "");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let lines = run.out.lines().filter(|line| line.contains(" executed: "));
    let mut counted = 0;
    for line in lines {
        let before = line.split(" executed: ").next().expect("a count");
        let executed = number(before.split(' ').next_back().expect("a count"));
        let counts = line.split(" executed: ").nth(1).expect("counts");
        let counts = counts.split(';').next().expect("counts");
        let words: Vec<&str> = counts.split_whitespace().collect();
        let sum: u64 = words
            .chunks(2)
            .filter(|pair| ["pass", "tolerated", "undefined", "fail"].contains(&pair[0]))
            .map(|pair| number(pair[1]))
            .sum();
        assert_eq!(executed, sum, "{line}");
        counted += 1;
    }
    assert!(counted > 5, "{}", run.out);
}

fn number(text: &str) -> u64 {
    text.replace(',', "").parse().unwrap_or_else(|_| panic!("'{text}' is no number"))
}

#[test]
fn a_matrix_has_what_was_asked() {
    let run = castproof(&["gate", "--testee", "builtin", "--pair", "int8:int4,int4:int8"], "");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let matrix = run.out.split("\nCast-28\n").nth(1).expect("a matrix");
    let rows: Vec<&str> = matrix.lines().take_while(|line| !line.starts_with("rows:")).collect();
    let names: Vec<&str> = rows.iter().filter_map(|row| row.split(' ').next()).collect();
    assert_eq!(names, ["", "", "int4", "int8"], "{matrix}");
}

#[test]
fn errors_say_what_to_write() {
    for (words, said) in [
        ("gate --testee builtin --jobs 0", "'--jobs <N>'"),
        ("gate --testee builtin --jobs -1", "'--jobs <N>'"),
        ("fuzz --testee builtin --time -5s", "60s, 10m or 2h"),
        ("expect float32 0x0 float8e4m3", "float8e4m3fn"),
        ("report no-such.json", "no-such.json"),
        ("gate --library ./no-such.so", "library ./no-such.so: No such file"),
    ] {
        let run = castproof(&words.split(' ').collect::<Vec<_>>(), "");
        let line = run.error_line();
        assert!(line.contains(said), "{words}: {line}");
        assert!(!line.contains("testee --library") && line.len() < 300, "{words}: {line}");
    }
}

/// A compiler writer finds the atlas from the first page, the list of pages and the help.
#[test]
fn the_atlas_is_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |name: &str| fs::read_to_string(root.join(name)).expect("a page");
    assert!(read("README.md").contains("(docs/atlas.html)"));
    assert!(read("docs/index.md").contains("(atlas.html)"));
    assert!(castproof(&["--help"], "").out.contains("docs/atlas.html"));
}

#[test]
fn the_first_page_is_short() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let lines = fs::read_to_string(readme).expect("README").lines().count();
    assert!(lines <= 180, "README has {lines} lines; put manuals into docs");
}

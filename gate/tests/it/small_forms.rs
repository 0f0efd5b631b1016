//! Small files as the languages read them: a program in each judges a right kernel and every planted one by the file.

use crate::common::castproof;
use castproof_methods::{METHODS, MethodTensor};
use castproof_oracle::Caster;
use castproof_vectors::{DType, Outcome, Request, landmarks};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A pair whose codes have these widths, and whose file has codes of NaN in two ranges.
const PAIRS: [(DType, DType); 2] =
    [(DType::Float32, DType::Float16), (DType::Int64, DType::Float32)];

/// What a kernel gave, a line a kernel, and whether the file must call it right.
struct Kernels {
    inputs: Vec<u64>,
    rows: Vec<(Vec<u64>, bool)>,
}

/// Two right kernels, which take the first and the last of the right codes, and one for each method.
fn kernels((from, to): (DType, DType), form: &str) -> Kernels {
    let request = Request::cast(from, to, 28);
    let csv = made("csv", (from, to));
    let mut inputs: Vec<u64> = Vec::new();
    for line in csv.lines().filter(|line| line.starts_with("0x")) {
        let words: Vec<&str> = line.split(',').collect();
        inputs.push(u64::from_str_radix(&words[0][2..], 16).expect("a code"));
    }
    let caster = Caster::new(&request).expect("numeric");
    let nan = &landmarks(to).expect("numeric").nan;
    let ends = |code: &u64| match caster.cast(*code).expect("a code").expect {
        Outcome::Code(code) => [code, code],
        Outcome::AnyNan => [nan[0][0].value(), nan[nan.len() - 1][1].value()],
        other => panic!("{form}: {other:?}"),
    };
    let (first, last): (Vec<u64>, Vec<u64>) = inputs.iter().map(ends).map(Into::into).unzip();
    let tensor = MethodTensor::new(&request, &inputs).expect("numeric");
    let places: Vec<usize> = (0..inputs.len()).collect();
    let mut rows = vec![(first.clone(), true), (last, true)];
    for method in METHODS {
        let results = method.results(&tensor, &places);
        let got = results.iter().zip(&first).map(|(got, right)| got.unwrap_or(*right));
        let got: Vec<u64> = got.collect();
        let is_right = |(code, got): (&u64, &u64)| {
            let answer = caster.cast(*code).expect("a code").expect;
            answer.admits(*got, landmarks(to).expect("numeric"))
        };
        let right = inputs.iter().zip(&got).all(is_right);
        rows.push((got, right));
    }
    assert!(rows.iter().filter(|(_, right)| !right).count() > 20);
    Kernels { inputs, rows }
}

/// Returns a small file of a pair.
fn made(form: &str, (from, to): (DType, DType)) -> String {
    let (from, to) = (from.to_string(), to.to_string());
    let words = ["vectors", "export", "--format", form, "--from", &from, "--to", &to];
    let run = castproof(&words, "");
    assert_eq!(run.code, 0, "{}", run.err);
    run.out
}

/// Runs a command, and returns what it printed. It must succeed.
fn ran(folder: &Path, words: &str, input: &str) -> String {
    let words: Vec<&str> = words.split(' ').collect();
    let mut child = Command::new(words[0])
        .args(&words[1..])
        .current_dir(folder)
        .env("GOFLAGS", "-mod=mod")
        .env("GOPROXY", "off")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{words:?}: {error}; install it"));
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{words:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// Judges the kernels by a program that prints the inputs on its first line, and then `pass` or `fail` for each line
/// of codes in decimal.
fn judged(folder: &Path, command: &str, kernels: &Kernels) {
    let numbers = |codes: &[u64]| codes.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
    let input: String = kernels.rows.iter().map(|(row, _)| numbers(row) + "\n").collect();
    let said = ran(folder, command, &input);
    let verdicts = kernels.rows.iter().map(|(_, right)| if *right { "pass" } else { "fail" });
    let due: Vec<String> =
        [numbers(&kernels.inputs)].into_iter().chain(verdicts.map(String::from)).collect();
    assert_eq!(said.lines().collect::<Vec<_>>(), due, "{command}");
}

/// Makes a folder with a small file of a pair and a program that judges by it; `names` are put into the program.
fn judge(
    (form, pair): (&str, (DType, DType)),
    (file, program): (&str, &str),
    source: &str,
    names: &[(&str, &str)],
) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let place = folder.path().join(name);
        fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
        fs::write(place, text).expect("written");
    };
    write(file, &made(form, pair));
    let named = names.iter().fold(source.to_string(), |text, (name, is)| text.replace(name, is));
    write(program, &named);
    folder
}

#[test]
fn c_and_cpp() {
    for (from, to) in PAIRS {
        let name = format!("{from}_{to}");
        let kernels = kernels((from, to), "c");
        for (form, files, source, compiler) in [
            (
                "c-header",
                ("small.h", "judge.c"),
                include_str!("../small/judge.c"),
                "cc -std=c99 -pedantic -Wall -Wextra -Werror judge.c -o judge",
            ),
            (
                "cpp",
                ("small.hpp", "judge.cpp"),
                include_str!("../small/judge.cpp"),
                "c++ -std=c++17 -pedantic -Wall -Wextra -Werror judge.cpp -o judge",
            ),
        ] {
            let folder = judge((form, (from, to)), files, source, &[("NAME", &name)]);
            ran(folder.path(), compiler, "");
            judged(folder.path(), "./judge", &kernels);
        }
    }
}

#[test]
fn rust() {
    for pair in PAIRS {
        let files = ("small.rs", "judge.rs");
        let folder = judge(("rust", pair), files, include_str!("../small/judge.rs"), &[]);
        ran(folder.path(), "rustc --edition 2021 -Dwarnings judge.rs", "");
        judged(folder.path(), "./judge", &kernels(pair, "rust"));
    }
}

#[test]
fn javascript() {
    for pair in PAIRS {
        let files = ("small.mjs", "judge.mjs");
        let folder = judge(("js", pair), files, include_str!("../small/judge.mjs"), &[]);
        judged(folder.path(), "node judge.mjs", &kernels(pair, "js"));
    }
}

#[test]
fn go() {
    for (pair, name, bits) in [(PAIRS[0], "Float32Float16", "16"), (PAIRS[1], "Int64Float32", "32")]
    {
        let files = ("castvectors/small.go", "main.go");
        let names = [("NAME", name), ("BITS", bits)];
        let folder = judge(("go", pair), files, include_str!("../small/judge.go"), &names);
        fs::write(folder.path().join("go.mod"), "module mine\n\ngo 1.18\n").expect("written");
        assert_eq!(ran(folder.path(), "gofmt -l castvectors", ""), "");
        ran(folder.path(), "go build -o judge .", "");
        judged(folder.path(), "./judge", &kernels(pair, "go"));
    }
}

/// CSV, JSON and numpy's archive, read by what Python has in itself; a file of testfloat has one code a value.
#[test]
fn python() {
    let judge = include_str!("../small/judge.py");
    for pair in PAIRS {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("judge.py"), judge).expect("written");
        for (form, name) in [("csv", "csv"), ("json-small", "json"), ("npz", "npz")] {
            let place = folder.path().join(name);
            let [from, to] = [pair.0, pair.1].map(|dtype| dtype.to_string());
            let words = ["vectors", "export", "--format", form, "--from", &from, "--to", &to];
            let words = [&words[..], &["--out", place.to_str().expect("text")]].concat();
            let run = castproof(&words, "");
            assert_eq!(run.code, 0, "{}", run.err);
            let command = format!("python3 judge.py {name} {name}");
            judged(folder.path(), &command, &kernels(pair, name));
        }
    }
}

/// A file of testfloat has the words of the one right code of each value, and leaves out what has several.
#[test]
fn testfloat() {
    for pair in PAIRS {
        let caster = Caster::new(&Request::cast(pair.0, pair.1, 28)).expect("numeric");
        let file = made("testfloat", pair);
        let lines: Vec<&str> = file.lines().filter(|line| !line.starts_with('#')).collect();
        assert!((10..=40).contains(&lines.len()), "{file}");
        for line in lines {
            let (input, expected) = line.split_once(' ').expect("two words");
            assert_eq!([input.len(), expected.len()], [pair.0, pair.1].map(DType::hex_digits));
            let [input, expected] =
                [input, expected].map(|word| u64::from_str_radix(word, 16).expect("a code"));
            let answer = caster.cast(input).expect("a code");
            assert_eq!((answer.expect, answer.tolerate), (Outcome::Code(expected), None));
        }
        let leaves_out = file.contains("are not considered: this form cannot hold");
        assert_eq!(leaves_out, pair.1 == DType::Float16, "{file}");
    }
}

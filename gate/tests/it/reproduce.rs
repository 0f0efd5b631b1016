//! Reproducers: each is run, or parsed by the language that would run it.

use crate::common::{castproof, testee};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The forms that are scripts in Python.
const SCRIPTS: [&str; 7] = ["onnx", "python", "numpy", "torch", "jax", "tensorflow", "mindspore"];

/// A folder with the results file of a testee that truncates float32 -> float8e4m3fn.
struct Results {
    folder: TempDir,
    value: Value,
}

impl Results {
    fn new() -> Results {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("results.json");
        let command = testee("wrong.py", "");
        let pair = ["--pair", "float32:float8e4m3fn", "--opset", "25", "--arrangements", "none"];
        let words = ["gate", "--testee", &command, "--json", file.to_str().expect("text")];
        let run = castproof(&[&words[..], &pair].concat(), "");
        assert_eq!(run.code, 1, "{}", run.err);
        let text = fs::read_to_string(&file).expect("a results file");
        Results { folder, value: serde_json::from_str(&text).expect("JSON") }
    }

    /// Writes the results with this name of the testee and one more failing test.
    fn with(name: &str, failure: Value) -> Results {
        let mut results = Results::new();
        results.value["testee"]["name"] = json!(name);
        results.value["failures"].as_array_mut().expect("a list").push(failure);
        fs::write(results.path(), results.value.to_string()).expect("written");
        results
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("results.json")
    }

    /// Writes the reproducer of a finding or test. Returns its folder.
    fn reproduce(&self, id: &str, form: &str) -> PathBuf {
        let out = self.folder.path().join(form);
        let [file, folder] =
            [self.path(), out.clone()].map(|it| it.to_str().expect("text").to_string());
        let words =
            ["reproduce", id, "--results", &file, "--as", form, "--out", &folder, "--issue"];
        let run = castproof(&words, "");
        assert_eq!(run.code, 0, "{form}: {}", run.err);
        assert!(run.out.contains("reproduce.") && run.out.contains("\nrun: "), "{}", run.out);
        out
    }

    fn refused(&self, id: &str, more: &[&str]) -> String {
        let file = self.path();
        let words = ["reproduce", id, "--results", file.to_str().expect("text")];
        castproof(&[&words[..], more].concat(), "").error_line().to_string()
    }

    /// Returns the first finding about numbers.
    fn finding(&self) -> &Value {
        let findings = self.value["findings"].as_array().expect("a list");
        findings.iter().find(|it| it["kind"] == "numeric").expect("a finding")
    }
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs a command in a folder. Returns its exit status and its output.
fn run(folder: &Path, program: &str, arguments: &[&str]) -> (i32, String) {
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let said = String::from_utf8_lossy(&output.stdout).to_string();
    let errors = String::from_utf8_lossy(&output.stderr);
    (output.status.code().expect("an exit status"), format!("{said}{errors}"))
}

/// Parses a script with Python. Returns the names of its calls, then its strings.
fn parsed(script: &Path) -> Value {
    let reader = "import ast, json, sys\n\
        nodes = list(ast.walk(ast.parse(open(sys.argv[1]).read())))\n\
        calls = [ast.unparse(n.func) for n in nodes if isinstance(n, ast.Call)]\n\
        texts = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]\n\
        print(json.dumps([calls, texts]))";
    let path = script.to_str().expect("text");
    let (code, said) = run(Path::new("."), "python3", &["-c", reader, path]);
    assert_eq!(code, 0, "{said}");
    serde_json::from_str(&said).expect("JSON")
}

#[test]
fn every_form_is_written_for_a_finding() {
    let results = Results::new();
    let finding = results.finding();
    let id = finding["id"].as_str().expect("an id");
    let input = finding["example"]["input"].as_str().expect("an input");
    for form in SCRIPTS {
        let folder = results.reproduce(id, form);
        let script = read(&folder, "reproduce.py");
        assert!(script.contains(input), "{form}: {script}");
        parsed(&folder.join("reproduce.py"));
        let issue = read(&folder, "issue.md");
        let rule = finding["rule"].as_str().expect("a rule");
        for part in [input, rule, id, "wrong 0", "Source: ", "pip install"] {
            assert!(issue.contains(part), "{form}: {part}: {issue}");
        }
    }
    let model = fs::read(results.folder.path().join("onnx/model.onnx")).expect("a model");
    assert!(model.windows(4).any(|bytes| bytes == b"Cast"));
    assert!(results.folder.path().join("onnx/test_data_set_0/input_0.pb").is_file());
}

#[test]
fn programs_tell_a_wrong_kernel_from_a_right_one() {
    let results = Results::new();
    let finding = results.finding();
    let (id, example) = (finding["id"].as_str().expect("an id"), &finding["example"]);
    let code = |value: &Value| value.as_str().expect("a code").to_string();
    let right = match &example["expect"] {
        Value::Object(expect) if expect.contains_key("code") => code(&expect["code"]),
        other => panic!("a finding with one right code is needed, not {other}"),
    };
    let [c, rust] = ["c", "rust"].map(|form| results.reproduce(id, form));
    for (answer, status) in [(code(&example["got"]), 1), (right, 0)] {
        let kernel = format!(
            "#include \"castproof.h\"\nint castproof_cast(const struct castproof_request *r, const void *x, \
             void *y, char *m, size_t n) {{ (void)r; (void)x; (void)m; (void)n; \
             *(unsigned char *)y = {answer}; return 0; }}"
        );
        fs::write(c.join("kernel.c"), kernel).expect("written");
        let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/include");
        let words = ["-Wall", "-Werror", include, "reproduce.c", "kernel.c", "-o", "reproduce"];
        let (built, said) = run(&c, "cc", &words);
        assert_eq!(built, 0, "{said}");
        let (code, said) = run(&c, "./reproduce", &[]);
        assert_eq!((code, said.contains(&format!("got {answer}"))), (status, true), "{said}");

        let kernel = format!(
            "pub fn cast(_: &[u8], output: &mut [u8], _: usize) {{ output[0] = {answer}; }}"
        );
        fs::write(rust.join("kernel.rs"), kernel).expect("written");
        let (built, said) = run(&rust, "rustc", &["-Dwarnings", "reproduce.rs"]);
        assert_eq!(built, 0, "{said}");
        let (code, said) = run(&rust, "./reproduce", &[]);
        assert_eq!((code, said.contains(&format!("got {answer}"))), (status, true), "{said}");
    }
}

/// A testee that answers one cast with the text of the variable SAYS.
const SAYS: &str = "import json, os, sys\n\
        out, line = sys.stdout.buffer, sys.stdin.buffer.readline\n\
        say = lambda m, p=b'': (out.write(json.dumps(m).encode() + b'\\n' + p), out.flush())\n\
        line(), say({'hello': 'castproof-testee/1', 'name': 'says', 'version': '1', 'language': 'python'})\n\
        asked = json.loads(line())\n\
        sys.stdin.buffer.read(asked['bytes'])\n\
        said = json.dumps([os.environ['SAYS']]).encode()\n\
        say({'seq': asked['seq'], 'status': 'ok', 'bytes': len(said)}, said), line()\n";

/// A cast to string, and texts.
struct Texts {
    from: &'static str,
    input: &'static str,
    /// What is due, as a results file has it.
    expect: &'static str,
    /// Is every notation tolerated?
    any: bool,
    right: &'static [&'static str],
    wrong: &'static [&'static str],
}

const PLAIN: &str = r#"{"roundTrips": true, "notation": "plain"}"#;

#[rustfmt::skip] // a table
const TEXTS: [Texts; 11] = [
    Texts { from: "int8", input: "0xf9", expect: r#"{"text": "-7"}"#, any: true,
        right: &["-7", "-7.0", "-07", "-70e-1"], wrong: &["7", "-8", "-7 ", "", "-7_0"] },
    Texts { from: "int64", input: "0x8000000000000001", expect: r#"{"text": "-9223372036854775807"}"#, any: true,
        right: &["-9223372036854775807"], wrong: &["-9223372036854775808", "-9.223372036854775e18"] },
    Texts { from: "bfloat16", input: "0x3dcd", expect: PLAIN, any: true,
        right: &["0.1", "1e-1", "0.10009765625"], wrong: &["0.11", "x", "-0.1", "0.1_0"] },
    Texts { from: "bfloat16", input: "0x0001", expect: PLAIN, any: true,
        right: &["9.2e-41", "1e-40"], wrong: &["0", "2e-40", "NaN"] },
    Texts { from: "bfloat16", input: "0x7f7f", expect: PLAIN, any: true,
        right: &["3.39e38"], wrong: &["3.41e38", "inf", "1e99999"] },
    Texts { from: "float8e4m3fn", input: "0xfe", expect: PLAIN, any: true,
        right: &["-448", "-448.0", "-464", "-432"], wrong: &["448", "-431", "-465", "-inf"] },
    Texts { from: "float8e8m0", input: "0x80", expect: PLAIN, any: true,
        right: &["2", "2.9", "1.6"], wrong: &["3", "1.5", "-2", "4"] },
    Texts { from: "float4e2m1", input: "0x0", expect: PLAIN, any: true,
        right: &["0", "0.0", "0.25"], wrong: &["-0", "0.3", "1"] },
    Texts { from: "float32", input: "0x3dcccccd", expect: PLAIN, any: true,
        right: &["0.1", "1e-1"], wrong: &["0.100000009", "0.1 ", "1_0e-2"] },
    Texts { from: "float64", input: "0x3fb999999999999a", expect: PLAIN, any: false,
        right: &["0.1", "+.1"], wrong: &["1e-1", "0.10000000000000002"] },
    Texts { from: "float16", input: "0x7e00", expect: r#"{"oneOfText": ["NaN", "nan"]}"#, any: false,
        right: &["NaN", "nan"], wrong: &["-NaN", "inf", "0"] },
];

/// A script about a cast to string ends with 1 whatever wrong text comes, the recorded one or another, and with 0 for
/// every right one.
#[test]
fn scripts_tell_wrong_texts_from_right_ones() {
    let id = "0123456789ab";
    let results = Results::new();
    let [testee, out] = ["testee.py", "out"].map(|name| results.folder.path().join(name));
    fs::write(&testee, SAYS).expect("written");
    let command = format!("python3 {}", testee.to_str().expect("text"));
    for Texts { from, input, expect, any, right, wrong } in TEXTS {
        let expect: Value = serde_json::from_str(expect).expect("JSON");
        let mut failure = json!({
            "id": id, "opsets": [25], "from": from, "to": "string", "attributes": {}, "input": input,
            "got": wrong[0], "expect": expect, "clause": "S-13",
        });
        if any {
            failure["tolerate"] = json!({"roundTrips": true, "notation": "any"});
        }
        let mut value = results.value.clone();
        value["failures"] = json!([failure]);
        fs::write(results.path(), value.to_string()).expect("written");
        let file = results.path();
        let [file, folder] = [&file, &out].map(|it| it.to_str().expect("text"));
        let words = ["reproduce", id, "--results", file, "--testee", &command, "--out", folder];
        let made = castproof(&words, "");
        assert_eq!(made.code, 0, "{from}: {}", made.err);
        for (texts, due) in [(right, 0), (wrong, 1)] {
            for text in texts {
                let mut script = Command::new("python3");
                script.arg("reproduce.py").current_dir(&out).env("SAYS", text);
                let ended = script.output().expect("python3");
                let said = String::from_utf8_lossy(&ended.stderr);
                assert_eq!(ended.status.code(), Some(due), "{from} {input}: '{text}': {said}");
                assert!(said.is_empty(), "{from} {input}: '{text}': {said}");
            }
        }
    }
}

/// Returns a fault of places of a tensor of equal elements.
fn place(pair: [&str; 2], [input, got, expect]: [&str; 3], codes: &[&str]) -> Value {
    json!({"opset": 25, "from": pair[0], "to": pair[1], "attributes": {}, "place": "the tail of 8",
        "sentence": "right alone", "count": 19, "layout": "contiguous", "index": 16, "input": input,
        "got": got, "expect": {"code": expect}, "clause": "FI-01", "codes": codes})
}

#[test]
fn a_fault_of_places_is_shown_in_its_tensor() {
    for (pair, codes, kernel, output) in [
        (["int8", "float32"], ["0xff", "0x00000000", "0xbf800000"], "float", "-1"),
        (["uint4", "int8"], ["0x5", "0x00", "0x05"], "signed char", "x[i / 2] >> i % 2 * 4 & 15"),
    ] {
        let mut results = Results::new();
        results.value["misplaced"] = json!([place(pair, codes, &codes[..1])]);
        fs::write(results.path(), results.value.to_string()).expect("written");
        let file = results.path();
        let shown = castproof(&["show", "--results", file.to_str().expect("text")], "");
        let finding = shown.out.lines().find(|line| line.starts_with("place ")).expect("a finding");
        let id = finding.split(' ').next_back().expect("an id");
        let [c, rust] = ["c", "rust"].map(|form| results.reproduce(id, form));
        let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/include");
        for (wrong_from, status) in [(16, 1), (19, 0)] {
            let text = format!(
                "#include \"castproof.h\"\nint castproof_cast(const struct castproof_request *r, \
                 const void *input, void *output, char *m, size_t n) {{ \
                 const unsigned char *x = input; {kernel} *y = output; size_t i; (void)m; (void)n; \
                 for (i = 0; i < r->count; i++) y[i] = i < {wrong_from} ? {output} : 0; (void)x; \
                 return 0; }}"
            );
            fs::write(c.join("kernel.c"), text).expect("written");
            let (built, said) =
                run(&c, "cc", &["-Wall", include, "reproduce.c", "kernel.c", "-o", "reproduce"]);
            assert_eq!(built, 0, "{said}");
            let (code, said) = run(&c, "./reproduce", &[]);
            let index = if status == 1 { 16 } else { 18 };
            let place = format!("element {index} of 19: got ");
            assert_eq!((code, said.contains(&place)), (status, true), "{said}");

            // The bytes of the element in little-endian order.
            let bytes = if pair[1] == "int8" { "&[5]" } else { "&[0, 0, 0x80, 0xbf]" };
            let text = format!(
                "pub fn cast(_: &[u8], output: &mut [u8], _: usize) {{ let right: &[u8] = {bytes}; \
                 for (at, to) in output.chunks_mut(right.len()).enumerate() {{ \
                 if at < {wrong_from} {{ to.copy_from_slice(right) }} else {{ to.fill(0) }} }} }}"
            );
            fs::write(rust.join("kernel.rs"), text).expect("written");
            let (built, said) = run(&rust, "rustc", &["-Dwarnings", "reproduce.rs"]);
            assert_eq!(built, 0, "{said}");
            let (code, said) = run(&rust, "./reproduce", &[]);
            assert_eq!((code, said.contains(&place)), (status, true), "{said}");
        }
        let issue = read(&c, "issue.md");
        assert!(issue.contains("| tensor | 19 equal elements, of which element 16"), "{issue}");
        damaged_places_are_refused(&mut results, id, codes[0]);
    }
}

/// Damages one member of the place at a time. No reproducer is written.
fn damaged_places_are_refused(results: &mut Results, id: &str, code: &str) {
    for (member, damaged, said) in [
        ("codes", json!([code, "0x1"]), "a tensor of several codes"),
        ("codes", json!(["0x01"]), "a tensor of several codes"),
        ("count", json!(0), "names element 16 of 0"),
        ("index", json!(19), "names element 19 of 19"),
        ("count", json!(1_u64 << 40), "more than the 2,097,152 of a reproducer"),
        ("input", Value::Null, "names no wrong element"),
    ] {
        let good = results.value["misplaced"][0][member].take();
        results.value["misplaced"][0][member] = damaged;
        fs::write(results.path(), results.value.to_string()).expect("written");
        for form in ["c", "onnx"] {
            let line = results.refused(id, &["--as", form]);
            assert!(line.contains(said), "{line}");
        }
        results.value["misplaced"][0][member] = good;
    }
}

/// Texts that end a string, a line, a fence or a comment if they are not escaped.
const HOSTILE: [&str; 6] = [
    "\");evil();(\"",
    "\\\");evil()#",
    "'''\nevil()\n'''",
    "```\n<img src=x onerror=evil()>\n```",
    "{evil()} %s %n ??/",
    "*/ evil(); /*",
];

#[test]
fn no_text_of_a_results_file_becomes_code() {
    for hostile in HOSTILE {
        let name = format!("onnxruntime {hostile}");
        let failure = json!({"opsets": [25], "from": "string", "to": "string", "attributes": {},
            "id": "0123456789ab", "input": hostile, "got": hostile, "expect": {"text": hostile},
            "clause": "F8-N07", "known": hostile});
        let mut results = Results::with(&name, failure);
        results.value["testee"]["version"] = json!(hostile);
        fs::write(results.path(), results.value.to_string()).expect("written");
        let folder = if hostile.contains('\n') {
            // The reader of results escapes such a text, so the true input is not known.
            assert!(results.refused("0123456789ab", &[]).contains("control characters"));
            results.reproduce(results.finding()["id"].as_str().expect("an id"), "onnx")
        } else {
            results.reproduce("0123456789ab", "onnx")
        };
        let parsed = parsed(&folder.join("reproduce.py"));
        let calls = parsed[0].as_array().expect("a list");
        assert!(!calls.contains(&json!("evil")) && calls.len() > 5, "{hostile:?}: {calls:?}");
        if !hostile.contains('\n') {
            let texts = parsed[1].as_array().expect("a list");
            assert!(texts.contains(&json!(hostile)), "{hostile:?}: {texts:?}");
        }
        let script = read(&folder, "reproduce.py");
        assert!(script.contains("# pip install onnxruntime\n"), "{hostile:?}: {script}");
        let issue = read(&folder, "issue.md");
        assert_eq!(issue.lines().filter(|line| line.starts_with("```")).count(), 2, "{issue}");
        assert!(!issue.contains("<img"), "{issue}");
    }
}

#[test]
fn the_version_of_the_results_is_installed() {
    let mut results = Results::with(
        "onnx-reference",
        json!({"opsets": [25], "from": "int8",
        "to": "bool", "attributes": {}, "id": "0123456789ab", "input": "0x02", "got": "0x00",
        "expect": {"code": "0x01"}, "clause": "B-01"}),
    );
    results.value["testee"]["version"] = json!("1.23.2");
    fs::write(results.path(), results.value.to_string()).expect("written");
    let script = read(&results.reproduce("0123456789ab", "onnx"), "reproduce.py");
    assert!(script.contains("pip install onnx==1.23.2\n"), "{script}");
    let script = read(&results.reproduce("0123456789ab", "torch"), "reproduce.py");
    assert!(script.contains("pip install torch\n"), "{script}");
}

#[test]
fn what_cannot_be_reproduced_is_one_line() {
    let results = Results::with(
        "onnxruntime",
        json!({"opsets": [13], "from": "string", "to": "int8",
        "attributes": {}, "id": "0123456789ab", "input": "1", "got": "0x01",
        "expect": {"reject": true}, "clause": "T-01"}),
    );
    for (id, more, part) in [
        ("F-none", &[][..], "no finding 'F-none'"),
        ("0123456789ab", &["--as", "c"], "no strings"),
        ("0123456789ab", &["--as", "numpy"], "has no string"),
        ("0123456789ab", &["--as", "fortran"], "unknown form 'fortran'"),
    ] {
        let line = results.refused(id, more);
        assert!(line.contains(part), "{line}");
    }
    let other = Results::new();
    let id = other.finding()["id"].as_str().expect("an id").to_string();
    assert!(other.refused(&id, &[]).contains("--as"), "a testee that no script runs");
}

//! The ways to plug in a testee, each with its template.

use crate::common::castproof;
use std::path::{Path, PathBuf};
use std::process::Command;

const PAIR: [&str; 4] = ["--from", "uint8", "--to", "float32"];

fn templates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("adapters").join("templates")
}

/// Gates one pair. Asserts that it passes and that it ran at each version.
fn passes(subject: &[&str]) {
    let run = castproof(&[&["gate"], subject, &PAIR].concat(), "");
    assert_eq!(run.code, 0, "{subject:?}\n{}\n{}", run.out, run.err);
    let summaries: Vec<&str> =
        run.out.lines().filter(|line| line.contains(" pairs ran ")).collect();
    assert_eq!(summaries.len(), 10, "{}", run.out);
    assert!(summaries.iter().all(|line| line.contains(" 1 of 1 pairs ran ")), "{}", run.out);

    // A profile that it lists, and one that it does not.
    let of_profile = |name| castproof(&[&["gate", "--profile", name], subject, &PAIR].concat(), "");
    let run = of_profile("rust-as");
    assert_eq!(run.code, 0, "{subject:?}\n{}\n{}", run.out, run.err);
    assert!(run.out.contains(" 1 of 1 pairs ran "), "{}", run.out);
    let refused = of_profile("cuda-cvt");
    assert_eq!(refused.code, 2, "{subject:?}\n{}", refused.out);
    assert!(
        refused.err.contains("does not say that it has the profile cuda-cvt"),
        "{}",
        refused.err
    );
}

fn compile(arguments: &[&str]) {
    let strict = ["-O2", "-Wall", "-Wextra", "-Werror"];
    let status = Command::new("cc").args(strict).args(arguments).status();
    assert!(status.expect("a C compiler").success(), "{arguments:?}");
}

fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}

#[test]
fn a_process_in_c() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("testee");
    compile(&["-o", text(&program), text(&templates().join("c/testee.c"))]);
    passes(&["--testee", text(&program)]);
}

#[test]
fn a_process_in_python() {
    passes(&["--testee", &format!("python3 '{}'", templates().join("python/testee.py").display())]);
}

#[test]
fn what_a_hello_does_not_list_is_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let results = folder.path().join("results.json");
    let script = templates().join("python/testee.py");
    let command = format!("python3 '{}'", script.display());
    let gate = ["gate", "--testee", &command, "--json", text(&results), "--pair", "uint8:float32"];
    let told = "Not asked, because the testee's hello does not list it: constant, strided, \
                reversed, transposed, broadcast, offset, in-place";
    let run = castproof(&gate, "");
    assert!(run.out.lines().any(|line| line == told), "{}", run.out);
    let markdown = folder.path().join("summary.md");
    let report = castproof(&["report", text(&results), "--markdown", text(&markdown)], "");
    assert_eq!(report.code, 0, "{}", report.err);
    let summary = std::fs::read_to_string(&markdown).expect("a summary");
    assert!(summary.contains(&format!("\n{told}.\n")), "{summary}");
    let page = folder.path().join("page.html");
    castproof(&["report", text(&results), "--html", text(&page)], "");
    let page = std::fs::read_to_string(&page).expect("a page");
    assert!(page.contains("(not asked: constant, strided, reversed, "), "no gap on the page");
    // Without arrangements nothing else would be asked, either.
    let run = castproof(&[&gate[..], &["--arrangements", "none"]].concat(), "");
    assert!(!run.out.contains("Not asked"), "{}", run.out);
}

#[test]
fn a_process_in_node() {
    passes(&["--testee", &format!("node '{}'", templates().join("node/testee.mjs").display())]);
}

/// The template in Rust passes, and it is light: a testee of one's own should build in seconds.
#[test]
fn a_process_in_rust() {
    let manifest = templates().join("rust/Cargo.toml");
    let manifest = text(&manifest);
    // The testee is compiled without optimisation, which takes half of the time.
    let options = ["castproof-rules", "castproof-vectors", "castproof-testee"]
        .map(|name| format!("--config=profile.dev.package.{name}.opt-level=0"));
    // Built before, because a testee has 30 seconds to say hello. Cargo may also wait for another one that builds
    // in the same folder.
    let mut cargo = Command::new("cargo");
    let built = cargo.args(&options).args(["build", "--quiet", "--manifest-path", manifest]);
    assert!(built.status().expect("cargo starts").success());
    let start = format!("cargo {} run --quiet --manifest-path '{manifest}'", options.join(" "));
    passes(&["--testee", &start, "--timeout", "900"]);
    let tree = Command::new("cargo")
        .args(["tree", "--manifest-path", manifest, "--edges", "normal,build", "--prefix", "none"])
        .args(["--format", "{p}"])
        .output()
        .expect("cargo starts");
    let tree = String::from_utf8(tree.stdout).expect("UTF-8");
    let crates: std::collections::BTreeSet<&str> =
        tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(crates.contains("castproof-testee"), "{tree}");
    // Its own crate is one of them.
    assert!((2..=27).contains(&crates.len()), "{} crates: {crates:?}", crates.len());
}

#[test]
fn a_shared_library_in_a_child_process() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let library = folder.path().join("libkernel.so");
    let shared = ["-shared", "-fPIC", "-I", text(&include), "-o", text(&library)];
    let source = templates().join("library/kernel.c");
    compile(&[&shared[..], &[text(&source)]].concat());
    passes(&["--library", text(&library)]);

    // A library that crashes ends its child process and nothing else.
    let crash = folder.path().join("crash.c");
    let body = "#include \"castproof.h\"\n#include <stdlib.h>\n\
        int castproof_cast(const struct castproof_request *r, const void *i, void *o, char *m, \
        size_t s) { (void)r; (void)i; (void)o; (void)m; (void)s; abort(); }\n";
    std::fs::write(&crash, body).expect("a file");
    compile(&[&shared[..], &[text(&crash)]].concat());
    let run = castproof(&[&["gate", "--library", text(&library)], &PAIR[..]].concat(), "");
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("crash: died of signal: 6"), "{}", run.out);
}

/// A right kernel passes the C fuzz target, whose `main` feeds it bytes, and a wrong one fails.
#[test]
fn a_fuzz_target_in_c() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let answers = folder.path().join("answers");
    let exported = ["--format", "partition", "--out", text(&answers), "--opset", "28"];
    let run = castproof(&[&["vectors", "export"], &exported[..], &PAIR].concat(), "");
    assert_eq!(run.code, 0, "{}", run.err);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let example = root.with_file_name("examples").join("c");
    let kernel = templates().join("library/kernel.c");
    let broken = folder.path().join("broken.c");
    let right = std::fs::read_to_string(&kernel).expect("the template");
    let wrong =
        right.replace("output[i] = input[i];", "output[i] = input[i] == 77 ? 0 : input[i];");
    assert_ne!(right, wrong);
    std::fs::write(&broken, wrong).expect("a file");
    let input = folder.path().join("input");
    std::fs::write(&input, [5, 77, 0, 0, 0, 0, 0, 0, 0, 0]).expect("a file");
    for (kernel, passes) in [(&kernel, true), (&broken, false)] {
        let program = folder.path().join("fuzz_cast");
        let sources = [&example.join("fuzz_cast.c"), &example.join("feed.c"), kernel];
        let include = root.join("include");
        let options = ["-I", text(&include), "-o", text(&program)];
        compile(&[&options[..], &sources.map(|source| text(source))].concat());
        for argument in ["-runs=2000", text(&input)] {
            let output = Command::new(&program)
                .arg(argument)
                .env("CASTPROOF_ANSWERS", answers.join("uint8__float32.json"))
                .env("CASTPROOF_DTYPES", root.with_file_name("vectors/data/dtypes.json"))
                .output();
            let output = output.expect("it starts");
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.success(), passes, "{argument}: {said}");
            let told = said.contains("uint8 -> float32: 0x4d as element ");
            assert_eq!(told, !passes, "{argument}: {said}");
        }
    }
}

#[test]
fn a_library_that_cannot_be_loaded_is_one_line() {
    let run = castproof(&["gate", "--library", "no-such.so"], "");
    assert!(run.error_line().contains("no-such.so"), "{}", run.err);
}

#[test]
fn vectors_as_lines() {
    let run = castproof(&[&["vectors", "export", "--format", "jsonl"], &PAIR[..]].concat(), "");
    assert_eq!(run.code, 0, "{}", run.err);
    let lines: Vec<serde_json::Value> =
        run.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(lines.len() > 20);
    for line in lines {
        assert_eq!((&line["from"], &line["to"]), (&"uint8".into(), &"float32".into()));
        assert_eq!(line["id"].as_str().map(str::len), Some(12));
        assert!(line["opsets"].is_array() && line["expect"].is_object(), "{line}");
    }
}

/// An adapter of one's own: it is listed with what it lacks, and runs when it lacks nothing.
#[test]
fn an_adapter_says_what_it_lacks() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mine = folder.path().join("mine");
    std::fs::create_dir(&mine).expect("a folder");
    let template = templates().join("python/testee.py");
    std::fs::copy(template, mine.join("testee.py")).expect("a copy");
    let manifest = "name = \"mine\"\ndescription = \"the template\"\ncommand = [\"python3\", \"testee.py\"]\n\
        programs = { no-such-compiler = \"CASTPROOF_TEST_COMPILER\" }\n";
    std::fs::write(mine.join("adapter.toml"), manifest).expect("a file");
    let run = |arguments: &[&str], compiler: Option<&str>| {
        let mut command = Command::new(crate::common::program());
        command.args(arguments).env("CASTPROOF_ADAPTERS", folder.path());
        let output = command.envs(compiler.map(|it| ("CASTPROOF_TEST_COMPILER", it))).output();
        let output = output.expect("the program starts");
        let said = String::from_utf8([output.stdout, output.stderr].concat()).expect("text");
        (output.status.code(), said)
    };
    let lacks = "it needs the program no-such-compiler; install it, or name another in CASTPROOF_TEST_COMPILER";
    let (code, said) = run(&["adapters"], None);
    assert!(code == Some(0) && said.contains("mine  lacks") && said.contains(lacks), "{said}");
    let gate = ["gate", "--adapter", "mine", "--pair", "uint8:float32"];
    let (code, said) = run(&gate, None);
    assert!(code == Some(2) && said.contains(lacks), "{said}");
    let (code, said) = run(&["adapters"], Some("cc"));
    assert!(code == Some(0) && said.contains("mine  ready"), "{said}");
    let (code, said) = run(&gate, Some("cc"));
    assert!(code == Some(0) && said.contains("PASS"), "{said}");

    // Each version is asked in full if the adapter or the command line says so; the command line goes first.
    let each = "; judged: Cast-1 to Cast-28; REDUCED";
    let newest = "; judged: Cast-1 to Cast-28, in full the newest of each pair; REDUCED";
    let of_adapter = format!("all-versions = true\n{manifest}");
    let of_vectors = format!("all-versions = \"vectors\"\n{manifest}");
    let all = ["--all-versions"];
    for (manifest, more, due) in [
        (manifest, &[][..], newest),
        (manifest, &all, each),
        (&of_adapter, &[], each),
        (&of_adapter, &["--arrangements", "newest"], newest),
        (&of_vectors, &[], newest),
    ] {
        std::fs::write(mine.join("adapter.toml"), manifest).expect("a file");
        let (code, said) = run(&[&gate[..], more].concat(), Some("cc"));
        assert!(code == Some(0) && said.contains(due), "{manifest} {more:?}: {said}");
    }
    for (more, due) in [
        (&["--all-versions", "--arrangements", "none"][..], "or write --all-versions=vectors"),
        (&["--all-versions=vectors", "--arrangements", "none"], "PASS"),
    ] {
        let (_, said) = run(&[&gate[..], more].concat(), Some("cc"));
        assert!(said.contains(due), "{more:?}: {said}");
    }
    std::fs::write(mine.join("adapter.toml"), of_vectors.replace("vectors", "some"))
        .expect("a file");
    let (code, said) = run(&gate, Some("cc"));
    assert!(
        code == Some(2) && said.contains("all-versions is true, false or \"vectors\""),
        "{said}"
    );
}

//! The program takes the command lines that the documents show, and prints what they say.

use castproof_vectors::{Operator, type_set, versions};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Each command in a block `console` prints what stands below it; `...` stands for any lines.
/// Commands without output there are left out, and so are those that need an adapter. `.ci/run`
/// compares what the gate prints for ONNX Runtime.
#[test]
fn the_examples_of_the_documents_are_true() {
    let documents: Vec<String> =
        documents().iter().map(|path| fs::read_to_string(path).expect("a file")).collect();
    let blocks = documents.iter().flat_map(|text| blocks(text));
    let blocks = blocks.filter(|(language, _)| *language == "console");
    let examples = blocks.flat_map(|(_, block)| block.split("$ ").skip(1));
    // What an example writes must not lie in the repository.
    let folder = tempfile::tempdir().expect("a folder");
    let out = format!("--out {}/", folder.path().display());
    let mut compared = 0;
    for example in examples.filter(|it| it.starts_with("castproof ") || it.starts_with("printf ")) {
        let (command, printed) = example.split_once('\n').expect("a line");
        if printed.is_empty() || command.contains("--adapter") {
            continue;
        }
        let command = &command.replace("--out ", &out);
        let got = String::from_utf8(shell(command).stdout).expect("text");
        let mut rest = got.as_str();
        for (index, part) in printed.split("...\n").enumerate() {
            let at = rest.find(part).filter(|&at| index > 0 || at == 0);
            let at =
                at.unwrap_or_else(|| panic!("{command}: the document has\n{printed}not\n{got}"));
            rest = &rest[at + part.len()..];
        }
        assert!(rest.is_empty() || printed.ends_with("...\n"), "{command} also prints\n{rest}");
        compared += 1;
    }
    assert!(compared >= 7, "only {compared} examples were compared");
}

/// Each command line of the program in a block of a document can be parsed. `--help` at its end
/// makes the program parse the words before it and do nothing else.
#[test]
fn the_command_lines_of_the_documents_are_understood() {
    let mut parsed = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a file");
        let lines = blocks(&text).into_iter().flat_map(|(language, block)| {
            let prompt = if language == "console" { "$ " } else { "" };
            let is_shell = matches!(language, "console" | "sh");
            block.lines().filter(move |_| is_shell).filter_map(move |it| it.strip_prefix(prompt))
        });
        let commands = lines.flat_map(|line| {
            let line = line.split(" #").next().expect("a part");
            line.split(['|', '&', ';']).map(str::trim)
        });
        for command in commands.filter(|it| it.starts_with("castproof ") && !it.ends_with('\\')) {
            let output = shell(&format!("{command} --help"));
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {command}: {error}", path.display());
            parsed += 1;
        }
    }
    assert!(parsed >= 30, "only {parsed} command lines were found");
}

/// The table of versions has every version, with the dtypes that it brought.
#[test]
fn the_table_of_versions_is_complete() {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/versions.md")).expect("a page");
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let mut before = type_set(Operator::Cast, 1);
    for &version in versions(Operator::Cast) {
        let is_of = |row: &&Vec<&str>| row[0].split(", ").any(|it| it == version.to_string());
        let row = rows.iter().find(is_of).unwrap_or_else(|| panic!("no row of {version}"));
        let words: Vec<&str> = row[1]
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|it| !it.is_empty())
            .collect();
        let now = type_set(Operator::Cast, version);
        for dtype in now.iter().filter(|dtype| !before.contains(dtype)) {
            assert!(words.contains(&dtype.name()), "{dtype} in the row of {version}: {}", row[1]);
        }
        before = now;
    }
}

/// Returns the Markdown files in the root of the repository and in the folders directly below it.
/// Those further down show no command line that begins with `castproof`.
fn documents() -> Vec<PathBuf> {
    let entries = |folder: &Path| fs::read_dir(folder).expect("a folder").flatten();
    let folders = entries(Path::new(ROOT)).map(|entry| entry.path());
    let folders = folders.filter(|path| path.is_dir() && !path.ends_with("target"));
    let folders = folders.chain([PathBuf::from(ROOT)]);
    let files = folders.flat_map(|folder| entries(&folder).map(|entry| entry.path()));
    files.filter(|path| path.extension().is_some_and(|it| it == "md")).collect()
}

/// Returns the code blocks of a document, each with the word after its opening fence.
fn blocks(document: &str) -> Vec<(&str, &str)> {
    let fenced = document.split("```").skip(1).step_by(2);
    fenced.filter_map(|block| block.split_once('\n')).collect()
}

/// Runs a command line with the program on the path, in the root of the repository.
fn shell(command: &str) -> Output {
    let folder = Path::new(env!("CARGO_BIN_EXE_castproof")).parent().expect("a folder");
    let path = format!("{}:{}", folder.display(), env::var("PATH").expect("a path"));
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", command]).env("PATH", path).current_dir(ROOT).output();
    output.expect("a shell")
}

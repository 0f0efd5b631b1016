//! What README.md says that the program prints is what it prints.

use std::process::Command;
use std::{env, fs, path::Path};

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Each command in a block `console` prints what stands below it; `...` stands for any lines.
/// Left out are commands without output there, and those that need an adapter: `.ci/run` compares
/// the output for ONNX Runtime.
#[test]
fn the_examples_of_the_readme_are_true() {
    let readme = fs::read_to_string(Path::new(ROOT).join("README.md")).expect("a file");
    let blocks = readme.split("```console\n").skip(1);
    let blocks = blocks.map(|rest| rest.split("```").next().expect("a block"));
    let examples = blocks.flat_map(|block| block.split("$ ").skip(1).map(str::to_string));
    let mut compared = 0;
    for example in examples {
        let (command, printed) = example.split_once('\n').expect("a line");
        if printed.is_empty() || command.contains("--adapter") {
            continue;
        }
        let got = output(command);
        let mut rest = got.as_str();
        for (index, part) in printed.split("...\n").enumerate() {
            let at = rest.find(part).filter(|&at| index > 0 || at == 0);
            let at = at.unwrap_or_else(|| panic!("{command}: README has\n{printed}not\n{got}"));
            rest = &rest[at + part.len()..];
        }
        assert!(rest.is_empty() || printed.ends_with("...\n"), "{command} also prints\n{rest}");
        compared += 1;
    }
    assert!(compared >= 7, "only {compared} examples were compared");
}

/// Runs a command line with the program on the path, in the root of the repository.
fn output(command: &str) -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_castproof")).parent().expect("a folder");
    let path = format!("{}:{}", folder.display(), env::var("PATH").expect("a path"));
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", command]).env("PATH", path).current_dir(ROOT).output();
    let output = output.expect("a shell");
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

//! Serves the crates over the testee protocol; `--crate NAME` serves one of them.

use castproof_rust_crates::{CRATES, Crates};
use castproof_testee::serve::serve_standard;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let asked = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Some(Crates::new()),
        ["--crate", name] => Crates::only(name),
        _ => None,
    };
    let Some(mut crates) = asked else {
        eprintln!("give no argument, or --crate and one of {}", CRATES.join(", "));
        return ExitCode::from(2);
    };
    serve_standard(&mut crates)
}

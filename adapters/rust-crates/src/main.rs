//! Serves the crates over the testee protocol; `--crate NAME` serves one of them.

use castproof_rust_crates::{CRATES, Crates};
use castproof_testee::serve::serve;
use std::io::{self, BufWriter};
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
    let output = &mut BufWriter::new(io::stdout().lock());
    match serve(&mut crates, &mut io::stdin().lock(), output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rust-crates: {error}");
            ExitCode::FAILURE
        }
    }
}

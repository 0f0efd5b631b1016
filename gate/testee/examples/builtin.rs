//! Castproof's own implementation as a testee on standard input and output, for machines on which `castproof`
//! itself does not run, such as WebAssembly. `.ci/machines` sweeps it there.

use castproof_testee::builtin::Builtin;
use castproof_testee::serve::serve;
use std::io::{BufReader, stdin, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    match serve(&mut Builtin::new(), &mut BufReader::new(stdin()), &mut stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("castproof: {error}");
            ExitCode::FAILURE
        }
    }
}

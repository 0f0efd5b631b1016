//! `castproof`: what a dtype cast must return, and whether an implementation does.

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    castproof::cli::main(env::args_os()).into()
}

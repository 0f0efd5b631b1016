//! `castproof plan`, and the environment variable that names a backend.

use crate::common::{castproof, program};
use std::process::Command;

#[test]
fn the_plan_of_a_pair_is_printed() {
    let run = castproof(&["plan", "float32", "float8e4m3fn", "--backend", "portable"], "");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.starts_with("float32 to float8e4m3fn on portable: "), "{}", run.out);
    assert!(run.out.contains("no table: the source has too many codes\n"), "{}", run.out);
}

#[test]
fn what_has_no_plan_is_refused_in_one_line() {
    let run = castproof(&["plan", "float32", "string"], "");
    assert!(run.error_line().starts_with("no cast for string elements"), "{}", run.err);
    let run = castproof(&["plan", "float32", "int8", "--backend", "mmx"], "");
    assert!(run.error_line().starts_with("unknown backend 'mmx'"), "{}", run.err);
}

/// Values are cast by this machine's loops; what the source does not hold is refused with its neighbours.
#[test]
fn a_plan_with_values_shows_their_results() {
    let run = castproof(&["plan", "float32:float16", "0x43e80000", "65520"], "");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let results = "\n0x43e80000 (464) gives 0x5f40 (464)\n0x477ff000 (65520) gives 0x7c00 (Inf)\n";
    assert!(run.out.ends_with(results), "{}", run.out);
    let run = castproof(&["plan", "float32", "0.1", "float16"], "");
    assert!(run.error_line().contains("--nearest"), "{}", run.err);
    let run = castproof(&["plan", "float32", "0.1", "float16", "--nearest"], "");
    assert!(
        run.out.ends_with("\n0x3dcccccd (0.1) gives 0x2e66 (0.0999755859375)\n"),
        "{}",
        run.out
    );
    let run = castproof(&["plan", "float32", "1", "float16", "--backend", "portable"], "");
    assert!(run.error_line().contains("leave the values or --backend out"), "{}", run.err);
}

#[test]
fn a_variable_that_names_no_backend_is_refused() {
    for arguments in [&["plan", "float32", "int8"][..], &["testee"]] {
        let output = Command::new(program())
            .args(arguments)
            .env("CASTPROOF_BACKEND", "bogus")
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(2));
        let line = String::from_utf8(output.stderr).expect("text");
        let expected = castproof_impl::Error::UnknownBackend;
        assert_eq!(line, format!("castproof: {expected}\n"));
    }
}

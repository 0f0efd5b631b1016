//! Rust's `as` passes the gate of the profile `rust-as`: the compiler is the witness of every vector.

use castproof::arrange::Arrangements;
use castproof::gate::{self, Options};
use castproof_rust_crates::Crates;
use castproof_vectors::{Level, Profile, Suite};

#[test]
fn rust_passes_the_profile_that_is_named_after_it() {
    let options = Options {
        level: Level::Standard,
        suites: vec![Suite::Profile(Profile::RustAs)],
        arrangements: Arrangements::None,
        complete: true,
        ..Options::default()
    };
    let mut out = Vec::new();
    let passed = gate::run(&options, &mut Crates::new(), &mut out).expect("the gate runs");
    let out = String::from_utf8(out).expect("text");
    assert!(passed && out.contains("108 of 108 pairs ran"), "{out}");
}

#[test]
fn one_crate_alone_has_no_profile() {
    let suites = vec![Suite::Profile(Profile::RustAs)];
    let options = Options { suites, ..Options::default() };
    let mut half = Crates::only("half").expect("a crate");
    let error = gate::run(&options, &mut half, &mut std::io::sink()).expect_err("not listed");
    assert!(error.to_string().contains("has the profile rust-as"), "{error}");
}

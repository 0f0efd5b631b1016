//! The harness, as a crate under test uses it: one line.

use castproof::testee::builtin::Builtin;

fn main() {
    castproof::harness::main(Builtin::new)
}

//! Tests of faults that are planted in a right testee. This program is also that testee, behind the
//! pipe, so it has no harness that writes on standard output.

#[path = "../it/common/mod.rs"]
mod common;
mod fuzz;
mod leaves;
mod limits;
mod mixes;
mod places;
mod questions;
mod sweep;

use libtest_mimic::Arguments;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["serve-fuzz", fault] => return fuzz::serve_as(fault),
        ["serve-leaves", number] => return leaves::serve_as(number),
        ["serve-limits", most] => return limits::serve_as(most),
        ["serve-places", number] => return places::serve_as(number),
        ["serve-questions", fault, file] => return questions::serve_as(fault, file),
        ["serve-sweep", from, to, ref codes @ ..] => return sweep::serve_as(from, to, codes),
        _ => {}
    }
    let trials = [
        fuzz::trials(),
        leaves::trials(),
        limits::trials(),
        mixes::trials(),
        places::trials(),
        questions::trials(),
        sweep::trials(),
    ];
    let trials = trials.into_iter().flatten().collect();
    // Panics are planted faults, so their messages are not printed.
    std::panic::set_hook(Box::new(|_| {}));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

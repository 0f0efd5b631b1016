//! Do the committed tests of operands tell wrong methods from the right cast?

use castproof_methods::{METHODS, Method, MethodTensor};
use castproof_oracle::{NEWEST, promote};
use castproof_suites::questions;
use castproof_vectors::{DType, Hex, Level, Operand, Question, Request, Scalar, Suite, landmarks};
use std::collections::BTreeSet;

/// The committed tests tell each of [`OFTEN_WRONG`] from the right cast in every cell in which
/// level standard does. A cell and the one across the diagonal count as one.
#[test]
fn operands_tell_wrong_casts() {
    let told = |level| {
        let mut told = BTreeSet::new();
        for test in questions(Suite::MindsporeOperands, level).tests {
            let Question::Operands(question) = test.ask else { panic!("{}", test.ask) };
            let Some(to) = promote(question.tensor, question.with).0 else { continue };
            let mut dtypes = question.dtypes();
            let number = matches!(question.with, Operand::Number(_));
            for (element, from) in question.elements.iter().zip(dtypes) {
                dtypes.sort_by_key(|&dtype| !number && dtype != from);
                for (index, code) in parts(element).into_iter().enumerate() {
                    let [source, target] = [from, to].map(|dtype| dtype.part().unwrap_or(dtype));
                    for method in wrong(source, target, code) {
                        told.insert((dtypes, number.then_some(from), index, method));
                    }
                }
            }
        }
        told
    };
    let (core, standard) = (told(Level::Core), told(Level::Standard));
    let missing: Vec<_> =
        standard.difference(&core).filter(|it| OFTEN_WRONG.contains(&it.3)).collect();
    assert!(missing.is_empty(), "{} are not told: {missing:?}", missing.len());
    assert!(core.len() > 2_000, "{}", core.len());
}

/// Names of wrong methods in [`METHODS`].
const OFTEN_WRONG: [&str; 6] = [
    "sign not extended",
    "sign extended where there is none",
    "rounded toward zero",
    "overflow becomes NaN",
    "NaN becomes zero",
    "code copied",
];

/// Returns the methods whose result for a code is neither expected nor tolerated.
fn wrong(from: DType, to: DType, code: u64) -> Vec<&'static str> {
    let tensor = MethodTensor::new(&Request::cast(from, to, NEWEST), &[code]).expect("a code");
    let answer = tensor.elements()[0].answer();
    let target = landmarks(to).expect("numeric");
    let admitted = |code| {
        let readings = [Some(&answer.expect), answer.tolerate.as_ref()];
        let mut readings = readings.into_iter().flatten();
        readings.any(|it| it.admits(code, target))
    };
    let differs =
        |method: &&Method| method.results(&tensor, &[0])[0].is_some_and(|code| !admitted(code));
    METHODS.iter().filter(differs).map(|method| method.name).collect()
}

fn parts(element: &Scalar) -> Vec<u64> {
    match element {
        Scalar::Real(code) => vec![code.value()],
        Scalar::Complex(parts) => parts.iter().map(Hex::value).collect(),
    }
}

//! Tests of the suites of questions.

use castproof_oracle::{METHODS, Method, NEWEST, Tensor, promote, questions};
use castproof_vectors::{
    AnswerRecord, DType, Hex, Level, Operand, Operands, Operator, Question, QuestionFile, Request,
    Scalar, Suite, landmarks, versions,
};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn files_survive_a_round_trip() {
    for &suite in Suite::FILES {
        let file = questions(suite, Level::Core);
        assert_eq!(QuestionFile::parse(&file.render()), Ok(file), "{}", suite.name());
    }
}

#[test]
fn every_cell_of_promotion_is_asked() {
    let file = questions(Suite::MindsporePromotion, Level::Core);
    assert_eq!(file.tests.len(), 225 + 45);
    let refused = file.tests.iter().filter(|test| matches!(test.expect, AnswerRecord::Outcome(_)));
    assert_eq!(refused.count(), 72 + 6);
}

#[test]
fn operands_of_every_cell_are_asked() {
    for (level, least) in [(Level::Core, 3), (Level::Standard, 40)] {
        let mut cells: BTreeMap<_, Vec<Operands>> = BTreeMap::new();
        for test in questions(Suite::MindsporeOperands, level).tests {
            let Question::Operands(question) = test.ask else { panic!("{}", test.ask) };
            cells.entry((question.tensor, question.with)).or_default().push(question);
        }
        assert_eq!(cells.len(), 225 + 45);
        let promoted =
            cells.iter().filter(|((tensor, with), _)| promote(*tensor, *with).0.is_some());
        for ((tensor, with), asked) in promoted {
            // Two bools have only four pairs of elements.
            let bools = [*tensor, with.dtype()] == [DType::Bool; 2];
            assert!(asked.len() >= least || bools, "{tensor} {with}: {}", asked.len());
        }
    }
}

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
    let tensor = Tensor::new(&Request::cast(from, to, NEWEST), &[code]).expect("a code");
    let answer = tensor.elements()[0].answer();
    let target = landmarks(to).expect("numeric");
    let admitted = |code| {
        let readings = [Some(&answer.expect), answer.tolerate.as_ref()];
        let mut readings = readings.into_iter().flatten();
        readings.any(|it| it.admits(code, |it| target.is_nan(it), |it| target.is_valid(it)))
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

/// The suite asks about CL-04 and about every version of CastLike.
#[test]
fn castlike_is_asked_in_every_version() {
    let file = questions(Suite::OnnxCastlike, Level::Core);
    let opsets: BTreeSet<u32> = file.tests.iter().flat_map(|test| test.opsets.clone()).collect();
    // Questions of the newest operator set ask about a dtype that no version of CastLike has.
    let asked = versions(Operator::CastLike).iter().copied().chain([NEWEST]);
    assert_eq!(opsets, asked.collect());
    assert!(file.tests.iter().any(|test| test.clause == "CL-04"));
    assert!(file.tests.iter().all(|test| matches!(test.ask, Question::CastLike(_))));
}

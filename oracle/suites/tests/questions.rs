//! Tests of the suites of questions.

use castproof_oracle::{NEWEST, promote};
use castproof_suites::questions;
use castproof_vectors::{
    AnswerRecord, DType, Level, Operands, Operator, Question, QuestionFile, Suite, versions,
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

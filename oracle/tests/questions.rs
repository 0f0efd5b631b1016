//! The suites of questions: files that hold together, and the clauses that they cite.

use castproof_oracle::{QUESTION_CLAUSES, clause, questions};
use castproof_vectors::{AnswerRecord, Level, Question, QuestionFile, Suite};
use std::collections::BTreeSet;

#[test]
fn files_survive_a_round_trip() {
    for &suite in Suite::QUESTIONS {
        let file = questions(suite, Level::Core);
        assert_eq!(QuestionFile::parse(&file.render()), Ok(file), "{}", suite.name());
    }
}

#[test]
fn questions_cite_every_clause() {
    let mut missing: BTreeSet<&str> = QUESTION_CLAUSES.iter().map(|clause| clause.id).collect();
    // Outside the 15 basic dtypes no cell of the tables lies.
    missing.remove("MS-03");
    for &suite in Suite::QUESTIONS {
        for test in questions(suite, Level::Core).tests {
            assert!(clause(&test.clause).is_some(), "{}", test.clause);
            missing.remove(&test.clause[..]);
        }
    }
    assert_eq!(missing, BTreeSet::new());
}

#[test]
fn every_cell_of_promotion_is_asked() {
    let file = questions(Suite::MindsporePromotion, Level::Core);
    assert_eq!(file.tests.len(), 225 + 45);
    let refused = file.tests.iter().filter(|test| matches!(test.expect, AnswerRecord::Outcome(_)));
    assert_eq!(refused.count(), 72 + 6);
}

/// CL-04 is asked, and every version of CastLike.
#[test]
fn castlike_is_asked_in_every_version() {
    let file = questions(Suite::OnnxCastlike, Level::Core);
    let opsets: BTreeSet<u32> = file.tests.iter().flat_map(|test| test.opsets.clone()).collect();
    assert_eq!(opsets, BTreeSet::from([15, 19, 21, 23, 24, 25, 28]));
    assert!(file.tests.iter().any(|test| test.clause == "CL-04"));
    assert!(file.tests.iter().all(|test| matches!(test.ask, Question::CastLike(_))));
}

//! The files of suites of questions.

use super::{blocks, choice, decoded, gguf, gguf_making, layouts, linear, operands, tensors};
use crate::answer::{Answer, answer};
use crate::notes::defect_notes;
use castproof_formats::projections;
use castproof_vectors::{FORMAT, Level, Question, QuestionFile, QuestionTest, Suite, defects};
use std::collections::BTreeSet;

/// The file of a suite of questions.
///
/// # Panics
/// If the suite has no file of questions: suites of casts, and [`Suite::OnnxChain`].
pub fn questions(suite: Suite, level: Level) -> QuestionFile {
    let asked = match suite {
        Suite::OnnxCast | Suite::OnnxChain | Suite::Profile(_) => {
            panic!("{} has no such file", suite.name())
        }
        Suite::OnnxCastlike => choice::cast_like(level),
        Suite::MindsporePromotion => choice::promotions(),
        Suite::MindsporeOperands => operands::operands(level),
        Suite::ComplexCast => choice::complex_casts(),
        Suite::TfBitcast | Suite::OnnxBitcast => choice::bitcasts(suite),
        Suite::Blocks => blocks::blocks(),
        Suite::BlocksTensors => tensors::tensors(),
        Suite::BlocksDecoded => decoded::blocks(),
        Suite::Gguf => [gguf::blocks(), gguf_making::numbers()].concat(),
        Suite::Layouts => layouts::matrices(),
        Suite::OnnxQuantize => linear::questions(),
        Suite::Projections => {
            projections(level).into_iter().map(|it| (Question::Project(it), vec![])).collect()
        }
    };
    let tests: Vec<QuestionTest> =
        asked.into_iter().map(|(question, opsets)| test(suite, question, opsets)).collect();
    let used: BTreeSet<&str> =
        tests.iter().flat_map(|test| test.flags.iter().map(String::as_str)).collect();
    QuestionFile {
        format: FORMAT.into(),
        suite,
        number_of_tests: tests.len(),
        notes: defect_notes(&used),
        tests,
    }
}

fn test(suite: Suite, ask: Question, opsets: Vec<u32>) -> QuestionTest {
    let opset = opsets.first().copied().unwrap_or(0);
    let Answer { expect, tolerate, rule } =
        answer(&ask, opset).unwrap_or_else(|error| panic!("{ask}: {error}"));
    let carried = defects().iter().filter(|defect| defect.is_carried(rule.as_str(), None));
    QuestionTest {
        id: QuestionTest::id_of(suite, &opsets, &ask),
        opsets,
        ask,
        expect,
        tolerate,
        clause: rule.as_str().into(),
        flags: carried.map(|defect| defect.flag.clone()).collect(),
    }
}

//! Each quantiser with a fault contradicts a vector.

use super::faults::{Answer, Block, FAULTS};
use castproof_quantised::block::block_size;
use castproof_suites::questions;
use castproof_vectors::BlockProfile::{Nvfp4Te, Nvfp4Torchao};
use castproof_vectors::{AnswerRecord, BlockAnswer, DType, Level, Question, Suite};

/// Every block of float32 in the vectors.
fn blocks() -> Vec<(Block, BlockAnswer)> {
    let tests = questions(Suite::Blocks, Level::Core).tests.into_iter();
    let of_float32 = tests.filter_map(|test| match (test.ask, test.expect) {
        (Question::QuantizeBlock(ask), AnswerRecord::Block(due)) if ask.from == DType::Float32 => {
            let codes = ask.codes().expect("numbers");
            let block = Block {
                profile: ask.profile,
                to: ask.to,
                numbers: codes.into_iter().map(|code| code as u32).collect(),
                tensor: ask.largest.map_or(0, |code| code.value() as u32),
            };
            Some((block, due))
        }
        _ => None,
    });
    of_float32.collect()
}

fn is_right(due: &BlockAnswer, (scale, elements): &Answer) -> bool {
    let as_due = |elements: &Vec<u64>| {
        let mut each = elements.iter().zip(&due.elements.0);
        each.all(|(&code, due)| due.is_none_or(|due| u64::from(due) == code))
    };
    *scale == due.scale.value() && elements.as_ref().is_none_or(as_due)
}

/// The right way agrees with every vector, and each wrong one contradicts some.
#[test]
fn each_fault_contradicts_a_vector() {
    let all = blocks();
    for (block, due) in &all {
        let answer = match block.profile {
            Nvfp4Te | Nvfp4Torchao => block.right_nvfp4(),
            profile if block_size(profile) == 128 => block.right_group(),
            _ => block.under(block.right_scale()),
        };
        assert!(is_right(due, &answer), "{} {}", block.profile.name(), block.to);
    }
    for (name, profile, to, fault) in FAULTS {
        let of = all.iter().filter(|(block, _)| (block.profile, block.to) == (*profile, *to));
        let wrong = of.filter(|(block, due)| !is_right(due, &fault(block))).count();
        assert!(wrong > 0, "{name}: {} {to}", profile.name());
    }
    assert!(FAULTS.len() >= 30);
}

//! Questions that are drawn from the seed, beside those of a suite's file: a testee that knows the file by heart, or
//! has recorded a run, is told from one that answers. Each is a question of the file with other elements, scales or
//! shapes, answered by the oracle. They come in twins of equal size, so that one that repeats an answer is told too.

mod blocks;
mod linear;
mod values;

use castproof_check::arrange::shuffle;
use castproof_judge::asked::Asked;
pub(crate) use castproof_judge::finding::DRAWN;
use castproof_oracle::answer;
use castproof_vectors::random::Random;
use castproof_vectors::{
    AnswerRecord, Bitcast, Bytes, ComplexCast, DType, Level, Operands, OutcomeRecord, Question,
    QuestionFile, QuestionTest, Suite, element_count, pack,
};
use std::collections::BTreeMap;
use values::{code, scalar};

/// Fewest drawn tests of a suite.
const LEAST: usize = 32;

/// The suites whose questions are drawn. Of `CastLike` codes are drawn pair by pair; the tables of promotion are asked
/// whole; the codes of chains tell one rewrite each.
const SUITES: [Suite; 7] = [
    Suite::MindsporeOperands,
    Suite::ComplexCast,
    Suite::TfBitcast,
    Suite::OnnxBitcast,
    Suite::Blocks,
    Suite::BlocksTensors,
    Suite::BlocksDecoded,
];

/// Are questions of the suite drawn?
pub(crate) fn is_drawn(suite: Suite) -> bool {
    SUITES.contains(&suite) || suite == Suite::OnnxQuantize
}

/// Returns how many tests are drawn beside so many: a quarter of them at level core, as many at level standard, four
/// times as many at level full.
fn budget(tests: usize, level: Level) -> usize {
    let of_level = match level {
        Level::Core => tests / 4,
        Level::Standard => tests,
        Level::Full => 4 * tests,
    };
    of_level.max(LEAST)
}

/// Draws tests beside those of a file.
pub(crate) fn tests(file: &QuestionFile, seed: u64, level: Level) -> Vec<QuestionTest> {
    if !is_drawn(file.suite) {
        return Vec::new();
    }
    let name = file.suite.name().bytes();
    let mut random = Random::of(seed.to_le_bytes().into_iter().chain(name));
    let mut kinds: BTreeMap<_, Vec<&QuestionTest>> = BTreeMap::new();
    for test in file.tests.iter().filter(|test| !is_refusal(&test.expect)) {
        kinds.entry((Asked::of(&test.ask), kind(&test.ask))).or_default().push(test);
    }
    let mut kinds: Vec<Vec<&QuestionTest>> = kinds.into_values().collect();
    shuffle(&mut kinds, &mut random);
    let most = budget(file.tests.len(), level);
    let mut drawn: Vec<QuestionTest> = Vec::new();
    // Each kind comes once before one comes again. Some templates give nothing.
    for of_kind in kinds.iter().cycle().take(2 * most) {
        let template = random.one_of(of_kind);
        let shaped = shaped(&template.ask, &mut random);
        for _ in 0..2 {
            let twin = filled(&shaped, &mut random);
            drawn.extend(twin.and_then(|ask| test(file.suite, template, ask)));
        }
        if drawn.len() >= most {
            break;
        }
    }
    drawn
}

/// What tells questions of one key apart: profile, format, system or operator set.
fn kind(ask: &Question) -> String {
    match ask {
        Question::QuantizeBlock(it) => format!("{} {}", it.profile.name(), it.largest.is_some()),
        Question::QuantizeTensor(it) => it.profile.name().into(),
        Question::DequantizeBlock(it) => it.format.name().into(),
        Question::ComplexCast(it) => it.profile.name().into(),
        Question::QuantizeLinear(it) => format!("q {} {}", it.opset, it.scale),
        Question::DequantizeLinear(it) => format!("d {} {}", it.opset, it.scale),
        _ => String::new(),
    }
}

fn is_refusal(record: &AnswerRecord) -> bool {
    matches!(record, AnswerRecord::Outcome(OutcomeRecord::Reject(_)))
}

/// Returns the test of a question; `None` if it is refused, or no question of its operator.
fn test(suite: Suite, template: &QuestionTest, ask: Question) -> Option<QuestionTest> {
    let opsets = template.opsets.clone();
    let due = answer(&ask, opsets.first().copied().unwrap_or(0)).ok()?;
    if is_refusal(&due.expect) {
        return None;
    }
    Some(QuestionTest {
        id: QuestionTest::id_of(suite, &opsets, &ask),
        opsets,
        ask,
        expect: due.expect,
        tolerate: due.tolerate,
        clause: due.rule.to_string(),
        flags: vec![DRAWN.into()],
    })
}

/// Returns the question with another shape, where it may have one.
fn shaped(ask: &Question, random: &mut Random) -> Question {
    match ask {
        Question::QuantizeTensor(tensor) => {
            Question::QuantizeTensor(blocks::shaped_tensor(tensor, random))
        }
        Question::DequantizeBlock(tensor) => {
            Question::DequantizeBlock(blocks::shaped_blocks(tensor, random))
        }
        other => other.clone(),
    }
}

/// Returns the question with other elements; `None` if it is none that can be drawn.
fn filled(ask: &Question, random: &mut Random) -> Option<Question> {
    Some(match ask {
        Question::QuantizeBlock(block) => {
            Question::QuantizeBlock(blocks::filled_block(block, random)?)
        }
        Question::QuantizeTensor(tensor) => {
            Question::QuantizeTensor(blocks::filled_tensor(tensor, random)?)
        }
        Question::DequantizeBlock(tensor) => {
            Question::DequantizeBlock(blocks::filled_blocks(tensor, random)?)
        }
        Question::QuantizeLinear(node) => {
            Question::QuantizeLinear(linear::filled(node, node.to, random)?)
        }
        Question::DequantizeLinear(node) => {
            Question::DequantizeLinear(linear::filled(node, node.from, random)?)
        }
        Question::DynamicQuantizeLinear(node) => {
            Question::DynamicQuantizeLinear(linear::dynamic(node, random)?)
        }
        Question::Bitcast(tensor) => Question::Bitcast(bitcast(tensor, random)?),
        Question::ComplexCast(ask) => {
            Question::ComplexCast(ComplexCast { input: scalar(ask.from, random), ..*ask })
        }
        Question::Operands(ask) => {
            let elements = ask.dtypes().map(|dtype| scalar(dtype, random));
            Question::Operands(Operands { elements, ..*ask })
        }
        Question::CastLike(_) | Question::Promote(_) | Question::Chain(_) => return None,
    })
}

/// Returns the question with other bytes; `None` if it has none.
fn bitcast(tensor: &Bitcast, random: &mut Random) -> Option<Bitcast> {
    if tensor.input.0.is_empty() {
        return None;
    }
    let is_bool = [tensor.from, tensor.to].contains(&DType::Bool);
    let input = if is_bool || tensor.from.bits() >= 8 {
        let byte = |random: &mut Random| random.number() as u8 & if is_bool { 1 } else { 0xff };
        tensor.input.0.iter().map(|_| byte(random)).collect()
    } else {
        let count = element_count(&tensor.shape).ok()?;
        let codes: Vec<u64> = (0..count).map(|_| code(tensor.from, random)).collect();
        pack(tensor.from, &codes).ok()?
    };
    Some(Bitcast { input: Bytes(input), shape: tensor.shape.clone(), ..*tensor })
}

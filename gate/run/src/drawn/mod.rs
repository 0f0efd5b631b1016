//! Questions that are drawn from the seed, beside those of a suite's file: a testee that knows the file by heart, or
//! has recorded a run, is told from one that answers. Each is a question of the file with other elements, scales or
//! shapes, answered by the oracle. They come in twins of equal size, so that one that repeats an answer is told too.

mod blocks;
mod layouts;
mod linear;
mod shapes;
mod values;

use castproof_check::arrange::shuffle;
use castproof_formats::Format;
pub(crate) use castproof_judge::finding::DRAWN;
use castproof_results::asked::Asked;
use castproof_suites::answer;
use castproof_vectors::random::Random;
use castproof_vectors::{
    AnswerRecord, Bitcast, Bytes, ComplexCast, DType, DequantizeBlock, DequantizeGguf, FormatCodes,
    Level, Operands, OutcomeRecord, Project, QuantizeTensor, Question, QuestionFile, QuestionTest,
    Suite, element_count, pack,
};
use shapes::{Allowed, Shape};
use std::collections::BTreeMap;
use values::{code, scalar};

/// Fewest drawn tests of a suite.
const LEAST: usize = 32;

/// The suites whose questions are drawn. Of `CastLike` codes are drawn pair by pair; the tables of promotion are asked
/// whole; the codes of chains tell one rewrite each.
const SUITES: [Suite; 10] = [
    Suite::MindsporeOperands,
    Suite::ComplexCast,
    Suite::TfBitcast,
    Suite::OnnxBitcast,
    Suite::Blocks,
    Suite::BlocksTensors,
    Suite::BlocksDecoded,
    Suite::Gguf,
    Suite::Projections,
    Suite::Layouts,
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

/// How often all shapes of tensors of blocks are drawn.
fn rounds(level: Level) -> usize {
    match level {
        Level::Core => 1,
        Level::Standard => 2,
        Level::Full => 8,
    }
}

/// Draws tests beside those of a file. Tensors of blocks are drawn only where `is_asked`: those of one rule and pair of
/// dtypes do not depend on the others.
pub(crate) fn tests(
    file: &QuestionFile,
    seed: u64,
    level: Level,
    is_asked: &dyn Fn(&Question) -> bool,
) -> Vec<QuestionTest> {
    if !is_drawn(file.suite) {
        return Vec::new();
    }
    let name = file.suite.name().bytes();
    let mut random = Random::of(seed.to_le_bytes().into_iter().chain(name));
    let mut kinds: BTreeMap<_, Vec<&QuestionTest>> = BTreeMap::new();
    for test in file.tests.iter().filter(|test| !is_refusal(&test.expect)) {
        kinds.entry((Asked::of(&test.ask), kind(&test.ask))).or_default().push(test);
    }
    let is_shaped = matches!(
        file.suite,
        Suite::BlocksTensors | Suite::BlocksDecoded | Suite::OnnxQuantize | Suite::Layouts
    );
    if is_shaped {
        let mut drawn = Vec::new();
        let versions = linear::Versions::of(file.tests.iter().map(|test| &test.ask));
        for ((asked, kind), of_kind) in kinds.iter().filter(|(_, them)| is_asked(&them[0].ask)) {
            let (from, to) = asked.pair();
            let name = format!("{} {from} {to} {kind}", file.suite.name());
            let mut random = Random::of(seed.to_le_bytes().into_iter().chain(name.bytes()));
            for _ in 0..rounds(level) {
                drawn.extend(match file.suite {
                    Suite::OnnxQuantize => nodes(of_kind, &versions, &mut random),
                    Suite::Layouts => matrices(of_kind, &mut random),
                    suite => tensors(suite, of_kind, &mut random),
                });
            }
        }
        return drawn;
    }
    let mut kinds: Vec<Vec<&QuestionTest>> = kinds.into_values().collect();
    shuffle(&mut kinds, &mut random);
    let most = budget(file.tests.len(), level);
    let mut drawn: Vec<QuestionTest> = Vec::new();
    // Each kind comes once before one comes again. Some templates give nothing.
    for of_kind in kinds.iter().cycle().take(2 * most) {
        let template = random.one_of(of_kind);
        for _ in 0..2 {
            let twin = filled(&template.ask, &mut random);
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
        Question::DequantizeGguf(it) => it.kind.name().into(),
        Question::Project(it) => format!("{} {}", it.to, it.rounding.name()),
        Question::QuantizeGguf(it) => it.kind.name().into(),
        Question::Pack(it) => format!("pack {}", it.layout),
        Question::Unpack(it) => format!("unpack {}", it.layout),
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

/// Draws tensors of blocks of one rule and pair of dtypes, of all shapes that these have.
fn tensors(suite: Suite, of_kind: &[&QuestionTest], random: &mut Random) -> Vec<QuestionTest> {
    let mut allowed = Allowed::default();
    for test in of_kind {
        match &test.ask {
            Question::QuantizeTensor(it) => allowed.allow(&it.shape, it.axis, it.block_size),
            Question::DequantizeBlock(it) => allowed.allow(&it.shape, it.axis, it.block_size),
            _ => return Vec::new(),
        }
    }
    let mut drawn = Vec::new();
    for shape in allowed.shapes(random) {
        let template = random.one_of(of_kind);
        let shaped = shaped(&template.ask, &shape);
        for _ in 0..1 + usize::from(shape.twice) {
            let ask = filled(&shaped, random);
            drawn.extend(ask.and_then(|ask| test(suite, template, ask)));
        }
    }
    drawn
}

/// Draws nodes of one version, scale and pair of dtypes.
fn nodes(
    of_kind: &[&QuestionTest],
    versions: &linear::Versions,
    random: &mut Random,
) -> Vec<QuestionTest> {
    let mut drawn = Vec::new();
    let template = random.one_of(of_kind);
    for (ask, times) in versions.shaped(&template.ask, random) {
        for _ in 0..times {
            let ask = filled(&ask, random);
            drawn.extend(ask.and_then(|ask| test(Suite::OnnxQuantize, template, ask)));
        }
    }
    drawn
}

/// Draws matrices of one layout and direction, in twins.
fn matrices(of_kind: &[&QuestionTest], random: &mut Random) -> Vec<QuestionTest> {
    let mut drawn = Vec::new();
    for shaped in layouts::shaped(of_kind.iter().map(|test| &test.ask), random) {
        for _ in 0..2 {
            let ask = filled(&shaped, random);
            drawn.extend(ask.and_then(|ask| test(Suite::Layouts, of_kind[0], ask)));
        }
    }
    drawn
}

/// Returns the question about a tensor of blocks with another shape; its elements are those of before until they are
/// drawn.
fn shaped(ask: &Question, Shape { sides, axis, .. }: &Shape) -> Question {
    let (axis, shape) = (*axis, sides.clone());
    match ask.clone() {
        Question::QuantizeTensor(it) => {
            Question::QuantizeTensor(QuantizeTensor { shape, axis, ..it })
        }
        Question::DequantizeBlock(it) => {
            Question::DequantizeBlock(DequantizeBlock { shape, axis, ..it })
        }
        other => other,
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
        Question::DequantizeGguf(ask) => Question::DequantizeGguf(filled_gguf(ask, random)),
        Question::Project(ask) => Question::Project(filled_codes(ask, random)?),
        Question::Pack(ask) => Question::Pack(layouts::codes(ask, random)),
        Question::Unpack(ask) => Question::Unpack(layouts::bytes(ask, random)?),
        Question::QuantizeGguf(ask) => Question::QuantizeGguf(blocks::filled_gguf(ask, random)?),
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

/// Returns the question with other blocks: any bytes, so that one scale in 32 is no number.
fn filled_gguf(ask: &DequantizeGguf, random: &mut Random) -> DequantizeGguf {
    let input = ask.input.0.iter().map(|_| (random.number() >> 24) as u8).collect();
    DequantizeGguf { input: Bytes(input), ..*ask }
}

/// Returns the question with other codes and random numbers; `None` if there is no such format. Half of the codes are beside codes of the
/// question, which lie where the target has numbers.
fn filled_codes(ask: &Project, random: &mut Random) -> Option<Project> {
    let format = Format::named(&ask.from).ok()?;
    let codes: Vec<u64> = ask
        .input
        .codes()
        .iter()
        .map(|code| match random.below(2) {
            0 => random.number() & format.code_mask(),
            _ => {
                code ^ (random.number() & (format.magnitude_mask() >> (format.exponent_bits() / 2)))
            }
        })
        .collect();
    let bits = ask.random_bits;
    let randoms = |random: &mut Random| {
        FormatCodes::new(bits, codes.iter().map(|_| random.number() >> (64 - bits)).collect())
    };
    let random = if bits > 0 { randoms(random) } else { FormatCodes::default() };
    Some(Project { input: FormatCodes::new(format.bits, codes), random, ..ask.clone() })
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

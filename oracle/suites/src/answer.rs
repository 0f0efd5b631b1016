//! The answers to questions.

use castproof_formats::{Projected, project_question};
use castproof_oracle::{
    BitcastTensor, Caster, Promoted, bitcast, cast_complex, promote, promote_operands,
};
use castproof_quantised::QuestionError;
use castproof_quantised::block::{
    Quantised, block_lines, block_scale, block_size, choices, decoding, dequantise, has_free_scale,
    quantise,
};
use castproof_quantised::gguf::{dequantise_gguf, quantise_gguf};
use castproof_quantised::layout::{pack, unpack};
use castproof_quantised::linear::{
    LinearTensor, dequantize_linear, dynamic_quantize_linear, quantize_linear,
};
use castproof_vectors::{
    AnswerRecord, Bitcast, BlockAnswer, BlockChoice, Bytes, CastLike, ComplexAnswer, ComplexCast,
    DType, DTypeAnswer, DequantizeBlock, DequantizeGguf, DynamicAnswer, DynamicLinear,
    ElementAnswer, ElementCodes, Expectation, GgufReadings, Hex, LaidOutAnswer, Linear,
    LinearAnswer, NumberCodes, NumbersAnswer, Operands, OperandsAnswer, Outcome, OutcomeRecord,
    Promote, QuantizeBlock, QuantizeTensor, Question, Request, RuleId, TensorAnswer,
    TensorOfBlocks,
};

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What is expected.
    pub expect: AnswerRecord,
    /// What is further tolerated.
    pub tolerate: Option<AnswerRecord>,
    /// The rule that decides.
    pub rule: RuleId,
}

/// Answers a question. `opset` matters to `CastLike` alone.
///
/// # Errors
/// If the question is malformed, in one line.
pub fn answer(question: &Question, opset: u32) -> Result<Answer, String> {
    match question {
        Question::CastLike(question) => cast_like(question, opset),
        Question::Promote(Promote { tensor, with }) => {
            let (dtype, rule) = promote(*tensor, *with);
            let dtype = dtype.map(|dtype| AnswerRecord::DType(DTypeAnswer { dtype }));
            Ok(Answer { expect: dtype.unwrap_or_else(reject), tolerate: None, rule })
        }
        Question::Operands(question) => operands(question),
        Question::Bitcast(Bitcast { system, from, to, shape, input }) => {
            let tensor = BitcastTensor { shape: shape.clone(), bytes: input.0.clone() };
            let (tensor, rule) = bitcast(*system, *from, *to, &tensor)?;
            let expect = tensor.map(|BitcastTensor { shape, bytes }| {
                AnswerRecord::Tensor(TensorAnswer { shape, bytes: Bytes(bytes) })
            });
            Ok(Answer { expect: expect.unwrap_or_else(reject), tolerate: None, rule })
        }
        Question::ComplexCast(question) => complex(question),
        Question::QuantizeBlock(question) => block(question),
        Question::QuantizeTensor(question) => tensor(question),
        Question::DequantizeBlock(question) => numbers(question),
        Question::DequantizeGguf(question) => gguf(question),
        Question::QuantizeGguf(question) => {
            let (due, readings, rule) = quantise_gguf(question).map_err(|it| it.to_string())?;
            let tolerate = (!readings.is_empty())
                .then_some(AnswerRecord::GgufReadings(GgufReadings { readings }));
            Ok(Answer { expect: AnswerRecord::GgufBlocks(due), tolerate, rule })
        }
        Question::Pack(question) => laid_out(pack(question)),
        Question::Unpack(question) => laid_out(unpack(question)),
        Question::QuantizeLinear(question) => linear(question, true),
        Question::DequantizeLinear(question) => linear(question, false),
        Question::DynamicQuantizeLinear(question) => dynamic(question),
        Question::Project(question) => {
            let Projected { expect, tolerate, rule } = project_question(question)?;
            Ok(Answer { expect, tolerate, rule })
        }
        Question::Chain(_) => {
            Err("the oracle answers no chain: compose the pieces of its steps".into())
        }
    }
}

/// Quantises the numbers of one block. Returns its scale, the rule of the scale, and its elements.
fn quantised(
    question: &QuantizeBlock,
    codes: &[u64],
) -> Result<(u64, RuleId, Vec<Option<u8>>), String> {
    let QuantizeBlock { profile, from, to, scale, block_size, .. } = question;
    if (*scale, *block_size) != (block_scale(*profile), self::block_size(*profile) as u64) {
        return Err(format!("{} has another scale or another size of blocks", profile.name()));
    }
    let largest = question.largest.as_ref().map(Hex::value);
    let quantised =
        quantise(*profile, (*from, *to), codes, largest).map_err(|error| error.to_string())?;
    let elements = codes_of(&quantised)?;
    Ok((quantised.scale, quantised.rule, elements))
}

fn block(question: &QuantizeBlock) -> Result<Answer, String> {
    let (scale, rule, elements) = quantised(question, &question.codes()?)?;
    let record = |scale: u64, elements| {
        let scale = Hex::new(scale, question.scale);
        BlockAnswer { scale, elements: ElementCodes(elements) }
    };
    let QuantizeBlock { profile, from, to, .. } = *question;
    let choices = choices(profile, (from, to), &question.codes()?).map_err(|it| it.to_string())?;
    let choice = |choices: Vec<Quantised>| {
        let records = choices.iter().map(|it| Ok(record(it.scale, codes_of(it)?)));
        let one_of = records.collect::<Result<_, String>>()?;
        Ok::<_, String>(AnswerRecord::BlockChoice(BlockChoice { one_of }))
    };
    let tolerate = choices.map(choice).transpose()?;
    Ok(Answer { expect: AnswerRecord::Block(record(scale, elements)), tolerate, rule })
}

/// The codes of elements, open ones as `None`.
fn codes_of(quantised: &Quantised) -> Result<Vec<Option<u8>>, String> {
    let code = |(outcome, _): &(Outcome, RuleId)| match outcome {
        Outcome::Code(code) => u8::try_from(*code).map(Some).map_err(|_| "an element is wide"),
        _ => Ok(None),
    };
    quantised.elements.iter().map(code).collect::<Result<_, _>>().map_err(String::from)
}

/// The blocks of a tensor, line by line along the axis.
fn tensor(question: &QuantizeTensor) -> Result<Answer, String> {
    if has_free_scale(question.profile) {
        return Err(format!("{} fixes no scale: ask for single blocks", question.profile.name()));
    }
    let (layout, codes) = (question.layout()?, question.codes()?);
    let block = question.block(Bytes::default());
    let mut scales = vec![0u64; layout.scales()];
    let mut elements = vec![None; codes.len()];
    for (places, its_scales) in layout.lines() {
        let blocks = places.chunks(block_size(question.profile));
        for (places, at) in blocks.zip(its_scales) {
            let numbers: Vec<u64> = places.iter().map(|&place| codes[place]).collect();
            let (scale, _, its) = quantised(&block, &numbers)?;
            scales[at] = scale;
            places.iter().zip(its).for_each(|(&place, code)| elements[place] = code);
        }
    }
    let scales = Bytes(castproof_vectors::pack(question.scale, &scales)?);
    let elements = ElementCodes(elements);
    let expect = AnswerRecord::Blocks(TensorOfBlocks { scales, elements });
    Ok(Answer { expect, tolerate: None, rule: block_lines(question.profile) })
}

fn numbers(question: &DequantizeBlock) -> Result<Answer, String> {
    let DequantizeBlock { format, from, to, scale, block_size, .. } = question;
    let record = decoding(*format);
    if (*scale, *block_size) != (record.scale, record.size as u64) {
        return Err(format!("{} has another scale or another size of blocks", format.name()));
    }
    let number = |codes| dequantise(*format, (*from, *to), codes).map(|(due, _)| due);
    let due = question.codes()?.into_iter().map(number).collect::<Result<_, _>>();
    let numbers = NumberCodes::new(*to, due.map_err(|error| error.to_string())?);
    let expect = AnswerRecord::Numbers(NumbersAnswer { numbers });
    Ok(Answer { expect, tolerate: None, rule: record.product })
}

fn gguf(question: &DequantizeGguf) -> Result<Answer, String> {
    let (due, rule) = dequantise_gguf(question).map_err(|error| error.to_string())?;
    let numbers = NumberCodes::new(question.to, due);
    Ok(Answer { expect: AnswerRecord::Numbers(NumbersAnswer { numbers }), tolerate: None, rule })
}

fn laid_out(due: Result<(LaidOutAnswer, RuleId), QuestionError>) -> Result<Answer, String> {
    let (expect, rule) = due.map_err(|error| error.to_string())?;
    Ok(Answer { expect: AnswerRecord::LaidOut(expect), tolerate: None, rule })
}

/// The answer to a question of `QuantizeLinear` or `DequantizeLinear`.
fn linear(ask: &Linear, is_quantised: bool) -> Result<Answer, String> {
    let zero_point = if is_quantised { ask.to } else { ask.from };
    let codes = ask.codes(zero_point)?;
    let tensor = LinearTensor {
        opset: ask.opset,
        dtypes: [ask.from, ask.scale, ask.to],
        shape: &ask.shape,
        scale_shape: &ask.scale_shape,
        axis: ask.axis.unwrap_or(1),
        block_size: ask.block_size.unwrap_or(0),
        saturate: ask.saturate.unwrap_or(true),
        precision: ask.precision,
        input: &codes.input,
        scales: &codes.scales,
        zero_points: codes.zero_points.as_deref(),
    };
    let way = if is_quantised { quantize_linear } else { dequantize_linear };
    let due = way(&tensor).map_err(|error| error.to_string())?;
    let rule = due.iter().map(|it| it.rule).max().ok_or("give at least one element")?;
    let records = |of: fn(&Expectation) -> &Outcome| {
        let elements = due.iter().map(|it| OutcomeRecord::new(of(it), ask.to)).collect();
        AnswerRecord::Linear(LinearAnswer { elements })
    };
    let tolerates = due.iter().any(|it| it.tolerate.is_some());
    let tolerate = || records(|it| it.tolerate.as_ref().unwrap_or(&it.expect));
    Ok(Answer { expect: records(|it| &it.expect), tolerate: tolerates.then(tolerate), rule })
}

/// The answer to a question of `DynamicQuantizeLinear`.
fn dynamic(ask: &DynamicLinear) -> Result<Answer, String> {
    let due = dynamic_quantize_linear(&ask.codes()?).map_err(|error| error.to_string())?;
    let element = |outcome: &Outcome| OutcomeRecord::new(outcome, DType::Uint8);
    let expect = AnswerRecord::Dynamic(DynamicAnswer {
        scale: OutcomeRecord::new(&due.scale, DType::Float32),
        zero_point: element(&due.zero_point),
        elements: due.elements.iter().map(element).collect(),
    });
    Ok(Answer { expect, tolerate: None, rule: due.rule })
}

pub(crate) fn reject() -> AnswerRecord {
    AnswerRecord::Outcome(OutcomeRecord::new(&Outcome::Reject, DType::Bool))
}

fn cast_like(question: &CastLike, opset: u32) -> Result<Answer, String> {
    let CastLike { from, to, attributes, input } = question;
    let request = Request::cast_like(*from, *to, opset).with(*attributes);
    let answer = Caster::new(&request).and_then(|caster| caster.cast_element(input));
    let Expectation { expect, tolerate, rule } = answer.map_err(|error| error.to_string())?;
    let record = |outcome: &Outcome| AnswerRecord::Outcome(OutcomeRecord::new(outcome, *to));
    Ok(Answer { expect: record(&expect), tolerate: tolerate.as_ref().map(record), rule })
}

fn complex(question: &ComplexCast) -> Result<Answer, String> {
    let ComplexCast { profile, from, to, input } = question;
    let answer = cast_complex(*profile, *from, *to, input).map_err(|error| error.to_string())?;
    let [expect, tolerate] = both(|reading| match element(*to, &answer.parts, reading) {
        ElementAnswer::Complex(parts) => AnswerRecord::Complex(parts),
        ElementAnswer::Real(outcome) => AnswerRecord::Outcome(outcome),
    });
    let tolerate = is_tolerant(&answer.parts).then_some(tolerate);
    Ok(Answer { expect, tolerate, rule: answer.rule })
}

fn operands(question: &Operands) -> Result<Answer, String> {
    let (promoted, rule) = promote_operands(question).map_err(|error| error.to_string())?;
    let Some(Promoted { dtype, operands }) = promoted else {
        return Ok(Answer { expect: reject(), tolerate: None, rule });
    };
    let [expect, tolerate] = both(|reading| {
        let operands = operands.each_ref().map(|parts| element(dtype, parts, reading));
        AnswerRecord::Operands(OperandsAnswer { dtype, operands })
    });
    let tolerate = operands.iter().any(|parts| is_tolerant(parts)).then_some(tolerate);
    Ok(Answer { expect, tolerate, rule })
}

/// Which reading of a part.
#[derive(Clone, Copy)]
enum Reading {
    Expected,
    /// What is tolerated; for a part of which nothing is tolerated, what is expected.
    Tolerated,
}

fn both(record: impl Fn(Reading) -> AnswerRecord) -> [AnswerRecord; 2] {
    [Reading::Expected, Reading::Tolerated].map(record)
}

fn is_tolerant(parts: &[Expectation]) -> bool {
    parts.iter().any(|part| part.tolerate.is_some())
}

/// An element of one part, or of real and imaginary part.
fn element(dtype: DType, parts: &[Expectation], reading: Reading) -> ElementAnswer {
    let record = |part: &Expectation| {
        let outcome = match (reading, &part.tolerate) {
            (Reading::Tolerated, Some(tolerated)) => tolerated,
            _ => &part.expect,
        };
        OutcomeRecord::new(outcome, dtype.part().unwrap_or(dtype))
    };
    match parts {
        [real, imaginary] => {
            ElementAnswer::Complex(ComplexAnswer { complex: [record(real), record(imaginary)] })
        }
        parts => ElementAnswer::Real(record(&parts[0])),
    }
}

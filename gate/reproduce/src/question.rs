//! Questions about blocks and linear quantisation: a script that asks for a tensor once more, and compares
//! every part of the answer with what is due.

use super::case::{codes_of, extent};
use super::literal::hex;
use super::runtime::Runtime;
use super::script::optimisation;
use super::testee::Script;
use crate::export::backend::data_type;
use anyhow::{Context, Result, anyhow};
use castproof_judge::blocks::under;
use castproof_results::ResultsFile;
use castproof_results::finding::Finding;
use castproof_suites::questions;
use castproof_testee::launch::Launch;
use castproof_testee::protocol::write_question;
use castproof_testee::{Identity, Subject};
use castproof_vectors::{
    AnswerRecord, DType, DequantizeBlock, DequantizeGguf, DynamicLinear, GgufBlocks, Hex, Level,
    Linear, Outcome, OutcomeRecord, Question, QuestionTest, Rule, Suite, find_rule, landmarks,
};
use serde_json::{Map, Value};

/// The only version of DynamicQuantizeLinear.
const DYNAMIC_OPSET: u32 = 11;

/// One question, and what came back.
pub(super) struct Asked {
    /// The id of the finding.
    pub(super) id: String,
    /// Who answered.
    pub(super) testee: Identity,
    /// The question and its answer.
    pub(super) test: QuestionTest,
    /// What came back, in words.
    pub(super) got: String,
    /// What is due, in words.
    pub(super) expected: String,
    /// The rule that decides.
    pub(super) rule: &'static Rule,
    /// Where it shows, and how often.
    pub(super) findings: Vec<String>,
}

/// Is it a finding about one of these questions?
pub(super) fn is_one(finding: &Finding) -> bool {
    use Suite::{Blocks, BlocksDecoded, BlocksTensors, Gguf, OnnxQuantize};
    [Blocks, BlocksTensors, BlocksDecoded, Gguf, OnnxQuantize]
        .contains(&finding.example.asked.suite)
}

impl Asked {
    /// Returns the example of a finding, its test looked up by its id.
    ///
    /// # Errors
    /// If no test of this program has the id.
    pub(super) fn of(file: &ResultsFile, finding: &Finding) -> Result<Asked> {
        let id = finding.example.test.as_deref();
        let mut deviations = file.results.suites.iter().flat_map(|run| &run.deviations);
        let found = deviations.find(|it| Some(it.id.as_str()) == id);
        let deviation = found.with_context(|| format!("{} names no failing test", finding.id))?;
        // A test that was drawn stands with its deviation.
        let drawn = deviation.test.as_deref().cloned();
        let of_suite = || {
            let tests = questions(finding.example.asked.suite, Level::Core).tests;
            tests.into_iter().find(|test| test.id == deviation.id)
        };
        let test = drawn.or_else(of_suite).with_context(|| {
            format!(
                "this program has no test {}; use the program that wrote the results",
                deviation.id
            )
        })?;
        let rule = find_rule(&test.clause)
            .with_context(|| format!("there is no rule '{}'", test.clause))?;
        Ok(Asked {
            id: finding.id.clone(),
            testee: file.testee.clone(),
            test,
            got: deviation.got.clone(),
            expected: deviation.expected.clone(),
            rule,
            findings: extent(finding),
        })
    }

    /// Returns `QuantizeLinear-21 float32[2, 5] -> int8`.
    pub(super) fn title(&self) -> String {
        self.test.ask.to_string()
    }

    /// Returns the runtime whose ONNX model asks the question; `None` if a testee must be asked.
    pub(super) fn runtime(&self) -> Option<Runtime> {
        let is_node = node(&self.test.ask).is_some();
        Runtime::of(&self.testee).filter(|runtime| is_node && runtime.runs_models())
    }
}

/// Does a form show such a finding?
pub(super) fn is_shown(file: &ResultsFile, finding: &Finding, subject: Option<&Subject>) -> bool {
    let runs_models = Runtime::of(&file.testee).is_some_and(Runtime::runs_models);
    let is_node = finding.example.asked.suite == Suite::OnnxQuantize;
    is_one(finding) && (runs_models && is_node || subject.is_some())
}

/// Returns the script that asks the testee of this launch.
///
/// # Errors
/// If the question cannot be written.
pub(super) fn of_testee(asked: &Asked, launch: &Launch) -> Result<String> {
    let mut bytes = Vec::new();
    write_question(&mut bytes, 1, &asked.test.ask).map_err(|error| anyhow!("{error:?}"))?;
    let end = bytes.iter().position(|&byte| byte == b'\n').context("a question has a line")?;
    let mut request: Map<String, Value> = serde_json::from_slice(&bytes[..end])?;
    for of_the_script in ["seq", "bytes"] {
        request.remove(of_the_script);
    }
    let script = Script {
        title: format!("{}: the whole tensor", asked.title()),
        what: "tensor",
        request: Value::Object(request),
        input: format!("INPUT = bytes.fromhex(\"{}\")\n", hex(&bytes[end + 1..])),
        output: "data",
        refused: Script::ENDS,
        verdict: verdict(asked)?,
    };
    Ok(script.text(launch))
}

/// Returns the packages for pip that the script of [`of_model`] needs.
pub(super) fn packages(asked: &Asked, runtime: Runtime) -> String {
    let packages = runtime.packages(&asked.testee);
    match runtime {
        Runtime::OnnxReference => packages,
        _ => packages + " onnx",
    }
}

/// Returns the script that builds the model of one node and runs it.
///
/// # Errors
/// If the question is of no node, or the runtime lacks a dtype.
pub(super) fn of_model(asked: &Asked, runtime: Runtime) -> Result<String> {
    let node = node(&asked.test.ask)
        .with_context(|| format!("{} is of no ONNX operator", asked.title()))?;
    let input = |(name, dtype, shape, data): &(&str, DType, &[u64], &[u8])| {
        let dtype = data_type(*dtype);
        format!("    (\"{name}\", {dtype}, {shape:?}, bytes.fromhex(\"{}\")),\n", hex(data))
    };
    let inputs: String = node.inputs.iter().map(input).collect();
    let output = |(name, dtype, shape): &(&str, DType, &[u64])| {
        format!("(\"{name}\", {}, {shape:?})", data_type(*dtype))
    };
    let outputs: Vec<String> = node.outputs.iter().map(output).collect();
    let attributes: Vec<String> =
        node.attributes.iter().map(|(name, value)| format!(", {name}={value}")).collect();
    let (imports, run) = run(asked, runtime, &node)?;
    let packages = packages(asked, runtime);
    Ok(format!(
        "# {title}: the whole tensor.\n# pip install {packages}\nimport {imports}\n\n\
         # Name, number of the dtype, shape, bytes.\nINPUTS = [\n{inputs}]\nOUTPUTS = [{outputs}]\n\
         helper = onnx.helper\n\
         node = helper.make_node(\"{operator}\", [it[0] for it in INPUTS], [it[0] for it in OUTPUTS]{attributes})\n\
         of = [[helper.make_tensor_value_info(*it[:3]) for it in them] for them in (INPUTS, OUTPUTS)]\n\
         opset = helper.make_opsetid(\"\", {opset})\n\
         model = helper.make_model(helper.make_graph([node], \"graph\", *of), opset_imports=[opset])\n\
         model.ir_version = helper.find_min_ir_version_for([opset], ignore_unknown=True)\n\n\
         def outputs():\n{run}\n\
         def tensor():\n    first, *others = outputs()\n    return b\"\".join(others) + first\n\n{verdict}",
        title = asked.title(),
        outputs = outputs.join(", "),
        operator = node.operator,
        attributes = attributes.join(""),
        opset = node.opset,
        verdict = verdict(asked)?,
    ))
}

/// Returns the imports, and the lines that return the bytes of the outputs.
fn run(asked: &Asked, runtime: Runtime, node: &Node<'_>) -> Result<(&'static str, String)> {
    Ok(match runtime {
        Runtime::OnnxReference => (
            "numpy, onnx, onnx.numpy_helper, onnx.reference, sys",
            "    proto = lambda _, dtype, dims, data: onnx.TensorProto(data_type=dtype, dims=dims, raw_data=data)\n    \
             feeds = {it[0]: onnx.numpy_helper.to_array(proto(*it)) for it in INPUTS}\n    \
             results = onnx.reference.ReferenceEvaluator(model).run(None, feeds)\n    \
             return [onnx.numpy_helper.from_array(numpy.asarray(y)).raw_data for y in results]\n"
                .into(),
        ),
        Runtime::OpenVino => {
            let types: Result<Vec<String>> = node
                .inputs
                .iter()
                .map(|(_, dtype, ..)| {
                    runtime.dtype(*dtype).with_context(|| format!("OpenVINO has no {dtype}"))
                })
                .collect();
            (
                "io, numpy, onnx, openvino, sys",
                format!(
                    "    core, feeds = openvino.Core(), {{}}\n    \
                     read = core.read_model(io.BytesIO(model.SerializeToString()))\n    \
                     config = {{\"EXECUTION_MODE_HINT\": \"ACCURACY\"}}\n    \
                     request = core.compile_model(read, \"CPU\", config).create_infer_request()\n    \
                     # OpenVINO drops inputs that it does not use.\n    \
                     used = {{name for port in read.inputs for name in port.names}}\n    \
                     for (name, _, shape, data), dtype in zip(INPUTS, [{types}]):\n        \
                     if name not in used:\n            \
                     continue\n        \
                     feeds[name] = openvino.Tensor(dtype, shape)\n        \
                     feeds[name].data.reshape(-1).view(numpy.uint8)[:] = numpy.frombuffer(data, numpy.uint8)\n    \
                     request.infer(feeds)\n    \
                     results = [request.get_output_tensor(place).data for place in range(len(OUTPUTS))]\n    \
                     return [numpy.asarray(y).tobytes() for y in results]\n",
                    types = types?.join(", "),
                ),
            )
        }
        _ => {
            let (options, argument) = optimisation(&asked.testee);
            (
                "ctypes, onnx, onnxruntime, sys",
                format!(
                    "{options}    \
                     session = onnxruntime.InferenceSession(model.SerializeToString(), {argument}\
                     providers=[\"CPUExecutionProvider\"])\n    \
                     binding, values = session.io_binding(), []\n    \
                     for name, dtype, shape, data in INPUTS:\n        \
                     values.append(onnxruntime.OrtValue.ortvalue_from_shape_and_type(shape, dtype))\n        \
                     ctypes.memmove(values[-1].data_ptr(), data, len(data))\n        \
                     binding.bind_ortvalue_input(name, values[-1])\n    \
                     for name, *_ in OUTPUTS:\n        \
                     binding.bind_output(name, \"cpu\")\n    \
                     session.run_with_iobinding(binding)\n    \
                     return [ctypes.string_at(y.data_ptr(), y.tensor_size_in_bytes()) for y in binding.get_outputs()]\n"
                ),
            )
        }
    })
}

/// One node of ONNX.
struct Node<'a> {
    operator: &'static str,
    opset: u32,
    /// Attributes as Python has them.
    attributes: Vec<(&'static str, String)>,
    inputs: Vec<(&'static str, DType, &'a [u64], &'a [u8])>,
    /// The elements first.
    outputs: Vec<(&'static str, DType, &'a [u64])>,
}

fn node(question: &Question) -> Option<Node<'_>> {
    match question {
        Question::QuantizeLinear(linear) => Some(of_linear("QuantizeLinear", linear, linear.to)),
        Question::DequantizeLinear(linear) => {
            Some(of_linear("DequantizeLinear", linear, linear.from))
        }
        Question::DynamicQuantizeLinear(DynamicLinear { shape, input }) => Some(Node {
            operator: "DynamicQuantizeLinear",
            opset: DYNAMIC_OPSET,
            attributes: vec![],
            inputs: vec![("x", DType::Float32, shape, &input.0)],
            outputs: vec![
                ("y", DType::Uint8, shape),
                ("scale", DType::Float32, &[]),
                ("zero", DType::Uint8, &[]),
            ],
        }),
        _ => None,
    }
}

fn of_linear<'a>(operator: &'static str, linear: &'a Linear, zero_point: DType) -> Node<'a> {
    let shape = &linear.scale_shape[..];
    let mut inputs = vec![
        ("x", linear.from, &linear.shape[..], &linear.input.0[..]),
        ("scale", linear.scale, shape, &linear.scales.0[..]),
    ];
    inputs.extend(linear.zero_points.as_ref().map(|it| ("zero", zero_point, shape, &it.0[..])));
    let attributes = [
        ("axis", linear.axis.map(|it| it.to_string())),
        ("block_size", linear.block_size.map(|it| it.to_string())),
        ("saturate", linear.saturate.map(|it| u8::from(it).to_string())),
        ("precision", linear.precision.map(|it| data_type(it).to_string())),
        ("output_dtype", linear.output_dtype.then(|| data_type(linear.to).to_string())),
    ];
    let given = attributes.into_iter().filter_map(|(name, value)| Some((name, value?)));
    Node {
        operator,
        opset: linear.opset,
        attributes: given.collect(),
        inputs,
        outputs: vec![("y", linear.to, &linear.shape)],
    }
}

/// Parts of an answer that lie one behind the other: their name, their dtype, and what is right of each.
type Parts = (&'static str, DType, Vec<Vec<[u64; 2]>>);

/// Returns the end of the script: it prints each part that is wrong, and exits with 1 if there is one.
fn verdict(Asked { test, got, .. }: &Asked) -> Result<String> {
    let right = match (&test.tolerate, &test.ask) {
        (Some(AnswerRecord::BlockChoice(choice)), Question::QuantizeBlock(block)) => {
            let listed = choice.one_of.iter().map(|one| (one.scale, one.clone()));
            // A scale that the block may not have is compared with the recommended one.
            let returned = scale_in(got).map(|scale| {
                let due = under(block, scale).unwrap_or_else(|| choice.one_of[0].clone());
                (Hex::new(scale, block.scale), due)
            });
            let mut rights = String::new();
            for (scale, one) in listed.chain(returned) {
                let expect = AnswerRecord::Block(one);
                let test = QuestionTest { expect, tolerate: None, ..test.clone() };
                rights += &format!("    {scale}: [\n{}    ],\n", sections(&test)?);
            }
            format!(
                "# For each scale, as follows. Under another one nothing is decided.\n\
                 RIGHTS = {{\n{rights}}}\ndata, wrong = tensor(), 0\n\
                 RIGHT = RIGHTS.get(data[0]) if data else next(iter(RIGHTS.values()))\n\
                 if RIGHT is None:\n    sys.exit(0)\n"
            )
        }
        _ => format!("RIGHT = [\n{}]\ndata, wrong = tensor(), 0\n", sections(test)?),
    };
    Ok(format!(
        "# Name and bits of the parts of the answer, and of each part the code that is right; pairs: first and last codes.\n\
         {right}\
         due = sum(bits * len(parts) for _, bits, parts in RIGHT)\n\
         if len(data) != (due + 7) // 8:\n    sys.exit(f\"got {{len(data)}} bytes, expected {{(due + 7) // 8}}\")\n\
         code = int.from_bytes(data, \"little\")\n\
         for name, bits, parts in RIGHT:\n    \
         for place, right in enumerate(parts):\n        \
         got, code = code & (1 << bits) - 1, code >> bits\n        \
         right = right if isinstance(right, list) else [(right, right)]\n        \
         if not any(first <= got <= last for first, last in right):\n            \
         wrong += 1\n            \
         print(name, place, \"got\", hex(got), \"expected\", \" or \".join(f\"{{a:#x}} to {{b:#x}}\" if a != b else hex(a) for a, b in right))\n\
         sys.exit(wrong > 0)\n"
    ))
}

/// The scale in what a testee gave, in words.
fn scale_in(got: &str) -> Option<u64> {
    let (_, rest) = got.split_once("scale 0x")?;
    u64::from_str_radix(rest.get(..2)?, 16).ok()
}

/// Writes what is right of a part: a code, or a list of pairs.
fn right(dtype: DType, due: &[[u64; 2]]) -> String {
    let digits = dtype.bits().div_ceil(4) as usize + 2;
    let code = |code: u64| format!("{code:#0digits$x}");
    match due {
        [[first, last]] if first == last => code(*first),
        _ => {
            let pairs: Vec<String> =
                due.iter().map(|pair| format!("({}, {})", code(pair[0]), code(pair[1]))).collect();
            format!("[{}]", pairs.join(", "))
        }
    }
}

/// Returns a line for each part of the answer.
fn sections(test: &QuestionTest) -> Result<String> {
    let parts = parts(test).with_context(|| format!("{} expects nothing of this kind", test.id))?;
    let line = |(name, dtype, due): &Parts| {
        let due: Vec<String> = due.iter().map(|due| right(*dtype, due)).collect();
        format!("    (\"{name}\", {}, [{}]),\n", dtype.bits(), due.join(", "))
    };
    Ok(parts.iter().map(line).collect())
}

/// Codes in their order as pairs of first and last ones.
fn runs(codes: impl Iterator<Item = u8>) -> Vec<[u64; 2]> {
    let mut runs: Vec<[u64; 2]> = Vec::new();
    for code in codes.map(u64::from) {
        match runs.last_mut() {
            Some([_, last]) if *last + 1 == code => *last = code,
            _ => runs.push([code, code]),
        }
    }
    runs
}

/// Returns the ranges of what is right of each byte of blocks of GGUF, by any reading.
fn bytes_of_gguf(due: &GgufBlocks, tolerate: Option<&AnswerRecord>) -> Vec<Vec<[u64; 2]>> {
    let further = match tolerate {
        Some(AnswerRecord::GgufReadings(further)) => &further.readings[..],
        _ => &[],
    };
    let byte = |place: usize| {
        let readings = std::iter::once(due).chain(further);
        let is_right = |code: &u8| readings.clone().any(|it| it.admits(place, &[*code]));
        runs((0..=u8::MAX).filter(is_right))
    };
    (0..due.blocks.0.len()).map(byte).collect()
}

/// What is right of an element, in the order of codes, each once.
fn either(dtype: DType, expect: &Outcome, tolerate: Option<&Outcome>) -> Vec<[u64; 2]> {
    let both = [Some(expect), tolerate].into_iter().flatten();
    let mut codes: Vec<_> = both.flat_map(|outcome| codes_of(outcome, dtype)).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// The codes of scales, which lie little-endian one behind the other.
fn codes_of_scales(dtype: DType, bytes: &[u8]) -> Vec<u64> {
    let code = |bytes: &[u8]| bytes.iter().rev().fold(0, |code, byte| code << 8 | u64::from(*byte));
    bytes.chunks(dtype.bits().div_ceil(8) as usize).map(code).collect()
}

fn parts(test: &QuestionTest) -> Option<Vec<Parts>> {
    let element = |dtype: DType, code: Option<u8>| {
        let outcome = code.map_or(Outcome::Any, |code| Outcome::Code(code.into()));
        either(dtype, &outcome, None)
    };
    // Where a scale is NaN, every NaN is right.
    let scale = |dtype: DType, code: u64| {
        let is_nan = landmarks(dtype).is_some_and(|it| it.is_nan(code));
        either(dtype, &if is_nan { Outcome::AnyNan } else { Outcome::Code(code) }, None)
    };
    match (&test.ask, &test.expect) {
        (Question::QuantizeBlock(ask), AnswerRecord::Block(due)) => Some(vec![
            ("scale", ask.scale, vec![scale(ask.scale, due.scale.value())]),
            ("element", ask.to, due.elements.0.iter().map(|it| element(ask.to, *it)).collect()),
        ]),
        (Question::QuantizeTensor(ask), AnswerRecord::Blocks(due)) => Some(vec![
            (
                "scale",
                ask.scale,
                codes_of_scales(ask.scale, &due.scales.0)
                    .into_iter()
                    .map(|it| scale(ask.scale, it))
                    .collect(),
            ),
            ("element", ask.to, due.elements.0.iter().map(|it| element(ask.to, *it)).collect()),
        ]),
        (
            &(Question::DequantizeBlock(DequantizeBlock { to, .. })
            | Question::DequantizeGguf(DequantizeGguf { to, .. })),
            AnswerRecord::Numbers(due),
        ) => {
            let due = due.numbers.due().iter();
            Some(vec![("number", to, due.map(|it| either(to, it, None)).collect())])
        }
        (Question::QuantizeGguf(_), AnswerRecord::GgufBlocks(due)) => {
            Some(vec![("byte", DType::Uint8, bytes_of_gguf(due, test.tolerate.as_ref()))])
        }
        (
            Question::QuantizeLinear(ask) | Question::DequantizeLinear(ask),
            AnswerRecord::Linear(due),
        ) => {
            let tolerate = match &test.tolerate {
                Some(AnswerRecord::Linear(tolerate)) => &tolerate.elements[..],
                _ => &[],
            };
            let due = due.elements.iter().enumerate().map(|(place, expect)| {
                let tolerate = tolerate.get(place).map(OutcomeRecord::outcome);
                either(ask.to, &expect.outcome(), tolerate.as_ref())
            });
            Some(vec![("element", ask.to, due.collect())])
        }
        (Question::DynamicQuantizeLinear(_), AnswerRecord::Dynamic(due)) => {
            let one = |dtype, record: &OutcomeRecord| either(dtype, &record.outcome(), None);
            let elements = due.elements.iter().map(|it| one(DType::Uint8, it));
            let scale = ("scale", DType::Float32, vec![one(DType::Float32, &due.scale)]);
            let zero = ("zero point", DType::Uint8, vec![one(DType::Uint8, &due.zero_point)]);
            Some(vec![scale, zero, ("element", DType::Uint8, elements.collect())])
        }
        _ => None,
    }
}

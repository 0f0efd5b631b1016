//! Python scripts that need only the runtime. They cast one element, or a tensor of equal elements,
//! print what came back and what is due, and exit with 1 if the two differ.

use super::case::{Case, Graph};
use super::literal::{hex, python};
use super::runtime::{Runtime, is_numpy, numpy};
use super::texts;
use crate::export::backend::{self, data_type, model_file};
use anyhow::{Context, Result, bail};
use castproof_testee::Identity;
use castproof_vectors::DType;

/// The place of a script's model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Model {
    /// `model.onnx` beside the script.
    File,
    /// The script itself, which can then be pasted whole.
    Inline,
}

/// Returns the script for a runtime.
///
/// # Errors
/// If the runtime lacks a dtype of the case.
pub(super) fn text(case: &Case, runtime: Runtime, place: Model) -> Result<String> {
    case.version()?; // a runtime casts by the rules of ONNX at best
    let (imports, body) = if runtime.runs_models() {
        let (imports, body) = run_model(case, runtime)?;
        (imports, model_lines(case, runtime, place)? + &body)
    } else {
        call(case, runtime)?
    };
    let packages = runtime.packages(&case.testee);
    let is_packed = runtime.runs_models();
    let rest = input_line(case, is_packed) + &body + &verdict(case, is_packed);
    // Only the modules of the standard library that are used.
    let standard = ["ctypes", "io", "pathlib", "sys"];
    let standard = standard.into_iter().filter(|name| rest.contains(&format!("{name}.")));
    let standard = standard.collect::<Vec<_>>().join(", ");
    let (title, extent) = (case.title(), case.extent_words());
    Ok(format!(
        "# {title}: {extent}.\n# pip install {packages}\nimport {standard}\nimport {imports}\n\n{rest}"
    ))
}

/// Returns the model of a case. Its sizes are left open, as in the gate's adapters. ONNX Runtime's
/// Python interface cannot bind strings, so a string is a constant of the model there.
pub(super) fn model(case: &Case, runtime: Runtime) -> Result<Vec<u8>> {
    let version = case.version()?;
    if matches!(&case.graph, Graph::Chain { operators, .. } if !operators.is_empty()) {
        bail!(
            "{} is of {}, and no model is written for a chain with CastLike or BitCast; write what the testee is asked, with --as testee",
            case.id,
            case.title()
        );
    }
    let (dtypes, attributes) = case.steps();
    let like = case.graph == Graph::CastLike;
    let graph = backend::ModelGraph {
        version,
        dtypes: &dtypes,
        attributes: &attributes,
        like,
        count: None,
    };
    let constant = has_constant(case, runtime).then_some(&case.input);
    model_file(&graph, constant)
}

fn has_constant(case: &Case, runtime: Runtime) -> bool {
    let is_text = runtime == Runtime::Ort && case.from == DType::String;
    is_text || matches!(case.graph, Graph::Chain { constant: true, .. })
}

fn model_lines(case: &Case, runtime: Runtime, place: Model) -> Result<String> {
    Ok(match place {
        Model::File => {
            "MODEL = (pathlib.Path(__file__).parent / \"model.onnx\").read_bytes()\n".into()
        }
        Model::Inline => {
            let bytes = model(case, runtime)?;
            format!("# {}.\nMODEL = bytes.fromhex(\"{}\")\n", case.title(), hex(&bytes))
        }
    })
}

/// Returns the line with the input. Array libraries give each element bytes of its own; models take
/// packed elements.
pub(super) fn input_line(case: &Case, is_packed: bool) -> String {
    if case.from == DType::String {
        return format!("INPUT = {}\n", python(&case.input.text()));
    }
    let bytes = |part: &[u8]| format!("bytes.fromhex(\"{}\")", hex(part));
    let input = match case.repeats(is_packed) {
        (pattern, 1, rest) if rest.is_empty() => bytes(&pattern),
        (pattern, times, rest) if rest.is_empty() => format!("{} * {times}", bytes(&pattern)),
        (pattern, times, rest) => format!("{} * {times} + {}", bytes(&pattern), bytes(&rest)),
    };
    // A numeric element in words has only digits and signs, so it cannot end the comment.
    format!("INPUT = {input}  # {}\n", case.input_words())
}

/// Returns the imports, and the function that runs the model.
fn run_model(case: &Case, runtime: Runtime) -> Result<(String, String)> {
    let from = data_type(case.from);
    let is_text = [case.from, case.to].map(|dtype| dtype == DType::String);
    let is_constant = has_constant(case, runtime);
    let feeds = if is_constant { "{}" } else { "{\"x\": x}" };
    let count = case.count;
    Ok(match runtime {
        Runtime::OnnxReference => {
            let x = match is_text[0] {
                true => "numpy.array([INPUT], object)".into(),
                false => format!(
                    "onnx.numpy_helper.to_array(onnx.TensorProto(data_type={from}, dims=[{count}], raw_data=INPUT))"
                ),
            };
            let got = match is_text[1] {
                true => "str(y.ravel()[0])",
                false => "onnx.numpy_helper.from_array(y).raw_data",
            };
            (
                "numpy, onnx, onnx.numpy_helper, onnx.reference".into(),
                format!(
                    "\ndef cast():\n    x = {x}\n    model = onnx.load_from_string(MODEL)\n    \
                     y = numpy.asarray(onnx.reference.ReferenceEvaluator(model).run(None, {feeds})[0])\n    \
                     return {got}\n"
                ),
            )
        }
        Runtime::OpenVino => {
            let lacks =
                |dtype: DType| move || format!("OpenVINO has no {dtype}; name a form with --as");
            let source = runtime.dtype(case.from).with_context(lacks(case.from))?;
            runtime.dtype(case.to).with_context(lacks(case.to))?;
            let got = "numpy.asarray(request.get_output_tensor(0).data).tobytes()";
            (
                "numpy, openvino".into(),
                format!(
                    "\ndef cast():\n    core = openvino.Core()\n    \
                     model = core.read_model(io.BytesIO(MODEL))\n    \
                     config = {{\"EXECUTION_MODE_HINT\": \"ACCURACY\"}}\n    \
                     request = core.compile_model(model, \"CPU\", config).create_infer_request()\n    \
                     x = openvino.Tensor({source}, [{count}])\n    \
                     x.data.reshape(-1).view(numpy.uint8)[:] = numpy.frombuffer(INPUT, numpy.uint8)\n    \
                     request.infer({feeds})\n    return {got}\n"
                ),
            )
        }
        _ => ("onnxruntime".into(), onnxruntime(case, from, [is_constant, is_text[1]])),
    })
}

fn onnxruntime(case: &Case, from: i32, [is_constant, to_text]: [bool; 2]) -> String {
    let count = case.count;
    let bind = match is_constant {
        true => String::new(),
        false => format!(
            "    x = onnxruntime.OrtValue.ortvalue_from_shape_and_type([{count}], {from})\n    \
             ctypes.memmove(x.data_ptr(), INPUT, len(INPUT))\n    \
             binding.bind_ortvalue_input(\"x\", x)\n"
        ),
    };
    let bytes = "ctypes.string_at(y.data_ptr(), y.tensor_size_in_bytes())";
    let got = if to_text { "y.numpy()[0]" } else { bytes };
    let (options, argument) = optimisation(&case.testee);
    format!(
        "\ndef cast():\n{options}    \
         session = onnxruntime.InferenceSession(MODEL, {argument}providers=[\"CPUExecutionProvider\"])\n    \
         binding = session.io_binding()\n{bind}    \
         binding.bind_output(\"y\", \"cpu\")\n    session.run_with_iobinding(binding)\n    \
         y = binding.get_outputs()[0]\n    return {got}\n"
    )
}

/// Returns the lines that make the options of a session as the variant of the adapter has them, and the
/// argument that names them.
pub(super) fn optimisation(testee: &Identity) -> (String, &'static str) {
    // By the names that the hello gives.
    let level = match testee.name.split(' ').nth(1) {
        Some("no-optimisation") => "ORT_DISABLE_ALL",
        Some("all-optimisations") => "ORT_ENABLE_ALL",
        _ => return (String::new(), ""),
    };
    let options = format!(
        "    options = onnxruntime.SessionOptions()\n    \
         options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.{level}\n"
    );
    (options, "options, ")
}

/// Returns the imports, and the function that calls an array library.
fn call(case: &Case, runtime: Runtime) -> Result<(String, String)> {
    case.must_be_one_cast()?;
    let lacks = |dtype: DType| move || format!("{runtime} has no {dtype}; name a form with --as");
    let source = runtime.dtype(case.from).with_context(lacks(case.from))?;
    let target = runtime.dtype(case.to).with_context(lacks(case.to))?;
    if case.is_refusal() {
        bail!(
            "{} is a cast that its version of ONNX refuses, and {runtime} knows no versions; name a form with --as",
            case.id
        );
    }
    let array = format!("numpy.frombuffer(INPUT, {})", numpy(case.from));
    let (import, lines, bytes) = match runtime {
        Runtime::Torch => {
            let x = format!("torch.frombuffer(bytearray(INPUT), dtype=torch.uint8).view({source})");
            let bytes = "bytes(y.view(torch.uint8).tolist())";
            let lines = vec![format!("x = {x}"), format!("y = x.to({target})")];
            return Ok(("torch".into(), function(&lines, bytes)));
        }
        Runtime::Jax => (
            ", jax",
            vec![
                "jax.config.update(\"jax_enable_x64\", True)".into(),
                // XLA compiles for each shape, so one element is repeated to a vector.
                match case.count {
                    1 => format!("x = numpy.repeat({array}, 128)"),
                    _ => format!("x = {array}"),
                },
                format!("y = jax.jit(lambda x: jax.lax.convert_element_type(x, {target}))(x)"),
            ],
            if case.count == 1 {
                "numpy.asarray(y)[:1].tobytes()"
            } else {
                "numpy.asarray(y).tobytes()"
            },
        ),
        Runtime::Tensorflow => (
            ", tensorflow as tf",
            vec![
                format!("x = tf.constant({array}, {source})"),
                format!("y = tf.cast(x, {target})"),
            ],
            "y.numpy().tobytes()",
        ),
        Runtime::Mindspore => return mindspore(case, &source, &target),
        _ => ("", vec![format!("x = {array}"), format!("y = x.astype({target})")], "y.tobytes()"),
    };
    let needs = !is_numpy(case.from) || !is_numpy(case.to);
    let ml_dtypes = if needs { ", ml_dtypes" } else { "" };
    let imports = format!("numpy{ml_dtypes}{import}");
    Ok((imports, function(&lines, bytes)))
}

/// Returns the imports and the function for MindSpore. Its dtypes that numpy lacks travel as
/// integers.
fn mindspore(case: &Case, source: &str, target: &str) -> Result<(String, String)> {
    let carrier = |dtype: DType| match dtype.bits() {
        _ if is_numpy(dtype) => Ok(None),
        8 => Ok(Some("int8")),
        16 => Ok(Some("int16")),
        _ => bail!("MindSpore has no {dtype}; name a form with --as"),
    };
    let x = match carrier(case.from)? {
        Some(carrier) => format!(
            "mindspore.Tensor(numpy.frombuffer(INPUT, numpy.{carrier}).copy()).view({source})"
        ),
        None => format!("mindspore.Tensor(numpy.frombuffer(INPUT, {}).copy())", numpy(case.from)),
    };
    let y = match carrier(case.to)? {
        Some(carrier) => format!("y.view(mindspore.{carrier}).asnumpy().tobytes()"),
        None => "y.asnumpy().tobytes()".into(),
    };
    let lines = [format!("x = {x}"), format!("y = mindspore.ops.cast(x, {target})")];
    Ok(("mindspore, numpy".into(), function(&lines, &y)))
}

fn function(lines: &[String], bytes: &str) -> String {
    let lines: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    format!("\ndef cast():\n{lines}    return {bytes}\n")
}

/// Returns the end of the script: it prints what came back and what is due, and exits with 1 if
/// they differ.
pub(super) fn verdict(case: &Case, is_packed: bool) -> String {
    let due = python(&case.expect_words());
    if case.is_refusal() {
        return format!(
            "\ntry:\n    got = cast()\nexcept Exception as refusal:\n    \
             sys.exit(print(\"refused, as expected:\", refusal))\n\
             print(\"got\", got, \"expected\", {due})\nsys.exit(1)\n"
        );
    }
    if case.to == DType::String {
        return texts::verdict(case, &due);
    }
    let right: Vec<String> =
        case.right_codes().iter().map(|[first, last]| format!("({first:#x}, {last:#x})")).collect();
    let (bits, digits, count) = (case.to.bits(), case.to.bits().div_ceil(4), case.count);
    let step = if is_packed { bits } else { bits.next_multiple_of(8) };
    let size = (count * step as usize).div_ceil(8);
    let mask = u64::MAX >> (64 - bits);
    let recorded = python(&format!("(recorded: {})", case.got_words()));
    let (code, place) = match (count, bits % 8) {
        (1, 0) => ("int.from_bytes(data, \"little\")".into(), String::new()),
        (1, _) => (format!("int.from_bytes(data, \"little\") & {mask:#x}"), String::new()),
        _ => (
            format!(
                "int.from_bytes(data[at * {step} // 8:(at * {step} + {bits} + 7) // 8], \"little\") \
                 >> at * {step} % 8 & {mask:#x}"
            ),
            format!("element {{at}} of {count}: "),
        ),
    };
    let padding = match case.padding() {
        0 => String::new(),
        bits if is_packed => format!("is_right = is_right and not data[-1] & {bits:#x}\n"),
        _ => String::new(),
    };
    format!(
        "\nRIGHT = [{}]  # first and last code\ndata = cast()\n\
         if len(data) != {size}:\n    sys.exit(f\"got {{len(data)}} bytes, expected {size}\")\n\
         for at in range({count}):\n    got = {code}\n    \
         is_right = any(first <= got <= last for first, last in RIGHT)\n    \
         if not is_right:\n        break\n{padding}\
         print(f\"{place}got 0x{{got:0{digits}x}}\", {recorded}, \"expected\", {due})\n\
         sys.exit(not is_right)\n",
        right.join(", ")
    )
}

//! The messages of ONNX: models of casts, and tensors.

use super::protobuf::{Message, varint};
use anyhow::{Result, anyhow};
use castproof_vectors::{
    Attributes, DType, Element, Outcome, TextOutcome, landmarks, pack_elements,
};

/// Returns the one right element; of several NaN codes, the first.
pub fn only_answer(outcome: &Outcome, to: DType) -> Option<Element> {
    match outcome {
        Outcome::Code(code) => Some(Element::code(*code, to)),
        Outcome::AnyNan | Outcome::QuietNan => {
            outcome.nans(landmarks(to)?)?.first().map(|[first, _]| Element::Code(*first))
        }
        Outcome::Text(TextOutcome::Exactly(text)) => Some(Element::from(text.clone())),
        Outcome::OneOf(_) | Outcome::Any | Outcome::Reject | Outcome::Text(_) => None,
    }
}

/// A model of one or more casts in a row, `y = Cast(.. Cast(x))`.
#[derive(Clone, Copy, Debug)]
pub struct ModelGraph<'a> {
    /// Version of the operator set.
    pub version: u32,
    /// Dtypes of the input, of the tensors between the casts, and of the output.
    pub dtypes: &'a [DType],
    /// The attributes that are given to each cast.
    pub attributes: &'a [Attributes],
    /// Is the one cast a `CastLike`? Then `like` is an initializer without elements.
    pub like: bool,
    /// Elements of the one-dimensional input; `None` leaves them open.
    pub count: Option<usize>,
}

/// Returns the model as `model.onnx` holds it. With a constant, `x` is not an input but an
/// initializer with that one element.
///
/// # Errors
/// If the constant is not an element of the dtype.
pub fn model_file(graph: &ModelGraph<'_>, constant: Option<&Element>) -> Result<Vec<u8>> {
    let (from, to) = graph.ends();
    let mut inputs = vec![match constant {
        None => (INPUT, value("x", from, graph.count)),
        Some(element) => (INITIALIZER, tensor("x", from, std::slice::from_ref(element))?),
    }];
    if graph.like {
        inputs.push((INITIALIZER, tensor("like", to, &[])?));
    }
    Ok(model(graph, &inputs).into_bytes())
}

impl ModelGraph<'_> {
    /// Dtypes of the input and of the output.
    fn ends(&self) -> (DType, DType) {
        let end = |dtype: Option<&DType>| *dtype.expect("a cast has two dtypes");
        (end(self.dtypes.first()), end(self.dtypes.last()))
    }
}

/// Returns a tensor as `input_0.pb` holds it.
///
/// # Errors
/// If one is not an element of the dtype.
pub fn tensor_file(name: &str, dtype: DType, elements: &[Element]) -> Result<Vec<u8>> {
    Ok(tensor(name, dtype, elements)?.into_bytes())
}

// The messages of onnx.proto3 that a model of casts needs, with their field numbers there.

/// The fields of a `GraphProto` that give `x` and `like`: initializers and inputs.
const INITIALIZER: u8 = 5;
const INPUT: u8 = 11;

/// Returns the `ModelProto`, from the fields of its graph that give `x` and `like`.
fn model(graph: &ModelGraph<'_>, inputs: &[(u8, Message)]) -> Message {
    let steps = graph.attributes.len();
    let name = if steps == 1 { "one_cast" } else { "casts" };
    let nodes = (0..steps).map(|step| node(graph, step));
    let body = nodes.fold(Message::default(), |body, node| body.bytes(1, node)).bytes(2, name);
    let body = inputs.iter().fold(body, |body, (field, message)| body.bytes(*field, message));
    let body = body.bytes(12, value("y", graph.ends().1, graph.count));
    Message::default()
        .number(1, ir_version(graph.version))
        .bytes(2, "castproof") // the producer
        .bytes(7, body)
        .bytes(8, Message::default().number(2, i64::from(graph.version)))
}

/// Returns the `NodeProto` of one step. A tensor between two steps is named after the first step.
fn node(graph: &ModelGraph<'_>, step: usize) -> Message {
    let (version, to, attributes) = (graph.version, graph.dtypes[step + 1], graph.attributes[step]);
    let number = |name, value| Message::default().bytes(1, name).number(3, value).number(20, 2);
    let text = |name, value| Message::default().bytes(1, name).bytes(4, value).number(20, 3);
    let mut given = match (graph.like, version) {
        (true, _) => Vec::new(),
        // Cast-1 names the type in words (T-04).
        (false, ..6) => vec![text("to", type_name(to))],
        (false, _) => vec![number("to", i64::from(data_type(to)))],
    };
    given.extend(attributes.saturate.map(|on| number("saturate", i64::from(on))));
    given.extend(attributes.round_mode.map(|mode| text("round_mode", mode.name())));
    let last = step + 1 == graph.attributes.len();
    let source = if step == 0 { "x".into() } else { format!("step{step}") };
    let target = if last { "y".into() } else { format!("step{}", step + 1) };
    let mut node = Message::default().bytes(1, source);
    if graph.like {
        node = node.bytes(1, "like");
    }
    let node = node.bytes(2, target).bytes(4, if graph.like { "CastLike" } else { "Cast" });
    given.iter().fold(node, |node, attribute| node.bytes(5, attribute))
}

/// Returns the `ValueInfoProto` of a one-dimensional tensor; `None` leaves its count open.
fn value(name: &str, dtype: DType, count: Option<usize>) -> Message {
    let dimension = Message::default();
    let dimension = match count {
        None => dimension,
        Some(count) => dimension.number(1, count as i64),
    };
    let shape = Message::default().bytes(1, dimension);
    let tensor = Message::default().number(1, i64::from(data_type(dtype))).bytes(2, shape);
    Message::default().bytes(1, name).bytes(2, Message::default().bytes(1, tensor))
}

/// Returns the `TensorProto`; strings have their own field.
fn tensor(name: &str, dtype: DType, elements: &[Element]) -> Result<Message> {
    let tensor = Message::default()
        .bytes(1, varint(elements.len() as u64))
        .number(2, i64::from(data_type(dtype)));
    if dtype == DType::String {
        let tensor = elements.iter().fold(tensor, |it, element| it.bytes(6, element.text()));
        return Ok(tensor.bytes(8, name));
    }
    let data = pack_elements(dtype, elements).map_err(|problem| anyhow!(problem))?;
    Ok(tensor.bytes(8, name).bytes(9, data))
}

/// Returns the oldest IR version that allows the operator set.
fn ir_version(opset: u32) -> i64 {
    let first = [(9, 4), (10, 5), (11, 6), (12, 7), (15, 8), (19, 9), (21, 10), (23, 11)];
    let later = [(24, 12), (25, 13), (28, 14)];
    let row = first.iter().chain(&later).rev().find(|(since, _)| *since <= opset);
    row.map_or(3, |(_, version)| *version)
}

/// `TensorProto.DataType`
pub fn data_type(dtype: DType) -> i32 {
    use DType::*;
    match dtype {
        Float32 => 1,
        Uint8 => 2,
        Int8 => 3,
        Uint16 => 4,
        Int16 => 5,
        Int32 => 6,
        Int64 => 7,
        String => 8,
        Bool => 9,
        Float16 => 10,
        Float64 => 11,
        Uint32 => 12,
        Uint64 => 13,
        Complex64 => 14,
        Complex128 => 15,
        Bfloat16 => 16,
        Float8E4M3FN => 17,
        Float8E4M3FNUZ => 18,
        Float8E5M2 => 19,
        Float8E5M2FNUZ => 20,
        Uint4 => 21,
        Int4 => 22,
        Float4E2M1 => 23,
        Float8E8M0 => 24,
        Uint2 => 25,
        Int2 => 26,
        Float6E2M3 => 27,
        Float6E3M2 => 28,
        Qint8 | Quint8 | Qint16 | Quint16 | Qint32 => 0, // ONNX has no such dtypes
    }
}

/// Returns the name of a type in the words of Cast-1, which has only these types.
fn type_name(dtype: DType) -> &'static str {
    use DType::*;
    match dtype {
        Bool => "BOOL",
        Int8 => "INT8",
        Uint8 => "UINT8",
        Int16 => "INT16",
        Uint16 => "UINT16",
        Int32 => "INT32",
        Uint32 => "UINT32",
        Int64 => "INT64",
        Uint64 => "UINT64",
        Float16 => "FLOAT16",
        Float32 => "FLOAT",
        Float64 => "DOUBLE",
        _ => "UNDEFINED",
    }
}

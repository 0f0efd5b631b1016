//! Castproof's own implementation as a testee.
//!
//! The kernels cast between any two dtypes. A runtime decides which operator version takes which
//! dtype and attribute, so this module states that, separately from the oracle.

use super::builtin_blocks::{decode, quantize};
use super::builtin_gguf::{decode_gguf, make_gguf};
use super::builtin_layout::{pack, unpack};
use super::builtin_linear::{dynamic_quantize_linear, linear};
use super::builtin_projection;
use super::form::{Chain, Codes, Feature};
use super::testee::{Identity, Reply, Returned, Testee};
use castproof_impl::{
    Cast, ComplexCast, Error, FromText, Operands, Reshape, ToText, promote, promote_number, reshape,
};
#[cfg(feature = "start")]
use castproof_vectors::OneLine;
use castproof_vectors::{
    Attributes, Bitcast, Conversion, DType, Element, Operand, Operator, Profile, Promote, Question,
    Request, RoundMode, Spec, pack_elements, packed_len, unpack_elements,
};

/// Castproof's own implementation, in this process.
pub struct Builtin {
    identity: Identity,
    /// The numeric request of the last call, with its cast: a series repeats the same request many
    /// times.
    last: Option<(Request, Cast)>,
}

impl Builtin {
    /// Makes a testee of the implementation that this program was built with.
    pub fn new() -> Builtin {
        Builtin {
            identity: Identity {
                name: "castproof".into(),
                version: env!("CARGO_PKG_VERSION").into(),
                language: "rust".into(),
            },
            last: None,
        }
    }

    /// Returns the cast of a numeric request.
    ///
    /// # Errors
    /// A refusal, or the reason that there is no such cast.
    fn numeric(&mut self, request: &Request) -> Result<&Cast, Reply<()>> {
        if self.last.as_ref().is_none_or(|(last, _)| last != request) {
            if let Some(reason) = refusal(request) {
                return Err(Reply::Unsupported(reason));
            }
            self.last = Some((*request, numeric(request).map_err(Reply::Error)?));
        }
        self.last.as_ref().map(|(_, cast)| cast).ok_or_else(|| Reply::Error("no cast".into()))
    }
}

impl Default for Builtin {
    fn default() -> Builtin {
        Builtin::new()
    }
}

impl Testee for Builtin {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    #[cfg(feature = "start")]
    fn digest(&self) -> Option<OneLine> {
        let program = castproof_io::journal::this_program().ok()?;
        let settings = crate::judged::own_settings();
        Some(crate::judged::digest([("program".to_string(), program)].into_iter().chain(settings)))
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        if !request.from.is_numeric() || !request.to.is_numeric() {
            return match refusal(request) {
                Some(reason) => Reply::Unsupported(reason),
                None => texts(request, count, input).map_or_else(Reply::Error, Reply::Output),
            };
        }
        let length = match packed_len(request.to, count) {
            Ok(length) => length,
            Err(problem) => return Reply::Error(problem),
        };
        let cast = match self.numeric(request) {
            Ok(cast) => cast,
            Err(refused) => return refused.map(|()| Vec::new()),
        };
        let mut output = vec![0; length];
        match cast.run(input, count, &mut output) {
            Ok(()) => Reply::Output(output),
            Err(error) => Reply::Error(error.to_string()),
        }
    }

    fn features(&self) -> Vec<Feature> {
        vec![Feature::Shapes, Feature::Chain, Feature::ChainCastlike, Feature::ChainBitcast]
    }

    fn profiles(&self) -> Vec<Profile> {
        Profile::numeric().collect()
    }

    fn cast_into(
        &mut self,
        request: &Request,
        count: usize,
        input: &[u8],
        output: &mut [u8],
    ) -> Option<Reply<()>> {
        let cast = match self.numeric(request) {
            Ok(cast) => cast,
            Err(refused) => return Some(refused),
        };
        Some(match cast.run(input, count, output) {
            Ok(()) => Reply::Output(()),
            Err(error) => Reply::Error(error.to_string()),
        })
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        self.cast_in_turn(chain, count, input)
    }

    fn project(&mut self, conversion: &Conversion, codes: &Codes) -> Reply {
        builtin_projection::project(conversion, codes)
    }

    fn ask(&mut self, question: &Question) -> Reply<Returned> {
        match question {
            Question::Promote(question) => promotion(question),
            Question::Operands(question) => operands(question),
            Question::Bitcast(question) => bitcast(question),
            Question::ComplexCast(question) => complex_cast(question),
            Question::QuantizeBlock(question) => quantize(&question.into()),
            Question::QuantizeTensor(question) => quantize(question),
            Question::DequantizeBlock(question) => {
                decode(question).map_or_else(Reply::Error, Reply::Output)
            }
            Question::DequantizeGguf(question) => decode_gguf(question),
            Question::QuantizeGguf(question) => make_gguf(question),
            Question::Pack(question) => pack(question),
            Question::Unpack(question) => unpack(question),
            Question::QuantizeLinear(question) => linear(question, true),
            Question::DequantizeLinear(question) => linear(question, false),
            Question::DynamicQuantizeLinear(question) => dynamic_quantize_linear(question),
            Question::Project(ask) => {
                self.project(&ask.conversion(), &Codes::of(ask)).map(Returned::of_bytes)
            }
            Question::CastLike(_) => Reply::Error("CastLike is asked as a cast".into()),
            Question::Chain(_) => Reply::Error("chains are asked as such".into()),
        }
    }
}

fn promotion(Promote { tensor, with }: &Promote) -> Reply<Returned> {
    let dtype = match with {
        Operand::Tensor(other) => promote(*tensor, *other),
        Operand::Number(number) => promote_number(*tensor, *number),
    };
    match dtype {
        Some(_) => Reply::Output(Returned { dtype, ..Returned::default() }),
        None => Reply::Unsupported("the operands do not promote".into()),
    }
}

fn operands(question: &castproof_vectors::Operands) -> Reply<Returned> {
    let operands = match Operands::new(question.tensor, question.with) {
        Ok(operands) => operands,
        Err(error @ Error::NoPromotion { .. }) => return Reply::Unsupported(error.to_string()),
        Err(error) => return Reply::Error(error.to_string()),
    };
    let [tensor, other] = question.dtypes();
    let inputs = [question.elements[0].bytes(tensor), question.elements[1].bytes(other)];
    let mut bytes = vec![0; operands.dtype().bits() as usize / 4];
    let (left, right) = bytes.split_at_mut(operands.dtype().bits() as usize / 8);
    match operands.run(inputs.each_ref().map(Vec::as_slice), 1, [left, right]) {
        Ok(()) => Reply::Output(Returned { dtype: Some(operands.dtype()), shape: None, bytes }),
        Err(error) => Reply::Error(error.to_string()),
    }
}

fn bitcast(Bitcast { system, from, to, shape, input }: &Bitcast) -> Reply<Returned> {
    let mut shape = shape.clone();
    match reshape(*system, *from, *to, &shape) {
        Ok(Reshape::Keep) => {}
        Ok(Reshape::Append(size)) => shape.push(size),
        Ok(Reshape::DropLast) => shape.truncate(shape.len().saturating_sub(1)),
        Err(error) => return Reply::Unsupported(error.to_string()),
    }
    Reply::Output(Returned { dtype: None, shape: Some(shape), bytes: input.0.clone() })
}

fn complex_cast(question: &castproof_vectors::ComplexCast) -> Reply<Returned> {
    let castproof_vectors::ComplexCast { profile, from, to, input } = question;
    let cast = match ComplexCast::new(*profile, *from, *to) {
        Ok(cast) => cast,
        Err(error) => return Reply::Unsupported(error.to_string()),
    };
    let mut bytes = vec![0; to.bits() as usize / 8];
    match cast.run(&input.bytes(*from), 1, &mut bytes) {
        Ok(()) => Reply::Output(Returned { bytes, ..Returned::default() }),
        Err(error) => Reply::Error(error.to_string()),
    }
}

/// Casts from or to strings.
fn texts(request: &Request, count: usize, input: &[u8]) -> Result<Vec<u8>, String> {
    match (request.from, request.to) {
        (DType::String, DType::String) => {
            let texts = unpack_elements(DType::String, input, count)?;
            pack_elements(DType::String, &texts)
        }
        (DType::String, _) => read_texts(request, count, input),
        _ => write_texts(request, count, input),
    }
}

/// Returns the cast of a request between numeric dtypes.
///
/// # Errors
/// If the specification of the request refuses it, or there is no such cast; the reason.
pub fn cast_of(request: &Request) -> Result<Cast, String> {
    refusal(request).map_or_else(|| numeric(request), Err)
}

/// Returns the kernel of a request between numeric dtypes.
fn numeric(request: &Request) -> Result<Cast, String> {
    let Request { spec, from, to, .. } = *request;
    let cast = match spec {
        Spec::Onnx { opset, .. } => Cast::new(from, to).map(|cast| cast.opset(opset)),
        Spec::Profile(profile) => return of_profile(profile, request),
    };
    let mut cast = cast.map_err(|error| error.to_string())?;
    if let Some(on) = request.attributes.saturate {
        cast = cast.saturate(on);
    }
    if let Some(mode) = request.attributes.round_mode {
        cast = cast.round_mode(mode);
    }
    Ok(cast)
}

/// Returns the kernel of a request of a profile.
fn of_profile(profile: Profile, request: &Request) -> Result<Cast, String> {
    let Request { from, to, attributes: Attributes { saturate, round_mode }, .. } = *request;
    let cast = Cast::of_profile_with(profile, from, to, saturate, round_mode);
    cast.map_err(|error| error.to_string())
}

fn read_texts(request: &Request, count: usize, input: &[u8]) -> Result<Vec<u8>, String> {
    let attributes = request.attributes;
    let cast = FromText::new(request.to)
        .map_err(|error| error.to_string())?
        .opset(opset(request)?)
        .saturate(attributes.saturate.unwrap_or(true))
        .round_mode(attributes.round_mode.unwrap_or(RoundMode::Up));
    let texts = unpack_elements(DType::String, input, count)?;
    let texts: Vec<String> = texts.iter().map(Element::text).collect();
    let mut output = vec![0; packed_len(request.to, count)?];
    cast.run(texts.iter().map(String::as_str), &mut output).map_err(|error| error.to_string())?;
    Ok(output)
}

fn write_texts(request: &Request, count: usize, input: &[u8]) -> Result<Vec<u8>, String> {
    let cast = ToText::new(request.from).map_err(|error| error.to_string())?;
    let texts = cast.run(input, count).map_err(|error| error.to_string())?;
    let texts: Vec<Element> = texts.iter().map(|text| Element::from(text.to_string())).collect();
    pack_elements(DType::String, &texts)
}

fn opset(request: &Request) -> Result<u32, String> {
    request.spec.opset().ok_or_else(|| format!("{} is not served", request.spec))
}

/// The newest operator set that is served.
const NEWEST_OPSET: u32 = 28;

/// Returns the first operator set whose Cast takes the dtype (section 1 of the rules); `None` for
/// dtypes that are not cast here.
fn first_opset(dtype: DType) -> Option<u32> {
    use DType::*;
    match dtype {
        Bool | Int8 | Uint8 | Int16 | Uint16 | Int32 | Uint32 | Int64 | Uint64 | Float16
        | Float32 | Float64 => Some(1),
        Bfloat16 => Some(13),
        Float8E4M3FN | Float8E4M3FNUZ | Float8E5M2 | Float8E5M2FNUZ => Some(19),
        Int4 | Uint4 => Some(21),
        Float4E2M1 => Some(23),
        Float8E8M0 => Some(24),
        Int2 | Uint2 => Some(25),
        Float6E2M3 | Float6E3M2 => Some(28),
        String => Some(9),
        Complex64 | Complex128 | Qint8 | Quint8 | Qint16 | Quint16 | Qint32 => None,
    }
}

/// Returns why a runtime refuses the request, if it does.
fn refusal(request: &Request) -> Option<String> {
    match request.spec {
        Spec::Onnx { op, opset } => refusal_of_onnx(op, opset, request),
        Spec::Profile(profile) => of_profile(profile, request).err(),
    }
}

/// Returns why a runtime of ONNX refuses the request, if it does (T-01, T-05, CL-05).
fn refusal_of_onnx(op: Operator, opset: u32, request: &Request) -> Option<String> {
    let attributes = request.attributes;
    let first = match op {
        Operator::Cast => 1,
        Operator::CastLike => 15,
    };
    if !(first..=NEWEST_OPSET).contains(&opset) {
        return Some(format!("{op} is served for opsets {first} to {NEWEST_OPSET}, not {opset}"));
    }
    // There is no CastLike-28: the types of 25 stay in force.
    let newest_types = match op {
        Operator::Cast => opset,
        Operator::CastLike => opset.min(25),
    };
    for dtype in [request.from, request.to] {
        if first_opset(dtype).is_none_or(|first| newest_types < first) {
            return Some(format!("{op} at opset {opset} does not take {dtype}"));
        }
    }
    for (given, name, first) in [
        (attributes.saturate.is_some(), "saturate", 19),
        (attributes.round_mode.is_some(), "round_mode", 24),
    ] {
        if given && opset < first {
            return Some(format!("{op} at opset {opset} has no attribute {name}"));
        }
    }
    let mode = attributes.round_mode.filter(|_| request.to == DType::Float8E8M0);
    mode.filter(|mode| !RoundMode::CAST.contains(mode)).map(|mode| {
        let known = RoundMode::CAST.map(RoundMode::name).join(", ");
        format!("{op} has no round_mode {}; its modes are {known}", mode.name())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::{resolve, type_set};

    /// A testee that lists a profile casts at least one pair in it.
    #[test]
    fn every_profile_is_served() {
        for profile in Builtin::new().profiles() {
            let served = castproof_oracle::profile_pairs(profile).into_iter().filter(|pair| {
                refusal(&Request::new(Spec::Profile(profile), pair.0, pair.1)).is_none()
            });
            assert!(served.count() > 0, "impl/src/profile.rs lacks {}", profile.name());
        }
    }

    #[test]
    fn the_newest_operator_set_is_served() {
        let newest = castproof_vectors::NEWEST;
        assert_eq!(NEWEST_OPSET, newest, "gate/testee/src/builtin.rs lacks an operator set");
    }

    #[test]
    fn types_per_version_agree_with_the_table() {
        for op in [Operator::Cast, Operator::CastLike] {
            for opset in 1..=NEWEST_OPSET {
                let set = resolve(op, opset).map_or(Vec::new(), |version| type_set(op, version));
                for &dtype in DType::CAST {
                    let request = Request::new(Spec::Onnx { op, opset }, dtype, dtype);
                    let taken = refusal(&request).is_none();
                    assert_eq!(taken, set.contains(&dtype), "{op} {opset} {dtype}");
                }
            }
        }
    }

    #[test]
    fn attributes_per_version_agree_with_the_oracle() {
        use castproof_vectors::Outcome;
        let saturate = Attributes { saturate: Some(true), round_mode: None };
        let mode = |mode| Attributes { saturate: None, round_mode: Some(mode) };
        let all = [saturate].into_iter().chain(RoundMode::ALL.map(mode));
        for (op, opset) in [Operator::Cast, Operator::CastLike]
            .into_iter()
            .flat_map(|op| (1..=NEWEST_OPSET).map(move |opset| (op, opset)))
        {
            for attributes in all.clone() {
                for dtype in [DType::Int8, DType::Float8E8M0] {
                    let spec = Spec::Onnx { op, opset };
                    let request = Request::new(spec, dtype, dtype).with(attributes);
                    // An error: the operator does not exist yet.
                    let refused = castproof_oracle::cast(&request, 0)
                        .map_or(true, |answer| answer.expect == Outcome::Reject);
                    assert_eq!(refusal(&request).is_some(), refused, "{request}");
                }
            }
        }
    }

    #[test]
    fn a_short_payload_is_an_error() {
        let request = Request::cast(DType::Int16, DType::Int8, 13);
        assert!(matches!(Builtin::new().cast(&request, 2, &[0; 3]), Reply::Error(_)));
        assert_eq!(Builtin::new().cast(&request, 1, &[7, 1]), Reply::Output(vec![7]));
    }
}

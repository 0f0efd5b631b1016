//! Inputs that several targets share.

use arbitrary::{Arbitrary, Result, Unstructured};
use castproof_oracle::NEWEST;
use castproof_vectors::{Attributes, DType, Operator, Request, RoundMode, Spec};

/// One of `N` choices, at most 256: one byte, modulo `N`.
#[derive(Clone, Copy, Debug)]
pub struct Choice<const N: usize>(pub usize);

impl<'a, const N: usize> Arbitrary<'a> for Choice<N> {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(Choice(usize::from(u8::arbitrary(u)?) % N))
    }

    fn size_hint(_: usize) -> (usize, Option<usize>) {
        (1, Some(1))
    }
}

/// Any request, six bytes: operator, from, to, opset (0 and one beyond the newest included),
/// `saturate`, `round_mode`.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub struct RequestInput {
    op: Choice<2>,
    from: Choice<{ DType::ALL.len() }>,
    to: Choice<{ DType::ALL.len() }>,
    opset: Choice<{ NEWEST as usize + 2 }>,
    attributes: AttributesInput,
}

impl RequestInput {
    /// The request.
    pub fn request(self) -> Request {
        Request {
            spec: Spec::Onnx {
                op: [Operator::Cast, Operator::CastLike][self.op.0],
                opset: self.opset.0 as u32,
            },
            from: DType::ALL[self.from.0],
            to: DType::ALL[self.to.0],
            attributes: self.attributes.attributes(),
        }
    }

    /// The request, its dtypes modulo the numeric ones.
    pub fn numeric_request(self) -> Request {
        let numeric = |index: usize| DType::NUMERIC[index % DType::NUMERIC.len()];
        Request { from: numeric(self.from.0), to: numeric(self.to.0), ..self.request() }
    }
}

/// Attributes, two bytes: `saturate` absent, 0, 1; `round_mode` absent, up, down, nearest.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub struct AttributesInput {
    saturate: Choice<3>,
    round_mode: Choice<4>,
}

impl AttributesInput {
    /// The attributes.
    pub fn attributes(self) -> Attributes {
        Attributes {
            saturate: [None, Some(false), Some(true)][self.saturate.0],
            round_mode: self.round_mode.0.checked_sub(1).map(|index| RoundMode::ALL[index]),
        }
    }
}

/// How many whole elements of `bits` bits the bytes hold, less `fewer`. Up to 3 fewer, every
/// number of packed elements can be had.
pub(crate) fn count_in(dtype: DType, bytes: &[u8], fewer: Choice<4>) -> usize {
    (bytes.len() * 8 / dtype.bits() as usize).saturating_sub(fewer.0)
}

//! Implementations under test: one inside this process, any other behind a pipe.

pub mod adapter;
pub mod builtin;
mod connection;
mod form;
mod group;
pub mod judged;
pub mod launch;
pub mod library;
pub mod process;
pub mod protocol;
mod question;
pub mod serve;

pub use form::{Chain, Feature, Form, Layout};
pub(crate) use question::elements;

use castproof_check::verdict::Verdict;
use castproof_vectors::{DType, Profile, Question, Request, element_count};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The first words of an error that a broken protocol is: the testee was started anew.
pub(crate) const BROKE_PROTOCOL: &str = "broke the protocol";

/// An implementation under test.
pub trait Testee {
    /// Who it says it is.
    fn identity(&self) -> &Identity;

    /// What is judged, as far as it can be known from outside: a journal is bound to it. Of a testee
    /// in this process that is this program, which a journal is bound to in any case.
    ///
    /// # Errors
    /// If it cannot be found out.
    fn judged(&self) -> anyhow::Result<judged::Judged> {
        Ok(judged::environment())
    }

    /// Why it is not asked any more, if it died too often; `None` as long as it can be asked.
    fn given_up(&self) -> Option<String> {
        None
    }

    /// Casts `count` elements. `input` holds them packed and little-endian, and so does the
    /// output. A failure of any kind is a [`Reply`], so that the run goes on.
    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply;

    /// What it can be asked beside contiguous tensors of rank 1; by default nothing.
    fn features(&self) -> Vec<Feature> {
        Vec::new()
    }

    /// The profiles whose casts it can be asked for, beside those of ONNX; by default none.
    fn profiles(&self) -> Vec<Profile> {
        Vec::new()
    }

    /// Casts a tensor of this form. Asked only where [`features`](Testee::features) lists what
    /// the form needs. `input` holds the logical elements in row-major order.
    fn cast_formed(&mut self, request: &Request, form: &Form, input: &[u8]) -> Reply {
        match element_count(&form.shape) {
            Ok(count) if form.is_plain() => self.cast(request, count, input),
            Ok(_) => Reply::Unsupported("contiguous inputs alone".into()),
            Err(problem) => Reply::Error(problem),
        }
    }

    /// Casts `count` elements from one buffer of the gate to another, of which each has exactly
    /// the bytes that are due and stands at any address. `None`: the testee has buffers of its
    /// own. A testee that has this is asked at every alignment, beside pages that must not be
    /// touched, and is charged with what it reads or writes outside.
    fn cast_into(
        &mut self,
        _request: &Request,
        _count: usize,
        _input: &[u8],
        _output: &mut [u8],
    ) -> Option<Reply<()>> {
        None
    }

    /// Carries out casts in a row as one graph. Asked only where
    /// [`features`](Testee::features) lists [`Feature::Chain`].
    fn chain(&mut self, _chain: &Chain, _count: usize, _input: &[u8]) -> Reply {
        Reply::Unsupported("single casts alone".into())
    }

    /// Carries out the casts of a chain one after the other, each by [`cast`](Testee::cast).
    /// This is what `chain` answers where no graph is optimised.
    fn cast_in_turn(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        let mut elements = input.to_vec();
        for (pair, attributes) in chain.dtypes.windows(2).zip(&chain.attributes) {
            let request = Request::cast(pair[0], pair[1], chain.opset).with(*attributes);
            match self.cast(&request, count, &elements) {
                Reply::Output(output) => elements = output,
                other => return other,
            }
        }
        Reply::Output(elements)
    }

    /// How many tensors [`cast_each`](Testee::cast_each) is best given at once.
    fn ahead(&self) -> usize {
        1
    }

    /// Casts tensors of one request, one after the other. Gives their replies in order, up to the
    /// first after which the testee is gone.
    fn cast_each(&mut self, request: &Request, tensors: &[(Form, Vec<u8>)]) -> Vec<Reply> {
        let one = |(form, input): &(Form, Vec<u8>)| self.cast_formed(request, form, input);
        tensors.iter().map(one).collect()
    }

    /// Answers a question beside casts: promotion, its operands, bitcast, complex cast. `CastLike` is asked as a
    /// cast. A testee of casts alone leaves this as it is.
    fn ask(&mut self, _question: &Question) -> Reply<Returned> {
        Reply::Unsupported("casts alone".into())
    }
}

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Returned {
    /// The dtype, where one was asked for.
    pub dtype: Option<DType>,
    /// The shape of the tensor, where one was asked for.
    pub shape: Option<Vec<u64>>,
    /// The elements, packed and little-endian.
    pub bytes: Vec<u8>,
}

/// Who a testee says it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Identity {
    /// Name of the implementation.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The language that it is called from; may be empty.
    pub language: String,
}

impl fmt::Display for Identity {
    /// `onnxruntime 1.31.1 (python)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)?;
        if !self.language.is_empty() {
            write!(f, " ({})", self.language)?;
        }
        Ok(())
    }
}

impl<T> Reply<T> {
    /// The output, or what is said of a request that has none: verdict and message.
    ///
    /// # Errors
    /// Any reply but [`Reply::Output`].
    pub fn told(self) -> Result<T, (Verdict, String)> {
        match self {
            Reply::Output(output) => Ok(output),
            Reply::Unsupported(message) => Err((Verdict::Unsupported, message)),
            Reply::Error(message) => Err((Verdict::Error, message)),
            Reply::Crash(message) => Err((Verdict::Crash, message)),
            Reply::Timeout(message) => Err((Verdict::Timeout, message)),
        }
    }

    /// The same reply, its output made into something else.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Reply<U> {
        match self {
            Reply::Output(output) => Reply::Output(change(output)),
            Reply::Unsupported(message) => Reply::Unsupported(message),
            Reply::Error(message) => Reply::Error(message),
            Reply::Crash(message) => Reply::Crash(message),
            Reply::Timeout(message) => Reply::Timeout(message),
        }
    }
}

/// What became of one request, whose output is elements or the answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply<T = Vec<u8>> {
    /// The output.
    Output(T),
    /// The testee has no such cast, and why.
    Unsupported(String),
    /// The testee failed, or broke the protocol.
    Error(String),
    /// The testee died.
    Crash(String),
    /// The testee did not answer in time.
    Timeout(String),
}

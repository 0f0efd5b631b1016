//! What an implementation under test can be asked, and what comes back.

use crate::form::{Chain, Codes, Feature, Form};
#[cfg(feature = "start")]
use crate::judged;
use crate::limits::Limits;
use crate::part::Part;
use crate::protocol::Supported;
#[cfg(feature = "start")]
use castproof_check::verdict::Verdict;
#[cfg(feature = "start")]
use castproof_vectors::one_line;
use castproof_vectors::{
    Conversion, DType, Element, OneLine, Profile, Question, Request, Spec, element_count,
    pack_elements,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The first words of the error after a broken protocol; the testee was restarted then.
pub const BROKE_PROTOCOL: &str = "broke the protocol";

/// An implementation under test.
pub trait Testee {
    /// Returns who it says it is.
    fn identity(&self) -> &Identity;

    /// Returns what is judged, as far as it can be known from outside: a journal is bound to it. A
    /// testee in this process needs no more than the default, because a journal is always bound to
    /// this program.
    ///
    /// # Errors
    /// If it cannot be found out.
    #[cfg(feature = "start")]
    fn judged(&self) -> anyhow::Result<judged::Judged> {
        Ok(judged::Judged { known: judged::own_settings(), ..judged::Judged::default() })
    }

    /// Returns a digest of everything that decides its answers, for the hello; `None` if it does not
    /// know all of that.
    fn digest(&self) -> Option<OneLine> {
        None
    }

    /// Returns why it is not asked any more, if it died too often; `None` as long as it can be
    /// asked.
    fn given_up(&self) -> Option<String> {
        None
    }

    /// A part of a run begins: what is asked until its end depends on nothing but the answers to it and
    /// on what [`takes`](Testee::takes) says.
    fn begin(&mut self, _part: &Part) {}

    /// A run that asks less of this part ends it here.
    fn may_end(&mut self) {}

    /// The part has ended. Returns `false` if its results must not be used: a recording answered, and
    /// something else was asked than what was recorded.
    fn end(&mut self) -> bool {
        true
    }

    /// Returns what a recording lacks of what was asked; `None`: nothing, or this is no recording.
    fn lacking(&self) -> Option<String> {
        None
    }

    /// Casts one zero, or the text `1`, which is a number of every dtype, by which the gate finds out whether a cast is taken at all. It may be asked in
    /// any part and outside of all of them.
    fn takes(&mut self, request: &Request) -> Reply {
        let element = match request.from {
            DType::String => Element::from("1".to_string()),
            from => Element::code(0, from),
        };
        match pack_elements(request.from, &[element]) {
            Ok(input) => self.cast(request, 1, &input),
            Err(problem) => Reply::Error(problem),
        }
    }

    /// Casts `count` elements. Input and output are packed and little-endian. A failure of any kind
    /// is a [`Reply`], so that the run goes on.
    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply;

    /// Returns its features beyond contiguous tensors of rank 1; by default none.
    fn features(&self) -> Vec<Feature> {
        Vec::new()
    }

    /// Returns the profiles, beside ONNX, whose casts it takes; by default none.
    fn profiles(&self) -> Vec<Profile> {
        Vec::new()
    }

    /// Returns which tensors it takes; by default all. The gate plans no others where the form of a tensor is the point;
    /// a testee that must never see others is wrapped in [`Within`](crate::Within).
    fn limits(&self) -> Limits {
        Limits::default()
    }

    /// Is this request, with its version, among the casts that it lists? `None` if it names no versions: then it may
    /// be a bare kernel, which has none.
    fn lists(&self, request: &Request) -> Option<bool> {
        let listed = self.listed()?;
        let has_versions = listed.iter().any(|cast| cast.opsets.is_some());
        has_versions.then(|| match request.spec {
            Spec::Profile(profile) => self.profiles().contains(&profile),
            Spec::Onnx { .. } => listed.iter().any(|cast| cast.has(request)),
        })
    }

    /// Returns the casts of ONNX that it lists; `None`: it lists none, and everything is tried.
    fn listed(&self) -> Option<&[Supported]> {
        None
    }

    /// Casts a tensor of this form. It is called only if [`features`](Testee::features) lists what
    /// the form needs. `input` holds the logical elements in row-major order.
    fn cast_formed(&mut self, request: &Request, form: &Form, input: &[u8]) -> Reply {
        match element_count(&form.shape) {
            Ok(count) if form.is_plain() => self.cast(request, count, input),
            Ok(_) => Reply::Unsupported("only contiguous inputs are supported".into()),
            Err(problem) => Reply::Error(problem),
        }
    }

    /// Casts `count` elements from one buffer of the gate to another. Each buffer has exactly the
    /// required length and may start at any address. `None`: the testee has buffers of its own. A
    /// testee with this method is asked at every alignment, beside pages that must not be touched,
    /// and is charged with reads and writes outside its buffers.
    fn cast_into(
        &mut self,
        _request: &Request,
        _count: usize,
        _input: &[u8],
        _output: &mut [u8],
    ) -> Option<Reply<()>> {
        None
    }

    /// Carries out casts in a row as one graph. It is called only if [`features`](Testee::features)
    /// lists [`Feature::Chain`].
    fn chain(&mut self, _chain: &Chain, _count: usize, _input: &[u8]) -> Reply {
        Reply::Unsupported("only single casts are supported".into())
    }

    /// Carries out chains in turn, each as [`chain`](Testee::chain) does, and returns the replies in
    /// order. A testee that lets the gate ask ahead may get several of them before it answers.
    fn chain_each(&mut self, chains: &[(Chain, usize, Vec<u8>)]) -> Vec<Reply> {
        chains.iter().map(|(chain, count, input)| self.chain(chain, *count, input)).collect()
    }

    /// Carries out the casts of a chain one after the other, each by [`cast`](Testee::cast); a bitcast leaves the packed
    /// elements as they are. A testee that does not optimise graphs can answer `chain` with it.
    fn cast_in_turn(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        let mut elements = input.to_vec();
        for request in (0..chain.attributes.len()).filter_map(|step| chain.request(step)) {
            match self.cast(&request, count, &elements) {
                Reply::Output(output) => elements = output,
                other => return other,
            }
        }
        Reply::Output(elements)
    }

    /// Returns how many tensors [`cast_each`](Testee::cast_each) should best be given at once.
    fn ahead(&self) -> usize {
        1
    }

    /// Casts tensors of one request in turn, and returns the replies in order. The first reply
    /// without an output may be the last one: the tensors after it were then not asked for.
    fn cast_each(&mut self, request: &Request, tensors: &[(Form, Vec<u8>)]) -> Vec<Reply> {
        let mut replies = Vec::new();
        for (form, input) in tensors {
            replies.push(self.cast_formed(request, form, input));
            if !matches!(replies.last(), Some(Reply::Output(_))) {
                break;
            }
        }
        replies
    }

    /// Returns the names of the conversions between formats by parameters that it claims, as it writes them; by default none.
    fn conversions(&self) -> Vec<OneLine> {
        Vec::new()
    }

    /// Converts codes of a format by parameters. The output has as many codes, each little-endian in as many bytes as
    /// [`Conversion::width`] says.
    fn project(&mut self, _conversion: &Conversion, _codes: &Codes) -> Reply {
        Reply::Unsupported("only casts are supported".into())
    }

    /// Answers a question beside casts: promotion, its operands, bitcast, complex cast. `CastLike`
    /// is asked as a cast. A testee that only casts keeps this default.
    fn ask(&mut self, _question: &Question) -> Reply<Returned> {
        Reply::Unsupported("only casts are supported".into())
    }
}

/// Starts a new testee. Testees that are started together must be alike.
#[cfg(feature = "start")]
pub type Make<'a> = dyn Fn() -> anyhow::Result<Box<dyn Testee + Send>> + Sync + 'a;

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

impl Returned {
    /// An answer of bytes alone.
    pub fn of_bytes(bytes: Vec<u8>) -> Returned {
        Returned { bytes, ..Returned::default() }
    }
}

/// Who a testee says it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Identity {
    /// Name of the implementation.
    pub name: OneLine,
    /// Its version.
    pub version: OneLine,
    /// The language that it is called from; may be empty.
    pub language: OneLine,
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
    /// Returns the output, or the verdict and message of a reply without one.
    ///
    /// # Errors
    /// Any reply but [`Reply::Output`].
    #[cfg(feature = "start")]
    pub fn told(self) -> Result<T, (Verdict, String)> {
        let (verdict, message) = match self {
            Reply::Output(output) => return Ok(output),
            Reply::Unsupported(message) => (Verdict::Unsupported, message),
            Reply::Error(message) => (Verdict::Error, message),
            Reply::Crash(message) => (Verdict::Crash, message),
            Reply::Timeout(message) => (Verdict::Timeout, message),
        };
        // A testee in this process says what it likes, too.
        Err((verdict, one_line(&message)))
    }

    /// Applies a function to the output of the reply.
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

/// The reply to one request; its output is elements or the answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply<T = Vec<u8>> {
    /// The output.
    Output(T),
    /// The testee has no such cast; the reason.
    Unsupported(String),
    /// The testee failed, or broke the protocol.
    Error(String),
    /// The testee died.
    Crash(String),
    /// The testee did not answer in time.
    Timeout(String),
}

//! The testee's side of a conversation: any [`Testee`] answers over the protocol.

use super::protocol::{self, FrameError, Hello, Incoming, PROTOCOL, TesteeAnswer};
use super::testee::{Reply, Testee};
use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;

/// Serves a testee over standard input and output, as the whole of a program. A conversation that breaks is one line on standard
/// error and a failure.
pub fn serve_standard(testee: &mut dyn Testee) -> ExitCode {
    let output = &mut BufWriter::new(io::stdout().lock());
    match serve(testee, &mut io::stdin().lock(), output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", testee.identity().name);
            ExitCode::FAILURE
        }
    }
}

/// Answers requests from `input` on `output` until the other side says bye or closes.
///
/// # Errors
/// If the conversation breaks or writing fails.
pub fn serve(
    testee: &mut dyn Testee,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<(), FrameError> {
    protocol::read_greeting(input)?;
    let identity = testee.identity().clone();
    let hello = Hello {
        hello: PROTOCOL.into(),
        name: identity.name,
        version: identity.version,
        language: identity.language,
        digest: testee.digest(),
        casts: None,
        features: testee.features().iter().map(|it| it.name().to_string()).collect(),
        profiles: testee.profiles().iter().map(|it| it.name().to_string()).collect(),
        conversions: testee.conversions(),
        limits: Some(testee.limits()).filter(|limits| !limits.take_all()),
        ahead: true,
    };
    protocol::write_hello_answer(output, &hello)?;
    loop {
        match protocol::read_incoming(input) {
            Ok(Incoming::Cast { seq, request, form, input: elements, .. }) => {
                let answer = testee.cast_formed(&request, &form, &elements).into();
                protocol::write_answer(output, seq, &answer)?;
            }
            Ok(Incoming::Chain { seq, chain, count, input: elements }) => {
                let answer = testee.chain(&chain, count, &elements).into();
                protocol::write_answer(output, seq, &answer)?;
            }
            Ok(Incoming::Project { seq, conversion, codes }) => {
                let answer = testee.project(&conversion, &codes).into();
                protocol::write_answer(output, seq, &answer)?;
            }
            Ok(Incoming::Question { seq, question }) => {
                let answer = testee.ask(&question).into();
                protocol::write_question_answer(output, seq, answer)?;
            }
            Ok(Incoming::Bad { seq, problem, is_unknown }) => {
                let answer =
                    if is_unknown { TesteeAnswer::Unsupported } else { TesteeAnswer::Error };
                protocol::write_answer(output, seq, &answer(problem))?;
            }
            Ok(Incoming::Bye) | Err(FrameError::Closed) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

impl<T> From<Reply<T>> for TesteeAnswer<T> {
    /// The protocol cannot express a crash or a timeout of this testee: both become errors.
    fn from(reply: Reply<T>) -> TesteeAnswer<T> {
        match reply {
            Reply::Output(output) => TesteeAnswer::Output(output),
            Reply::Unsupported(reason) => TesteeAnswer::Unsupported(reason),
            Reply::Error(problem) | Reply::Crash(problem) | Reply::Timeout(problem) => {
                TesteeAnswer::Error(problem)
            }
        }
    }
}

//! Asks a testee for a tensor, and judges what comes back. A testee in this process may panic; that
//! counts as a crash.

use crate::tensor::{Tensor, Way, has_zero_padding};
use castproof_check::fuzz::Draw;
use castproof_check::verdict::{Verdict, judge};
use castproof_testee::{Form, Reply, Testee};
use castproof_vectors::{DType, Landmarks, Outcome, Request, landmarks, piece_of, unpack};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A verdict without elements, and its message.
pub type Said = (Verdict, String);

/// The elements of a tensor that was answered.
pub struct AnsweredTensor {
    /// The elements.
    pub got: Vec<u64>,
    /// The verdict on each.
    pub verdicts: Vec<Verdict>,
    /// Are the padding bits of the output zero, as they must be?
    pub is_padded: bool,
}

/// How elements are judged.
#[derive(Clone, Copy)]
pub struct Judge {
    to: DType,
    target: &'static Landmarks,
    /// Do tolerated results fail?
    strict: bool,
}

impl Judge {
    /// Judges elements of this dtype; `None` if it is not numeric.
    pub fn new(to: DType, strict: bool) -> Option<Judge> {
        Some(Judge { to, target: landmarks(to)?, strict })
    }

    /// Judges one element.
    pub fn element(&self, (expect, tolerate): (&Outcome, Option<&Outcome>), got: u64) -> Verdict {
        judge(expect, tolerate, got, self.target, self.strict)
    }

    /// Judges each element of an output of `count` elements. `verdict` is given the index of an
    /// element and its code.
    ///
    /// # Errors
    /// If the output has another length.
    pub fn output(
        &self,
        count: usize,
        output: &[u8],
        mut verdict: impl FnMut(usize, u64) -> Verdict,
    ) -> Result<AnsweredTensor, Said> {
        let got = unpack(self.to, output, count).map_err(error)?;
        let verdicts = got.iter().enumerate().map(|(index, &got)| verdict(index, got)).collect();
        Ok(AnsweredTensor { verdicts, is_padded: has_zero_padding(self.to, count, output), got })
    }
}

/// Asks for a tensor of codes, and judges each element by the pieces of `draw`.
///
/// # Errors
/// What was said instead of elements.
pub fn ask(
    testee: &mut dyn Testee,
    draw: &Draw,
    tensor: &Tensor,
    strict: bool,
) -> Result<AnsweredTensor, Said> {
    let Tensor { request, codes, way } = tensor;
    let Request { from, to, .. } = *request;
    let not_numeric = || error(format!("{to} is not numeric"));
    let judge = Judge::new(to, strict).ok_or_else(not_numeric)?;
    let input = tensor.input().map_err(error)?;
    let output = cast(testee, request, (way, codes.len()), &input)?;
    let mut piece = &draw.pieces()[0];
    judge.output(codes.len(), &output, |index, got| {
        let code = codes[index];
        if !(piece.first..=piece.last).contains(&code) {
            piece = piece_of(draw.pieces(), code);
        }
        if piece.recommends(from, to, code, got) {
            return Verdict::Pass; // most do; the whole expectation takes longer
        }
        let due = piece.expectation(from, to, code);
        judge.element((&due.expect, due.tolerate.as_ref()), got)
    })
}

/// Casts a tensor of `count` elements.
///
/// # Errors
/// What was said instead of elements.
pub fn cast(
    testee: &mut dyn Testee,
    request: &Request,
    (way, count): (&Way, usize),
    input: &[u8],
) -> Result<Vec<u8>, Said> {
    caught(|| match way {
        Way::Formed(form) => testee.cast_formed(request, form, input),
        _ => testee.cast(request, count, input),
    })?
    .told()
}

/// Casts tensors, and returns the replies: see [`Testee::cast_each`]. There are fewer replies than
/// tensors only if the last one is a failure.
pub fn cast_each(
    testee: &mut dyn Testee,
    request: &Request,
    inputs: &[(Form, Vec<u8>)],
) -> Vec<Result<Vec<u8>, Said>> {
    let replies = match caught(|| testee.cast_each(request, inputs)) {
        Ok(replies) => replies,
        Err(said) => return vec![Err(said)],
    };
    let mut replies: Vec<Result<Vec<u8>, Said>> =
        replies.into_iter().take(inputs.len()).map(Reply::told).collect();
    let is_short = replies.len() < inputs.len();
    if is_short && !replies.last().is_some_and(Result::is_err) {
        let (came, due) = (replies.len(), inputs.len());
        replies.push(Err(error(format!("it returned {came} replies to {due} tensors"))));
    }
    replies
}

/// Calls a testee that may panic.
///
/// # Errors
/// A crash, if it does.
pub fn caught<T>(call: impl FnOnce() -> T) -> Result<T, Said> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|_| (Verdict::Crash, "it panicked".into()))
}

/// Returns the problem of a reply that is not what was asked for.
pub fn error(problem: String) -> Said {
    (Verdict::Error, problem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_judge::answers;
    use castproof_testee::Identity;
    use castproof_vectors::{NEWEST, OneLine};

    /// Replies to each tensor with these bytes; panics without them. It replies to one tensor at
    /// most.
    struct Says(Option<Vec<u8>>, Identity);

    impl Says {
        fn new(bytes: Option<&[u8]>) -> Says {
            let [name, version, language] = ["says", "1", ""].map(OneLine::from);
            Says(bytes.map(<[u8]>::to_vec), Identity { name, version, language })
        }
    }

    impl Testee for Says {
        fn identity(&self) -> &Identity {
            &self.1
        }

        fn cast(&mut self, _: &Request, _: usize, _: &[u8]) -> Reply {
            Reply::Output(self.0.clone().expect("as planned"))
        }

        fn cast_each(&mut self, request: &Request, tensors: &[(Form, Vec<u8>)]) -> Vec<Reply> {
            vec![self.cast(request, 0, &tensors[0].1)]
        }
    }

    /// Asks for int8 -> int4 of 1, 2 and 3.
    fn answer(bytes: Option<&[u8]>) -> Result<(Vec<Verdict>, bool), Said> {
        let request = Request::cast(DType::Int8, DType::Int4, NEWEST);
        let draw = answers::draw(&request).expect("numeric");
        let tensor = Tensor::plain(request, vec![1, 2, 3]);
        let answer = ask(&mut Says::new(bytes), &draw, &tensor, false)?;
        Ok((answer.verdicts, answer.is_padded))
    }

    #[test]
    fn elements_and_padding_are_judged() {
        use Verdict::{Fail, Pass};
        assert_eq!(answer(Some(&[0x21, 0x03])), Ok((vec![Pass; 3], true)));
        assert_eq!(answer(Some(&[0x21, 0xf3])), Ok((vec![Pass; 3], false)));
        assert_eq!(answer(Some(&[0x2f, 0x04])), Ok((vec![Fail, Pass, Fail], true)));
    }

    #[test]
    fn what_is_no_answer_is_said() {
        let (verdict, message) = answer(None).expect_err("it panics");
        assert_eq!((verdict, &message[..]), (Verdict::Crash, "it panicked"));
        let (verdict, _) = answer(Some(&[0x21])).expect_err("too short");
        assert_eq!(verdict, Verdict::Error);
        let request = Request::cast(DType::Int8, DType::Int4, NEWEST);
        let two = [1, 2].map(|count| (Form::flat(count), vec![0; count]));
        let replies = cast_each(&mut Says::new(Some(&[0])), &request, &two);
        let problem = "it returned 1 replies to 2 tensors".to_string();
        assert_eq!(replies, [Ok(vec![0]), Err((Verdict::Error, problem))]);
        let replies = cast_each(&mut Says::new(None), &request, &two);
        assert_eq!(replies, [Err((Verdict::Crash, "it panicked".to_string()))]);
    }

    #[test]
    fn what_is_tolerated_fails_a_strict_run() {
        let due = (&Outcome::Code(1), Some(&Outcome::Code(2)));
        for (strict, tolerated) in [(false, Verdict::Tolerated), (true, Verdict::Fail)] {
            let judge = Judge::new(DType::Int8, strict).expect("numeric");
            let verdicts = [1, 2, 3].map(|code| judge.element(due, code));
            assert_eq!(verdicts, [Verdict::Pass, tolerated, Verdict::Fail]);
        }
        assert!(Judge::new(DType::String, false).is_none());
    }
}

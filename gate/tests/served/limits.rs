//! A right testee that takes only some tensors, and dies of all others.

use crate::common::{Run, castproof, testee};
use castproof::testee::{
    Chain, Feature, Form, Identity, Limits, Reply, Testee, builtin::Builtin, serve::serve,
};
use castproof_vectors::Request;
use libtest_mimic::{Failed, Trial};
use std::io::{self, BufWriter};

type Checked = Result<(), Failed>;

/// Returns the tests.
pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("a_testee_is_asked_within_its_limits", a_testee_is_asked_within_its_limits),
        Trial::test("wrong_within_its_limits_is_found", wrong_within_its_limits_is_found),
        Trial::test("limits_that_are_none_are_refused", limits_that_are_none_are_refused),
    ]
}

struct Limited {
    inner: Builtin,
    limits: Limits,
    /// Is it wrong in tensors of at least as many elements?
    wrong_from: usize,
}

impl Limited {
    fn is_asked(&self, shape: &[u64]) {
        assert!(self.limits.take(shape), "{shape:?} is beyond {:?}", self.limits);
    }
}

impl Testee for Limited {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn limits(&self) -> Limits {
        self.limits.clone()
    }

    fn features(&self) -> Vec<Feature> {
        vec![Feature::Shapes, Feature::Chain, Feature::Strided, Feature::Transposed]
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.cast_formed(request, &Form::flat(count), input)
    }

    fn cast_formed(&mut self, request: &Request, form: &Form, input: &[u8]) -> Reply {
        self.is_asked(&form.shape);
        let count = form.shape.iter().product::<u64>() as usize;
        let mut reply = self.inner.cast(request, count, input);
        if let Reply::Output(output) = &mut reply
            && count >= self.wrong_from
            && let Some(last) = output.last_mut()
        {
            *last ^= 1;
        }
        reply
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        self.is_asked(&[count as u64]);
        self.cast_in_turn(chain, count, input)
    }
}

/// Answers as a testee with these limits: the most elements, of which it is wrong if it is odd.
pub(crate) fn serve_as(most: &str) {
    let most: u64 = most.parse().expect("a number");
    let limits = Limits {
        elements: Some(most / 2 * 2),
        multiple_of: Some(8),
        empty: Some(false),
        ranks: Some(vec![1, 2]),
    };
    let wrong_from = if most % 2 == 1 { 100 } else { usize::MAX };
    let mut limited = Limited { inner: Builtin::new(), limits, wrong_from };
    let mut out = BufWriter::new(io::stdout().lock());
    serve(&mut limited, &mut io::stdin().lock(), &mut out).expect("a conversation");
}

fn asked(words: &str, most: u64) -> Run {
    let program = std::env::current_exe().expect("this program");
    let command = format!("'{}' serve-limits {most}", program.display());
    let words: Vec<&str> = words.split(' ').collect();
    castproof(&[&words[..], &["--testee", &command]].concat(), "")
}

fn a_testee_is_asked_within_its_limits() -> Checked {
    let limits = "; limits of the testee: at most 1,000 elements, multiples of 8, no empty tensor, ranks 1 and 2";
    for words in [
        "gate --pair float32:float16,uint8:int4,bool:bool",
        "gate --pair string:float32,int32:string",
        "gate --suite onnx-chain --sample",
        "fuzz --pair float32:float16 --seed 1 --tensors 300",
    ] {
        let run = asked(words, 1000);
        let last = run.out.lines().last().unwrap_or_default();
        assert_eq!(run.code, 0, "{words}: {}{}", run.out, run.err);
        assert!(last.starts_with("PASS") && last.contains(limits), "{words}: {last}");
    }
    let folder = tempfile::tempdir()?;
    let place = folder.path().join("certificate").display().to_string();
    let sweep = asked(&format!("sweep --from uint16 --to float32 --certificate {place}"), 1000);
    assert_eq!(sweep.code, 0, "{}{}", sweep.out, sweep.err);
    assert!(sweep.out.contains("PASS  65,536 codes swept"), "{}", sweep.out);
    Ok(())
}

/// Its last element is wrong in every tensor of at least 100 elements.
fn wrong_within_its_limits_is_found() -> Checked {
    let run = asked("gate --pair float32:float16", 1001);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    Ok(())
}

fn limits_that_are_none_are_refused() -> Checked {
    let run = castproof(&["gate", "--testee", &testee("limits.py", "0")], "");
    let line = run.error_line();
    assert!(line.contains("the limits of its hello are none: `multipleOf` is none"), "{line}");
    Ok(())
}

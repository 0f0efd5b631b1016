//! Casts from and to strings: numerals that are drawn, and numbers that are drawn to be written.

use super::worker::Worker;
use anyhow::Result;
use castproof_arrange::text_drawn::{Due, Wrong, ask_all, drawn, due, finding, not_answered};
use castproof_check::fuzz::Random;
use castproof_check::verdict::Verdict;
use castproof_judge::answers::Answering;
use castproof_results::Misplaced;
use castproof_results::asked::Asked;
use castproof_vectors::{DType, Element, Request, RuleId};
use std::collections::BTreeMap;

/// Most questions that make one text shorter.
const SHORTER: i32 = 400;

/// Is it a request from or to strings?
pub(super) fn is_text(request: &Request) -> bool {
    [request.from, request.to].contains(&DType::String)
}

impl Worker<'_> {
    /// Asks for a tensor of drawn elements, and judges it. Of the wrong ones by one rule the shortest is a finding.
    ///
    /// # Errors
    /// If a finding cannot be written.
    pub(super) fn texts(&mut self, request: &Request, mut random: Random) -> Result<()> {
        let asked = Asked::of_request(request);
        let due = drawn(request, &mut random);
        if due.is_empty() {
            self.shared.uncount();
            self.shared.close(request);
            return Ok(());
        }
        let came = ask_all(request, &due, self.shared.strict, self.testee.as_mut());
        if self.shared.is_interrupted() {
            return Ok(()); // what came instead of an answer is no fault of the testee
        }
        let wrong = match came {
            Ok(wrong) => wrong,
            Err(((verdict, message), count)) => {
                self.shared.close(request);
                if verdict == Verdict::Unsupported && !self.shared.found().was_answered(request) {
                    self.shared.uncount();
                    self.shared.found().unsupported(request);
                    return Ok(());
                }
                if matches!(verdict, Verdict::Crash | Verdict::Timeout) {
                    self.died();
                }
                let found = not_answered(asked, &(verdict, message), count);
                return self.shared.found().misplaced(request, vec![found]);
            }
        };
        self.shared.found().count_texts(request, due.len() as u64, wrong.len() as u64);
        let mut by_rule: BTreeMap<RuleId, Vec<Wrong<'_>>> = BTreeMap::new();
        for wrong in wrong {
            by_rule.entry(wrong.due.1.rule).or_default().push(wrong);
        }
        for (rule, wrong) in by_rule {
            if self.shared.found().has_text(&asked, &rule.to_string()) {
                continue;
            }
            let found = self.text_finding(request, asked, wrong, due.len());
            self.shared.found().misplaced(request, vec![found])?;
        }
        Ok(())
    }

    /// Returns the finding of elements that break one rule; `count` elements were asked.
    fn text_finding(
        &mut self,
        request: &Request,
        asked: Asked,
        mut wrong: Vec<Wrong<'_>>,
        count: usize,
    ) -> Misplaced {
        wrong.sort_by_cached_key(|it| (it.due.0.text().len(), it.due.0.clone()));
        if !self.is_wrong(request, wrong[0].due) {
            return finding(request, asked, &wrong, (count, false));
        }
        let short = self.shorter(request, wrong[0].due);
        let one = std::slice::from_ref(&short);
        let again = ask_all(request, one, self.shared.strict, self.testee.as_mut());
        let mut wrong: Vec<Wrong<'_>> = wrong;
        if let Some(one) = again.ok().and_then(|mut again| again.pop()) {
            wrong[0] = one;
        }
        finding(request, asked, &wrong, (count, true))
    }

    /// Leaves out one character after the other of a text, or puts a lower digit, as long as what is left is wrong alone
    /// by the same rule: `+0000712` becomes `010` for a reader that takes a zero in front for octal.
    fn shorter(&mut self, request: &Request, wrong: &Due) -> Due {
        let mut short = wrong.clone();
        let Ok(answers) = Answering::chosen(request) else { return short };
        let (mut at, mut left) = (0, SHORTER);
        while let Element::Text(text) = short.0.clone() {
            let Some((place, character)) = text.char_indices().nth(at) else { break };
            let lower = ["", "0", "1"].into_iter().filter(|with| {
                with.is_empty() || character.is_ascii_digit() && **with < *character.to_string()
            });
            let by = lower.filter_map(|with| {
                let end = place + character.len_utf8();
                let text = format!("{}{with}{}", &text[..place], &text[end..]);
                due(&answers, Element::from(text)).filter(|it| it.1.rule == wrong.1.rule)
            });
            let mut by = by.collect::<Vec<Due>>().into_iter();
            let less = by.find(|less| {
                left -= 1;
                self.is_wrong(request, less)
            });
            if left <= 0 {
                break;
            }
            match less {
                // What was needed before may be of no use now.
                Some(less) => (short, at) = (less, 0),
                None => at += 1,
            }
        }
        short
    }

    /// Is an element wrong in a tensor of its own, or refused? A testee that dies is not asked on.
    fn is_wrong(&mut self, request: &Request, due: &Due) -> bool {
        let one = std::slice::from_ref(due);
        let came = ask_all(request, one, self.shared.strict, self.testee.as_mut());
        came.is_ok_and(|wrong| !wrong.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use crate::{FuzzOptions, run};
    use castproof_testee::builtin::Builtin;
    use castproof_testee::{Identity, Reply, Testee};
    use castproof_vectors::{DType, Request};
    use std::sync::atomic::AtomicBool;

    /// Castproof's own implementation, with every byte of an integer read from a text inverted.
    struct AllWrong(Builtin);

    impl Testee for AllWrong {
        fn identity(&self) -> &Identity {
            self.0.identity()
        }

        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            let inverted = |bytes: Vec<u8>| bytes.into_iter().map(|byte| !byte).collect();
            self.0.cast(request, count, input).map(inverted)
        }
    }

    /// Elements that fill the tensor up stand in it twice, and are counted once.
    #[test]
    fn a_reader_that_is_always_wrong_is_found() {
        let pairs = DType::NUMERIC.iter().map(|to| (DType::String, *to)).collect();
        let options = FuzzOptions {
            pairs,
            tensors: Some(200),
            seed: 7,
            jobs: 1,
            limit_list: 40,
            ..FuzzOptions::default()
        };
        let mut out = Vec::new();
        let passed = run(
            &options,
            &|| Ok(Box::new(AllWrong(Builtin::new()))),
            &AtomicBool::new(false),
            &mut out,
        );
        let out = String::from_utf8_lossy(&out);
        assert!(!passed.expect("a run"), "{out}");
        assert!(out.contains("\nFAIL  ") && out.contains("wrong alone too"), "{out}");
        assert!(out.contains(" elements: fail "), "{out}");
        assert!(!out.contains("no element was executed"), "{out}");
    }
}

//! `castproof diff-spec` of two specifications: every class of inputs for which their answers differ.

use anyhow::{Result, anyhow, bail};
use castproof_check::verdict::counted;
use castproof_judge::answers;
use castproof_oracle::Caster;
use castproof_vectors::{
    DType, Element, Expectation, OutcomeRecord, Piece, Request, RuleId, Spec, piece_of,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The number of examples that are kept of a class.
const EXAMPLES: usize = 3;

/// The inputs that one rule decides in the first specification and another one in the second.
#[derive(Default)]
struct Class {
    pairs: Vec<(DType, DType)>,
    examples: Vec<String>,
}

/// Lists the pairs that only one of two specifications casts, and every class of inputs for which
/// their answers differ. Casts are asked without attributes.
///
/// # Errors
/// If the specifications are the same, or one of them does not cast single elements.
pub fn text(one: Spec, other: Spec) -> Result<String> {
    if one == other {
        bail!("{one} is compared with itself; name two specifications");
    }
    let (mut only, mut both) = ([0, 0], 0);
    let mut classes: BTreeMap<[RuleId; 2], Class> = BTreeMap::new();
    for &from in DType::NUMERIC {
        for &to in DType::NUMERIC {
            let requests = [one, other].map(|spec| Request::new(spec, from, to));
            let mut casts = [false; 2];
            for (casts, request) in casts.iter_mut().zip(&requests) {
                let caster = Caster::new(request).map_err(|error| anyhow!(error))?;
                *casts = !caster.is_refused();
            }
            match casts {
                [true, true] => {
                    both += 1;
                    compare(&requests, &mut classes)?;
                }
                [true, false] => only[0] += 1,
                [false, true] => only[1] += 1,
                [false, false] => {}
            }
        }
    }
    let mut text = format!("{one} and {other}\n\npairs of both: {both}; ");
    writeln!(text, "of {one} alone: {}; of {other} alone: {}", only[0], only[1])?;
    if both == 0 {
        bail!("{one} and {other} have no pair of dtypes in common");
    }
    if classes.is_empty() {
        writeln!(text, "the answers are the same")?;
    }
    for ([rule, other_rule], class) in classes {
        writeln!(
            text,
            "\n{rule} and {other_rule}  ({})",
            counted(class.pairs.len() as u64, "pair")
        )?;
        for (spec, rule) in [(one, rule), (other, other_rule)] {
            writeln!(text, "  {spec}: {}", rule.rule().statement)?;
        }
        for example in class.examples {
            writeln!(text, "  {example}")?;
        }
    }
    Ok(text)
}

/// Adds the classes of a pair that both specifications cast.
fn compare(requests: &[Request; 2], classes: &mut BTreeMap<[RuleId; 2], Class>) -> Result<()> {
    let Request { from, to, .. } = requests[0];
    let pieces = |request| (answers::chosen().pieces)(request).map_err(|error| anyhow!(error));
    let both = [pieces(&requests[0])?, pieces(&requests[1])?];
    let mut first = 0;
    loop {
        let [one, other] = both.each_ref().map(|pieces| piece_of(pieces, first));
        let last = one.last.min(other.last);
        if let Some((code, answers)) = differing([one, other], (from, to), (first, last)) {
            let rules = answers.each_ref().map(|answer| answer.rule);
            let class = classes.entry(rules).or_default();
            if class.pairs.last() != Some(&(from, to)) {
                class.pairs.push((from, to));
                if class.examples.len() < EXAMPLES {
                    class.examples.push(example(requests, code, &answers));
                }
            }
        }
        match last.checked_add(1).filter(|next| *next <= from.code_mask()) {
            Some(next) => first = next,
            None => return Ok(()),
        }
    }
}

/// Returns a code of a run for which two pieces expect different results, and what they expect.
fn differing(
    pieces: [&Piece; 2],
    (from, to): (DType, DType),
    (first, last): (u64, u64),
) -> Option<(u64, [Expectation; 2])> {
    if pieces[0].formula == pieces[1].formula {
        return None;
    }
    // Answers that follow the significand in two ways may cross, but differ at an end or inside.
    let codes = [first, last, first + (last - first) / 2, first.saturating_add(1).min(last)];
    let answers = |code| pieces.map(|piece| piece.expectation(from, to, code));
    codes
        .into_iter()
        .map(|code| (code, answers(code)))
        .find(|(_, [one, other])| one.expect != other.expect)
}

fn example(requests: &[Request; 2], code: u64, answers: &[Expectation; 2]) -> String {
    let Request { from, to, .. } = requests[0];
    let input = castproof_check::words::element(from, &Element::code(code, from));
    let [one, other] = answers.each_ref().map(|answer| {
        let record = OutcomeRecord::new(&answer.expect, to);
        serde_json::to_string(&record).unwrap_or_default()
    });
    let [first, second] = requests.map(|request| request.spec);
    format!("{from} -> {to}: {input}: {first} {one}, {second} {other}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(one: &str, other: &str) -> Result<String> {
        let spec = |name: &str| name.parse().expect("a spec");
        text(spec(one), spec(other))
    }

    #[test]
    fn classes_name_both_rules_and_an_input() {
        let text = said("rust-as", "x86-sse2").expect("two specs");
        for part in ["RS-02 and X8-01", "RS-03 and X8-01", "float32 -> int32", "0x80000000"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let text = said("onnx-cast-25", "x86-sse2").expect("two specs");
        assert!(text.contains("FI-05 and X8-01") && text.contains("{\"any\":true}"), "{text}");
    }

    #[test]
    fn what_cannot_be_compared_is_said() {
        assert!(said("rust-as", "rust-as").unwrap_err().to_string().contains("itself"));
        assert!(said("rust-as", "tf-cast").unwrap_err().to_string().contains("complex"));
    }
}

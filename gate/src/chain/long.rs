//! Three and more casts in a row: which of the dtypes between may be dropped, one at a time.

use super::due::{is_refused, representative, said, title};
use anyhow::{Result, anyhow, bail};
use castproof_check::fuzz::{Draw, Random};
use castproof_check::verdict::thousands;
use castproof_check::words;
use castproof_oracle::concerning;
use castproof_vectors::book::{Book, Chain, ChainRecord, Composer, Reached};
use castproof_vectors::{
    Attributes, DType, Expectation, Piece, Request, Spec, landmarks, piece_of,
};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::rc::Rc;

/// Sources up to this width are asked for every code.
const ALL_CODES: u32 = 16;

/// How many batches of codes are drawn from the answers of each cast of a wider source, and how many codes each has.
const BATCHES: u64 = 8;
const BATCH: usize = 1 << 13;

/// Returns a line for each dtype between: whether it may be dropped while the others stay.
///
/// # Errors
/// Those of [`text`](super::text).
pub(super) fn text(dtypes: &[DType], spec: Spec, given: Attributes) -> Result<String> {
    let cast = |from, to| Request::new(spec, from, to).with(concerning(spec, (from, to), given));
    let of = |dtypes: &[DType]| -> Vec<Request> {
        dtypes.array_windows().map(|&[from, to]| cast(from, to)).collect()
    };
    let whole = of(dtypes);
    taken(&whole, spec, given)?;
    let mut steps = Steps { composer: Composer::new(Book::carried()) };
    let codes = codes(dtypes, cast)?;
    let title = title(spec)?;
    let names: Vec<&str> = dtypes.iter().map(|it| it.name()).collect();
    let mut text = format!("{title} {}", names.join(" -> "));
    if given != Attributes::default() {
        write!(text, ", {given}")?;
    }
    let count = thousands(codes.len() as u64);
    let is_all = dtypes[0].bits() <= ALL_CODES;
    let which = if is_all { "all there are" } else { "drawn from the answers of the casts" };
    writeln!(text, ": {} casts, compared by {count} codes, {which}", whole.len())?;
    for at in 1..dtypes.len() - 1 {
        let without = of(&[&dtypes[..at], &dtypes[at + 1..]].concat());
        if let Some(request) = without.iter().find(|it| spec.opset().is_none() && is_refused(it)) {
            writeln!(text, "{}  cannot be dropped: {spec} has no {request}", dtypes[at])?;
            continue;
        }
        let [one, between, other] = [dtypes[at - 1], dtypes[at], dtypes[at + 1]];
        let requests = [cast(one, between), cast(between, other), cast(one, other)];
        let is_proved = Chain::of(Book::carried(), requests).is_ok_and(|chain| {
            let difference = |first, last| chain.difference(first, last);
            let record = ChainRecord::of([one, between, other], difference);
            (record.differ, record.open) == (0, 0)
        });
        let line = match is_proved {
            true => format!(
                "can be dropped: {one} -> {between} -> {other} is the same as {one} -> {other}"
            ),
            false => steps.compared(&whole, &without, (&codes, between))?,
        };
        writeln!(text, "{between}  {line}")?;
    }
    Ok(text)
}

/// # Errors
/// If no cast takes an attribute, or a profile lacks a cast.
fn taken(whole: &[Request], spec: Spec, given: Attributes) -> Result<()> {
    let is_taken = |is: fn(&Attributes) -> bool| {
        !is(&given) || whole.iter().any(|request| is(&request.attributes))
    };
    if !is_taken(|it| it.saturate.is_some()) || !is_taken(|it| it.round_mode.is_some()) {
        bail!("no cast of this chain takes {given}; leave the attribute out");
    }
    match whole.iter().find(|request| spec.opset().is_none() && is_refused(request)) {
        Some(Request { from, to, .. }) => bail!("{spec} has no cast from {from} to {to}"),
        None => Ok(()),
    }
}

/// Returns the codes by which the chains are compared: those at which a cast from the first dtype to one of the others
/// changes its answer among them.
fn codes(dtypes: &[DType], cast: impl Fn(DType, DType) -> Request) -> Result<BTreeSet<u64>> {
    let from = dtypes[0];
    let is_valid = |code: &u64| landmarks(from).is_none_or(|it| it.is_valid(*code));
    if from.bits() <= ALL_CODES {
        return Ok((0..=from.code_mask()).filter(is_valid).collect());
    }
    let mut codes = BTreeSet::new();
    for &to in &dtypes[1..] {
        let draw = Draw::of(&cast(from, to)).map_err(|error| anyhow!(error))?;
        for seed in 0..BATCHES {
            let mut random = Random::new(seed);
            codes.extend(draw.batch(&mut random, BATCH));
            codes.extend(draw.fields(&mut random));
        }
    }
    Ok(codes)
}

/// Follows codes through casts in a row.
struct Steps {
    composer: Composer<'static>,
}

impl Steps {
    fn pieces(&mut self, requests: &[Request]) -> Result<Vec<Rc<[Piece]>>> {
        let pieces = requests.iter().map(|request| self.composer.pieces(request));
        pieces.collect::<Result<_, String>>().map_err(|error| anyhow!(error))
    }

    /// Compares all casts with those without one dtype, and says what differs.
    fn compared(
        &mut self,
        whole: &[Request],
        without: &[Request],
        (codes, between): (&BTreeSet<u64>, DType),
    ) -> Result<String> {
        let [all, fewer] = [self.pieces(whole)?, self.pieces(without)?];
        let to = whole[whole.len() - 1].to;
        let target = landmarks(to).ok_or_else(|| anyhow!("{to} is not numeric"))?;
        let (mut differ, mut open, mut first) = (0_u64, 0_u64, None);
        for &code in codes {
            let due = reached(whole, &all, code);
            open += u64::from(due.any);
            if !due.admits(&reached(without, &fewer, code), target) {
                differ += 1;
                first = first.or(Some(code));
            }
        }
        let count = thousands(codes.len() as u64);
        let is_open = match open {
            0 => String::new(),
            open => format!("; of {} the chain leaves the result open", thousands(open)),
        };
        Ok(match first {
            None => format!("no code of {count} differs without it{is_open}"),
            Some(code) => format!(
                "cannot be dropped: {} of {count} codes differ{is_open}: {}; without {between} {}",
                thousands(differ),
                way(whole, &all, code, false),
                way(without, &fewer, code, true),
            ),
        })
    }
}

/// Returns what casts in a row may make of a code.
fn reached(requests: &[Request], pieces: &[Rc<[Piece]>], code: u64) -> Reached {
    let given = Reached { codes: [code].into(), ..Reached::default() };
    let steps = requests.iter().zip(pieces);
    steps.fold(given, |now, (request, pieces)| now.after((request.from, request.to), pieces))
}

/// Writes the steps of a code, each with its rule; with `only_end` the last one alone.
fn way(requests: &[Request], pieces: &[Rc<[Piece]>], code: u64, only_end: bool) -> String {
    let mut text = if only_end { String::new() } else { words::value(requests[0].from, code) };
    let mut now = Some(code);
    let mut last: Option<(DType, Expectation)> = None;
    for (Request { from, to, .. }, pieces) in requests.iter().zip(pieces) {
        let Some(code) = now else { break };
        let due = piece_of(pieces, code).expectation(*from, *to, code);
        now = representative(*to, &due.expect);
        if !only_end {
            let _ = write!(text, " -> {to} {}", said(*to, &due));
        }
        last = Some((*to, due));
    }
    if let (true, Some((to, due))) = (only_end, last) {
        text = said(to, &due);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::NEWEST;

    fn lines(dtypes: &[DType]) -> Vec<String> {
        let text = super::super::text(dtypes, Spec::cast(NEWEST), Attributes::default());
        text.expect("numeric").lines().map(str::to_string).collect()
    }

    /// Every code of int8 is one of int16 and of int32, but not one of int4.
    #[test]
    fn a_chain_of_three_casts_says_which_dtype_can_be_dropped() {
        use DType::*;
        let all = lines(&[Int8, Int16, Int4, Int32]);
        assert!(
            all[0].starts_with("Cast(28) int8 -> int16 -> int4 -> int32: 3 casts, "),
            "{all:?}"
        );
        assert!(all[0].ends_with("256 codes, all there are"), "{all:?}");
        assert!(all[1].starts_with("int16  can be dropped"), "{all:?}");
        assert!(all[2].starts_with("int4  cannot be dropped: 240 of 256 codes differ"), "{all:?}");
        assert_eq!(all.len(), 3, "{all:?}");
    }

    /// Of a wide source codes are drawn, and they find that float16 rounds, and that the double rounding shows.
    #[test]
    fn wide_sources_are_compared_by_drawn_codes() {
        use DType::*;
        let all = lines(&[Float64, Float32, Float16, Float64, Float32]);
        assert_eq!(all.len(), 4, "{all:?}");
        assert!(all[1].starts_with("float32  cannot be dropped"), "{all:?}");
        assert!(all[2].starts_with("float16  cannot be dropped"), "{all:?}");
        assert!(all[3].starts_with("float64  can be dropped"), "{all:?}");
    }

    /// The composed result is that of two casts where one of three is the identity.
    #[test]
    fn composed_results_are_those_of_the_shorter_chain() {
        use DType::*;
        let mut steps = Steps { composer: Composer::new(Book::carried()) };
        let cast = |from, to| Request::cast(from, to, NEWEST);
        let long = [cast(Float16, Float32), cast(Float32, Int8), cast(Int8, Float16)];
        let pieces = steps.pieces(&long).expect("numeric");
        let mut composer = Composer::new(Book::carried());
        for code in 0..=0xffff {
            let due = composer.expected([Float16, Int8, Float16], Default::default(), NEWEST, code);
            let due = due.expect("numeric").expect("an expectation");
            let mut expected = Reached::default();
            expected.add(&due.expect);
            let got = reached(&long, &pieces, code);
            assert_eq!(got.any, expected.any, "{code:#x}");
            assert!(got.any || got.codes == expected.codes, "{code:#x}");
        }
    }
}

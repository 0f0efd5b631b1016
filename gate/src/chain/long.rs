//! Three and more casts in a row: which of the dtypes between may be dropped, one at a time, and the fewest casts that
//! may stand for all.

use super::due::{is_refused, said, title};
use crate::element;
use anyhow::{Result, anyhow, bail};
use castproof_book::{Book, ChainRecord, ComparedChain, Composer, Reached};
use castproof_check::fuzz::{Draw, Random};
use castproof_check::verdict::thousands;
use castproof_check::words;
use castproof_lookup::outcome::representative;
use castproof_oracle::concerning;
use castproof_vectors::{
    Attributes, DType, Expectation, Landmarks, Piece, Request, Spec, landmarks, piece_of,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::rc::Rc;

/// Sources up to this width are asked for every code.
const ALL_CODES: u32 = 16;

/// How many batches of codes are drawn from the answers of each cast of a wider source, and how many codes each has.
const BATCHES: u64 = 8;
const BATCH: usize = 1 << 13;

/// The longest chain. Of its dtypes between every selection is tried, and of 8 there are 256.
const MOST_DTYPES: usize = 10;

/// Returns a line for each dtype between, whether it may be dropped while the others stay, and a line with the fewest
/// casts that may stand for all.
///
/// # Errors
/// Those of [`text`](super::text).
pub(super) fn text(dtypes: &[DType], spec: Spec, given: Attributes) -> Result<String> {
    let casts = Casts { spec, given };
    let whole = casts.whole(dtypes)?;
    let compared = Compared::new(&casts, dtypes, &whole)?;
    let title = title(spec)?;
    let mut text = format!("{title} {}", path(dtypes));
    if given != Attributes::default() {
        write!(text, ", {given}")?;
    }
    let which =
        if compared.is_all { "all there are" } else { "drawn from the answers of the casts" };
    writeln!(text, ": {} casts, compared by {} codes, {which}", whole.len(), compared.count())?;
    for at in 1..dtypes.len() - 1 {
        let without = casts.of(&[&dtypes[..at], &dtypes[at + 1..]].concat());
        let between = dtypes[at];
        if let Some(request) = casts.lacking(&without) {
            writeln!(text, "{between}  cannot be dropped: {spec} has no {request}")?;
            continue;
        }
        let (one, other) = (dtypes[at - 1], dtypes[at + 1]);
        let line = match casts.is_proved([one, between, other]) {
            true => format!(
                "can be dropped: {one} -> {between} -> {other} is the same as {one} -> {other}"
            ),
            false => compared.said_without(&without, between)?,
        };
        writeln!(text, "{between}  {line}")?;
    }
    writeln!(text, "fewest  {}", fewest(dtypes, &casts, &compared)?)?;
    Ok(text)
}

/// Returns a line with the steps of each element, as [`super::steps`] does of two casts.
///
/// # Errors
/// Those of [`super::steps`].
pub(super) fn steps(
    dtypes: &[DType],
    spec: Spec,
    given: Attributes,
    (elements, nearest): (&[String], bool),
) -> Result<String> {
    let casts = Casts { spec, given };
    let whole = casts.whole(dtypes)?;
    let direct = casts.of(&[dtypes[0], dtypes[dtypes.len() - 1]]);
    let lacking = casts.lacking(&direct);
    let mut composer = Composer::new(Book::carried());
    let all = pieces(&mut composer, &whole)?;
    let short = if lacking.is_none() { pieces(&mut composer, &direct)? } else { Vec::new() };
    let mut text = String::new();
    for element in elements {
        let code = element::element(dtypes[0], element, nearest)?.code;
        let directly = match lacking {
            Some(request) => format!("{spec} has no {request}"),
            None => format!("directly {}", way(&direct, &short, code, true)),
        };
        writeln!(text, "asked     {}; {directly}", way(&whole, &all, code, false))?;
    }
    Ok(text)
}

/// The casts of chains by one specification, with those of the given attributes that concern each.
struct Casts {
    spec: Spec,
    given: Attributes,
}

impl Casts {
    fn cast(&self, from: DType, to: DType) -> Request {
        Request::new(self.spec, from, to).with(concerning(self.spec, (from, to), self.given))
    }

    fn of(&self, dtypes: &[DType]) -> Vec<Request> {
        dtypes.array_windows().map(|&[from, to]| self.cast(from, to)).collect()
    }

    /// Returns the casts of a chain.
    ///
    /// # Errors
    /// If it is too long, no cast takes an attribute, or a profile lacks a cast.
    fn whole(&self, dtypes: &[DType]) -> Result<Vec<Request>> {
        if dtypes.len() > MOST_DTYPES {
            let count = dtypes.len();
            bail!("a chain has at most {MOST_DTYPES} dtypes, not {count}: ask for a part of it");
        }
        let whole = self.of(dtypes);
        taken(&whole, self.spec, self.given)?;
        Ok(whole)
    }

    /// Returns the first cast that a profile lacks. A version of ONNX that lacks one refuses every code.
    fn lacking<'a>(&self, casts: &'a [Request]) -> Option<&'a Request> {
        casts.iter().find(|it| self.spec.opset().is_none() && is_refused(it))
    }

    /// Does the book prove for every code that the dtype in the middle can be dropped?
    fn is_proved(&self, [one, between, other]: [DType; 3]) -> bool {
        let requests = [self.cast(one, between), self.cast(between, other), self.cast(one, other)];
        ComparedChain::of(Book::carried(), requests).is_ok_and(|chain| {
            let difference = |first, last| chain.difference(first, last);
            let record = ChainRecord::of([one, between, other], difference);
            (record.differ, record.open) == (0, 0)
        })
    }

    /// Can the dtypes be dropped one after the other, each proved by the book? If a cast returns nothing but what two
    /// may return, so do the casts after it.
    fn is_proved_in_turn(&self, dtypes: &[DType], kept: &[DType]) -> bool {
        let mut proofs: BTreeMap<[DType; 3], bool> = BTreeMap::new();
        let mut seen = BTreeSet::from([dtypes.to_vec()]);
        let mut left = vec![dtypes.to_vec()];
        while let Some(chain) = left.pop() {
            if chain == kept {
                return true;
            }
            for (at, &three) in chain.array_windows().enumerate() {
                let fewer = [&chain[..=at], &chain[at + 2..]].concat();
                if !is_within(kept, &fewer) || seen.contains(&fewer) {
                    continue;
                }
                if *proofs.entry(three).or_insert_with(|| self.is_proved(three)) {
                    seen.insert(fewer.clone());
                    left.push(fewer);
                }
            }
        }
        false
    }
}

/// Do the dtypes stand in the others in their order?
fn is_within(dtypes: &[DType], others: &[DType]) -> bool {
    let mut others = others.iter();
    dtypes.iter().all(|dtype| others.any(|other| other == dtype))
}

/// Writes dtypes as a chain.
fn path(dtypes: &[DType]) -> String {
    let names: Vec<&str> = dtypes.iter().map(|it| it.name()).collect();
    names.join(" -> ")
}

/// Says which fewest casts may stand for all, and whether that is proved or sampled.
fn fewest(dtypes: &[DType], casts: &Casts, compared: &Compared) -> Result<String> {
    let between = dtypes.len() - 2;
    let mut selections: Vec<u32> = (0..(1 << between) - 1).collect();
    selections.sort_by_key(|kept| kept.count_ones());
    let mut witnesses = BTreeSet::new();
    for selection in selections {
        let is_kept = |at: &usize| *at == 0 || *at == between + 1 || selection >> (at - 1) & 1 == 1;
        let kept: Vec<DType> = (0..dtypes.len()).filter(is_kept).map(|at| dtypes[at]).collect();
        let fewer = casts.of(&kept);
        if casts.lacking(&fewer).is_some() {
            continue;
        }
        if let Some(code) = compared.witness(&fewer, &witnesses)? {
            witnesses.insert(code);
            continue;
        }
        let is_identity = kept.len() == 2 && kept[0] == kept[1];
        let what =
            if is_identity { "no cast: the chain is the identity".into() } else { path(&kept) };
        let count = compared.count();
        return Ok(if compared.is_all {
            format!("{what}; proved: none of all {count} codes differs")
        } else if casts.is_proved_in_turn(dtypes, &kept) {
            format!("{what}; proved by the book for every code")
        } else {
            format!("{what}; sampled: no code of {count} differs, others were not compared")
        });
    }
    Ok("all casts: with any of the dtypes between dropped, a code differs".into())
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
fn codes(dtypes: &[DType], casts: &Casts) -> Result<BTreeSet<u64>> {
    let from = dtypes[0];
    let is_valid = |code: &u64| landmarks(from).is_none_or(|it| it.is_valid(*code));
    if from.bits() <= ALL_CODES {
        return Ok((0..=from.code_mask()).filter(is_valid).collect());
    }
    let mut codes = BTreeSet::new();
    for &to in &dtypes[1..] {
        let draw = Draw::of(&casts.cast(from, to)).map_err(|error| anyhow!(error))?;
        for seed in 0..BATCHES {
            let mut random = Random::new(seed);
            codes.extend(draw.batch(&mut random, BATCH));
            codes.extend(draw.fields(&mut random));
        }
    }
    Ok(codes)
}

fn pieces(composer: &mut Composer<'static>, requests: &[Request]) -> Result<Vec<Rc<[Piece]>>> {
    let pieces = requests.iter().map(|request| composer.pieces(request));
    pieces.collect::<Result<_, String>>().map_err(|error| anyhow!(error))
}

/// All casts of a chain, with what they may make of each code by which they are compared.
struct Compared<'a> {
    whole: &'a [Request],
    pieces: Vec<Rc<[Piece]>>,
    due: BTreeMap<u64, Reached>,
    /// Are these all codes of the first dtype?
    is_all: bool,
    target: &'static Landmarks,
}

impl<'a> Compared<'a> {
    fn new(casts: &Casts, dtypes: &[DType], whole: &'a [Request]) -> Result<Compared<'a>> {
        let pieces = pieces(&mut Composer::new(Book::carried()), whole)?;
        let codes = codes(dtypes, casts)?;
        let due = codes.into_iter().map(|code| (code, reached(whole, &pieces, code))).collect();
        let to = dtypes[dtypes.len() - 1];
        let target = landmarks(to).ok_or_else(|| anyhow!("{to} is not numeric"))?;
        Ok(Compared { whole, pieces, due, is_all: dtypes[0].bits() <= ALL_CODES, target })
    }

    fn count(&self) -> String {
        thousands(self.due.len() as u64)
    }

    /// Returns a code at which fewer casts may return what all casts may not; `likely` codes are tried first.
    fn witness(&self, fewer: &[Request], likely: &BTreeSet<u64>) -> Result<Option<u64>> {
        let pieces = pieces(&mut Composer::new(Book::carried()), fewer)?;
        let differs = |code: &u64| {
            let due = self.due.get(code);
            due.is_some_and(|due| !due.admits(&reached(fewer, &pieces, *code), self.target))
        };
        Ok(likely.iter().chain(self.due.keys()).find(|code| differs(code)).copied())
    }

    /// Compares all casts with those without one dtype, and says what differs.
    fn said_without(&self, without: &[Request], between: DType) -> Result<String> {
        let fewer = pieces(&mut Composer::new(Book::carried()), without)?;
        let open = self.due.values().filter(|due| due.any).count() as u64;
        let differs = |(code, due): &(&u64, &Reached)| {
            !due.admits(&reached(without, &fewer, **code), self.target)
        };
        let differ: Vec<u64> = self.due.iter().filter(differs).map(|(code, _)| *code).collect();
        let count = self.count();
        let is_open = match open {
            0 => String::new(),
            open => format!("; of {} the chain leaves the result open", thousands(open)),
        };
        Ok(match differ.first() {
            None if self.is_all => {
                format!("can be dropped: none of all {count} codes differs without it{is_open}")
            }
            None => {
                format!("no code of {count} differs without it, others were not compared{is_open}")
            }
            Some(&code) => format!(
                "cannot be dropped: {} of {count} codes differ{is_open}: {}; without {between} {}",
                thousands(differ.len() as u64),
                way(self.whole, &self.pieces, code, false),
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
        assert_eq!(all.len(), 4, "{all:?}");
        assert!(
            all[3].starts_with("fewest  int8 -> int4 -> int32; proved: none of all 256"),
            "{all:?}"
        );
    }

    /// Of a wide source codes are drawn, and they find that float16 rounds, and that the double rounding shows.
    #[test]
    fn wide_sources_are_compared_by_drawn_codes() {
        use DType::*;
        let all = lines(&[Float64, Float32, Float16, Float64, Float32]);
        assert_eq!(all.len(), 5, "{all:?}");
        assert!(all[1].starts_with("float32  cannot be dropped"), "{all:?}");
        assert!(all[2].starts_with("float16  cannot be dropped"), "{all:?}");
        assert!(all[3].starts_with("float64  can be dropped"), "{all:?}");
        let fewest =
            "fewest  float64 -> float32 -> float16 -> float32; proved by the book for every code";
        assert_eq!(all[4], fewest);
    }

    /// 2.5 is truncated to 2 by int8, which the direct cast to float16 would keep.
    #[test]
    fn the_steps_of_values_are_shown() {
        use DType::*;
        let of = |dtypes: &[DType], spec, value: &str| {
            let values = [value.to_string()];
            super::super::steps(dtypes, spec, Attributes::default(), (&values, false))
        };
        let text = of(&[Float32, Float64, Int8, Float16], Spec::cast(NEWEST), "2.5");
        let text = text.expect("a number");
        assert!(
            text.starts_with("asked     0x40200000 (2.5) -> float64 0x4004000000000000"),
            "{text}"
        );
        assert!(
            text.contains(" -> int8 0x02 (2) [FI-02] -> float16 0x4000 (2) [IF-01]; "),
            "{text}"
        );
        assert!(text.contains("; directly 0x4100 (2.5) ["), "{text}");
        let text = of(&[Int8, Int16, Int4, Int8], Spec::cast(NEWEST), "300");
        assert!(text.is_err_and(|error| error.to_string().contains("int8")), "beyond int8");
    }

    /// Two dtypes that cannot be dropped alone may be dropped together, and one of two equal ones may be dropped where
    /// not both may: -1 is 255 as uint8 and 255 as int16, and stays 255.
    #[test]
    fn the_fewest_casts_are_found_among_all_selections() {
        use DType::*;
        for (dtypes, fewest) in [
            (
                &[Int8, Int16, Int32, Int16, Int8][..],
                "no cast: the chain is the identity; proved: none",
            ),
            (&[Int64, Int64, Int32, Int64, Int16], "int64 -> int16; proved by the book"),
            (&[Int8, Uint8, Int16, Uint8], "int8 -> uint8; proved: none of all 256"),
            (&[Int8, Uint8, Int16, Float32], "int8 -> uint8 -> float32; proved: none of all 256"),
            (&[Int8, Uint8, Float32, Bool, Int8], "int8 -> bool -> int8; proved: none of all 256"),
            (
                &[Float32, Int8, Bool, Float16, Int4],
                "float32 -> int8 -> bool -> int4; sampled: no code of",
            ),
            (
                &[Int8, Uint8, Int16, Int4, Float32],
                "int8 -> int4 -> float32; proved: none of all 256",
            ),
            (&[Int8, Int4, Uint8, Int16], "all casts: with any of the dtypes between dropped"),
        ] {
            let all = lines(dtypes);
            let last = all.last().expect("lines");
            assert!(last.starts_with(&format!("fewest  {fewest}")), "{last}");
        }
        let eleven = super::super::text(&[Int8; 11], Spec::cast(NEWEST), Attributes::default());
        assert!(eleven.is_err_and(|error| error.to_string().contains("at most 10 dtypes, not 11")));
    }

    /// The composed result is that of two casts where one of three is the identity.
    #[test]
    fn composed_results_are_those_of_the_shorter_chain() {
        use DType::*;
        let cast = |from, to| Request::cast(from, to, NEWEST);
        let long = [cast(Float16, Float32), cast(Float32, Int8), cast(Int8, Float16)];
        let mut composer = Composer::new(Book::carried());
        let pieces = pieces(&mut composer, &long).expect("numeric");
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

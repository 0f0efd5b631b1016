//! Codes that show whether the pieces of a request are right: the ends of each piece and, inside
//! pieces that follow the source's significand, the ties and the ends of every binade.

use super::binade::Binade;
use super::boundary;
use super::flag::Flag;
use castproof_oracle::format::{CodeKind, FloatFormat, IntegerFormat, kind};
use castproof_oracle::number::Rational;
use castproof_oracle::partition::stretches;
use castproof_oracle::{Caster, Line, decode};
use castproof_vectors::{DType, Formula, Request, Shift, Stretch};

/// Codes with the reason for each; a code may occur more than once.
pub(crate) type Telling = Vec<(u64, Flag)>;

/// Returns the telling codes of a request between numeric dtypes, in the order in which level core
/// takes them: the numbers at the ends of the target's range; both ends of every piece; in pieces
/// that follow the significand, a tie of every binade with the codes beside it; a tie with each
/// single lower bit set; an end of every binade; the other ties and ends of binades. The ties and
/// the ends have a first and a last one of either sign.
///
/// If only what is tolerated changes between two pieces, the end at which nothing is tolerated is
/// enough. Bool bytes other than 0 and 1 have no value and are left out.
pub(crate) fn telling(request: &Request) -> Telling {
    let pieces = stretches(request).expect("a numeric request");
    let source = kind(request.from).expect("numeric");
    let mut telling = target_landmarks(request);
    for [before, after] in pieces.array_windows() {
        let ends = [before, after].map(|piece| (piece, Flag::AnswerEnd));
        let codes = [before.last, after.first];
        let certain = |(piece, _): &(&Stretch, Flag)| piece.tolerate.is_none();
        let same = before.formula == after.formula;
        let ends = ends.into_iter().zip(codes).filter(|(end, _)| !same || certain(end));
        telling.extend(ends.map(|((_, flag), code)| (code, flag)));
    }
    let outermost = [pieces.first().map(|it| it.first), pieces.last().map(|it| it.last)];
    telling.extend(outermost.into_iter().flatten().map(|code| (code, Flag::AnswerEnd)));
    let inside = Inside::of(&source, request.from, &pieces);
    telling.extend(spread(&inside.ties[0]));
    telling.extend(single_bits(request, &inside.candidates(&pieces)));
    telling.extend(spread(&inside.ends[0]));
    telling.extend(spread(&inside.ties[1]));
    telling.extend(spread(&inside.ends[1]));
    telling.retain(|(code, _)| source != CodeKind::Bool || *code <= 1);
    telling
}

/// Codes inside pieces that follow the significand, binade by binade: those that level core takes
/// first, and the rest.
#[derive(Default)]
struct Inside {
    ties: [Vec<Telling>; 2],
    ends: [Vec<Telling>; 2],
    /// The first tie of every binade.
    first_ties: Vec<u64>,
}

impl Inside {
    fn of(source: &CodeKind, from: DType, pieces: &[Stretch]) -> Inside {
        let mut inside = Inside::default();
        for piece in pieces {
            let Some(steps) = Steps::of(piece, from) else { continue };
            for (first, last) in binades(source, piece) {
                let lower_first = Binade::of(source, first).lower_first();
                let ties = steps.ties(first, last);
                inside.first_ties.extend(ties.first());
                for (place, &tie) in ties.iter().enumerate() {
                    let later = ties.len() > 1 && lower_first != Some(place == 0);
                    inside.ties[usize::from(later)].push(steps.around(tie, first, last));
                }
                let ends = [(first, Flag::PowerOfTwo), (last, Flag::BinadeEnd)];
                for (place, end) in ends.into_iter().enumerate() {
                    let later = lower_first != Some(place == 1);
                    inside.ends[usize::from(later)].push(vec![end]);
                }
            }
        }
        inside
    }

    /// Returns codes, one of which is asked about with each lower bit set: ties or, without ties,
    /// the ends of binades, or of pieces.
    fn candidates(&self, pieces: &[Stretch]) -> Vec<u64> {
        if !self.first_ties.is_empty() {
            return self.first_ties.clone();
        }
        let ends: Vec<u64> = self.ends.iter().flatten().flatten().map(|(code, _)| *code).collect();
        if ends.is_empty() { pieces.iter().map(|piece| piece.last).collect() } else { ends }
    }
}

/// Orders the parts so that every beginning of the order is spread over the whole.
fn spread(parts: &[Telling]) -> Telling {
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|index| index.reverse_bits());
    order.into_iter().flat_map(|index| parts[index].clone()).collect()
}

/// Returns the source's codes of the numbers at the ends of the target's range, if it has them. Of
/// a float target these are the smallest and the largest number, the smallest normal and the
/// largest subnormal number, 1, the number that would come after the largest, and the one midway to
/// it. Of an integer target they are the smallest and the largest integer.
fn target_landmarks(request: &Request) -> Telling {
    let (source, target) = (kind(request.from), kind(request.to));
    let (source, target) = (Line::new(source.expect("numeric")), target.expect("numeric"));
    let mut numbers = vec![Rational::new(), Rational::from(1)];
    match &target {
        CodeKind::Bool => {}
        CodeKind::Integer(format) => numbers.extend(limits(format)),
        CodeKind::Float(format) => numbers.extend(landmarks(format)),
    }
    let negated: Vec<Rational> = numbers.iter().map(|number| Rational::from(-number)).collect();
    let exact = |number: Rational| {
        let ordinal = source.floor(&number);
        (source.number(ordinal) == Some(number)).then_some(ordinal)
    };
    let mut ordinals: Vec<i128> = numbers.into_iter().chain(negated).filter_map(exact).collect();
    if let CodeKind::Float(format) = &target {
        let beside = turning_points(format).into_iter();
        let beside = beside.flat_map(|number| [Rational::from(-&number), number]).filter_map(exact);
        ordinals.extend(beside.flat_map(|ordinal| [ordinal - 1, ordinal, ordinal + 1]));
    }
    let codes = ordinals.into_iter().filter_map(|ordinal| source.code(ordinal));
    codes.map(|code| (code, Flag::TargetRangeEnd)).collect()
}

fn limits(format: &IntegerFormat) -> [Rational; 2] {
    let limit = Rational::from(1) << format.magnitude_bits();
    [Rational::from(&limit - 1), limit]
}

fn landmarks(format: &FloatFormat) -> Vec<Rational> {
    let hidden = 1u64 << format.significand_bits;
    let first = u64::from(format.has_subnormals());
    let [largest, next] = [0, 1].map(|more| boundary::value(format, format.largest_code() + more));
    let midway = Rational::from(&largest + &next) >> 1u32;
    let codes = [first, hidden - 1, hidden];
    let numbers = codes.map(|code| decode::finite(format, code)).into_iter();
    numbers.chain([largest, midway, next]).collect()
}

/// Returns numbers at which kernels branch: the largest one, the one that would come next, and the
/// tie between subnormal and normal numbers.
fn turning_points(format: &FloatFormat) -> Vec<Rational> {
    let [largest, next] = [0, 1].map(|more| boundary::value(format, format.largest_code() + more));
    let hidden = 1u64 << format.significand_bits;
    let tie = || {
        let [subnormal, normal] = [hidden - 1, hidden].map(|code| decode::finite(format, code));
        (subnormal + normal) >> 1u32
    };
    [largest, next].into_iter().chain(format.has_subnormals().then(tie)).collect()
}

/// The stretches of a piece's codes whose numbers lie between two powers of two.
fn binades(source: &CodeKind, piece: &Stretch) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    let mut next = Some(piece.first);
    while let Some(first) = next.filter(|&first| first <= piece.last) {
        let last = last_of_binade(source, first).min(piece.last);
        found.push((first, last));
        next = last.checked_add(1);
    }
    found
}

/// Returns the last code whose number lies between the same powers of two. Subnormal numbers count
/// as one binade, and so do the codes that are not numbers.
fn last_of_binade(source: &CodeKind, code: u64) -> u64 {
    let below = |bits: u32| (1u64 << bits) - 1;
    match source {
        CodeKind::Bool => code,
        CodeKind::Float(format) => code | below(format.significand_bits),
        CodeKind::Integer(format) if format.signed && code >> (format.bits - 1) == 1 => {
            // Magnitudes fall as codes rise: up to the code of the power of two below.
            let mask = u64::MAX >> (64 - format.bits);
            let magnitude = code.wrapping_neg() & mask;
            (1u64 << magnitude.ilog2()).wrapping_neg() & mask
        }
        CodeKind::Integer(_) => {
            code.checked_ilog2().map_or(0, |power| (1u64 << power) | below(power))
        }
    }
}

/// How the answers of a piece count the source's codes: each step takes 2^`shift` of them.
struct Steps {
    origin: u64,
    descending: bool,
    shift: u32,
    nearest: bool,
    mask: u64,
}

impl Steps {
    /// `None` where all codes have one answer.
    fn of(piece: &Stretch, from: DType) -> Option<Steps> {
        let Formula::Shift(Shift { origin, descending, bits, nearest, .. }) = piece.formula else {
            return None;
        };
        let shift = u32::try_from(bits).unwrap_or(0);
        Some(Steps { origin, descending, shift, nearest, mask: from.code_mask() })
    }

    /// Returns the first and the last code midway between two steps, in the order of their distance
    /// from the origin. Returns none if no bit is dropped.
    fn ties(&self, first: u64, last: u64) -> Vec<u64> {
        if self.shift == 0 {
            return vec![];
        }
        let (near, far) = if self.descending { (last, first) } else { (first, last) };
        let distance = |code: u64| {
            let (from, to) =
                if self.descending { (code, self.origin) } else { (self.origin, code) };
            u128::from(to.wrapping_sub(from) & self.mask)
        };
        let (near, far) = (distance(near), distance(far));
        let (half, step) = (1u128 << (self.shift - 1), 1u128 << self.shift);
        let lowest = near.saturating_sub(half).div_ceil(step) * step + half;
        let highest = far.checked_sub(half).map(|beyond| beyond / step * step + half);
        let ties = [Some(lowest), highest].into_iter().flatten();
        let code = |distance: u128| {
            let distance = distance as u64;
            let (add, subtract) =
                (self.origin.wrapping_add(distance), self.origin.wrapping_sub(distance));
            (if self.descending { subtract } else { add }) & self.mask
        };
        let mut ties: Vec<u64> = ties.filter(|tie| (near..=far).contains(tie)).map(code).collect();
        ties.dedup();
        ties
    }

    /// Returns a tie with the codes beside it. If answers are truncated rather than rounded, also
    /// returns the last code of a step and the first of the next. Codes outside `first` to `last`
    /// are left out.
    fn around(&self, tie: u64, first: u64, last: u64) -> Telling {
        let (on, below, above) = if self.nearest {
            (Flag::Tie, Flag::TieBelow, Flag::TieAbove)
        } else {
            (Flag::Integral, Flag::IntegralBelow, Flag::IntegralAbove)
        };
        let (before, after) = (tie.wrapping_sub(1), tie.wrapping_add(1));
        let mut telling = vec![(before, below), (tie, on), (after, above)];
        if !self.nearest {
            let half = 1u64 << (self.shift - 1);
            let step =
                if self.descending { tie.wrapping_sub(half) } else { tie.wrapping_add(half) };
            telling.extend([(step.wrapping_sub(1), below), (step, on)]);
        }
        telling.retain(|(code, _)| (first..=last).contains(code));
        telling
    }
}

/// Returns two of these codes, each with every single lower bit set that changes the answer. They
/// are the code for which most lower bits do and, of floats, the first that is not below 1, where
/// target and source have their full precision. Zero is taken only if there is no other.
fn single_bits(request: &Request, codes: &[u64]) -> Telling {
    let caster = Caster::new(request).expect("a numeric request");
    let answer = |code: u64| caster.cast(code).expect("a code of the source").expect;
    let telling_bits = |&code: &u64| {
        let lower = code.trailing_zeros().min(request.from.bits());
        let alone = answer(code);
        let with = |bit: u32| code | 1 << bit;
        (0..lower).map(with).filter(|&with| answer(with) != alone).collect::<Vec<u64>>()
    };
    let found: Vec<(u64, Vec<u64>)> = codes
        .iter()
        .map(|code| (*code, telling_bits(code)))
        .filter(|(_, with)| !with.is_empty())
        .collect();
    let most = found.iter().max_by_key(|(code, with)| (*code != 0, with.len()));
    let line = Line::new(kind(request.from).expect("numeric"));
    let one = line.code(line.floor(&Rational::from(1))).unwrap_or(0);
    let full = found.iter().filter(|(code, _)| *code >= one).min_by_key(|(code, _)| *code);
    let parts = most.into_iter().chain(full);
    let codes = parts.flat_map(|(code, with)| std::iter::once(*code).chain(with.iter().copied()));
    codes.map(|code| (code, Flag::SingleBit)).collect()
}

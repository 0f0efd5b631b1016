//! The one generator of codes: the answers of a request decide which codes are drawn.

use castproof_book::Book;
use castproof_vectors::random::Random;
use castproof_vectors::{
    DType, Expectation, Formula, Hex, Outcome, Piece, Request, Shift, landmarks, piece_of,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The largest number of pieces that a thread keeps; beyond it, all are dropped and read again.
const MOST_PIECES: usize = 1 << 20;

/// Of sources up to this width, a check without a seed asks all codes.
const ALL_CODES: u32 = 16;

/// Codes of wider sources that such a check asks beside those that the pieces give.
const DRAWN: u64 = 1 << 16;

/// Equal parts of a long piece. The ends of all parts are asked.
const PLACES: u64 = 256;

/// Equal parts of a piece at whose ends ties are also asked with each single lower bit set or
/// cleared.
const PLACES_WITH_BITS: u64 = 8;

thread_local! {
    static KEPT: RefCell<(HashMap<Request, Rc<Draw>>, usize)> = RefCell::default();
}

/// A numeric request with its pieces, ready for many batches of codes.
pub struct Draw {
    request: Request,
    pieces: Vec<Piece>,
    /// Is there a code that must be refused?
    refuses: bool,
    /// Codes of named values of the source, and codes that give the named values of the target,
    /// each with its neighbours.
    landmarks: Vec<u64>,
    /// The source's code of the number one.
    one: u64,
}

impl Draw {
    /// Returns a request with its pieces in the book.
    ///
    /// # Errors
    /// If the request is not numeric, or the operator set unknown.
    pub fn of(request: &Request) -> Result<Rc<Draw>, String> {
        Draw::kept(request, |request| Book::carried().pieces(request))
    }

    /// Returns a request with all its pieces, which this thread keeps.
    ///
    /// # Errors
    /// The errors of `pieces_of`.
    pub fn kept(
        request: &Request,
        pieces_of: impl FnOnce(&Request) -> Result<Vec<Piece>, String>,
    ) -> Result<Rc<Draw>, String> {
        KEPT.with_borrow_mut(|(kept, pieces)| {
            if let Some(draw) = kept.get(request) {
                return Ok(Rc::clone(draw));
            }
            let draw = Rc::new(Draw::new(*request, pieces_of(request)?));
            *pieces += draw.pieces.len();
            if *pieces > MOST_PIECES {
                kept.clear();
                *pieces = draw.pieces.len();
            }
            kept.insert(*request, Rc::clone(&draw));
            Ok(draw)
        })
    }

    /// Prepares a request. `pieces` are all its pieces.
    pub fn new(request: Request, pieces: Vec<Piece>) -> Draw {
        let of_source = landmarks(request.from);
        let one = of_source.and_then(|it| it.values.get("one")).map_or(1, |(one, _)| one.value());
        let landmarks = marked(&request, &pieces);
        let refuses = pieces.iter().any(|it| it.formula == Formula::Constant(Outcome::Reject));
        Draw { request, pieces, refuses, landmarks, one }
    }

    /// Returns the request.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Returns the request's pieces.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Is the request refused? If so, its only piece says so.
    pub fn is_refused(&self) -> bool {
        self.pieces.first().is_some_and(|it| it.formula == Formula::Constant(Outcome::Reject))
    }

    /// Returns the source's code of the number one.
    pub(crate) fn one(&self) -> u64 {
        self.one
    }

    /// Does the code stand for a value of the source that is not to be refused?
    pub(crate) fn is_cast(&self, code: u64) -> bool {
        let is_valid = landmarks(self.request.from).is_none_or(|source| source.is_valid(code));
        is_valid && !self.is_refused_at(code)
    }

    /// Must a tensor with this code be refused? So it is where the cast traps.
    pub fn is_refused_at(&self, code: u64) -> bool {
        self.refuses && piece_of(&self.pieces, code).formula == Formula::Constant(Outcome::Reject)
    }

    /// Returns what the request must make of a code.
    ///
    /// # Panics
    /// If the code is wider than the source.
    pub fn expectation(&self, code: u64) -> Expectation {
        let Request { from, to, .. } = self.request;
        piece_of(&self.pieces, code).expectation(from, to, code)
    }

    /// Returns a batch of codes. One half is a run of ends of pieces with their neighbours. The
    /// other half mixes ties, their neighbours and ties with one far bit, ends with one bit
    /// flipped, single bits, landmarks of both dtypes, numbers about one, any codes of a piece, and
    /// any codes at all.
    pub fn batch(&self, random: &mut Random, count: usize) -> Vec<u64> {
        let mask = self.request.from.code_mask();
        let ends = self.pieces.len() * 4;
        let first = random.below(ends);
        let mut codes: Vec<u64> =
            (0..count / 2).map(|step| self.valid(self.end((first + step) % ends))).collect();
        while codes.len() < count {
            let code = match random.below(12) {
                0..4 => self.in_piece(random),
                4 | 5 => self.end(random.below(ends)) ^ 1 << random.below(64),
                6 => 1 << random.below(64),
                7..10 => self.about_one(random),
                10 if !self.landmarks.is_empty() => *random.one_of(&self.landmarks),
                _ => random.number(),
            };
            codes.push(self.valid(code & mask));
        }
        codes
    }

    /// Returns the codes of a check that has no seed, ascending: of a narrow source all codes; of a
    /// wider one the ends of every piece with their neighbours, places within it with the ties
    /// beside them, a code of every exponent field, and drawn codes. Codes that must be refused are
    /// left out.
    pub(crate) fn without_seed(&self) -> Vec<u64> {
        let mask = self.request.from.code_mask();
        let is_cast = |code: &u64| !self.is_refused_at(*code);
        if self.request.from.bits() <= ALL_CODES {
            return (0..=mask).filter(is_cast).collect();
        }
        let mut random = Random::new(0);
        let mut codes: Vec<u64> = (0..DRAWN).map(|_| random.number()).collect();
        codes.extend(self.fields(&mut random));
        for piece in &self.pieces {
            codes.extend(throughout(piece));
        }
        codes.iter_mut().for_each(|code| *code &= mask);
        codes.sort_unstable();
        codes.dedup();
        codes.retain(is_cast);
        codes
    }

    /// Returns the code, or the code of one if `code` does not stand for a value of the source or must be
    /// refused.
    fn valid(&self, code: u64) -> u64 {
        if self.is_cast(code) { code } else { self.one }
    }

    /// Returns the codes of the values that the source's landmarks name, without those that must be
    /// refused.
    pub fn named(&self) -> Vec<u64> {
        let mut codes = named(self.request.from);
        codes.retain(|&code| !self.is_refused_at(code));
        codes
    }

    /// Is the code exactly between two results of its piece?
    pub fn is_tie(&self, code: u64) -> bool {
        match &piece_of(&self.pieces, code).formula {
            Formula::Shift(shift @ Shift { bits: 1.., nearest: true, .. }) => {
                let low = (1 << shift.bits) - 1;
                distance(shift, code) & low == 1 << (shift.bits - 1)
            }
            _ => false,
        }
    }

    /// Returns an end of a piece, or the code beside it; there are four of these for each piece.
    fn end(&self, index: usize) -> u64 {
        let Piece { first, last, .. } = self.pieces[index / 4];
        match index % 4 {
            0 => first,
            1 => first.saturating_add(1).min(last),
            2 => last.saturating_sub(1).max(first),
            _ => last,
        }
    }

    /// Returns a number like those that most tensors hold, of either sign. A float is between 2^-8
    /// and 2^8 in magnitude, because the lowest bit of the code of one is the lowest bit of its
    /// exponent field. An integer has any length.
    fn about_one(&self, random: &mut Random) -> u64 {
        let sign = (random.number() & 1) << (self.request.from.bits() - 1);
        if self.one == 1 {
            let number = random.number() >> random.below(64);
            return if sign == 0 { number } else { number.wrapping_neg() };
        }
        let binade = 1 << self.one.trailing_zeros();
        let above = random.number() % (16 * binade);
        self.one.wrapping_sub(8 * binade).wrapping_add(above) ^ sign
    }

    /// Returns a code of some piece; if bits are dropped, also a tie, its neighbours, or a tie with
    /// one far bit.
    fn in_piece(&self, random: &mut Random) -> u64 {
        let piece = random.one_of(&self.pieces);
        let Piece { first, last, .. } = *piece;
        let any = first + random.number() % (last - first).saturating_add(1).max(1);
        let Formula::Shift(shift @ Shift { bits: bits @ 1..64, .. }) = &piece.formula else {
            return any;
        };
        let half = 1_u64 << (bits - 1);
        let below = match random.below(6) {
            0 => half,
            1 => half - 1,
            2 => half + 1,
            3 => half | 1 << random.below(*bits as usize),
            4 => 2 * half - 1,
            _ => 0,
        };
        let low = (half << 1).wrapping_sub(1);
        placed(shift, distance(shift, any) & !low | below & low)
    }
}

/// Returns the distance of a code from the origin of a shift. Bits above the width of the source
/// stay.
fn distance(shift: &Shift, code: u64) -> u64 {
    match shift.descending {
        true => shift.origin.wrapping_sub(code),
        false => code.wrapping_sub(shift.origin),
    }
}

/// Returns the code at a distance from the origin of a shift. Bits above the width of the source
/// stay.
fn placed(shift: &Shift, distance: u64) -> u64 {
    match shift.descending {
        true => shift.origin.wrapping_sub(distance),
        false => shift.origin.wrapping_add(distance),
    }
}

/// Returns codes of a piece and beside it: its ends, the codes a power of two after its first one,
/// and places throughout it; if bits are dropped, also the steps and ties near each place. Bits
/// above the width of the source may be set.
fn throughout(piece: &Piece) -> Vec<u64> {
    let Piece { first, last, .. } = *piece;
    let mut codes = vec![first.wrapping_sub(1), last, last.wrapping_add(1)];
    codes.extend((0..64).map(|bit| first.wrapping_add(1 << bit)));
    // The stride is a power of two, so that a place is at the start of every binade of the source.
    let stride = ((last - first) / PLACES).max(1).next_power_of_two();
    let places = (0..=PLACES)
        .map(|place| (first & !(stride - 1)).saturating_add(place.saturating_mul(stride)));
    let places = places.map(|place| place.clamp(first, last));
    for (number, place) in (0u64..).zip(places) {
        codes.push(place);
        if let Formula::Shift(shift @ Shift { bits: 1.., .. }) = &piece.formula {
            let near = near(shift, place, number.is_multiple_of(PLACES / PLACES_WITH_BITS));
            codes.extend(near.filter(|code| (first..=last).contains(code)));
        }
    }
    codes
}

/// Returns the ends of the steps near a code, the ties between them, and their neighbours; with
/// `bits` also the ties with one lower bit set or cleared.
fn near(shift: &Shift, code: u64, bits: bool) -> impl Iterator<Item = u64> {
    let unit = 1u64 << shift.bits;
    let step = distance(shift, code) & !(unit - 1);
    let lower = if bits { shift.bits - 1 } else { 1.min(shift.bits - 1) };
    let steps = [step.wrapping_sub(unit), step, step.wrapping_add(unit)];
    let beside = move |step: u64| {
        let tie = step.wrapping_add(unit / 2);
        let bits = (0..lower).map(|bit| 1u64 << bit);
        let bits = bits.flat_map(move |bit| [tie.wrapping_sub(bit), tie.wrapping_add(bit)]);
        bits.chain([step.wrapping_sub(1), step, step.wrapping_add(1), tie])
    };
    steps.into_iter().flat_map(beside).map(|distance| placed(shift, distance))
}

/// Returns the codes of named values, infinities and NaN of the source, and codes that give those
/// of the target, each with its neighbours.
fn marked(request: &Request, pieces: &[Piece]) -> Vec<u64> {
    let Request { from, to, .. } = *request;
    let mut codes = named(from);
    for result in named(to) {
        codes.extend(pieces.iter().filter_map(|piece| source_of(piece, result, (from, to))));
    }
    let beside = |code: u64| [code.wrapping_sub(1), code, code.wrapping_add(1)];
    let mut codes: Vec<u64> =
        codes.into_iter().flat_map(beside).map(|code| code & from.code_mask()).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// Returns the codes of the values that a dtype's landmarks name.
fn named(dtype: DType) -> Vec<u64> {
    let Some(landmarks) = landmarks(dtype) else { return Vec::new() };
    let values = landmarks.values.values().map(|(code, _)| code);
    let codes = values.chain(&landmarks.infinity).chain(landmarks.nan.iter().flatten());
    codes.map(Hex::value).collect()
}

/// Returns a code of the piece that gives this result, if there is one.
fn source_of(piece: &Piece, result: u64, (from, to): (DType, DType)) -> Option<u64> {
    let shift = match &piece.formula {
        Formula::Constant(Outcome::Code(code)) => {
            return (*code == result).then(|| roundest(piece.first, piece.last));
        }
        Formula::Constant(_) => return None,
        Formula::Shift(shift) => shift,
    };
    let steps = match shift.subtract {
        true => shift.base.wrapping_sub(result),
        false => result.wrapping_sub(shift.base),
    };
    let steps = steps & to.code_mask();
    let distance = match shift.bits {
        bits @ 0.. => steps << bits,
        bits => steps >> bits.unsigned_abs(),
    };
    let code = placed(shift, distance) & from.code_mask();
    let gives = || shift.expected(code, (from.bits(), to.bits())) == result;
    ((piece.first..=piece.last).contains(&code) && gives()).then_some(code)
}

/// Returns the code from `first` to `last` that ends in the most zeros. Among codes that are
/// rounded to one result, this is mostly the result itself.
fn roundest(first: u64, last: u64) -> u64 {
    let multiple = |bit: u32| {
        let low = (1u64 << bit) - 1;
        first.checked_add(low).map(|above| above & !low).filter(|code| *code <= last)
    };
    (0..64).rev().find_map(multiple).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn seen(request: &Request) -> (Rc<Draw>, BTreeSet<u64>) {
        let draw = Draw::of(request).expect("a request of the book");
        let batches = (0..400).flat_map(|seed| draw.batch(&mut Random::new(seed), 256));
        let seen = batches.collect();
        (draw, seen)
    }

    /// 400 batches must hold each end of each piece, a tie with its neighbour, and the landmarks of
    /// both dtypes.
    #[test]
    fn ends_ties_and_landmarks_are_drawn_soon() {
        let request = Request::cast(DType::Float32, DType::Float8E4M3FN, 19);
        let (draw, codes) = seen(&request);
        let ends: Vec<u64> =
            draw.pieces.iter().flat_map(|piece| [piece.first, piece.last]).collect();
        let missed = ends.iter().filter(|end| !codes.contains(end)).count();
        assert_eq!(missed, 0, "of {} ends", ends.len());
        // A tie at the end of the range, and its neighbour.
        assert!(codes.contains(&0x43e8_0000) && codes.contains(&0x43e8_0001));
        // The landmarks "near pi", "near a tenth" and "minus 208" of float8e4m3fn, as float32.
        for code in [0x4050_0000, 0x3dd0_0000, 0xc350_0000] {
            assert!(draw.landmarks.contains(&code) && codes.contains(&code), "{code:#x}");
        }
        // The smallest float32, infinity with its neighbours, and negative infinity.
        for code in [1, 0x7f80_0000, 0x7f80_0001, 0x7f7f_ffff, 0xff80_0000] {
            assert!(codes.contains(&code), "{code:#x}");
        }
    }

    #[test]
    fn a_tie_is_known() {
        let draw = Draw::of(&Request::cast(DType::Float32, DType::Float16, 19));
        let draw = draw.expect("a request of the book");
        assert!(draw.is_tie(0x3f80_1000) && !draw.is_tie(0x3f80_1001) && !draw.is_tie(0x3f80_0000));
    }

    #[test]
    fn ties_with_one_far_bit_are_drawn() {
        let (_, codes) = seen(&Request::cast(DType::Float64, DType::Float16, 19));
        // A tie of normal numbers with one of the lower 30 bits set.
        let low = |code: u64| code & ((1 << 42) - 1);
        let is_far = |code: &&u64| {
            let rest = low(**code) ^ 1 << 41;
            rest.is_power_of_two() && rest < 1 << 30
        };
        let far = codes.iter().filter(is_far).count();
        assert!(far > 100, "{far} ties with one far bit");
    }

    #[test]
    fn codes_fit_their_source() {
        for from in [DType::Int2, DType::Float6E2M3, DType::Bool, DType::Float64, DType::Uint64] {
            for to in [DType::Int2, DType::Float8E8M0, DType::Int64, DType::Float64] {
                let (_, codes) = seen(&Request::cast(from, to, 28));
                assert!(codes.iter().all(|code| code & !from.code_mask() == 0), "{from} {to}");
            }
        }
    }
}

//! Where in a tensor, and in which tensors, elements are wrong that are right elsewhere.
//!
//! Results files and baselines hold a place as its text, such as `the tail of 8`.

use castproof_check::Trespass;
use castproof_check::verdict::Verdict;
use castproof_testee::Layout;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// Where elements are wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Place {
    /// At codes that no vector asks for; they are wrong alone too.
    BeyondVectors,
    /// By `CastLike`, where `Cast` gives something else.
    CastLikeAlone,
    /// In a tensor of many drawn codes.
    ManyCodes,
    /// In every tensor except those of the vectors.
    OtherTensors,
    /// In one call and not in the next one.
    NotEveryTime,
    /// In some tensors of this first place, at the second one.
    Within(Box<Place>, Box<Place>),
    /// At some places that no rule describes.
    NotExplained,
    /// In a tensor of one element.
    OnlyAlone,
    /// At the first element.
    FirstElement,
    /// At the last element.
    LastElement,
    /// At this element.
    Element(usize),
    /// At the element that has this many behind it.
    LastBut(usize),
    /// From one element to another one.
    ElementBetween {
        /// The first.
        first: usize,
        /// The last.
        last: usize,
    },
    /// After an earlier call.
    EarlierCall,
    /// From this call of a request on.
    CallFrom(usize),
    /// In one of so many calls.
    EveryCall(usize),
    /// In a call with the buffer of the call before.
    SameBuffer,
    /// After a call without elements.
    AfterEmpty,
    /// After a call of so many times as many elements.
    AfterLonger(usize),
    /// After a call of fewer elements, by this factor.
    AfterShorter(usize),
    /// Behind the last whole vector of this many elements.
    Tail(usize),
    /// In whole vectors of this many elements.
    Body(usize),
    /// In a vector of this many elements that also holds such a code.
    Beside(Special, usize),
    /// Right before or after such a code.
    RightBeside(Special),
    /// In a tensor of one code.
    OneCode,
    /// In a tensor of ascending codes.
    Ascending,
    /// In a block of so many equal elements.
    EqualBlock(usize),
    /// In tensors of this many elements.
    Count(usize),
    /// In tensors of at least this many elements.
    CountFrom(usize),
    /// In tensors of at most this many elements.
    CountUpTo(usize),
    /// In tensors of these counts.
    CountBetween {
        /// The smallest.
        first: usize,
        /// The largest.
        last: usize,
    },
    /// In tensors whose count has this rest.
    CountModulo {
        /// The rest.
        rest: usize,
        /// The divisor.
        of: usize,
    },
    /// In tensors whose count is a power of two, or one above or below.
    BesidePower(i8),
    /// At this element and all behind it.
    ElementFrom(usize),
    /// At one lane of each vector.
    Lane {
        /// The lane, from 0.
        lane: usize,
        /// Elements of a vector.
        of: usize,
    },
    /// In inputs of this layout.
    Layout(Layout),
    /// In inputs that are constants of the model.
    Constant,
    /// In outputs that are written over the input.
    InPlace,
    /// In scalars.
    Scalar,
    /// In tensors of rank 2 and more.
    HighRank,
    /// In tensors of this rank.
    Rank(usize),
    /// In tensors whose last side is at least this long.
    LastSideFrom(usize),
    /// In tensors whose last side has this rest.
    LastSideModulo {
        /// The rest.
        rest: usize,
        /// The divisor.
        of: usize,
    },
    /// In tensors that come back with their last two axes swapped.
    AxesSwapped,
    /// In inputs with ones in their padding bits.
    PaddingIn,
    /// In the padding bits of outputs.
    PaddingOut,
    /// In inputs whose address is not a multiple of this.
    InputNotAligned(usize),
    /// In outputs whose address is not a multiple of this.
    OutputNotAligned(usize),
    /// In inputs so many bytes after a multiple.
    InputAt {
        /// The bytes.
        rest: usize,
        /// The divisor.
        of: usize,
    },
    /// In outputs so many bytes after a multiple.
    OutputAt {
        /// The bytes.
        rest: usize,
        /// The divisor.
        of: usize,
    },
    /// In buffers whose distance is no multiple of this.
    Apart(usize),
    /// In buffers of either side whose address is not a multiple of 64.
    BufferNotAligned,
    /// Outside the buffers.
    Outside(Trespass),
    /// In bytes of the output that were not written.
    Unwritten,
    /// In tensors of these counts, which got this verdict instead of elements.
    Unanswered(Verdict, TensorCounts),
    /// In buffers of the gate, where the testee said this instead of giving elements.
    Said(Verdict, String),
}

/// Codes of a kind that may spoil the elements beside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say what they are")]
pub enum Special {
    Nan,
    Infinity,
    Zero,
    LargestAndSmallest,
}

/// The counts of some tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorCounts {
    /// All of them are scalars.
    Scalar,
    /// All have the same count.
    One(usize),
    /// They have several counts.
    Several {
        /// How many counts.
        counts: usize,
        /// The smallest.
        first: usize,
        /// The largest.
        last: usize,
    },
}

impl Special {
    /// Every kind.
    pub const ALL: [Special; 4] =
        [Special::Nan, Special::Infinity, Special::Zero, Special::LargestAndSmallest];

    const fn name(self) -> &'static str {
        match self {
            Special::Nan => "nan",
            Special::Infinity => "infinity",
            Special::Zero => "zero",
            Special::LargestAndSmallest => "the largest and smallest",
        }
    }
}

/// The places whose text holds no number, kind or message.
const PLAIN: [Place; 23] = [
    Place::BeyondVectors,
    Place::CastLikeAlone,
    Place::ManyCodes,
    Place::OtherTensors,
    Place::NotEveryTime,
    Place::NotExplained,
    Place::OnlyAlone,
    Place::FirstElement,
    Place::LastElement,
    Place::EarlierCall,
    Place::SameBuffer,
    Place::AfterEmpty,
    Place::OneCode,
    Place::Ascending,
    Place::AxesSwapped,
    Place::Constant,
    Place::InPlace,
    Place::Scalar,
    Place::HighRank,
    Place::PaddingIn,
    Place::PaddingOut,
    Place::BufferNotAligned,
    Place::Unwritten,
];

impl Place {
    /// Is it a matter of when a tensor is asked, rather than of where an element stands in it?
    pub fn is_of_calls(&self) -> bool {
        use Place::{
            AfterEmpty, AfterLonger, AfterShorter, CallFrom, EarlierCall, EveryCall, NotEveryTime,
            SameBuffer, Within,
        };
        match self {
            NotEveryTime | EarlierCall | CallFrom(_) | EveryCall(_) | SameBuffer | AfterEmpty
            | AfterLonger(_) | AfterShorter(_) => true,
            Within(first, second) => first.is_of_calls() || second.is_of_calls(),
            _ => false,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = match self {
            Place::BeyondVectors => "codes beyond the vectors",
            Place::CastLikeAlone => "CastLike alone",
            Place::ManyCodes => "a tensor of many codes",
            Place::OtherTensors => "tensors other than those of the vectors",
            Place::NotEveryTime => "not every time",
            Place::NotExplained => "some places",
            Place::OnlyAlone => "only alone",
            Place::FirstElement => "the first element",
            Place::LastElement => "the last element",
            Place::EarlierCall => "an earlier call's state",
            Place::SameBuffer => "the second call on the same buffer",
            Place::AfterEmpty => "after a call without elements",
            Place::OneCode => "one code in the whole tensor",
            Place::Ascending => "ascending codes in the whole tensor",
            Place::AxesSwapped => "the last two axes swapped",
            Place::Constant => "a constant as input",
            Place::InPlace => "in place",
            Place::Scalar => "a shape of rank 0",
            Place::HighRank => "a shape of rank 2 and more",
            Place::PaddingIn => "padding bits of the input",
            Place::PaddingOut => "padding bits of the output",
            Place::BufferNotAligned => "a buffer not aligned to 64 bytes",
            Place::Unwritten => "left unwritten",
            Place::Outside(trespass) => trespass.name(),
            Place::Beside(kind, size) => {
                return write!(f, "beside {}, in a vector of {size}", kind.name());
            }
            Place::RightBeside(kind) => return write!(f, "right beside {}", kind.name()),
            Place::Layout(layout) => return write!(f, "layout {}", layout.name()),
            Place::BesidePower(distance) => BESIDE_POWER[(distance + 1) as usize],
            Place::Within(whole, part) => return write!(f, "{whole}, {part}"),
            Place::Unanswered(verdict, counts) => return write!(f, "{} {counts}", verdict.name()),
            Place::Said(verdict, message) => return write!(f, "{}: {message}", verdict.name()),
            _ => return self.measured(f),
        };
        f.write_str(plain)
    }
}

/// The texts of counts one below a power of two, of one, and one above.
const BESIDE_POWER: [&str; 3] = [
    "counts one below a power of two",
    "counts of a power of two",
    "counts one above a power of two",
];

/// What stands before the number of a place, what behind it, and the place.
type OfNumber = (&'static str, &'static str, fn(usize) -> Place);

/// What stands before, between and behind the two numbers of a place, and the place.
type OfTwoNumbers = ([&'static str; 3], fn(usize, usize) -> Place);

const OF_NUMBER: [OfNumber; 20] = [
    ("the tail of ", "", Place::Tail),
    ("the body of ", "", Place::Body),
    ("element ", "", Place::Element),
    ("the last element but ", "", Place::LastBut),
    ("from element ", " on", Place::ElementFrom),
    ("a count of ", "", Place::Count),
    ("from a count of ", " on", Place::CountFrom),
    ("up to a count of ", "", Place::CountUpTo),
    ("a block of ", " equal elements", Place::EqualBlock),
    ("a shape of rank ", "", Place::Rank),
    ("a last side of ", " and more", Place::LastSideFrom),
    ("from call ", " on", Place::CallFrom),
    ("one call of ", "", Place::EveryCall),
    ("after a call of ", " times as many elements", Place::AfterLonger),
    ("after a call of one in ", " elements", Place::AfterShorter),
    ("an input not aligned to ", " bytes", Place::InputNotAligned),
    ("an output not aligned to ", " bytes", Place::OutputNotAligned),
    ("buffers apart by no multiple of ", " bytes", Place::Apart),
    // A rest of 0 has words of its own.
    ("counts that are multiples of ", "", |of| Place::CountModulo { rest: 0, of }),
    ("last sides that are multiples of ", "", |of| Place::LastSideModulo { rest: 0, of }),
];

const OF_TWO_NUMBERS: [OfTwoNumbers; 7] = [
    (["lane ", " of ", ""], |lane, of| Place::Lane { lane, of }),
    (["elements ", " to ", ""], |first, last| Place::ElementBetween { first, last }),
    (["counts from ", " to ", ""], |first, last| Place::CountBetween { first, last }),
    (["counts that are ", " modulo ", ""], |rest, of| Place::CountModulo { rest, of }),
    (["last sides that are ", " modulo ", ""], |rest, of| Place::LastSideModulo { rest, of }),
    (["an input ", " bytes after a multiple of ", ""], |rest, of| Place::InputAt { rest, of }),
    (["an output ", " bytes after a multiple of ", ""], |rest, of| Place::OutputAt { rest, of }),
];

impl Place {
    /// Writes a place whose text holds numbers.
    fn measured(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, other) = self.numbers();
        if let Some((before, after, _)) = OF_NUMBER.iter().find(|(.., make)| make(one) == *self) {
            return write!(f, "{before}{one}{after}");
        }
        match OF_TWO_NUMBERS.iter().find(|(_, make)| make(other, one) == *self) {
            Some(([before, between, after], _)) => {
                write!(f, "{before}{other}{between}{one}{after}")
            }
            None => Err(fmt::Error), // the test of all places names one that stands in no table
        }
    }

    /// Returns the numbers of a place: the only one or the second one, then the first of two.
    fn numbers(&self) -> (usize, usize) {
        match *self {
            Place::Tail(only)
            | Place::Body(only)
            | Place::Element(only)
            | Place::LastBut(only)
            | Place::ElementFrom(only)
            | Place::Count(only)
            | Place::CountFrom(only)
            | Place::CountUpTo(only)
            | Place::EqualBlock(only)
            | Place::Rank(only)
            | Place::LastSideFrom(only)
            | Place::CallFrom(only)
            | Place::EveryCall(only)
            | Place::AfterLonger(only)
            | Place::AfterShorter(only)
            | Place::InputNotAligned(only)
            | Place::OutputNotAligned(only)
            | Place::Apart(only) => (only, 0),
            Place::Lane { lane, of } => (of, lane),
            Place::ElementBetween { first, last } | Place::CountBetween { first, last } => {
                (last, first)
            }
            Place::CountModulo { rest, of }
            | Place::LastSideModulo { rest, of }
            | Place::InputAt { rest, of }
            | Place::OutputAt { rest, of } => (of, rest),
            _ => (0, 0),
        }
    }
}

impl fmt::Display for TensorCounts {
    /// `at a count of 3`, `at 17 counts from 3 to 130`, or `for a scalar`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TensorCounts::Scalar => f.write_str("for a scalar"),
            TensorCounts::One(count) => write!(f, "at a count of {count}"),
            TensorCounts::Several { counts, first, last } => {
                write!(f, "at {counts} counts from {first} to {last}")
            }
        }
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        let plain = || PLAIN.into_iter().find(|place| place.to_string() == text);
        let outside =
            || Trespass::ALL.map(Place::Outside).into_iter().find(|it| it.to_string() == text);
        let place = plain().or_else(outside).or_else(|| named(text)).or_else(|| measured(text));
        let place = place.or_else(|| silent(text)).or_else(|| within(text));
        // The text of a place is its only text: `the tail of 08` is none.
        place.filter(|place| place.to_string() == text).ok_or_else(|| {
            format!(
                "'{text}' is not a place; write it as a report names it, such as 'the tail of 8' \
                 or '{}'",
                Place::BeyondVectors
            )
        })
    }
}

/// Reads a place whose text names a layout or a kind of codes.
fn named(text: &str) -> Option<Place> {
    let layouts = Layout::VIEWS.into_iter().map(Place::Layout);
    let powers = [-1, 0, 1].map(Place::BesidePower);
    let special = Special::ALL.into_iter().map(Place::RightBeside);
    let mut places = layouts.chain(special).chain(powers);
    places.find(|place| place.to_string() == text).or_else(|| {
        let (kind, size) = text.strip_prefix("beside ")?.split_once(", in a vector of ")?;
        let kind = Special::ALL.into_iter().find(|it| it.name() == kind)?;
        Some(Place::Beside(kind, size.parse().ok()?))
    })
}

/// Reads a place whose text holds numbers.
fn measured(text: &str) -> Option<Place> {
    for (before, after, make) in OF_NUMBER {
        let between = text.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        if let Some(number) = between.and_then(|number| number.parse().ok()) {
            return Some(make(number));
        }
    }
    OF_TWO_NUMBERS.iter().find_map(|([before, between, after], make)| {
        let (one, other) = text.strip_prefix(before)?.strip_suffix(after)?.split_once(between)?;
        Some(make(one.parse().ok()?, other.parse().ok()?))
    })
}

/// Reads a place within the tensors of another one.
fn within(text: &str) -> Option<Place> {
    let (whole, part) = text.split_once(", ")?;
    let whole: Place = whole.parse().ok()?;
    let is_way = matches!(whole, Place::Layout(_) | Place::Constant | Place::InPlace);
    is_way.then(|| Some(Place::Within(Box::new(whole), Box::new(part.parse().ok()?))))?
}

/// Reads the place of tensors that got a verdict instead of elements.
fn silent(text: &str) -> Option<Place> {
    let verdict = Verdict::ALL.into_iter().find(|verdict| {
        let rest = text.strip_prefix(verdict.name());
        rest.is_some_and(|rest| rest.starts_with([' ', ':']))
    })?;
    let rest = &text[verdict.name().len()..];
    if let Some(message) = rest.strip_prefix(": ") {
        return Some(Place::Said(verdict, message.into()));
    }
    let rest = rest.strip_prefix(' ')?;
    let counts = if rest == TensorCounts::Scalar.to_string() {
        TensorCounts::Scalar
    } else if let Some(count) = rest.strip_prefix("at a count of ") {
        TensorCounts::One(count.parse().ok()?)
    } else {
        let (counts, ends) = rest.strip_prefix("at ")?.split_once(" counts from ")?;
        let (first, last) = ends.split_once(" to ")?;
        let [counts, first, last] = [counts, first, last].map(|number| number.parse().ok());
        TensorCounts::Several { counts: counts?, first: first?, last: last? }
    };
    Some(Place::Unanswered(verdict, counts))
}

impl TryFrom<String> for Place {
    type Error = String;

    fn try_from(text: String) -> Result<Place, String> {
        text.parse()
    }
}

impl From<Place> for String {
    fn from(place: Place) -> String {
        place.to_string()
    }
}

impl Ord for Place {
    /// Places are ordered by their text, as files and reports list them.
    fn cmp(&self, other: &Place) -> Ordering {
        self.to_string().cmp(&other.to_string())
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Place) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests;

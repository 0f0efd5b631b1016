//! Where in a tensor, and in which tensors, elements are wrong that are right elsewhere.
//!
//! Results files and baselines hold a place as its text, such as `the tail of 8`.

use castproof_check::verdict::Verdict;
use castproof_testee::{Layout, Trespass};
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
    /// In a tensor of many drawn codes.
    ManyCodes,
    /// In every tensor except those of the vectors.
    OtherTensors,
    /// In one call and not in the next one.
    NotEveryTime,
    /// At some places that no rule describes.
    NotExplained,
    /// In a tensor of one element.
    OnlyAlone,
    /// At the first element.
    FirstElement,
    /// At the last element.
    LastElement,
    /// After an earlier call.
    EarlierCall,
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
    /// In tensors of this many elements.
    Count(usize),
    /// In tensors of at least this many elements.
    CountFrom(usize),
    /// In tensors of at most this many elements.
    CountUpTo(usize),
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
    /// In inputs with ones in their padding bits.
    PaddingIn,
    /// In the padding bits of outputs.
    PaddingOut,
    /// In inputs whose address is not a multiple of this.
    InputNotAligned(usize),
    /// In outputs whose address is not a multiple of this.
    OutputNotAligned(usize),
    /// In buffers of either side whose address is not a multiple of 64.
    BufferNotAligned,
    /// Outside the buffers.
    Outside(Trespass),
    /// In bytes of the output that were not written.
    Unwritten,
    /// In tensors of these counts, which got this verdict instead of elements.
    Unanswered(Verdict, Counts),
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
pub enum Counts {
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
const PLAIN: [Place; 18] = [
    Place::BeyondVectors,
    Place::ManyCodes,
    Place::OtherTensors,
    Place::NotEveryTime,
    Place::NotExplained,
    Place::OnlyAlone,
    Place::FirstElement,
    Place::LastElement,
    Place::EarlierCall,
    Place::OneCode,
    Place::Constant,
    Place::InPlace,
    Place::Scalar,
    Place::HighRank,
    Place::PaddingIn,
    Place::PaddingOut,
    Place::BufferNotAligned,
    Place::Unwritten,
];

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = match self {
            Place::BeyondVectors => "codes beyond the vectors",
            Place::ManyCodes => "a tensor of many codes",
            Place::OtherTensors => "tensors other than those of the vectors",
            Place::NotEveryTime => "not every time",
            Place::NotExplained => "some places",
            Place::OnlyAlone => "only alone",
            Place::FirstElement => "the first element",
            Place::LastElement => "the last element",
            Place::EarlierCall => "an earlier call's state",
            Place::OneCode => "one code in the whole tensor",
            Place::Constant => "a constant as input",
            Place::InPlace => "in place",
            Place::Scalar => "a shape of rank 0",
            Place::HighRank => "a shape of rank 2 and more",
            Place::PaddingIn => "padding bits of the input",
            Place::PaddingOut => "padding bits of the output",
            Place::BufferNotAligned => "a buffer not aligned to 64 bytes",
            Place::Unwritten => "left unwritten",
            Place::Outside(trespass) => trespass.name(),
            Place::Tail(size) => return write!(f, "the tail of {size}"),
            Place::Body(size) => return write!(f, "the body of {size}"),
            Place::Beside(kind, size) => {
                return write!(f, "beside {}, in a vector of {size}", kind.name());
            }
            Place::RightBeside(kind) => return write!(f, "right beside {}", kind.name()),
            Place::Count(count) => return write!(f, "a count of {count}"),
            Place::CountFrom(least) => return write!(f, "from a count of {least} on"),
            Place::CountUpTo(most) => return write!(f, "up to a count of {most}"),
            Place::ElementFrom(first) => return write!(f, "from element {first} on"),
            Place::Lane { lane, of } => return write!(f, "lane {lane} of {of}"),
            Place::Layout(layout) => return write!(f, "layout {}", layout.name()),
            Place::InputNotAligned(size) => {
                return write!(f, "an input not aligned to {size} bytes");
            }
            Place::OutputNotAligned(size) => {
                return write!(f, "an output not aligned to {size} bytes");
            }
            Place::Unanswered(verdict, counts) => return write!(f, "{} {counts}", verdict.name()),
            Place::Said(verdict, message) => return write!(f, "{}: {message}", verdict.name()),
        };
        f.write_str(plain)
    }
}

impl fmt::Display for Counts {
    /// `at a count of 3`, `at 17 counts from 3 to 130`, or `for a scalar`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Counts::Scalar => f.write_str("for a scalar"),
            Counts::One(count) => write!(f, "at a count of {count}"),
            Counts::Several { counts, first, last } => {
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
        // The text of a place is its only text: `the tail of 08` is none.
        place.or_else(|| silent(text)).filter(|place| place.to_string() == text).ok_or_else(|| {
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
    let mut places = layouts.chain(Special::ALL.into_iter().map(Place::RightBeside));
    places.find(|place| place.to_string() == text).or_else(|| {
        let (kind, size) = text.strip_prefix("beside ")?.split_once(", in a vector of ")?;
        let kind = Special::ALL.into_iter().find(|it| it.name() == kind)?;
        Some(Place::Beside(kind, size.parse().ok()?))
    })
}

/// Reads a place whose text holds numbers.
fn measured(text: &str) -> Option<Place> {
    type Make = fn(usize) -> Place;
    const OF_ONE_NUMBER: [(&str, &str, Make); 8] = [
        ("the tail of ", "", Place::Tail),
        ("the body of ", "", Place::Body),
        ("a count of ", "", Place::Count),
        ("from a count of ", " on", Place::CountFrom),
        ("up to a count of ", "", Place::CountUpTo),
        ("from element ", " on", Place::ElementFrom),
        ("an input not aligned to ", " bytes", Place::InputNotAligned),
        ("an output not aligned to ", " bytes", Place::OutputNotAligned),
    ];
    for (before, after, make) in OF_ONE_NUMBER {
        let between = text.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        if let Some(number) = between.and_then(|number| number.parse().ok()) {
            return Some(make(number));
        }
    }
    let (lane, of) = text.strip_prefix("lane ")?.split_once(" of ")?;
    Some(Place::Lane { lane: lane.parse().ok()?, of: of.parse().ok()? })
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
    let counts = if rest == Counts::Scalar.to_string() {
        Counts::Scalar
    } else if let Some(count) = rest.strip_prefix("at a count of ") {
        Counts::One(count.parse().ok()?)
    } else {
        let (counts, ends) = rest.strip_prefix("at ")?.split_once(" counts from ")?;
        let (first, last) = ends.split_once(" to ")?;
        let [counts, first, last] = [counts, first, last].map(|number| number.parse().ok());
        Counts::Several { counts: counts?, first: first?, last: last? }
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
mod tests {
    use super::*;

    #[test]
    fn every_place_is_read_from_its_text() {
        let mut places: Vec<Place> = PLAIN.into();
        places.extend(Trespass::ALL.map(Place::Outside));
        places.extend(Layout::VIEWS.map(Place::Layout));
        for kind in Special::ALL {
            places.extend([Place::RightBeside(kind), Place::Beside(kind, 16)]);
        }
        for make in [
            Place::Tail,
            Place::Body,
            Place::Count,
            Place::CountFrom,
            Place::CountUpTo,
            Place::ElementFrom,
            Place::InputNotAligned,
            Place::OutputNotAligned,
        ] {
            places.push(make(64));
        }
        places.push(Place::Lane { lane: 3, of: 4 });
        let several = Counts::Several { counts: 129, first: 2, last: 130 };
        for verdict in Verdict::ALL {
            for counts in [Counts::Scalar, Counts::One(0), several] {
                places.push(Place::Unanswered(verdict, counts));
            }
            for message in ["it panicked", "", "at a count of 3"] {
                places.push(Place::Said(verdict, message.into()));
            }
        }
        for place in places {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
    }

    /// Texts in committed baselines and in results files of before.
    #[test]
    fn texts_stay() {
        for text in [
            "codes beyond the vectors",
            "a tensor of many codes",
            "tensors other than those of the vectors",
            "not every time",
            "some places",
            "only alone",
            "the first element",
            "the last element",
            "an earlier call's state",
            "the tail of 8",
            "the body of 32",
            "beside nan, in a vector of 8",
            "beside the largest and smallest, in a vector of 4",
            "right beside infinity",
            "right beside zero",
            "one code in the whole tensor",
            "a count of 64",
            "from a count of 65536 on",
            "up to a count of 15",
            "from element 4096 on",
            "lane 1 of 2",
            "layout strided",
            "layout offset",
            "a constant as input",
            "in place",
            "a shape of rank 0",
            "a shape of rank 2 and more",
            "padding bits of the input",
            "padding bits of the output",
            "an input not aligned to 16 bytes",
            "an output not aligned to 64 bytes",
            "a buffer not aligned to 64 bytes",
            "read outside, after the end",
            "written outside, before the start",
            "left unwritten",
            "error at 129 counts from 2 to 130",
            "crash at a count of 17",
            "error for a scalar",
            "crash: it panicked",
        ] {
            let place: Place = text.parse().expect(text);
            assert_eq!(place.to_string(), text);
        }
    }

    #[test]
    fn what_is_no_place_is_refused() {
        for text in [
            "",
            "*",
            "the tail",
            "the tail of 08",
            "the tail of eight",
            "layout contiguous",
            "layout twisted",
            "lane 3",
            "beside one, in a vector of 8",
            "error",
            "error at 3",
            "errors: no",
            "Codes beyond the vectors",
        ] {
            let problem = text.parse::<Place>().expect_err(text);
            assert!(problem.starts_with(&format!("'{text}' is not a place; ")), "{problem}");
        }
    }
}

//! What a method does otherwise than another one, for people.

use super::catalogue::{
    Enters, Exponent, Lowest, NanElement, NanScale, NumberRead, Overflow, PowerMethod,
    QuotientTies, RULES, ScaleShift,
};
use super::steps::StepMethod;
use castproof_quantised::block::block_elements;
use castproof_vectors::{BlockProfile, DType};

impl Exponent {
    /// The first profile with these elements that makes the exponent so; `None` if none does.
    pub fn profile(self, to: DType) -> Option<BlockProfile> {
        let profiles = RULES.iter().filter(|(_, exponent)| *exponent == self);
        profiles.map(|(profile, _)| *profile).find(|it| block_elements(*it).contains(&to))
    }

    /// What it does, as one phrase.
    pub fn words(self, to: DType) -> String {
        if let Some(profile) = self.profile(to) {
            return format!("scale as {}", profile.name());
        }
        let words = match self {
            Exponent::CeilOfProduct => {
                "scale as mx-rceil, from a product with 1/max rounded to float32"
            }
            Exponent::FloorOfProduct => {
                "scale as mx-floor, from a product with 2^-emax rounded to float32"
            }
            Exponent::FloorOfQuotient => "scale by the exponent of amax/max, not rounded up",
            Exponent::FloorOfLog => "scale as mx-floor, from log2 rounded to float32",
            Exponent::CeilOfLog => "scale as mx-rceil, from log2 rounded to float32",
            Exponent::NearestOfLog => "scale by log2 of amax/max, rounded to nearest",
            Exponent::TruncatedLog => "scale as mx-floor, with log2 truncated toward zero",
            Exponent::FloorOfRoundedToOneBit => {
                "scale as mx-even, with the significand of float4e2m1"
            }
            _ => unreachable!("a profile has the others"),
        };
        words.into()
    }
}

impl ScaleShift {
    fn words(self) -> &'static str {
        match self {
            ScaleShift::None => "nothing is added to the exponent of the scale",
            ScaleShift::More => "the exponent of the scale is one too large",
            ScaleShift::Less => "the exponent of the scale is one too small",
            ScaleShift::Emax => "the exponent of the largest element is not subtracted",
            ScaleShift::MinusEmax => "the exponent of the largest element is subtracted twice",
        }
    }
}

impl NumberRead {
    /// What happens to `subject`, such as "numbers".
    pub(super) fn words(self, subject: &str) -> String {
        let how = match self {
            NumberRead::AsIs => "read as it is",
            NumberRead::Flushed => "taken for zero where it is subnormal",
            NumberRead::Bfloat16 => "rounded to bfloat16",
            NumberRead::Bfloat16Clamped => "rounded to bfloat16, at most its largest number",
            NumberRead::Float16 => "rounded to float16",
            NumberRead::NanAsZero => "taken for zero where it is NaN",
        };
        format!("{subject} is {how}")
    }
}

impl Enters {
    fn words(self) -> String {
        match self {
            Enters::All => "all numbers enter the largest magnitude".into(),
            Enters::First(1) => "only the first number enters the largest magnitude".into(),
            Enters::First(count) => {
                format!("only the first {count} numbers enter the largest magnitude")
            }
            Enters::Without(place) => {
                format!("the number at place {place} does not enter the largest magnitude")
            }
            Enters::Positive => "negative numbers do not enter the largest magnitude".into(),
        }
    }
}

impl Lowest {
    fn words(self) -> &'static str {
        match self {
            Lowest::Exact => "numbers are divided by 2^-127 under the scale 0x00",
            Lowest::Next => "numbers are divided by 2^-126 under the scale 0x00",
            Lowest::Zero => "every element is zero under the scale 0x00",
            Lowest::DividedByZero => "numbers are divided by 0 under the scale 0x00",
        }
    }
}

impl QuotientTies {
    pub(super) fn words(self) -> &'static str {
        match self {
            QuotientTies::Even => "ties of elements go to even",
            QuotientTies::Away => "ties of elements go away from zero",
            QuotientTies::Toward => "ties of elements go toward zero",
            QuotientTies::Truncated => "elements are truncated toward zero",
            QuotientTies::AddedHalf => "elements are rounded by adding a half in float32",
        }
    }
}

impl Overflow {
    fn words(self) -> &'static str {
        match self {
            Overflow::Largest => "an element beyond the largest becomes the largest",
            Overflow::Positive => "an element beyond the largest loses its sign",
            Overflow::Nan => "an element beyond the largest becomes NaN",
            Overflow::Infinity => "an element beyond the largest becomes infinity",
        }
    }
}

impl NanElement {
    fn words(self) -> &'static str {
        match self {
            NanElement::Nan => "a NaN becomes the NaN of elements",
            NanElement::PositiveNan => "a NaN becomes the positive NaN of elements",
            NanElement::Largest => "a NaN becomes the largest element, with its sign",
            NanElement::PositiveLargest => "a NaN becomes the largest element",
            NanElement::Zero => "a NaN becomes zero, with its sign",
            NanElement::OppositeZero => "a NaN becomes zero, with the other sign",
            NanElement::PositiveZero => "a NaN becomes zero",
            NanElement::AllOnes => "a NaN becomes all ones but the sign",
        }
    }
}

impl PowerMethod {
    /// Says what this method does otherwise than another one, a phrase for each axis. What a NaN
    /// becomes is said only where `shows_nan`: a NaN stood under a scale that is a number.
    pub fn words(&self, other: &PowerMethod, shows_nan: bool) -> Vec<String> {
        let mut said: Vec<String> = Vec::new();
        let mut say = |differs: bool, words: String| {
            if differs {
                said.push(words);
            }
        };
        say(self.exponent != other.exponent, self.exponent.words(self.to));
        say(self.shift != other.shift, self.shift.words().into());
        say(self.largest != other.largest, self.largest.words("the largest magnitude"));
        say(self.enters != other.enters, self.enters.words());
        say(
            self.low != other.low,
            format!("the smallest scale but that of zeros is {:#04x}", self.low),
        );
        say(
            self.overflows != other.overflows,
            "a largest magnitude that rounds to 2^128 has the scale NaN".into(),
        );
        say(self.zero != other.zero, format!("a block of zeros has the scale {:#04x}", self.zero));
        say(self.infinity != other.infinity, format!("infinity gives {:#04x}", self.infinity));
        let nan = match self.nan {
            NanScale::Code(code) => format!("NaN gives {code:#04x}"),
            NanScale::Dropped => "a NaN does not enter the largest magnitude".into(),
        };
        say(self.nan != other.nan, nan);
        if let Some(element) = self.nan_element {
            say(shows_nan && other.nan_element != Some(element), element.words().into());
        }
        say(self.number != other.number, self.number.words("each number"));
        say(self.lowest != other.lowest, self.lowest.words().into());
        let quotient = self.quotient.map_or("as it is", |dtype| dtype.name());
        say(self.quotient != other.quotient, format!("quotients are rounded to {quotient} first"));
        say(self.ties != other.ties, self.ties.words().into());
        say(self.overflow != other.overflow, self.overflow.words().into());
        say(self.flushes != other.flushes, "subnormal elements are flushed to zero".into());
        say(self.unsigned_zero != other.unsigned_zero, "zeros lose their sign".into());
        said
    }
}

impl StepMethod {
    /// Says what this method does otherwise than another one, a phrase for each axis.
    pub fn words(&self, other: &StepMethod) -> Vec<String> {
        let mut said: Vec<String> = Vec::new();
        let mut say = |differs: bool, words: String| {
            if differs {
                said.push(words);
            }
        };
        say(self.steps != other.steps, format!("steps as {}", self.steps.name()));
        say(self.plain != other.plain, "the scale of the tensor is left out".into());
        say(self.read != other.read, self.read.words("each number"));
        say(self.flushes != other.flushes, "a subnormal scale is stored as zero".into());
        let zero = self.zero.unwrap_or_default();
        say(self.zero != other.zero, format!("a block of zeros has the scale {zero:#04x}"));
        said
    }
}

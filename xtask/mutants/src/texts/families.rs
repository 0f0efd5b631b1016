//! Families of faults of numerals. Each function draws the parameters of one fault.

use castproof::fuzz::Random;
use castproof_vectors::{DType, DTypeClass};

type OnText = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// A fault of a reader or a writer of numerals.
pub(super) struct Fault {
    pub(super) name: String,
    /// Of which texts is the element wrong? Of a writer: which right texts are written otherwise?
    pub(super) on_text: OnText,
    /// A writer of so many significant digits.
    pub(super) digits: Option<usize>,
    /// A text of which the element is wrong.
    pub(super) example: Option<String>,
}

type Draws = fn((DType, DType), &mut Random) -> Option<Fault>;

pub(super) const FAMILIES: [(&str, Draws); 10] = [
    ("octal", octal),
    ("zeros in front", zeros_in_front),
    ("integers of one length", length),
    ("zeros at the end", zeros_at_the_end),
    ("a point at an end", point),
    ("spelling of an exponent", exponent),
    ("negative zero", negative_zero),
    ("too small", too_small),
    ("digits that are read", digits_read),
    ("digits that are written", digits_written),
];

fn fault(
    name: String,
    example: String,
    on_text: impl Fn(&str) -> bool + Send + Sync + 'static,
) -> Option<Fault> {
    Some(Fault { name, on_text: Box::new(on_text), digits: None, example: Some(example) })
}

fn is_integer((from, to): (DType, DType)) -> bool {
    from == DType::String && matches!(to.class(), DTypeClass::Integer { .. })
}

fn is_real((from, to): (DType, DType)) -> bool {
    from == DType::String && to.is_float()
}

fn magnitude(text: &str) -> &str {
    text.trim_start_matches(['+', '-'])
}

fn leading_zeros(text: &str) -> usize {
    let text = magnitude(text);
    let zeros = text.bytes().take_while(|byte| *byte == b'0').count();
    zeros.min(text.len().saturating_sub(1))
}

fn octal(pair: (DType, DType), _: &mut Random) -> Option<Fault> {
    let is_octal = |text: &str| {
        let digits = magnitude(text).trim_start_matches('0');
        leading_zeros(text) > 0
            && digits.len() > 1
            && digits.bytes().all(|it| (b'0'..b'8').contains(&it))
    };
    (is_integer(pair) && pair.1.bits() >= 8)
        .then(|| fault("a leading zero means octal".into(), "010".into(), is_octal))?
}

fn zeros_in_front(pair: (DType, DType), random: &mut Random) -> Option<Fault> {
    let least = 5 + random.below(36);
    let example = format!("{}1", "0".repeat(least));
    let on = move |text: &str| leading_zeros(text) >= least;
    (is_integer(pair) || is_real(pair))
        .then(|| fault(format!("{least} and more zeros in front"), example, on))?
}

fn length(pair: (DType, DType), random: &mut Random) -> Option<Fault> {
    let bits = pair.1.bits() - u32::from(pair.1.is_signed());
    let most = ((1_u128 << bits) - 1).to_string().len();
    let length = 1 + random.below(most);
    let is_negative = pair.1.is_signed() && random.below(2) == 1;
    let sign = if is_negative { "-" } else { "" };
    let example = format!("{sign}1{}", "0".repeat(length - 1));
    let on = move |text: &str| {
        let digits = magnitude(text).trim_start_matches('0');
        digits.len() == length && text.starts_with('-') == is_negative
    };
    is_integer(pair).then(|| fault(format!("{sign}{length} digits"), example, on))?
}

fn zeros_at_the_end(pair: (DType, DType), random: &mut Random) -> Option<Fault> {
    let least = 5 + random.below(36);
    let example = format!("1.5{}", "0".repeat(least));
    let on = move |text: &str| {
        text.contains('.') && text.len() - text.trim_end_matches('0').len() >= least
    };
    is_real(pair).then(|| fault(format!("{least} and more zeros at the end"), example, on))?
}

fn point(pair: (DType, DType), random: &mut Random) -> Option<Fault> {
    let at_end = random.below(2) == 0;
    let is_negative = random.below(2) == 0;
    let sign = if is_negative { "-" } else { "" };
    let example = format!("{sign}{}", if at_end { "5." } else { ".5" });
    let on = move |text: &str| {
        let is = if at_end { text.ends_with('.') } else { magnitude(text).starts_with('.') };
        is && text.starts_with('-') == is_negative
    };
    let place = if at_end { "end" } else { "start" };
    is_real(pair).then(|| fault(format!("{sign}a point at the {place}"), example, on))?
}

fn exponent(pair: (DType, DType), random: &mut Random) -> Option<Fault> {
    let spelling = *random.one_of(&["e+", "E+", "e-", "E-", "E"]);
    let example = format!("1.5{spelling}0");
    let on = move |text: &str| text.contains(spelling);
    is_real(pair).then(|| fault(format!("an exponent with {spelling}"), example, on))?
}

/// A spelling, and whether a numeral is in it.
type Spelling = (&'static str, fn(&str) -> bool);

/// Spellings of a negative zero.
const ZEROS: [Spelling; 3] = [
    ("without a point", |text| !text.contains('.') && !text.contains(['e', 'E'])),
    ("with a point", |text| text.contains('.')),
    ("with an exponent", |text| text.contains(['e', 'E'])),
];

fn negative_zero(pair: (DType, DType), random: &mut Random) -> Option<Fault> {
    let (name, has) = *random.one_of(&ZEROS);
    let on = move |text: &str| {
        let digits = text.split(['e', 'E']).next().unwrap_or(text);
        let is_zero = !digits.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
        text.starts_with('-') && digits.contains('0') && is_zero && has(text)
    };
    is_real(pair).then(|| fault(format!("-0 {name}"), "-0".into(), on))?
}

fn too_small(pair: (DType, DType), random: &mut Random) -> Option<Fault> {
    let is_negative = random.below(2) == 0;
    let least = 330 + random.below(600);
    let sign = if is_negative { "-" } else { "" };
    let on = move |text: &str| {
        let exponent = text.split(['e', 'E']).nth(1).and_then(|it| it.parse::<i64>().ok());
        text.starts_with('-') == is_negative && exponent.is_some_and(|it| it < -(least as i64))
    };
    let example = format!("{sign}1e-{}", least + 1);
    is_real(pair).then(|| fault(format!("{sign}exponents below -{least}"), example, on))?
}

fn digits_read(pair: (DType, DType), random: &mut Random) -> Option<Fault> {
    let least = 18 + random.below(20);
    let example = format!("1.{}", "3".repeat(least));
    let on = move |text: &str| {
        let digits = text.split(['e', 'E']).next().unwrap_or(text);
        let digits = digits.bytes().filter(u8::is_ascii_digit);
        digits.skip_while(|it| *it == b'0').count() >= least
    };
    is_real(pair).then(|| fault(format!("{least} and more digits"), example, on))?
}

fn digits_written((from, to): (DType, DType), random: &mut Random) -> Option<Fault> {
    let most = match from {
        DType::Float64 => 14 + random.below(3),
        DType::Float32 => 6 + random.below(3),
        DType::Float16 => 3 + random.below(2),
        DType::Bfloat16 => 2 + random.below(2),
        _ => return None,
    };
    let name = format!("{most} digits are written");
    (to == DType::String).then(|| Fault {
        name,
        on_text: Box::new(|_| true),
        digits: Some(most),
        example: None,
    })
}

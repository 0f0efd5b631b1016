//! The end of a script whose output is a text.

use super::case::Case;
use super::literal::python;
use castproof_check::numeral;
use castproof_vectors::{DType, DTypeClass, Element, Notation};

/// Returns the end of the script: it prints what came back and what is due, and exits with 1 unless the text is
/// right. `due` is a literal of Python.
pub(super) fn verdict(case: &Case, due: &str) -> String {
    let right = case.right_texts();
    let listed: Vec<String> = right.listed.iter().map(|text| python(text)).collect();
    let listed = format!("got in [{}]", listed.join(", "));
    let (reader, is_right) = match right.read_back {
        _ if right.any => (String::new(), "isinstance(got, str)".into()),
        None => (String::new(), listed),
        Some(notation) => (reader(case, notation), format!("{listed} or reads_back(got)")),
    };
    format!(
        "{reader}\ngot = cast()\nprint(\"got\", ascii(got), \"expected\", {due})\nsys.exit(not ({is_right}))\n"
    )
}

/// Returns the function that says whether a text is a numeral in this notation and is read back as the input.
fn reader(case: &Case, notation: Notation) -> String {
    let exponent = match notation {
        Notation::Plain => "",
        // No dtype goes as far as more digits do.
        Notation::Any => "([eE][+-]?[0-9]{1,5})?",
    };
    format!(
        "\nimport fractions, re\n\n\ndef reads_back(text):\n    \
         if not re.fullmatch(r\"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+){exponent}\", text):\n        \
         return False\n    \
         number = fractions.Fraction(text)\n    \
         return {}\n",
        condition(case.from, &case.input)
    )
}

/// Returns the condition under which `number`, spelled `text`, is read as the input: an integer's value, or what
/// is nearest to a float.
fn condition(from: DType, input: &Element) -> String {
    let Element::Code(code) = input else { return "False".into() };
    let code = code.value();
    let exact = |value: f64| format!("fractions.Fraction({value:?})");
    if !from.is_float() {
        return format!("number == {}", numeral::decimal(from, code));
    }
    let sign = if from.is_signed() { 1 << (from.bits() - 1) } else { 0 };
    let (negative, magnitude) = (code & sign != 0, code & !sign);
    let value = |code| numeral::value(from, code).filter(|value| value.is_finite());
    let (Some(number), below) = (value(magnitude), magnitude.checked_sub(1).and_then(value)) else {
        return "False".into();
    };
    let spelled = if negative { "text[0] == \"-\"" } else { "text[0] != \"-\"" };
    if from.class() == DTypeClass::PowerOfTwo {
        // Without a significand, whose last bit would decide ties.
        let number = exact(number);
        return format!("{spelled} and {number} * 3 / 4 < number < {number} * 3 / 2");
    }
    // Beyond the largest number stands one step more, to which nothing may be rounded.
    let above = match (value(magnitude + 1), below) {
        (Some(above), _) => exact(above),
        (None, Some(below)) => format!("({} * 2 - {})", exact(number), exact(below)),
        (None, None) => return "False".into(),
    };
    let low =
        below.map_or("0".into(), |below| format!("({} + {}) / 2", exact(below), exact(number)));
    let high = format!("({} + {above}) / 2", exact(number));
    // Ties go to the even code.
    let less = if magnitude % 2 == 0 { "<=" } else { "<" };
    format!("{spelled} and {low} {less} abs(number) {less} {high}")
}

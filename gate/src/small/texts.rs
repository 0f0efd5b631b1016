//! Small files as text.

use super::form::{Head, SmallForm};
use super::value::{Value, lines};
use castproof_vectors::{DType, Request, Spec};
use std::fmt::Write;

/// So many words stand on a line of an array.
const ON_A_LINE: usize = 8;

/// The names of the columns of CSV.
pub(crate) const COLUMNS: &str = "input,expected,first,last,first2,last2";

/// What is right, in the words of every form.
const RIGHT: &str = "A result is right from the first code of its row to the second, or from the third to the fourth.";

/// Returns the file.
pub(crate) fn text(form: SmallForm, request: &Request, head: &Head, values: &[Value]) -> String {
    match form {
        SmallForm::Csv | SmallForm::Npz => csv(request, head, values),
        SmallForm::Json => json(request, head, values),
        SmallForm::C => c(request, head, values),
        SmallForm::Cpp => cpp(request, head, values),
        SmallForm::Rust => rust(request, head, values),
        SmallForm::Js => js(request, head, values),
        SmallForm::Go => go(request, head, values),
        SmallForm::TestFloat => test_float(request, head, values),
    }
}

fn csv(request: &Request, head: &Head, values: &[Value]) -> String {
    format!(
        "{}# Codes are in hex. A result is right from first to last, or from first2 to last2.\n{COLUMNS}\n{}",
        head.comment("#"),
        lines(request, values)
    )
}

fn json(request: &Request, head: &Head, values: &[Value]) -> String {
    let quoted = |text: &str| format!("\"{text}\"");
    let mut text = "{\n".to_string();
    for (name, member) in [
        ("castproof", &head.title),
        ("licence", &head.licence),
        ("share", &head.share),
        ("leftOut", &head.left_out),
        ("sha256OfCsv", &head.digest),
        ("madeBy", &head.command),
        ("rule", &RIGHT.to_string()),
    ] {
        if !member.is_empty() {
            let _ = writeln!(text, "  {}: {},", quoted(name), quoted(member));
        }
    }
    let columns = columns(request, values, &|code| quoted(&code));
    let _ = write!(
        text,
        "  \"input\": [\n{}  ],\n  \"expected\": [\n{}  ],\n  \"right\": [\n{}  ]\n}}\n",
        listed(&columns.input, "    ", ""),
        listed(&columns.expected, "    ", ""),
        rows(&columns.right, "    ", ['[', ']'], "")
    );
    text
}

fn c(request: &Request, head: &Head, values: &[Value]) -> String {
    let name = format!("castproof_{}", snake(request));
    let (input, output) = (c_type(request.from), c_type(request.to));
    let columns = columns(request, values, &|code| code);
    format!(
        "{head}// clang-format off\n\
         //\n\
         //     for (unsigned i = 0; i < {name}_count; i++) {{\n\
         //         {output} got = my_kernel({name}_input[i]); // codes, not numbers\n\
         //         if (!{name}_is_right(i, got)) {{\n\
         //             printf(\"%u: %llx, expected %llx\\n\", i, (unsigned long long)got,\n\
         //                    (unsigned long long){name}_expected[i]);\n\
         //             failed = 1;\n\
         //         }}\n\
         //     }}\n\
         #pragma once\n\
         #include <stdint.h>\n\n\
         enum {{ {name}_count = {count} }};\n\n\
         static const {input} {name}_input[{count}] = {{\n{inputs}}};\n\n\
         static const {output} {name}_expected[{count}] = {{\n{expected}}};\n\n\
         // {RIGHT}\n\
         static const {output} {name}_right[{count}][4] = {{\n{right}}};\n\n\
         static inline int {name}_is_right(unsigned i, {output} got) {{\n    \
             const {output} *right = {name}_right[i];\n    \
             return (right[0] <= got && got <= right[1]) || (right[2] <= got && got <= right[3]);\n\
         }}\n",
        head = head.comment("//"),
        count = values.len(),
        inputs = listed(&columns.input, "    ", ","),
        expected = listed(&columns.expected, "    ", ","),
        right = rows(&columns.right, "    ", ['{', '}'], ","),
    )
}

fn cpp(request: &Request, head: &Head, values: &[Value]) -> String {
    let (input, output) = (c_type(request.from), c_type(request.to));
    let columns = columns(request, values, &|code| code);
    format!(
        "{head}// clang-format off\n\
         #pragma once\n\
         #include <cstddef>\n\
         #include <cstdint>\n\n\
         namespace castproof::{name} {{\n\n\
         inline constexpr std::size_t count = {count};\n\n\
         inline constexpr std::{input} input[count] = {{\n{inputs}}};\n\n\
         inline constexpr std::{output} expected[count] = {{\n{expected}}};\n\n\
         // {RIGHT}\n\
         inline constexpr std::{output} right[count][4] = {{\n{right}}};\n\n\
         constexpr bool is_right(std::size_t i, std::{output} got) {{\n    \
             return (right[i][0] <= got && got <= right[i][1]) || (right[i][2] <= got && got <= right[i][3]);\n\
         }}\n\n\
         }} // namespace castproof::{name}\n",
        head = head.comment("//"),
        name = snake(request),
        count = values.len(),
        inputs = listed(&columns.input, "    ", ","),
        expected = listed(&columns.expected, "    ", ","),
        right = rows(&columns.right, "    ", ['{', '}'], ","),
    )
}

fn rust(request: &Request, head: &Head, values: &[Value]) -> String {
    let of = |dtype: DType| format!("u{}", width(dtype));
    let (input, output) = (of(request.from), of(request.to));
    let columns = columns(request, values, &|code| code);
    format!(
        "{head}\n\
         #[allow(dead_code)]\n#[rustfmt::skip]\n\
         pub const INPUT: &[{input}] = &[\n{inputs}];\n\n\
         #[allow(dead_code)]\n#[rustfmt::skip]\n\
         pub const EXPECTED: &[{output}] = &[\n{expected}];\n\n\
         /// {RIGHT}\n\
         #[allow(dead_code)]\n#[rustfmt::skip]\n\
         pub const RIGHT: &[[{output}; 4]] = &[\n{right}];\n\n\
         /// Is this result of `INPUT[place]` right?\n\
         #[allow(dead_code)]\n\
         pub fn is_right(place: usize, got: {output}) -> bool {{\n    \
             let [first, last, first2, last2] = RIGHT[place];\n    \
             (first..=last).contains(&got) || (first2..=last2).contains(&got)\n\
         }}\n",
        head = head.comment("//"),
        inputs = listed(&columns.input, "    ", ","),
        expected = listed(&columns.expected, "    ", ","),
        right = rows(&columns.right, "    ", ['[', ']'], ","),
    )
}

fn js(request: &Request, head: &Head, values: &[Value]) -> String {
    let array = |dtype: DType| match width(dtype) {
        64 => "BigUint64Array".to_string(),
        width => format!("Uint{width}Array"),
    };
    let columns = Columns {
        input: column(values, |it| literal(request.from, it.input)),
        expected: column(values, |it| literal(request.to, it.expected)),
        right: values.iter().map(|it| ends(it).map(|code| literal(request.to, code))).collect(),
    };
    format!(
        "{head}\n\
         export const input = new {}([\n{}]);\n\n\
         export const expected = new {}([\n{}]);\n\n\
         // {RIGHT}\n\
         export const right = [\n{}];\n\n\
         /** Is this code a right result of `input[place]`? */\n\
         export function isRight(place, got) {{\n  \
             const [first, last, first2, last2] = right[place];\n  \
             return (first <= got && got <= last) || (first2 <= got && got <= last2);\n\
         }}\n",
        array(request.from),
        listed(&columns.input, "  ", ","),
        array(request.to),
        listed(&columns.expected, "  ", ","),
        rows(&columns.right, "  ", ['[', ']'], ","),
        head = head.comment("//"),
    )
}

/// A literal of JavaScript. Numbers of more than 53 bits are of another type there.
fn literal(dtype: DType, code: u64) -> String {
    let end = if width(dtype) == 64 { "n" } else { "" };
    format!("{}{end}", dtype.hex(code))
}

fn go(request: &Request, head: &Head, values: &[Value]) -> String {
    let of = |dtype: DType| format!("uint{}", width(dtype));
    let (input, output, name) = (of(request.from), of(request.to), camel(request));
    let columns = columns(request, values, &|code| code);
    format!(
        "// Code generated by Castproof; DO NOT EDIT.\n//\n{head}\n\
         package castvectors\n\n\
         // {name}Input holds the codes of the inputs.\n\
         var {name}Input = []{input}{{\n{inputs}}}\n\n\
         // {name}Expected holds the code that is expected of each input.\n\
         var {name}Expected = []{output}{{\n{expected}}}\n\n\
         // {name}Right says what is right.\n\
         // {RIGHT}\n\
         var {name}Right = [][4]{output}{{\n{right}}}\n\n\
         // {name}IsRight says whether this code is a right result of {name}Input[i].\n\
         func {name}IsRight(i int, got {output}) bool {{\n\
         \tright := {name}Right[i]\n\
         \treturn (right[0] <= got && got <= right[1]) || (right[2] <= got && got <= right[3])\n\
         }}\n",
        head = head.comment("//"),
        inputs = listed(&columns.input, "\t", ","),
        expected = listed(&columns.expected, "\t", ","),
        right = rows(&columns.right, "\t", ['{', '}'], ","),
    )
}

fn test_float(request: &Request, head: &Head, values: &[Value]) -> String {
    let word = |dtype: DType, code: u64| dtype.hex(code)[2..].to_uppercase();
    let mut text = head.comment("#");
    text +=
        "# Input and expected code, as testfloat_gen prints them, without its exception flags.\n";
    for value in values {
        let (input, expected) = (word(request.from, value.input), word(request.to, value.expected));
        let _ = writeln!(text, "{input} {expected}");
    }
    text
}

/// The words of a file that has an array for each column.
struct Columns {
    input: Vec<String>,
    expected: Vec<String>,
    right: Vec<[String; 4]>,
}

fn columns(request: &Request, values: &[Value], written: &dyn Fn(String) -> String) -> Columns {
    let of = |code: u64| written(request.to.hex(code));
    Columns {
        input: column(values, |it| written(request.from.hex(it.input))),
        expected: column(values, |it| of(it.expected)),
        right: values.iter().map(|it| ends(it).map(of)).collect(),
    }
}

fn column(values: &[Value], word: impl Fn(&Value) -> String) -> Vec<String> {
    values.iter().map(word).collect()
}

fn ends(value: &Value) -> [u64; 4] {
    let [[a, b], [c, d]] = value.right;
    [a, b, c, d]
}

/// Lines of words; the last word is followed by `end`.
fn listed(words: &[String], indent: &str, end: &str) -> String {
    let lines: Vec<String> =
        words.chunks(ON_A_LINE).map(|line| format!("{indent}{}", line.join(", "))).collect();
    format!("{}{end}\n", lines.join(",\n"))
}

fn rows(rows: &[[String; 4]], indent: &str, [open, close]: [char; 2], end: &str) -> String {
    let lines: Vec<String> =
        rows.iter().map(|row| format!("{indent}{open}{}{close}", row.join(", "))).collect();
    format!("{}{end}\n", lines.join(",\n"))
}

/// The width of the unsigned integer that holds a code.
pub(crate) fn width(dtype: DType) -> u32 {
    dtype.bits().next_power_of_two().max(8)
}

fn c_type(dtype: DType) -> String {
    format!("uint{}_t", width(dtype))
}

/// The parts of a name: what is cast, without the version, so that code need not change with it.
fn parts(request: &Request) -> Vec<String> {
    let family = match request.spec {
        Spec::Onnx { .. } if request.spec == Spec::cast(request.spec.opset().unwrap_or(0)) => None,
        other => Some(other.family().replace("onnx-", "")),
    };
    let attributes = request.attributes;
    let saturate = attributes.saturate.map(|on| format!("saturate{}", u8::from(on)));
    let mode = attributes.round_mode.map(|mode| format!("round_{}", mode.name()));
    let names = [request.from.to_string(), request.to.to_string()];
    let parts = names.into_iter().chain(family).chain(saturate).chain(mode);
    parts.map(|part| part.replace(['-', '.'], "_")).collect()
}

/// `float32_float8e4m3fn_saturate0`
fn snake(request: &Request) -> String {
    parts(request).join("_")
}

/// `Float32Float8e4m3fnSaturate0`
fn camel(request: &Request) -> String {
    let upper = |part: &str| part[..1].to_uppercase() + &part[1..];
    parts(request).iter().flat_map(|part| part.split('_').map(upper).collect::<Vec<_>>()).collect()
}

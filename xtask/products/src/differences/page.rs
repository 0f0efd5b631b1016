//! The page: a table of well-known inputs, then a table for each two specifications.

use super::asked::Asked;
use super::classes::{Class, Section};
use castproof_check::verdict::thousands;
use castproof_check::words;
use castproof_oracle::Caster;
use castproof_vectors::{Attributes, DType, Outcome, RuleId};
use std::fmt::Write as _;

const HEAD: &str = "\
# Where specifications differ

You have two libraries that disagree on one input, and want to know which specification each of them follows.

Two specifications can both define a result, and the results can exclude each other. This page lists every class of inputs
for which that is so: the newest version of ONNX Cast and all [profiles](profiles.md), two by two. Those that have attributes are
compared twice, without them and with others: without saturation, and with round mode nearest, or down where there is no nearest. What
one of them leaves open is no difference. The book has the answers from which the page is computed; `cargo xtask generate differences` writes it.
`castproof diff-spec` compares any two specifications and shows the statements of the rules. [The page of answers](expect.md#a-page) has
the tables below with filters: `castproof explore differ`.

## The inputs that are asked about most

An empty cell means that the specification has no such cast, *open* that it does not say what comes out.

";

const SECTIONS: &str = "
## Two by two

A row is a class: the inputs that one rule decides in the first specification and another one in the second. It has an input of
the class with the result in each, then the [rules](rules.md), the number of pairs of dtypes, and the exact number of
codes of the sources of these pairs for which the results differ.
";

/// The inputs of the first table.
const INPUTS: [(&str, DType, u64, DType); 16] = [
    ("NaN", DType::Float32, 0x7fc0_0000, DType::Int8),
    ("NaN", DType::Float32, 0x7fc0_0000, DType::Int32),
    ("NaN", DType::Float32, 0x7fc0_0000, DType::Uint32),
    ("NaN", DType::Float32, 0x7fc0_0000, DType::Int64),
    ("infinity", DType::Float32, 0x7f80_0000, DType::Int32),
    ("3e9", DType::Float32, 0x4f32_d05e, DType::Int32),
    ("300", DType::Float32, 0x4396_0000, DType::Uint8),
    ("-1", DType::Float32, 0xbf80_0000, DType::Uint8),
    ("-1", DType::Float32, 0xbf80_0000, DType::Uint32),
    ("3.75", DType::Float32, 0x4070_0000, DType::Int4),
    ("1e9", DType::Float32, 0x4e6e_6b28, DType::Float8E4M3FN),
    ("infinity", DType::Float32, 0x7f80_0000, DType::Float8E5M2),
    ("NaN", DType::Float32, 0x7fc0_0000, DType::Float4E2M1),
    ("0", DType::Float32, 0, DType::Float8E8M0),
    ("-1", DType::Float32, 0xbf80_0000, DType::Float8E8M0),
    ("1 + 2^-4 + 2^-52", DType::Float64, 0x3ff1_0000_0000_0001, DType::Float8E4M3FN),
];

/// Writes the page.
pub(super) fn text(all: &[Asked], sections: &[Section]) -> Result<String, String> {
    let mut text = HEAD.to_string();
    inputs(&mut text, all)?;
    text.push_str(SECTIONS);
    let mut same = Vec::new();
    for section in sections {
        let [one, other] = &section.names;
        match (section.pairs, section.classes.is_empty()) {
            (0, _) => {}
            (_, true) => same.push(format!("{one} and {other}")),
            (_, false) => write_section(&mut text, section).map_err(|error| error.to_string())?,
        }
    }
    if !same.is_empty() {
        let same: Vec<String> = same.iter().map(|pair| format!("- {pair}\n")).collect();
        let head = "\n### No difference\n\nWhat both define is the same:\n\n";
        text.push_str(&format!("{head}{}", same.concat()));
    }
    Ok(text)
}

/// The first table: a row for each input.
fn inputs(text: &mut String, all: &[Asked]) -> Result<(), String> {
    let failed = |error: std::fmt::Error| error.to_string();
    let names: Vec<String> = all.iter().map(Asked::name).collect();
    writeln!(text, "| input | {} |", names.join(" | ")).map_err(failed)?;
    writeln!(text, "|---|{}", "---|".repeat(names.len())).map_err(failed)?;
    for (name, from, code, to) in INPUTS {
        let cells = all.iter().map(|asked| cell(asked, (from, to), code));
        let cells: Vec<String> = cells.collect::<Result<_, String>>()?;
        writeln!(text, "| {name} {from} to {to} | {} |", cells.join(" | ")).map_err(failed)?;
    }
    Ok(())
}

fn cell(asked: &Asked, pair: (DType, DType), code: u64) -> Result<String, String> {
    let Some(request) = asked.request(pair) else { return Ok(String::new()) };
    let caster = Caster::new(&request).map_err(|error| error.to_string())?;
    let answer = caster.cast(code).map_err(|error| error.to_string())?;
    Ok(match answer.expect {
        Outcome::Reject if caster.is_refused() => String::new(),
        Outcome::Reject => "*traps*".into(),
        Outcome::Any => "*open*".into(),
        outcome => words::outcome(pair.1, &outcome),
    })
}

fn write_section(text: &mut String, section: &Section) -> std::fmt::Result {
    let [one, other] = &section.names;
    let pairs = section.pairs;
    writeln!(text, "\n### {one} and {other}\n\nPairs of dtypes that both cast: {pairs}\n")?;
    writeln!(text, "| input | {one} | {other} | rules | pairs | codes |")?;
    writeln!(text, "|---|---|---|---|---|---|")?;
    let mut classes: Vec<(&[RuleId; 2], &Class)> = section.classes.iter().collect();
    classes.sort_by_key(|(_, class)| std::cmp::Reverse(class.pairs.len()));
    for ([rule, other_rule], class) in classes {
        let (from, to) = class.pairs[0];
        let input = words::value(from, class.example.code);
        let [result, other] =
            class.example.answers.each_ref().map(|answer| words::outcome(to, &answer.expect));
        let (pairs, codes) = (class.pairs.len(), thousands(class.codes));
        write!(text, "| {from} {input} to {to} | {result} | {other} ")?;
        writeln!(text, "| {rule}, {other_rule} | {pairs} | {codes} |")?;
    }
    Ok(())
}

impl Asked {
    /// How the page calls it.
    pub(super) fn name(&self) -> String {
        let Attributes { saturate, round_mode } = self.attributes;
        let attributes: Vec<String> = [
            saturate.map(|on| format!("saturate {}", u8::from(on))),
            round_mode.map(|mode| format!("round mode {}", mode.name())),
        ]
        .into_iter()
        .flatten()
        .collect();
        match attributes.is_empty() {
            true => format!("`{}`", self.spec),
            false => format!("`{}`, {}", self.spec, attributes.join(", ")),
        }
    }
}

//! Compares gfloat with the formats of IEEE P3109 (a draft) and their projections.

use castproof_formats::{
    Edition, Format, Projection, RandomBits, Rounding, Saturation, Specials, Value, decode, project,
};
use castproof_oracle::read_wide;
use castproof_products::blocks::install_package;
use castproof_products::repository::vectors_crate;
use castproof_vectors::{AnswerRecord, Outcome, Question, QuestionFile};
use std::process::Command;

/// Codes that gfloat decodes, and numbers that it projects. Fewer would be a check that sees less.
const DUE: (usize, usize) = (151_536, 406_052);

/// Where gfloat differs from both editions: format, saturation, number, what it gives. Its rounding knows no negative number of an
/// unsigned format: it refuses -1, or makes NaN of it although it saturates, and loses the sign of -Inf.
const DEVIATIONS: [(&str, &str, &str, &str); 6] = [
    ("binary8p4ue", "finite", "-0x1.0000000000000p+0", "error"),
    ("binary8p4ue", "finite", "-inf", "fd"),
    ("binary8p4ue", "none", "-0x1.0000000000000p+0", "error"),
    ("binary8p4ue", "none", "-inf", "fe"),
    ("binary8p4uf", "finite", "-0x1.0000000000000p+0", "ff"),
    ("binary8p4uf", "finite", "-inf", "fe"),
];

/// What was compared.
#[derive(Default)]
struct Seen {
    decoded: usize,
    projected: usize,
    /// Numbers that the interim report gives another code than gfloat and the later edition do.
    of_report: usize,
    known: [usize; DEVIATIONS.len()],
}

/// Runs gfloat and compares it.
///
/// # Errors
/// If it cannot be run, or gives something else.
pub(crate) fn witness() -> Result<String, String> {
    let python = install_package("gfloat")?;
    let mut seen = Seen::default();
    for line in said(&python, &["witnesses/gfloat_formats.py"])?.lines() {
        judge(line, &mut seen)?;
    }
    let vectors = said(&python, &["witnesses/gfloat_projections.py", PROJECTIONS])?;
    let path = root().join(PROJECTIONS);
    let file = std::fs::read_to_string(&path).map_err(|error| format!("{PROJECTIONS}: {error}"))?;
    let file = QuestionFile::parse(&file).map_err(|error| format!("{PROJECTIONS}: {error}"))?;
    let vectors = judge_vectors(&file, &vectors)?;
    let Seen { decoded, projected, of_report, known } = seen;
    if (decoded, projected) != DUE || known.contains(&0) {
        return Err(format!(
            "gfloat: {decoded} codes and {projected} numbers, due are {DUE:?}; of the known deviations {known:?} were seen"
        ));
    }
    Ok(format!(
        "gfloat 0.5.2: {decoded} codes and {projected} projected numbers compared, {} of them of a known deviation, no other difference from \
         p3109-july-2026; p3109-4.0 gives {of_report} other codes, all of finite domains without saturation; {vectors}",
        known.iter().sum::<usize>()
    ))
}

/// The vectors that gfloat answers, below the root of the repository.
const PROJECTIONS: &str = "vectors/data/suites/projections.json";

/// Fewest codes of vectors that gfloat answers.
const LEAST: usize = 9_000;

fn root() -> std::path::PathBuf {
    vectors_crate().parent().map(std::path::Path::to_path_buf).unwrap_or_default()
}

/// Runs a program of Python. Returns what it prints.
fn said(python: &std::path::Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(python).args(arguments).current_dir(root()).output();
    let output = output.map_err(|error| format!("gfloat: {error}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(format!("gfloat: {}", text.lines().last().unwrap_or_default()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Compares what gfloat gives for vectors, a line for each test. It refuses what is beyond the largest number of a format without NaN and
/// infinity, where that does not saturate, and nothing else.
fn judge_vectors(file: &QuestionFile, lines: &str) -> Result<String, String> {
    let (mut same, mut refused) = (0, 0);
    for line in lines.lines() {
        let mut words = line.split(' ');
        let id = words.next().unwrap_or_default();
        let found =
            file.tests.iter().find(|test| test.id == id).map(|test| (&test.ask, &test.expect));
        let Some((Question::Project(ask), AnswerRecord::Projected(due))) = found else {
            return Err(format!("gfloat: no test {id}"));
        };
        let (to, due) = (Format::named(&ask.to)?, due.codes.due());
        let words: Vec<&str> = words.collect();
        if words.len() != due.len() {
            return Err(format!("gfloat: {} codes for test {id}", words.len()));
        }
        for (place, (word, due)) in words.iter().zip(due).enumerate() {
            let got = u64::from_str_radix(word, 16).ok();
            let is_due = match (due, got) {
                (Outcome::Any, _) => continue,
                (Outcome::Code(code), Some(got)) => *code == got,
                (Outcome::AnyNan, Some(got)) => to.is_nan(got),
                _ => false,
            };
            let may_refuse = to.specials == Specials::None && ask.saturation == Saturation::None;
            match (is_due, got) {
                (true, _) => same += 1,
                (false, None) if may_refuse => refused += 1,
                _ => {
                    let code = ask.input.codes()[place];
                    return Err(format!(
                        "gfloat: {code:#x} by {}: {word}, due {due:?}",
                        ask.conversion()
                    ));
                }
            }
        }
    }
    if same < LEAST {
        return Err(format!("gfloat: {same} codes of vectors; at least {LEAST} are due"));
    }
    Ok(format!(
        "{same} codes of the suite projections are the same, and {refused} are refused, which formats without NaN do not hold"
    ))
}

/// Compares one line of witnesses/gfloat_formats.py.
fn judge(line: &str, seen: &mut Seen) -> Result<(), String> {
    let words: Vec<&str> = line.split(' ').collect();
    let named = |name: &str| Format::named(name);
    match words[..] {
        ["decode", name, ref values @ ..] => {
            let format = named(name)?;
            for (code, word) in (0..).zip(values) {
                let is_same = decode(&format, code).zip(read_wide(word)).is_some_and(alike);
                if !is_same {
                    return Err(format!("gfloat: {name} {code:#x} is {word} there"));
                }
                seen.decoded += 1;
            }
            Ok(())
        }
        ["project", name, rounding, saturation, count, random, ref pairs @ ..] => {
            let format = named(name)?;
            let projection = projection(rounding, saturation, count, random)?;
            pairs.iter().try_for_each(|pair| judge_pair(&format, &projection, pair, seen))
        }
        _ => Err(format!("gfloat: an unknown line {line}")),
    }
}

/// Reads a projection, in the later edition.
fn projection(
    rounding: &str,
    saturation: &str,
    count: &str,
    random: &str,
) -> Result<Projection, String> {
    let number =
        |text: &str| text.parse::<u32>().map_err(|error| format!("gfloat: {text}: {error}"));
    let mut roundings = Rounding::FIXED.to_vec();
    if count != "0" {
        let bits = RandomBits::new(number(count)?, number(random)?.into())?;
        roundings.extend(Rounding::stochastic(bits));
    }
    let rounding = roundings.into_iter().find(|it| it.name() == rounding);
    let saturation = Saturation::ALL.into_iter().find(|it| it.name() == saturation);
    match (rounding, saturation) {
        (Some(rounding), Some(saturation)) => {
            Ok(Projection { rounding, saturation, edition: Edition::July2026 })
        }
        _ => Err("gfloat: an unknown rounding or saturation".into()),
    }
}

/// Compares what one number becomes.
fn judge_pair(
    format: &Format,
    projection: &Projection,
    pair: &str,
    seen: &mut Seen,
) -> Result<(), String> {
    let (number, got) = pair.split_once(':').ok_or("gfloat: no code")?;
    let value = read_wide(number).ok_or_else(|| format!("gfloat: {number} is no number"))?;
    let due = |projection: &Projection| {
        project(&value, format, projection)
            .map(|code| format!("{code:x}"))
            .map_err(|it| it.to_string())
    };
    let (saturation, due_here) = (projection.saturation.name(), due(projection)?);
    let of_report = due(&Projection { edition: Edition::Report4, ..*projection })?;
    seen.projected += 1;
    let is_here = |it: &(&str, &str, &str, &str)| *it == (&format.name, saturation, number, got);
    if due_here == got {
        seen.of_report += usize::from(of_report != due_here);
    } else if let Some(place) = DEVIATIONS.iter().position(is_here) {
        seen.known[place] += 1;
    } else {
        let (name, rounding) = (&format.name, projection.rounding);
        return Err(format!(
            "gfloat: {number} to {name} by {rounding:?}, {saturation}: {got}, due {due_here}"
        ));
    }
    let may_differ = format.name.ends_with('f') && projection.saturation == Saturation::None;
    if of_report != due_here && !may_differ {
        return Err(format!("{number} to {}: the editions differ", format.name));
    }
    Ok(())
}

/// Are they the same value? A NaN is like any other.
fn alike((one, other): (Value, Value)) -> bool {
    one.number() == other.number()
        && match (&one, &other) {
            (Value::Infinite { negative }, Value::Infinite { negative: other }) => {
                negative == other
            }
            (Value::Nan { .. }, Value::Nan { .. })
            | (Value::Finite { .. }, Value::Finite { .. }) => true,
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_of_a_vector_that_differs_is_said() {
        let file = castproof_suites::questions(
            castproof_vectors::Suite::Projections,
            castproof_vectors::Level::Core,
        );
        let is_small = |it: &&castproof_vectors::QuestionTest| matches!(&it.ask, Question::Project(ask) if ask.to == "binary8p3se" && it.clause == "PJ-01");
        let test = file.tests.iter().find(is_small).expect("a test");
        let AnswerRecord::Projected(due) = &test.expect else { panic!("codes are due") };
        let right = format!("{} {}", test.id, String::from(due.codes.clone()));
        let said = |line: &str| judge_vectors(&file, line).expect_err("too few");
        // One right line is too few, and nothing else is wrong of it.
        assert!(said(&right).contains("at least 9000"), "{}", said(&right));
        let wrong = format!("{}f", &right[..right.len() - 1]);
        assert!(said(&wrong).contains("due Code"), "{}", said(&wrong));
        let refused = format!("{} error", &right[..right.rfind(' ').expect("codes")]);
        assert!(said(&refused).contains("error, due"), "{}", said(&refused));
        assert!(said("nothing 1").contains("no test nothing"));
        assert!(said(&test.id).contains("0 codes for test"));
    }

    #[test]
    fn only_a_known_deviation_is_excused() {
        let judged = |line: &str| {
            let mut seen = Seen::default();
            judge(line, &mut seen)
                .map(|()| (seen.decoded, seen.projected, seen.of_report, seen.known))
        };
        let none = [0; DEVIATIONS.len()];
        assert_eq!(
            judged(
                "decode binary3p2se 0x0.0p+0 0x1.0p-1 0x1.0p+0 inf nan -0x1.0p-1 -0x1.0p+0 -inf"
            ),
            Ok((8, 0, 0, none))
        );
        // 240 is midway; 256 is NaN by the later edition, and 240 by the report.
        assert_eq!(
            judged("project binary8p4sf nearest-even none 0 0 240:7f 256:80"),
            Ok((0, 2, 1, none))
        );
        assert_eq!(
            judged("project binary8p4ue nearest-even finite 0 0 -inf:fd"),
            Ok((0, 1, 0, [0, 1, 0, 0, 0, 0]))
        );
        for wrong in [
            "decode binary3p2se 0x0.0p+0 0x1.0p+0",
            "project binary8p4se nearest-even none 0 0 -inf:fd",
            "project binary8p4ue nearest-even finite 0 0 -inf:fe",
            "project binary8p4sf nearest-even none 0 0 256:7f",
            "project binary8p4se stochastic-a none 2 3 0x1.0p0:41",
            "nothing",
        ] {
            assert!(judged(wrong).is_err(), "{wrong}");
        }
    }
}

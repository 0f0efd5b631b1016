//! The findings, on one screen.

use castproof_check::verdict::{Verdict, counted, thousands};
use castproof_check::words;
use castproof_io::sink::path_word;
use castproof_io::style::Palette;
use castproof_results::diagnosis::{Cause, Diagnosis};
use castproof_results::finding::{Finding, Kind};
use castproof_vectors::{Attributes, DType, Suite};
use std::io::{self, Write};
use std::path::Path;

/// Characters of a line; `castproof show` shows longer lines whole.
const WIDTH: usize = 150;

/// Most characters of a reason on the first line of a finding, and fewest of its example.
const MOST_OF_REASON: usize = 90;
const LEAST_OF_EXAMPLE: usize = 40;

/// Most lines of a finding that is shown in full.
const IN_FULL: usize = 3;

/// How the findings are shown.
pub struct Screen<'a> {
    /// Most lines in all.
    pub lines: usize,
    /// Where the results are written, named in the commands that show more.
    pub results: Option<&'a Path>,
    /// What makes tolerated results fail, as the user of the run says it.
    pub strict: &'a str,
    /// What makes the run write results, as its user says it.
    pub writes: &'a str,
    /// Returns the command that reproduces a finding, if there is one.
    pub reproduce: &'a dyn Fn(&Finding, &Path) -> Option<String>,
    /// How it is coloured.
    pub palette: Palette,
}

/// Lists the findings that no baseline expects, the gravest first: as many as fit in full, the rest
/// on a line each, and refusals on a line for each version.
///
/// # Errors
/// If writing fails.
pub fn list(out: &mut dyn Write, findings: &[Finding], screen: &Screen<'_>) -> io::Result<()> {
    let new: Vec<&Finding> = findings.iter().filter(|finding| finding.is_new()).collect();
    if new.is_empty() {
        return Ok(());
    }
    let (refusals, others): (Vec<&Finding>, Vec<&Finding>) =
        new.iter().partition(|finding| finding.kind == Kind::Refusal);
    writeln!(out)?;
    let lines = screen.lines.max(2) - 1; // the last one says how to see more
    let refused = refusals.len().min(lines.saturating_sub(IN_FULL * others.len()).max(lines / 3));
    let room = lines - refused;
    let shown = others.len().min(room);
    // The first findings take the lines that the others leave.
    let full = (room - shown) / (IN_FULL - 1);
    for (index, finding) in others.iter().take(shown).enumerate() {
        writeln!(out, "{}", head(finding, screen.palette))?;
        if index < full {
            in_full(out, finding, screen)?;
        }
    }
    for finding in refusals.iter().take(refused) {
        writeln!(out, "{}", refusal(finding, screen.palette))?;
    }
    let left = new.len() - shown - refused;
    writeln!(out, "{}", screen.palette.faint(more(left, screen)))
}

/// Most notices that are printed.
const NOTICES: usize = 8;

/// Lists the notices, each with its example.
///
/// # Errors
/// If writing fails.
pub fn notices(out: &mut dyn Write, findings: &[Finding], screen: &Screen<'_>) -> io::Result<()> {
    let all: Vec<&Finding> = findings.iter().filter(|finding| finding.is_notice()).collect();
    if all.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nNotices, which fail nothing:")?;
    for notice in all.iter().take(NOTICES) {
        writeln!(out, "{}", head(notice, screen.palette))?;
        in_full(out, notice, screen)?;
    }
    match all.len().saturating_sub(NOTICES) {
        0 => Ok(()),
        left => writeln!(out, "{}", screen.palette.faint(format!("{left} more notices"))),
    }
}

/// Says how much is tolerated, and by which method it came: `218 tolerated results to float16: rounded through
/// float32`, with what makes them fail.
///
/// # Errors
/// If writing fails.
pub fn tolerated(
    out: &mut dyn Write,
    diagnoses: &[Diagnosis],
    screen: &Screen<'_>,
) -> io::Result<()> {
    for (index, (method, count, targets)) in methods(diagnoses).iter().enumerate() {
        let between = if index == 0 { "\n" } else { "" };
        let targets: Vec<&str> = targets.iter().map(|dtype| dtype.name()).collect();
        let targets = match targets.len() {
            ..=3 => targets.join(", "),
            many => format!("{many} dtypes"),
        };
        let results = if *count == 1 { "result" } else { "results" };
        writeln!(
            out,
            "{between}{} tolerated {results} to {targets}: {method} ({} makes them fail)",
            thousands(*count),
            screen.strict
        )?;
    }
    Ok(())
}

/// The methods of tolerated results, each with how many it explains and to which dtypes; last, what no method
/// explains.
fn methods(diagnoses: &[Diagnosis]) -> Vec<(String, u64, Vec<DType>)> {
    let mut methods: Vec<(String, u64, Vec<DType>)> = Vec::new();
    let mut add = |method: String, count: u64, to: DType| {
        if count == 0 {
            return;
        }
        let place = methods.iter().position(|(known, ..)| *known == method);
        let place = place.unwrap_or_else(|| {
            methods.push((method, 0, Vec::new()));
            methods.len() - 1
        });
        let (_, sum, targets) = &mut methods[place];
        *sum += count;
        if !targets.contains(&to) {
            targets.push(to);
        }
    };
    // What is asked of `CastLike` too counts once.
    let is_like = |it: &&Diagnosis| {
        let of_cast = |other: &Diagnosis| {
            other.suite == Suite::OnnxCast && (other.from, other.to) == (it.from, it.to)
        };
        it.suite == Suite::OnnxCastlike && diagnoses.iter().any(of_cast)
    };
    let tolerated = || {
        let all = diagnoses.iter().filter(|it| it.verdict == Verdict::Tolerated);
        all.filter(|it| !is_like(it))
    };
    for diagnosis in tolerated() {
        for cause in explains(diagnosis) {
            // `A, then: B` explains no more than A does.
            let more = format!("{}, then", cause.method);
            let others = cause.alternatives.iter().filter(|it| !it.starts_with(&more));
            let names: Vec<&str> =
                [&cause.method].into_iter().chain(others).map(String::as_str).collect();
            add(names.join(", or "), cause.reproduced, diagnosis.to);
        }
    }
    for diagnosis in tolerated() {
        let explained: u64 = explains(diagnosis).map(|cause| cause.reproduced).sum();
        let left = diagnosis.deviations.saturating_sub(explained);
        add("by no known method".into(), left, diagnosis.to);
    }
    methods
}

/// Returns the causes that no passing test contradicts.
fn explains(diagnosis: &Diagnosis) -> impl Iterator<Item = &Cause> {
    diagnosis.causes.iter().filter(|cause| cause.contradicted == 0)
}

/// `numeric  float32 -> bfloat16: 0x457f8000 (4088) gave 0x457f (4080), expected 0x4580 (4096): low half of the source
/// dropped  F-3383dd`: the value and the reason first, the id last.
fn head(finding: &Finding, palette: Palette) -> String {
    let kind = format!("{:<8}", finding.kind.name());
    let kind = if finding.is_notice() { kind } else { palette.bad(kind) };
    let place = finding.place();
    let text = if begins_with_example(finding) {
        let reason = cut(&finding.reason(), MOST_OF_REASON);
        let left = WIDTH.saturating_sub(place.chars().count() + reason.chars().count());
        format!("{}: {reason}", cut(&finding.example.sentence, left.max(LEAST_OF_EXAMPLE)))
    } else {
        let left = WIDTH.saturating_sub(place.chars().count());
        cut(&finding.headline(), left.max(LEAST_OF_EXAMPLE))
    };
    format!("{kind} {place}: {text}  {}", palette.strong(&finding.id))
}

/// The same on a line of any length, without the kind.
pub(super) fn line(finding: &Finding) -> String {
    let (place, id) = (finding.place(), &finding.id);
    match begins_with_example(finding) {
        true => format!("{place}: {}: {}  {id}", finding.example.sentence, finding.reason()),
        false => format!("{place}: {}  {id}", finding.headline()),
    }
}

/// Does the first line of a finding hold its example? The example of a chain or of a question is long and says less
/// than the reason.
pub(super) fn begins_with_example(finding: &Finding) -> bool {
    let of_element =
        matches!(finding.kind, Kind::Numeric | Kind::Place | Kind::Default | Kind::Text);
    of_element && finding.example.input.is_some()
}

fn in_full(out: &mut dyn Write, finding: &Finding, screen: &Screen<'_>) -> io::Result<()> {
    let rule = finding.rule.as_ref().map_or(String::new(), |rule| format!("; {rule}"));
    let detail = format!("[{}{rule}]", finding.extent());
    let more = match finding.kind {
        _ if begins_with_example(finding) => finding.inputs().unwrap_or_default(),
        Kind::Error => "", // it is the headline
        _ => &finding.example.sentence,
    };
    let more = if more.is_empty() { String::new() } else { cut(more, WIDTH) + " " };
    writeln!(out, "    {more}{}", screen.palette.faint(detail))?;
    if let Some(path) = screen.results {
        let mut commands =
            format!("    castproof show {} --results {}", finding.id, path_word(path));
        if let Some(command) = (screen.reproduce)(finding, path) {
            commands += &format!("; {command}");
        }
        writeln!(out, "{}", screen.palette.faint(commands))?;
    }
    Ok(())
}

fn refusal(finding: &Finding, palette: Palette) -> String {
    let refused = words::versions(finding.suite, &finding.versions);
    let refused = refused.unwrap_or_else(|| finding.suite.name().into());
    let count = counted(finding.pairs.len() as u64, "pair");
    let what = match refused_attributes(finding) {
        Some(attributes) => format!("{attributes}, accepted for {count}"),
        None if finding.pairs.len() == 1 => format!("{count} that is accepted"),
        None => format!("{count} that are accepted"),
    };
    let pair = finding.pairs.first().map_or(String::new(), |(from, to)| format!("{from} -> {to}"));
    let rule = finding.rule.as_deref().unwrap_or_default();
    // A profile may refuse single elements, where a cast traps.
    let of = match (finding.suite, &finding.example.input) {
        (Suite::Profile(_), Some(input)) => format!(" of {input}"),
        _ => String::new(),
    };
    format!(
        "{} {refused} refuses {what}, first {pair}{of} [{rule}]  {}",
        palette.bad("refusal "),
        palette.strong(&finding.id),
    )
}

/// Returns the attributes that are refused of pairs that are not: `saturate and round_mode`.
fn refused_attributes(finding: &Finding) -> Option<String> {
    let given = &finding.attributes;
    if given.is_empty() || given.contains(&Attributes::default()) {
        return None;
    }
    let saturate = given.iter().any(|it| it.saturate.is_some()).then_some("saturate");
    let round_mode = given.iter().any(|it| it.round_mode.is_some()).then_some("round_mode");
    Some(saturate.into_iter().chain(round_mode).collect::<Vec<_>>().join(" and "))
}

fn more(left: usize, screen: &Screen<'_>) -> String {
    let left = match left {
        0 => String::new(),
        left => format!("{}; ", counted(left as u64, "more finding")),
    };
    match screen.results {
        Some(path) => format!("{left}castproof show --results {} lists all", path_word(path)),
        None => format!("{left}with {}, castproof show tells more of each", screen.writes),
    }
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    let start: String = text.chars().take(width - 3).collect();
    start + "..."
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_results::asked::Asked;
    use castproof_results::finding::Example;
    use castproof_vectors::{Element, RoundMode};

    fn finding(number: usize, kind: Kind) -> Finding {
        let (from, to) = (DType::Float32, DType::Float16);
        let asked = Asked::cast((from, to), Attributes::default()).at(Some(28));
        Finding {
            id: format!("F-{number:06}"),
            kind,
            suite: Suite::OnnxCast,
            pairs: vec![(from, to.into())],
            versions: vec![28],
            attributes: vec![],
            cause: Some("a cause ".repeat(40)),
            alternatives: vec![],
            contradicted: 0,
            otherwise: 0,
            computed: None,
            range: None,
            example: Example {
                asked,
                test: None,
                input: Some(Element::code(0x457f_8000, from)),
                got: None,
                expect: None,
                place: None,
                done: None,
                sentence: "x".repeat(1000),
            },
            rule: Some("FF-10".into()),
            failing: 1,
            of: 2,
            known: None,
            former: vec![],
        }
    }

    fn listed(findings: &[Finding], on: bool) -> String {
        let results = Some(Path::new("r.json"));
        let reproduce = &|finding: &Finding, _: &Path| Some(format!("reproduce {}", finding.id));
        let (writes, palette) = ("--json FILE", Palette { on });
        let strict = "--strict";
        let screen = Screen { lines: 40, results, strict, writes, reproduce, palette };
        let mut out = Vec::new();
        list(&mut out, findings, &screen).expect("writes to memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn nouns_and_verbs_follow_their_counts() {
        let one = finding(1, Kind::Refusal);
        let text = listed(std::slice::from_ref(&one), false);
        assert!(text.contains("Cast-28 refuses 1 pair that is accepted, first "), "{text}");
        let pairs = vec![one.pairs[0]; 2];
        let text = listed(&[Finding { pairs, ..one }], false);
        assert!(text.contains("Cast-28 refuses 2 pairs that are accepted, first "), "{text}");
    }

    /// Where the pair is not refused, the attributes are named.
    #[test]
    fn attributes_that_are_refused_are_named() {
        let saturate = Attributes { saturate: Some(false), ..Attributes::default() };
        let up = Attributes { round_mode: Some(RoundMode::Up), ..Attributes::default() };
        for (attributes, due) in [
            (vec![saturate], "Cast-28 refuses saturate, accepted for 1 pair, first "),
            (vec![up, saturate], "Cast-28 refuses saturate and round_mode, accepted for 1 pair, "),
            (vec![up, Attributes::default()], "Cast-28 refuses 1 pair that is accepted, first "),
        ] {
            let text = listed(&[Finding { attributes, ..finding(1, Kind::Refusal) }], false);
            assert!(text.contains(due), "{text}");
        }
    }

    #[test]
    fn any_number_of_findings_fits_one_screen() {
        for (numbers, refusals) in [(1, 0), (3, 2), (12, 10), (40, 0), (400, 10), (5, 400), (0, 3)]
        {
            let kinds = [(numbers, Kind::Numeric), (refusals, Kind::Refusal)];
            let kinds = kinds.into_iter().flat_map(|(count, kind)| vec![kind; count]);
            let findings: Vec<Finding> =
                kinds.enumerate().map(|(number, kind)| finding(number, kind)).collect();
            let text = listed(&findings, false);
            let lines = text.lines().filter(|line| !line.is_empty()).count();
            assert!(lines <= 40, "{numbers} {refusals}: {lines} lines");
            let is_told = |line: &&str| {
                line.contains(':') && line.contains("  F-") || line.starts_with("refusal ")
            };
            let told = text.lines().filter(is_told).count();
            let left = numbers + refusals - told;
            let more = format!("{}; ", counted(left as u64, "more finding"));
            assert_eq!(left > 0, text.contains(&more), "{text}");
            assert!(left == 0 || lines == 40, "{numbers} {refusals}: room is left\n{text}");
            assert!(text.lines().all(|line| line.chars().count() < 260), "{text}");
            assert!(numbers == 0 || text.contains("castproof show F-000000") || numbers > 38);
        }
        assert_eq!(listed(&[], false), "");
    }

    /// The value and the reason stand before the id, however long either is.
    #[test]
    fn the_first_line_has_the_value_and_the_reason_and_ends_with_the_id() {
        let mut plain = finding(7, Kind::Numeric);
        plain.cause = Some("low half of the source dropped".into());
        let gave = "0x457f8000 (4088) gave 0x457f (4080), expected 0x4580 (4096)";
        plain.example.sentence = gave.into();
        let first = |finding: &Finding| {
            let text = listed(std::slice::from_ref(finding), false);
            text.lines().nth(1).expect("a line").to_string()
        };
        let line = format!("numeric  float32 -> float16: {gave}: {}  F-000007", plain.reason());
        assert_eq!(first(&plain), line);
        let long = first(&finding(8, Kind::Place));
        assert!(long.contains("xxx...: a cause") && long.ends_with("...  F-000008"), "{long}");
        let refusal = first(&finding(9, Kind::Refusal));
        assert!(refusal.ends_with("[FF-10]  F-000009"), "{refusal}");
        let chain = Finding { suite: Suite::OnnxChain, ..finding(10, Kind::Chain) };
        assert!(first(&chain).starts_with("chain    onnx-chain float32 -> float16: a cause"));
    }

    #[test]
    fn what_a_baseline_expects_is_not_listed() {
        let known = Finding { known: Some("a reason".into()), ..finding(1, Kind::Numeric) };
        assert_eq!(listed(&[known], false), "");
    }

    #[test]
    fn colours_change_nothing_but_colours() {
        let findings = [finding(1, Kind::Numeric), finding(2, Kind::Refusal)];
        let (plain, painted) = (listed(&findings, false), listed(&findings, true));
        assert!(!plain.contains('\u{1b}') && painted.contains('\u{1b}'));
        assert_eq!(anstream::adapter::strip_str(&painted).to_string(), plain);
    }
}

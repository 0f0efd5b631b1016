//! The parts of the report beside the findings: first lines, verdict, matrices, a line for each
//! version.

use super::matrix;
use castproof_check::verdict::{counted, thousands};
use castproof_io::sink::path;
use castproof_io::style::Palette;
use castproof_judge::scope::{Scope, ScopeEdition};
use castproof_judge::silent;
use castproof_results::baseline;
use castproof_results::baseline::{Baseline, Extent, Updated};
use castproof_results::finding::Finding;
use castproof_results::recognition::{Recognition, names};
use castproof_results::standing::{Mark, Standing};
use castproof_results::{Cell, Results, ResultsFile, SuiteRun};
use castproof_testee::{Identity, Limits};
use castproof_vectors::{DType, Operator, Profile, Suite, cast_version, type_set};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Where the report goes. If writing fails, for example because the reader has closed the pipe, the
/// rest is dropped, so that the run goes on and its results are kept.
pub struct Report<'a> {
    out: &'a mut dyn Write,
    failed: Option<io::Error>,
}

impl<'a> Report<'a> {
    /// Reports go to `out`.
    pub fn new(out: &'a mut dyn Write) -> Report<'a> {
        Report { out, failed: None }
    }

    /// Was everything written so far?
    ///
    /// # Errors
    /// The first error of writing.
    pub fn check(&mut self) -> io::Result<()> {
        self.failed.take().map_or(Ok(()), Err)
    }

    fn attempt(&mut self, act: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        if self.failed.is_none() {
            self.failed = act(self.out).err();
        }
    }
}

impl Write for Report<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(|out| out.write_all(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt(|out| out.flush());
        Ok(())
    }
}

/// Prints the first lines: the testee, the vectors, the seed from which tensors are drawn, what is left
/// out, what is taken over from a journal.
///
/// # Errors
/// If writing fails.
pub fn first_lines(
    out: &mut dyn Write,
    identity: &Identity,
    vectors: &str,
    (scope, seed): (&Scope, Option<u64>),
    notes: &[String],
) -> io::Result<()> {
    let profile = scope.profile();
    writeln!(
        out,
        "castproof gate: {identity}{}, level {}, vectors {}{}{}",
        profile.map_or(String::new(), |profile| format!(", profile {}", profile.name())),
        scope.level.name(),
        vectors,
        seed.map_or(String::new(), |seed| format!(", seed {seed}")),
        reduced(scope)
    )?;
    for note in notes {
        writeln!(out, "{note}")?;
    }
    if let [edition] = scope.editions[..]
        && let (Some(opset), Some(version)) = (edition.other_opset(), edition.version)
    {
        writeln!(out, "opset {opset}: Cast-{version} is the version in force")?;
    }
    out.flush()
}

/// Which matrices are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matrices {
    /// That of the newest version in which anything was executed.
    #[default]
    Newest,
    /// Those of all versions.
    All,
    /// None.
    None,
}

/// Prints the matrices, and a line for each operator version.
///
/// # Errors
/// If writing fails.
pub fn versions(
    out: &mut dyn Write,
    scope: &Scope,
    results: &Results,
    matrices: Matrices,
) -> io::Result<()> {
    if scope.editions.is_empty() {
        return Ok(());
    }
    let drawn = drawn(scope, results, matrices);
    for edition in &drawn {
        writeln!(out, "\n{}", edition.title())?;
        let marks = results.marks(edition.version);
        matrix::draw(out, |pair| edition.casts(pair), &scope.pairs, &marks)?;
    }
    if !drawn.is_empty() {
        writeln!(out, "{}", matrix::LEGEND)?;
    }
    writeln!(out)?;
    for edition in &scope.editions {
        let counts = results.sum(|key| key.opset == edition.version).counts;
        let (ran, all) = pairs_run(scope, results, *edition);
        writeln!(
            out,
            "{:<9}{ran:>4} of {all} pairs ran  {:>11} tests, {:>11} executed: {counts}",
            edition.title(),
            thousands(counts.judged()),
            thousands(counts.executed)
        )?;
    }
    Ok(())
}

/// Returns the versions whose matrix is drawn. A run of one pair has no matrix, because the lines
/// of the versions say as much. Pairs for which a folder of vectors has no file are not asked: the
/// verdict says how many they are.
fn drawn(scope: &Scope, results: &Results, matrices: Matrices) -> Vec<ScopeEdition> {
    let ran = |edition: &&ScopeEdition| {
        results.sum(|key| key.opset == edition.version).counts.executed > 0
    };
    match matrices {
        _ if scope.pairs.len() < 2 => Vec::new(),
        Matrices::None => Vec::new(),
        Matrices::All => scope.editions.clone(),
        Matrices::Newest => {
            let newest = scope.editions.iter().rev().find(ran).or(scope.editions.last());
            newest.copied().into_iter().collect()
        }
    }
}

/// Prints a line for each suite of questions, and the matrices of `CastLike` if all matrices are
/// drawn.
///
/// # Errors
/// If writing fails.
pub fn suites(out: &mut dyn Write, runs: &[SuiteRun], matrices: Matrices) -> io::Result<()> {
    if matrices == Matrices::All {
        for run in runs.iter().filter(|run| run.suite == Suite::OnnxCastlike) {
            castlike(out, run)?;
        }
    }
    if !runs.is_empty() {
        writeln!(out)?;
    }
    // A suite without a test needs a feature that the report names as not listed.
    for SuiteRun { suite, counts, .. } in runs.iter().filter(|run| run.counts.judged() > 0) {
        writeln!(
            out,
            "{:<19} {:>7} tests, {:>7} executed: {counts}",
            suite.name(),
            thousands(counts.judged()),
            thousands(counts.executed)
        )?;
    }
    Ok(())
}

/// Prints the matrices of `CastLike`, for the versions in which something failed.
fn castlike(out: &mut dyn Write, run: &SuiteRun) -> io::Result<()> {
    for &version in castproof_vectors::versions(Operator::CastLike) {
        let cells = run.by_pair(cast_version(Operator::CastLike, version));
        if cells.values().any(|cell| cell.counts.bad() > 0) {
            writeln!(out, "\nCastLike-{version}")?;
            let pairs: Vec<(DType, DType)> = cells.keys().copied().collect();
            let set = type_set(Operator::CastLike, version);
            let inside = |(from, to)| set.contains(&from) && set.contains(&to);
            let marks = cells.iter().map(|(pair, cell)| (*pair, Mark::of(cell))).collect();
            matrix::draw(out, inside, &pairs, &marks)?;
        }
    }
    Ok(())
}

/// Most pairs that are named of those that are cast as the same profiles.
const NAMED: usize = 3;

/// Prints which profiles the testee casts as where ONNX leaves the result open.
///
/// # Errors
/// If writing fails.
pub fn recognitions(out: &mut dyn Write, all: &[Recognition]) -> io::Result<()> {
    if let [alone] = all {
        return writeln!(out, "\nWhere ONNX leaves the result open: {alone}");
    }
    if all.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nWhere ONNX leaves the result open (castproof recognise says more):")?;
    let mut groups: BTreeMap<&[Profile], Vec<&Recognition>> = BTreeMap::new();
    for it in all {
        groups.entry(&it.like).or_default().push(it);
    }
    for (like, pairs) in groups {
        let names = if like.is_empty() { "no profile".into() } else { names(like) };
        let named: Vec<String> =
            pairs.iter().take(NAMED).map(|it| format!("{} -> {}", it.from, it.to)).collect();
        let more = match pairs.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        writeln!(out, "  as {names}: {}{more}", named.join(", "))?;
    }
    Ok(())
}

/// Prints what the baseline says about the run.
///
/// # Errors
/// If writing fails.
pub fn baseline(
    out: &mut dyn Write,
    baseline: &Baseline,
    results: &Results,
    extent: &Extent,
) -> io::Result<()> {
    let lines = baseline::lines(baseline, results, extent);
    if !lines.is_empty() {
        let here = std::env::current_dir().unwrap_or_default();
        let shown = baseline.path.strip_prefix(here).unwrap_or(&baseline.path);
        writeln!(out, "\nBaseline {}", path(shown))?;
    }
    for line in lines {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

/// Prints the verdict of the run with its totals: before the findings, and as the last line. `done` is what a run did
/// that updated its baseline and fails by nothing else than what it wrote there.
///
/// # Errors
/// If writing fails.
pub fn verdict(
    out: &mut dyn Write,
    scope: &Scope,
    file: &ResultsFile,
    done: Option<&Updated>,
    palette: Palette,
) -> io::Result<()> {
    let totals = &file.totals;
    let mut said = format!(
        "{}, {} executed: {totals}",
        counted(totals.judged(), "test"),
        thousands(totals.executed)
    );
    let known = file.known();
    let arranged = file.results.all_arranged();
    if arranged.tensors > 0 {
        let (tensors, elements) =
            (counted(arranged.tensors, "tensor"), counted(arranged.elements, "element"));
        said += &format!("; arranged {tensors} of {elements}");
    }
    if known > 0 {
        said += &format!("; {}", counted(known, "known failure"));
    }
    let verdict = match (file.standing(), done) {
        (_, Some(_)) => palette.good("UPDATED"),
        (Standing::Failing, None) => palette.bad("FAIL"),
        _ => palette.good("PASS"),
    };
    let because = match file.reasons[..] {
        [] => String::new(),
        ref reasons => format!("{}; ", reasons.join(", ")),
    };
    let because = found(&file.findings) + &because;
    let because = match done {
        Some(done) => format!("the baseline: {}; before that: {because}", done.counts()),
        None => because,
    };
    let judged = judged(scope, &file.results);
    let limits = within(file.limits.as_ref());
    writeln!(out, "\n{verdict}  {because}{said}{judged}{limits}{}", reduced(scope))?;
    out.flush()
}

/// Returns within which limits a testee was asked: `; limits of the testee: at most 65,536 elements`.
pub fn within(limits: Option<&Limits>) -> String {
    limits.map_or(String::new(), |limits| format!("; limits of the testee: {}", limits.words()))
}

/// Returns in which versions of `Cast` elements were judged: `; judged: Cast-6 to Cast-25`, and which of them were
/// asked for tensors of many kinds, if not all were. A profile has none.
fn judged(scope: &Scope, results: &Results) -> String {
    let has = |edition: &&ScopeEdition| {
        edition.version.is_some()
            && results.sum(|key| key.opset == edition.version).counts.executed > 0
    };
    let judged: Vec<&ScopeEdition> = scope.editions.iter().filter(has).collect();
    let titles: Vec<String> = judged.iter().map(|edition| edition.title()).collect();
    let is_run = scope
        .editions
        .windows(judged.len().max(1))
        .any(|run| run.iter().eq(judged.iter().copied()));
    let in_full = match scope.arranged && !scope.every_version {
        true => ", in full the newest of each pair",
        false => "",
    };
    match &titles[..] {
        [] => String::new(),
        [only] => format!("; judged: {only} alone"),
        [first, .., last] if is_run => format!("; judged: {first} to {last}{in_full}"),
        titles => format!("; judged: {}{in_full}", titles.join(", ")),
    }
}

/// Counts the findings that no baseline expects: `21 findings, 12 of them explained; `.
pub fn found(findings: &[Finding]) -> String {
    let new: Vec<&Finding> = findings.iter().filter(|finding| finding.is_new()).collect();
    let explained = new.iter().filter(|finding| finding.is_explained()).count();
    match new.len() {
        0 => String::new(),
        1 => format!("1 finding, {}; ", if explained == 1 { "explained" } else { "not explained" }),
        count => format!("{} findings, {} of them explained; ", thousands(count as u64), explained),
    }
}

/// Returns how many pairs of a version ran a test, and how many it has within the filters.
fn pairs_run(scope: &Scope, results: &Results, edition: ScopeEdition) -> (usize, usize) {
    let by_pair = results.by_pair(edition.version);
    let pairs = scope.pairs_of(edition);
    let ran = |pair: &&(DType, DType)| {
        by_pair.get(pair).is_some_and(|cell: &Cell| cell.counts.executed > 0)
    };
    (pairs.iter().filter(ran).count(), pairs.len())
}

/// Returns by which profile open results were judged, and what makes the run smaller than a whole one.
fn reduced(scope: &Scope) -> String {
    let silent = scope.judgement.silent_as;
    let silent = silent.map_or(String::new(), |it| format!("; {}", silent::words(it)));
    match scope.reductions()[..] {
        [] => silent,
        ref reductions => format!("{silent}; REDUCED: {}", reductions.join(", ")),
    }
}

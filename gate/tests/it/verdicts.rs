//! One verdict in every report: for each kind of failure, terminal, JSON, page, JUnit, SARIF,
//! Markdown, annotations and comparison say the same of the run, and those that speak of pairs say the
//! same of each pair.

use castproof::arrange::Arrangements;
use castproof::gate::{self, Matrices, Options};
use castproof::read_results;
use castproof::report::{self, Targets};
use castproof::results::ResultsFile;
use castproof::standing::{Mark, Standing};
use castproof::testee::{Chain, Feature, Identity, Reply, Testee, builtin::Builtin};
use castproof_vectors::{DType, NEWEST, Request, Suite};
use quick_junit::{Report, TestCaseStatus};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

type Pair = (DType, DType);

/// The pair at which a testee misbehaves, and one at which it is right.
const WRONG: Pair = (DType::Float32, DType::Float16);
const RIGHT: Pair = (DType::Int8, DType::Int16);

/// What is wrong with a testee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    Value,
    /// The last element of a tensor of 7, which the vectors never ask.
    Place,
    Chain,
    Error,
    Crash,
    Timeout,
    /// It accepts what a version refuses of one pair; one that accepts all is a bare kernel.
    Refusal,
    /// It has no pair but the right one.
    Unsupported,
    /// It has no pair at all.
    Nothing,
}

struct Faulty {
    inner: Builtin,
    fault: Fault,
}

impl Testee for Faulty {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn features(&self) -> Vec<Feature> {
        vec![Feature::Chain]
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let is_wrong = (request.from, request.to) == WRONG;
        let newest = Request::cast(request.from, request.to, NEWEST);
        match self.fault {
            Fault::Nothing => return Reply::Unsupported("nothing".into()),
            Fault::Unsupported if is_wrong => return Reply::Unsupported("not this pair".into()),
            Fault::Error if is_wrong => return Reply::Error("it failed".into()),
            Fault::Crash if is_wrong => return Reply::Crash("it died".into()),
            Fault::Timeout if is_wrong => return Reply::Timeout("no answer".into()),
            Fault::Refusal if is_wrong => return self.inner.cast(&newest, count, input),
            _ => {}
        }
        let reply = self.inner.cast(request, count, input);
        let Reply::Output(mut output) = reply else { return reply };
        let is_spoiled = match self.fault {
            Fault::Value => is_wrong,
            Fault::Place => is_wrong && count == 7,
            _ => false,
        };
        match self.fault {
            // Every element of the tensor, so that its count alone is the place.
            Fault::Place if is_spoiled => output.iter_mut().for_each(|byte| *byte ^= 0x40),
            _ if is_spoiled => output.last_mut().into_iter().for_each(|last| *last ^= 0x40),
            _ => {}
        }
        Reply::Output(output)
    }

    fn chain(&mut self, chain: &Chain, count: usize, input: &[u8]) -> Reply {
        let ends = chain.ends();
        let shortcut = Request::cast(ends.0, ends.1, chain.opset);
        match self.fault {
            Fault::Chain if ends == WRONG && chain.dtypes[1] == DType::Int8 => {
                self.inner.cast(&shortcut, count, input)
            }
            _ => self.inner.chain(chain, count, input),
        }
    }
}

/// A run: its results file and what the terminal showed.
struct Told {
    folder: tempfile::TempDir,
    file: ResultsFile,
    place: PathBuf,
    terminal: String,
    passed: bool,
}

fn run(fault: Fault, baseline: Option<&str>) -> Told {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("results.json");
    let known = folder.path().join("expectations.toml");
    fs::write(&known, baseline.unwrap_or_default()).expect("a file");
    // Chains are asked in runs without named pairs.
    let chains = fault == Fault::Chain;
    let options = Options {
        suites: if chains { vec![Suite::OnnxChain] } else { vec![Suite::OnnxCast] },
        pairs: if chains { vec![] } else { vec![WRONG, RIGHT] },
        arrangements: match fault {
            Fault::Place => Arrangements::Newest,
            _ => Arrangements::None,
        },
        baseline: baseline.map(|_| known),
        json: Some(place.clone()),
        matrices: Matrices::All,
        limit_list: 40,
        threads: 1,
        ..Options::default()
    };
    let mut out = Vec::new();
    let mut testee = Faulty { inner: Builtin::new(), fault };
    let passed = gate::run(&options, &mut testee, &mut out).expect("a run");
    let file = read_results(&place).expect("what it wrote");
    let terminal = String::from_utf8(out).expect("text");
    Told { folder, file, place, terminal, passed }
}

/// The baselines of runs without a new failure.
const KNOWN: &str =
    "[[expect]]\nfrom = \"float32\"\nto = \"float16\"\nshare = \"some\"\nreason = \"known\"\n";
const STALE: &str =
    "[[expect]]\nfrom = \"int8\"\nto = \"int16\"\nshare = \"some\"\nreason = \"gone\"\n";
const RULED_OUT: &str = "[[expect]]\nfrom = \"int8\"\nto = \"int16\"\nreason = \"gone\"\n";

#[test]
fn every_report_has_the_same_verdict() {
    for (fault, baseline, standing) in [
        (Fault::None, None, Standing::Passing),
        (Fault::Unsupported, None, Standing::Passing),
        (Fault::Value, None, Standing::Failing),
        (Fault::Value, Some(KNOWN), Standing::Known),
        (Fault::None, Some(STALE), Standing::Failing),
        (Fault::None, Some(RULED_OUT), Standing::Failing),
        (Fault::Place, None, Standing::Failing),
        (Fault::Chain, None, Standing::Failing),
        (Fault::Error, None, Standing::Failing),
        (Fault::Crash, None, Standing::Failing),
        (Fault::Timeout, None, Standing::Failing),
        (Fault::Refusal, None, Standing::Failing),
        (Fault::Nothing, None, Standing::Failing),
    ] {
        let told = run(fault, baseline);
        let said = format!("{fault:?} {baseline:?}\n{}", told.terminal);
        assert_eq!(told.file.standing(), standing, "{said}");
        let fails = standing == Standing::Failing;
        assert_eq!(!told.passed, fails, "{said}");
        assert_eq!(!told.file.passed, fails, "{said}");
        let first =
            told.terminal.lines().find(|it| it.starts_with("PASS  ") || it.starts_with("FAIL  "));
        let last = told.terminal.lines().last();
        let word = if fails { "FAIL  " } else { "PASS  " };
        assert!(
            [first, last].iter().all(|line| line.is_some_and(|it| it.starts_with(word))),
            "{said}"
        );
        same_run(&told, fails, &said);
        same_pairs(&told, &said);
    }
}

/// A kernel with a fault of places and a right one are told apart where runs are compared.
#[test]
fn a_comparison_tells_a_fault_of_places() {
    let files = [Fault::Place, Fault::None].map(|fault| run(fault, None).file);
    let table = report::table(&files);
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| castproof ")).collect();
    // Verdict, findings, pairs right, pairs that run.
    assert!(rows[0].contains("| FAIL | 1 | 1 | 2 |"), "{table}");
    assert!(rows[1].contains("| PASS | 0 | 2 | 2 |"), "{table}");
}

/// The reports that are made of the results say the same of the run.
fn same_run(told: &Told, fails: bool, said: &str) {
    let reports = reports(told.folder.path(), &told.file);
    let junit = Report::deserialize_from_str(&reports["junit"]).expect("JUnit XML");
    let cases = junit.test_suites.iter().flat_map(|suite| &suite.test_cases);
    let is_bad = |status: &TestCaseStatus| matches!(status, TestCaseStatus::NonSuccess { .. });
    assert_eq!(cases.clone().any(|case| is_bad(&case.status)), fails, "JUnit: {said}");
    let sarif: Value = serde_json::from_str(&reports["sarif"]).expect("JSON");
    let code = &sarif["runs"][0]["invocations"][0]["exitCode"];
    assert_eq!(*code, i32::from(fails), "SARIF: {said}");
    let mark = if fails { "## ❌ " } else { "## ✅ " };
    assert!(reports["markdown"].starts_with(mark), "Markdown: {said}");
    let annotations = report::annotations(&told.file);
    assert_eq!(!annotations.is_empty(), fails, "annotations: {said}");
    assert_eq!(page(&reports["html"])["runs"][0]["passed"], !fails, "page: {said}");
    let row = report::table(std::slice::from_ref(&told.file));
    let word = if fails { "| FAIL |" } else { "| PASS |" };
    assert!(row.contains(word), "comparison: {row}");
    // The terminal and the page count the same findings.
    let new = told.file.findings.iter().filter(|finding| finding.is_new()).count();
    assert_eq!(page(&reports["html"])["runs"][0]["newFindings"], new, "{said}");
    let counted = if new == 1 { "1 finding, ".into() } else { format!("{new} findings, ") };
    assert_eq!(told.terminal.contains(&counted), new > 0, "{said}");
    // What was written is what another program reads.
    let again = read_results(&told.place).expect("results");
    assert_eq!(again.standing(), told.file.standing());
}

/// Terminal, JUnit and page say the same of each pair in each version.
fn same_pairs(told: &Told, said: &str) {
    let reports = reports(told.folder.path(), &told.file);
    let page = page(&reports["html"]);
    let junit = Report::deserialize_from_str(&reports["junit"]).expect("JUnit XML");
    for &version in castproof_vectors::versions(castproof_vectors::Operator::Cast) {
        let marks = told.file.results.marks(Some(version));
        for (&(from, to), &mark) in &marks {
            let pair = format!("{from} -> {to}");
            let suite =
                junit.test_suites.iter().find(|it| it.name.as_str() == format!("Cast-{version}"));
            let case =
                suite.and_then(|it| it.test_cases.iter().find(|it| it.name.as_str() == pair));
            if let Some(case) = case.filter(|_| mark != Mark::Chain) {
                let standing = match &case.status {
                    TestCaseStatus::NonSuccess { .. } => Standing::Failing,
                    TestCaseStatus::Skipped { message, .. } => match message {
                        Some(said) if said.as_str().starts_with("known") => Standing::Known,
                        _ => Standing::Unsupported,
                    },
                    TestCaseStatus::Success { .. } => Standing::Passing,
                };
                // A pair of which some requests are refused as is due is not unsupported.
                assert_eq!(standing, mark.standing(), "JUnit, {pair} in Cast-{version}: {said}");
            }
            let shown = of_page(&page, (from, to), version);
            assert_eq!(
                shown,
                Some(mark.name().to_string()),
                "page, {pair} in Cast-{version}: {said}"
            );
        }
        for (pair, mark) in &marks {
            let Some(symbol) = of_terminal(&told.terminal, version, *pair) else { continue };
            let due = match mark {
                Mark::Surprise => "!",
                Mark::Crash => "C",
                Mark::Timeout => "T",
                Mark::Error => "E",
                Mark::Fail => "Xx",
                Mark::Place => "P",
                Mark::Chain => "&",
                Mark::Known => "k",
                Mark::Partly => "/",
                Mark::Tolerated => "~",
                Mark::Pass | Mark::Undefined => ".",
                Mark::Unsupported => "-",
                Mark::Absent => "?",
            };
            assert!(due.contains(symbol), "terminal, {pair:?} in {version}, {symbol}: {said}");
        }
    }
}

/// Returns the reports of a results file by kind.
fn reports(folder: &Path, file: &ResultsFile) -> BTreeMap<&'static str, String> {
    let place = |kind: &str| Some(folder.join(format!("report.{kind}")));
    let targets = Targets {
        junit: place("junit"),
        markdown: place("markdown"),
        sarif: place("sarif"),
        html: place("html"),
    };
    report::write(std::slice::from_ref(file), &targets).expect("reports");
    let read = |kind: &'static str| {
        let text = fs::read_to_string(folder.join(format!("report.{kind}"))).expect("a report");
        (kind, text)
    };
    ["junit", "markdown", "sarif", "html"].map(read).into()
}

/// Returns the data of a page.
fn page(text: &str) -> Value {
    let start = "<script type=\"application/json\" id=\"results\">";
    let data = text.split_once(start).expect("data").1.split_once("</script>").expect("an end").0;
    serde_json::from_str(data).expect("JSON")
}

/// Returns the name of the gravest kind that the page holds for a pair in a version.
fn of_page(page: &Value, (from, to): Pair, version: u32) -> Option<String> {
    let run = &page["runs"][0];
    let dtypes: Vec<&str> = page["dtypes"].as_array()?.iter().filter_map(Value::as_str).collect();
    let place = |dtype: DType| dtypes.iter().position(|name| *name == dtype.name());
    let wanted = (place(from)? * dtypes.len() + place(to)?) as u64;
    let bit = run["versions"].as_array()?.iter().position(|it| *it == format!("Cast-{version}"));
    let mut gravest: Option<Mark> = None;
    for row in run["cells"].as_array()? {
        let (index, bits) = (row[1].as_u64()? as usize, row[2].as_u64()?);
        let mut pair = 0;
        let pairs = row[3].as_array()?.iter().map(|step| {
            pair += step.as_u64().unwrap_or_default();
            pair
        });
        let is_here = pairs.collect::<Vec<_>>().contains(&wanted);
        // Without a version of casts, only chains were asked.
        if is_here && bit.is_none_or(|bit| bits & (1 << bit) != 0) {
            let mark = Mark::ALL[run["kinds"][index][0].as_u64()? as usize];
            gravest = Some(gravest.map_or(mark, |known| known.with(mark)));
        }
    }
    let name = page["kinds"][gravest? as usize][0].as_str()?;
    Some(name.to_string())
}

/// Returns the symbol of a pair in the terminal's matrix of a version.
fn of_terminal(text: &str, version: u32, (from, to): Pair) -> Option<char> {
    let title = format!("\nCast-{version}\n");
    let matrix = text.split_once(&title)?.1.split("\n\n").next()?;
    let row = matrix.lines().find(|line| line.split(' ').next() == Some(from.name()))?;
    // Both targets of these runs are columns wherever both dtypes exist.
    let is_column = |dtype: &&DType| [WRONG.1, RIGHT.1].contains(dtype);
    let place = DType::CAST.iter().filter(is_column).position(|dtype| *dtype == to)?;
    row.chars().nth(15 + 3 * place)
}

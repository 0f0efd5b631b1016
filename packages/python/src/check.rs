//! A Python function, held to the answers by the gate.

use crate::function::Function;
use crate::linear::{LinearFunction, Sharing};
use crate::quantiser::Quantiser;
use crate::request::{Cast, wrong};
use castproof::gate::{self, Options};
use castproof::output::Output;
use castproof::report::screen::{Screen, list, tolerated};
use castproof::report::terminal;
use castproof::results::{Filters, ResultsFile};
use castproof::scope::Scope;
use castproof::style::Palette;
use castproof::testee::{Identity, Limits, Within};
use castproof_check::memory::Asking;
use castproof_check::verdict::Verdict;
use castproof_vectors::{DType, NEWEST, Operator, Spec, Suite};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Lines that the findings take at most.
const LINES: usize = 40;

/// Runs the gate on a function: the vectors of its cast, their codes in tensors of many forms, drawn
/// codes. `ask` takes the shape, the layout and the elements of a tensor, and returns the elements of
/// the output; its `name` is that of the function. `limits` is an object of JSON, as a hello of the protocol has it. Returns whether it
/// passed, the report, and counts by name. An exception of `ask` ends the run and is raised again.
#[pyfunction]
#[pyo3(signature = (ask, cast, *, features, limits, level, strict, json))]
#[allow(clippy::too_many_arguments, reason = "the arguments of the function of Python")]
pub(crate) fn check(
    py: Python<'_>,
    ask: Py<PyAny>,
    cast: &Cast,
    features: Vec<String>,
    limits: &str,
    level: &str,
    strict: bool,
    json: Option<PathBuf>,
) -> PyResult<(bool, String, BTreeMap<String, u64>)> {
    let options = options(cast, level, strict)?;
    let name: String = ask.getattr(py, "name")?.extract(py)?;
    let identity =
        Identity { name: name.into(), version: "function".into(), language: "python".into() };
    let limits: Limits =
        serde_json::from_str(limits).map_err(|it| wrong(format!("limits: {it}")))?;
    if let Some(problem) = limits.problem() {
        return Err(wrong(format!("limits: {problem}")));
    }
    let mut function = Within::new(Function::new(ask, identity, cast, &features)?, limits);
    let output = json.as_deref().map(Output::create).transpose().map_err(failed)?;
    let asking = Asking::begin();
    let came = py.detach(|| gate::results(&options, &mut function));
    drop(asking);
    if let Some(exception) = function.into_inner().ended() {
        return Err(exception);
    }
    told(came.map_err(failed)?, output, json.as_deref())
}

/// Runs the gate on a function that quantises blocks by one rule, from `source` to each of `targets`. `ask` takes the
/// shape, the axis, both dtypes, the largest magnitude of the tensor, and the numbers, and returns the scales, then the
/// elements. Returns as [`check`] does.
#[pyfunction]
#[pyo3(signature = (ask, rule, source, targets, *, level, strict, json))]
#[allow(clippy::too_many_arguments, reason = "the arguments of the function of Python")]
pub(crate) fn check_blocks(
    py: Python<'_>,
    ask: Py<PyAny>,
    rule: &str,
    source: &str,
    targets: Vec<String>,
    level: &str,
    strict: bool,
    json: Option<PathBuf>,
) -> PyResult<(bool, String, BTreeMap<String, u64>)> {
    let rule = crate::blocks::rule(rule)?;
    let from = DType::named(source).map_err(wrong)?;
    let pair = |target: &String| Ok((from, DType::named(target).map_err(wrong)?));
    let pairs: Vec<(DType, DType)> = targets.iter().map(pair).collect::<PyResult<_>>()?;
    let name: String = ask.getattr(py, "name")?.extract(py)?;
    let identity =
        Identity { name: name.into(), version: "function".into(), language: "python".into() };
    let options = Options {
        level: level.parse().map_err(wrong)?,
        suites: vec![Suite::Blocks, Suite::BlocksTensors],
        pairs: pairs.clone(),
        rules: vec![rule],
        strict,
        threads: 1,
        ..Options::default()
    };
    let output = json.as_deref().map(Output::create).transpose().map_err(failed)?;
    let mut function = Quantiser { identity, rule, pairs, ask, ended: None };
    let asking = Asking::begin();
    let came = py.detach(|| gate::results(&options, &mut function));
    drop(asking);
    if let Some(exception) = function.ended {
        return Err(exception);
    }
    told(came.map_err(failed)?, output, json.as_deref())
}

/// Runs the gate on a function that does nodes of ONNX's `QuantizeLinear`, or of `DequantizeLinear`. `scales` are words
/// of [`Sharing`]. `ask` takes the shape, that of the scales, the axis, the block size, the elements, the scales and the zero points,
/// and returns the elements of the output. Returns as [`check`] does.
#[pyfunction]
#[pyo3(signature = (ask, quantises, source, target, scales, saturate, *, level, strict, json))]
#[allow(clippy::too_many_arguments, reason = "the arguments of the function of Python")]
pub(crate) fn check_linear(
    py: Python<'_>,
    ask: Py<PyAny>,
    quantises: bool,
    source: &str,
    target: &str,
    scales: Vec<String>,
    saturate: bool,
    level: &str,
    strict: bool,
    json: Option<PathBuf>,
) -> PyResult<(bool, String, BTreeMap<String, u64>)> {
    let pair = (DType::named(source).map_err(wrong)?, DType::named(target).map_err(wrong)?);
    let of_word = |(word, _): &(&str, Sharing)| scales.iter().any(|it| it == word);
    let sharings = Sharing::ALL.into_iter().filter(of_word).map(|(_, it)| it).collect();
    let name: String = ask.getattr(py, "name")?.extract(py)?;
    let identity =
        Identity { name: name.into(), version: "function".into(), language: "python".into() };
    let options = Options {
        level: level.parse().map_err(wrong)?,
        suites: vec![Suite::OnnxQuantize],
        pairs: vec![pair],
        strict,
        threads: 1,
        ..Options::default()
    };
    let output = json.as_deref().map(Output::create).transpose().map_err(failed)?;
    let mut function =
        LinearFunction { identity, quantises, pair, sharings, saturate, ask, ended: None };
    let asking = Asking::begin();
    let came = py.detach(|| gate::results(&options, &mut function));
    drop(asking);
    if let Some(exception) = function.ended {
        return Err(exception);
    }
    told(came.map_err(failed)?, output, json.as_deref())
}

/// Writes the results of a run. Returns whether it passed, the report, and counts by name.
fn told(
    (scope, file): (Scope, ResultsFile),
    output: Option<Output>,
    json: Option<&Path>,
) -> PyResult<(bool, String, BTreeMap<String, u64>)> {
    if let Some(output) = output {
        let text = serde_json::to_string(&file).map_err(|error| wrong(error.to_string()))?;
        output.commit(text + "\n").map_err(failed)?;
    }
    let (mut report, palette) = (Vec::new(), Palette::default());
    terminal::verdict(&mut report, &scope, &file, None, palette)?;
    let (results, reproduce) = (json, &|_: &_, _: &_| None);
    let screen = Screen {
        lines: LINES,
        results,
        strict: "strict=True",
        writes: "json=FILE",
        reproduce,
        palette,
    };
    list(&mut report, &file.findings, &screen)?;
    tolerated(&mut report, &file.results.diagnoses, &screen)?;
    let report = without_own(String::from_utf8_lossy(&report).trim());
    Ok((file.passed, report, counts(&file)))
}

/// Leaves out of the first line, as `; REDUCED: --pair float32:float16, --kernel`, the flags that say what the arguments of
/// the function of Python say: its dtypes, its version or rule, and that it is a kernel. Nothing that it does is left out by them.
fn without_own(report: &str) -> String {
    let (first, others) = report.split_once('\n').unwrap_or((report, ""));
    let Some((said, reductions)) = first.split_once("; REDUCED: ") else {
        return report.to_string();
    };
    let own = ["--pair ", "--rule ", "--opset ", "--kernel"];
    let is_own = |it: &&str| own.iter().any(|flag| it.starts_with(flag));
    let left: Vec<&str> = reductions.split(", ").filter(|it| !is_own(it)).collect();
    let left =
        if left.is_empty() { String::new() } else { format!("; REDUCED: {}", left.join(", ")) };
    format!("{said}{left}\n{others}").trim_end().to_string()
}

/// Returns the options of a run that asks for one cast. Raises `ValueError` if there is no such cast.
fn options(cast: &Cast, level: &str, strict: bool) -> PyResult<Options> {
    cast.answers()?;
    let (spec, pair) = (cast.request.spec, (cast.request.from, cast.request.to));
    let (suite, opset) = match spec {
        Spec::Onnx { op: Operator::Cast, opset } => (Suite::OnnxCast, Some(opset)),
        Spec::Onnx { op: Operator::CastLike, .. } => {
            return Err(wrong(format!(
                "{spec} has no vectors of casts; name a version of onnx-cast"
            )));
        }
        Spec::Profile(profile) => (Suite::Profile(profile), None),
    };
    Ok(Options {
        level: level.parse().map_err(wrong)?,
        suites: vec![suite],
        pairs: vec![pair],
        filters: Filters { opset: opset.filter(|opset| *opset != NEWEST), ..Filters::default() },
        kernel: true,
        strict,
        threads: 1,
        ..Options::default()
    })
}

/// Returns the tests by verdict, those that were executed, and what was asked in other tensors.
fn counts(file: &ResultsFile) -> BTreeMap<String, u64> {
    let totals = &file.totals;
    let verdicts = Verdict::ALL.into_iter().map(|it| (it.name().to_string(), totals.of(it)));
    let arranged = file.results.all_arranged();
    let others = [
        ("executed", totals.executed),
        ("tensors", arranged.tensors),
        ("elements", arranged.elements),
    ];
    verdicts.chain(others.map(|(name, count)| (name.to_string(), count))).collect()
}

fn failed(error: anyhow::Error) -> PyErr {
    PyRuntimeError::new_err(format!("{error:#}"))
}

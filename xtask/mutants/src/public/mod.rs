//! Measures whether the gate finds faults that were reported in public, and names their causes. Each kernel is written
//! anew in plain arithmetic, apart from the methods of the diagnosis.

mod kernels;

use castproof::baseline::Baseline;
use castproof::findings;
use castproof::gate;
use castproof::source::Pair;
use castproof::testee::{Identity, Reply, Testee, builtin::Builtin};
use castproof_vectors::{Attributes, DType, Level, NEWEST, Request, pack, unpack};
use kernels::{Does, FAULTS, Fault};
use rayon::prelude::*;
use std::fmt::Write;

/// Of a hundred faults, so many must be named rightly at least.
const LEAST_NAMED: usize = 85;

/// The built-in testee with the fault.
struct Planted<'a> {
    inner: Builtin,
    fault: &'a Fault,
}

impl Planted<'_> {
    /// Casts codes rightly; `None` if the request is refused.
    fn right(&mut self, request: &Request, codes: &[u64]) -> Option<Vec<u64>> {
        let input = pack(request.from, codes).ok()?;
        let Reply::Output(output) = self.inner.cast(request, codes.len(), &input) else {
            return None;
        };
        unpack(request.to, &output, codes.len()).ok()
    }

    fn spoiled(&mut self, request: &Request, codes: &[u64]) -> Option<Vec<u64>> {
        let right = self.right(request, codes)?;
        let plain = |from, to| Request::cast(from, to, NEWEST);
        match self.fault.does {
            Does::Each(kernel) => {
                Some(codes.iter().zip(right).map(|(&code, right)| kernel(code, right)).collect())
            }
            Does::Through(middle) => {
                let between = self.right(&plain(request.from, middle), codes)?;
                let last = plain(middle, request.to).with(request.attributes);
                self.right(&last, &between)
            }
            Does::ReadAs(from) => {
                self.right(&plain(from, request.to).with(request.attributes), codes)
            }
            Does::Saturate(saturate) => {
                let attributes = Attributes { saturate: Some(saturate), ..request.attributes };
                self.right(&request.with(attributes), codes)
            }
        }
    }
}

impl Testee for Planted<'_> {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        let is_asked = (request.from, request.to) == (self.fault.from, self.fault.to);
        let codes = unpack(request.from, input, count).ok().filter(|_| is_asked);
        let spoiled = codes.and_then(|codes| self.spoiled(request, &codes));
        match spoiled.and_then(|codes| pack(request.to, &codes).ok()) {
            Some(output) => Reply::Output(output),
            None => self.inner.cast(request, count, input),
        }
    }
}

/// What became of a fault.
struct Fate {
    is_found: bool,
    is_named: bool,
    /// Causes that are said to explain all, though they are not what was done.
    wrong: Vec<String>,
    /// All causes that are said.
    said: Vec<String>,
}

fn fate(fault: &Fault) -> Result<Fate, String> {
    let vectors = None;
    let pair = Pair { from: fault.from, to: fault.to, level: Level::Core, vectors };
    let mut planted = Planted { inner: Builtin::new(), fault };
    let results = gate::run_pair(&pair, &Baseline::default(), &mut planted);
    let results = results.map_err(|error| format!("{}: {error:#}", fault.name()))?;
    let is_right = |name: &String| fault.causes.contains(&&name[..]);
    let mut fate = Fate { is_found: false, is_named: false, wrong: vec![], said: vec![] };
    fate.is_found = results.sum(|_| true).fails();
    for finding in findings(&results).iter().filter(|it| it.is_new()) {
        let Some(cause) = &finding.cause else { continue };
        fate.said.push(cause.clone());
        if is_right(cause) || finding.alternatives.iter().any(is_right) {
            fate.is_named = true;
        } else if finding.is_explained() {
            fate.wrong.push(cause.clone());
        }
    }
    Ok(fate)
}

/// Plants the faults, and returns the report.
///
/// # Errors
/// The report, if a fault is not found, if one has a wrong name, or too few have the right one; or what could not be
/// carried out.
pub fn public((from, to): (Option<DType>, Option<DType>), list: bool) -> Result<String, String> {
    let is_asked = |fault: &&Fault| {
        from.is_none_or(|it| it == fault.from) && to.is_none_or(|it| it == fault.to)
    };
    let faults: Vec<&Fault> = FAULTS.iter().filter(is_asked).collect();
    if faults.is_empty() {
        return Err("no public fault was planted: name other dtypes".into());
    }
    let fates: Vec<Fate> = faults.par_iter().map(|it| fate(it)).collect::<Result<_, String>>()?;
    let mut text = String::new();
    for (fault, fate) in faults.iter().zip(&fates) {
        let name = fault.name();
        let said = if fate.said.is_empty() { "no cause".into() } else { fate.said.join("; ") };
        let _ = match fate {
            Fate { is_found: false, .. } => writeln!(text, "survived: {name}"),
            Fate { wrong, .. } if !wrong.is_empty() => {
                writeln!(text, "wrong name: {name}: {}", wrong.join("; "))
            }
            Fate { is_named: false, .. } => writeln!(text, "no right name: {name}: {said}"),
            _ if list => writeln!(text, "named: {name}: {said}"),
            _ => Ok(()),
        };
    }
    let count = |is: &dyn Fn(&Fate) -> bool| fates.iter().filter(|it| is(it)).count();
    let (found, named) = (count(&|it| it.is_found), count(&|it| it.is_named));
    let (wrong, planted) = (count(&|it| !it.wrong.is_empty()), fates.len());
    let _ = write!(
        text,
        "{found} of {planted} public faults found, {named} named rightly, {wrong} wrongly"
    );
    let is_good = found == planted && wrong == 0 && named * 100 >= planted * LEAST_NAMED;
    if is_good { Ok(text) } else { Err(text) }
}

//! How many faults of each family a run notices.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A fault that was planted, and what became of it.
pub(crate) struct Fate {
    pub(crate) family: &'static str,
    /// The fault, and where it was planted.
    pub(crate) name: String,
    pub(crate) is_killed: bool,
    /// Why the default gate cannot notice it, if it cannot.
    pub(crate) beyond: Option<&'static str>,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    killed: usize,
    excused: usize,
    survived: usize,
}

impl Counts {
    fn planted(&self) -> usize {
        self.killed + self.excused + self.survived
    }
}

/// Writes the score of each family, and names every survivor; with `list` also what is killed.
///
/// # Errors
/// The same text, if a fault survives without a reason, or none was planted.
pub(crate) fn score(what: &str, seed: u64, fates: &[Fate], list: bool) -> Result<String, String> {
    let mut text = String::new();
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut all = Counts::default();
    for Fate { family, name, is_killed, beyond } in fates {
        let of_family = counts.entry(family).or_default();
        for sum in [of_family, &mut all] {
            match (is_killed, beyond) {
                (true, _) => sum.killed += 1,
                (false, Some(_)) => sum.excused += 1,
                (false, None) => sum.survived += 1,
            }
        }
        let reason = beyond.map_or_else(String::new, |reason| format!(": {reason}"));
        let _ = match is_killed {
            false => writeln!(text, "survived, {family}: {name}{reason}"),
            true if list => writeln!(text, "killed, {family}: {name}"),
            true => Ok(()),
        };
    }
    for (family, counts) in &counts {
        let Counts { killed, excused, survived } = counts;
        let planted = counts.planted();
        let _ = writeln!(
            text,
            "{family:<32} {killed:>5} killed of {planted:>5} planted; {excused} survive with a reason, {survived} without"
        );
    }
    let (killed, planted) = (all.killed, all.planted());
    let _ = write!(text, "{killed} of {planted} faults of {what} killed, seed {seed}");
    match (planted, all.survived) {
        (0, _) => Err(format!("no fault of {what} was planted: name other dtypes")),
        (_, 0) => Ok(text),
        (_, survived) => {
            Err(format!("{text}\n{survived} faults of {what} survive without a reason"))
        }
    }
}

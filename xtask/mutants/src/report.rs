//! Counts the mutants that the tests detect.

use super::fate::{Class, FEW_PIECES, Fate};
use super::request::Asked;

use std::collections::BTreeMap;
use std::fmt::Write;

/// The number of survivors that are listed for each class.
const LISTED: usize = 20;

/// The fates of the mutants of some requests.
#[derive(Default)]
pub(crate) struct Report {
    requests: Vec<(String, BTreeMap<Class, Counts>)>,
    survivors: Vec<Survivor>,
}

struct Survivor {
    class: Class,
    demanded: bool,
    line: String,
}

/// Mutants of one class.
#[derive(Clone, Copy, Default)]
struct Counts {
    killed: usize,
    survived: usize,
    admitted: usize,
    same: usize,
}

/// Methods that are wrong at few exponents only. The gate finds them by the codes of every exponent field that it draws,
/// as `mutants --values` measures; the vectors need not hold such codes.
const RARE: [&str; 3] = ["a shift modulo 32", "a shift modulo 64", "summed from two rounded parts"];

impl Report {
    pub(crate) fn requests(&self) -> usize {
        self.requests.len()
    }

    /// Adds the mutants of a request, which has `pieces` pieces.
    pub(crate) fn add(&mut self, asked: &Asked, pieces: usize, fates: Vec<(Class, Fate)>) {
        let mut counts: BTreeMap<Class, Counts> = BTreeMap::new();
        for (class, fate) in fates {
            let counts = counts.entry(class).or_default();
            match fate {
                Fate::Killed => counts.killed += 1,
                Fate::Admitted => counts.admitted += 1,
                Fate::Same => counts.same += 1,
                Fate::Survived(what) => {
                    counts.survived += 1;
                    let line = format!("{}: {what}", asked.request);
                    let is_rare = RARE.iter().any(|method| what.starts_with(method));
                    let demanded = class.is_demanded(pieces) && !is_rare;
                    self.survivors.push(Survivor { class, demanded, line });
                }
            }
        }
        let opsets: Vec<String> = asked.opsets.iter().map(u32::to_string).collect();
        let name = format!("{} (versions {})", asked.request, opsets.join(" "));
        self.requests.push((name, counts));
    }

    pub(crate) fn append(&mut self, other: Report) {
        self.requests.extend(other.requests);
        self.survivors.extend(other.survivors);
    }

    /// Returns the report, or an error if a mutant survived that must not.
    pub(crate) fn conclude(&self, list: bool) -> Result<String, String> {
        let mut text = String::new();
        if list {
            for (request, counts) in &self.requests {
                let part = |(class, name): &(Class, &str)| {
                    let Counts { killed, survived, .. } = counts.get(class)?;
                    Some(format!("{name} {killed} of {}", killed + survived))
                };
                let parts: Vec<String> = Class::ALL.iter().filter_map(part).collect();
                let _ = writeln!(text, "{request}: {}", parts.join(", "));
            }
        }
        for (class, name) in Class::ALL {
            let shown = self.survivors.iter().filter(|it| it.class == class);
            let lines = shown.map(|it| format!("survived, {name}: {}\n", it.line));
            text.extend(lines.take(if list { usize::MAX } else { LISTED }));
        }
        for (class, name) in Class::ALL {
            let _ = writeln!(text, "{}", self.total(class, name));
        }
        let _ = write!(text, "{} requests; {}", self.requests.len(), EXPLAINED);
        let missed = self.survivors.iter().filter(|it| it.demanded).count();
        if missed == 0 {
            return Ok(text);
        }
        Err(format!(
            "{text}\n{missed} mutants survive of those that level core must notice: methods, defaults, \
             and ends of requests with at most {FEW_PIECES} pieces"
        ))
    }

    fn total(&self, class: Class, name: &str) -> String {
        let of_class = self.requests.iter().filter_map(|(_, counts)| counts.get(&class));
        let total = of_class.fold(Counts::default(), |sum, counts| Counts {
            killed: sum.killed + counts.killed,
            survived: sum.survived + counts.survived,
            admitted: sum.admitted + counts.admitted,
            same: sum.same + counts.same,
        });
        let Counts { killed, survived, admitted, same } = total;
        format!(
            "{name:<9} {killed:>7} killed of {:>7} planted; apart: {admitted} admitted, {same} not wrong",
            killed + survived
        )
    }
}

const EXPLAINED: &str = "admitted: it differs only where the rules leave or tolerate another \
                         answer; not wrong: no code was found where it differs";

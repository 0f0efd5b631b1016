//! What chains of casts are rewritten to, in the words of a finding.

use castproof_check::verdict::thousands;
use castproof_methods::{Casts, Rewrite, Step};
use castproof_results::Deviation;
use castproof_vectors::{DType, Question};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// How many rewrites of one finding are said.
const MOST_COMPUTED: usize = 3;

/// Two casts in a row that the cause of a failing chain rewrites.
pub(super) struct Rewritten {
    pub(super) casts: Casts,
    /// Do they stand in a longer row?
    pub(super) is_within: bool,
}

impl Rewritten {
    /// Returns those of the chain of a test; of a longer row, the first two that the cause rewrites.
    pub(super) fn of(deviation: &Deviation) -> Option<Rewritten> {
        let Question::Chain(chain) = &deviation.test.as_ref()?.ask else { return None };
        if chain.has_bitcast() {
            return None;
        }
        let steps = Step::of_chain(chain);
        let mut neighbours = steps.array_windows().map(|&[one, next]| Casts::of(one, next));
        let is_within = steps.len() > 2;
        let casts = match &deviation.cause {
            Some(cause) if is_within => {
                neighbours.find(|casts| Rewrite::named(cause, casts).is_some())?
            }
            _ => neighbours.next()?,
        };
        Some(Rewritten { casts, is_within })
    }
}

/// Returns what a cause has in common with others that are the same fault.
pub(super) fn family(cause: &str, rewritten: Option<&Rewritten>) -> String {
    let rewrite = rewritten.and_then(|it| Some((Rewrite::named(cause, &it.casts)?, &it.casts)));
    rewrite.map_or(cause.into(), |(rewrite, casts)| rewrite.family(casts))
}

/// Says what chains are computed as, those of the rewrite with most chains first: `float64 > int64 >
/// X is computed as float64 > int32 > X: 9 chains`. Dtypes that differ among the chains are letters.
/// `within`: those that were only seen in longer rows, which are said where no chain of two is.
pub(super) fn computed(
    chains: &BTreeMap<String, BTreeSet<Casts>>,
    within: &BTreeMap<String, BTreeSet<Casts>>,
) -> Option<String> {
    let is_within = chains.is_empty();
    let mut by_size: Vec<_> = if is_within { within } else { chains }.iter().collect();
    by_size.sort_by_key(|(_, chains)| Reverse(chains.len()));
    let said = by_size.iter().filter_map(|(cause, chains)| computed_by(cause, chains));
    let mut said: Vec<String> =
        said.map(|it| if is_within { it + " within longer chains" } else { it }).collect();
    let more = said.len().saturating_sub(MOST_COMPUTED);
    said.truncate(MOST_COMPUTED);
    if more > 0 {
        said.push(format!("and {more} more"));
    }
    (!said.is_empty()).then(|| said.join("; "))
}

fn computed_by(cause: &str, chains: &BTreeSet<Casts>) -> Option<String> {
    let first = chains.first()?;
    let rewrite = Rewrite::named(cause, first)?;
    let varies = |at: usize| chains.iter().any(|it| it.dtypes[at] != first.dtypes[at]);
    let varying = (0..3).filter(|&at| varies(at)).count();
    let letters = if varying == 1 { ["X"; 3] } else { ["A", "B", "C"] };
    let names: [&str; 3] =
        std::array::from_fn(|at| if varies(at) { letters[at] } else { first.dtypes[at].name() });
    let dtypes: BTreeSet<[DType; 3]> = chains.iter().map(|it| it.dtypes).collect();
    let count = match dtypes.len() {
        1 => String::new(),
        more => format!(": {} chains", thousands(more as u64)),
    };
    Some(format!("{} is computed as {}{count}", names.join(" > "), rewrite.path(names)))
}

//! The page of the ledger of specification defects.

use crate::repository::{is_current, vectors_crate};
use castproof::output;
use castproof_vectors::{Defect, defects};
use std::fmt::Write as _;

const HEAD: &str = "\
# Specification defects

Contradictions and holes of the specifications that Castproof tests against, what it expects there, and why.
Generated from [defects.json](defects.json) by `cargo xtask generate defects`. The vectors of an entry carry its flag; `castproof
diff-spec` lists what changes between two versions.
";

/// Writes `vectors/spec/defects.md`, or checks it.
pub(crate) fn page(check: bool) -> Result<String, String> {
    let path = vectors_crate().join("spec/defects.md");
    let text = render().map_err(|error| error.to_string())?;
    if check {
        is_current(&path, &text, "cargo xtask generate defects")?;
        return Ok("the page of defects is up to date".into());
    }
    output::write(&path, text).map_err(|error| format!("{error:#}"))?;
    Ok(format!("{} entries in {}", defects().len(), path.display()))
}

fn render() -> Result<String, std::fmt::Error> {
    let mut text = HEAD.to_string();
    for defect in defects() {
        let Defect { id, title, problem, chosen, why, sources, clauses, flag, .. } = defect;
        writeln!(text, "\n## {id} {title}\n\n{problem}\n")?;
        writeln!(text, "- Expected: {chosen} {why}")?;
        writeln!(text, "- Sources: {}", sources.join("; "))?;
        writeln!(text, "- Clauses: {}; flag `{flag}`", clauses.join(", "))?;
        for change in &defect.changes {
            let (before, after) = change.between;
            let (old, new) = (&change.before, &change.after);
            writeln!(text, "- Meaning changes between {before} and {after}: {old} to {new}")?;
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof::source::Source;
    use castproof_oracle::profile_pairs;
    use castproof_vectors::{DType, Level, Profile, Suite, find_rule};
    use std::collections::BTreeSet;

    #[test]
    fn the_page_is_up_to_date() {
        page(true).expect("up to date");
    }

    /// Each entry has a vector of level core that carries its flag.
    #[test]
    fn every_defect_is_carried_by_a_vector() {
        let mut missing: BTreeSet<&str> = defects().iter().map(|defect| &defect.flag[..]).collect();
        for defect in defects() {
            let unknown = defect.clauses.iter().find(|id| find_rule(id).is_none());
            assert_eq!(unknown, None, "{}", defect.id);
        }
        let committed = Source::open(None, Level::Core).expect("the committed vectors");
        for &suite in Suite::FILES {
            for test in committed.questions(suite).expect("a file").tests {
                missing.retain(|flag| !test.flags.iter().any(|carried| carried == flag));
            }
        }
        let all = DType::CAST.iter().flat_map(|from| DType::CAST.iter().map(|to| (*from, *to)));
        let casts = all.map(|pair| (Suite::OnnxCast, pair));
        let of_profiles = Profile::numeric().flat_map(|profile| {
            profile_pairs(profile).into_iter().map(move |pair| (Suite::Profile(profile), pair))
        });
        for (suite, pair) in casts.chain(of_profiles) {
            let file = committed.load(suite, pair).expect("a file");
            for test in file.groups.iter().flat_map(|group| &group.tests) {
                missing.retain(|flag| !test.flags.iter().any(|carried| carried == flag));
            }
        }
        assert_eq!(missing, BTreeSet::new(), "no vector carries these");
    }
}

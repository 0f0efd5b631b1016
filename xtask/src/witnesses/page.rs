//! docs/witnesses.md: what each witness compared.

use super::compare::Compared;
use super::table::{WITNESSES, Witness};
use castproof_oracle::profile_pairs;
use castproof_products::repository::write_whole;
use std::collections::BTreeMap;
use std::path::Path;

/// A line of the page.
pub(super) struct Row {
    /// Its first cell: the title of the witness.
    pub(super) witness: String,
    pub(super) version: String,
    pub(super) found: Compared,
}

const HEAD: &str = "\
# Witnesses

Every profile is held to a program of other people that casts as the profile specifies: a compiler on a processor, a
virtual machine, a vendor's headers, or a vendor's device. `cargo xtask witnesses [NAME]` installs what it needs, runs it, compares it with the oracle and writes this
page. It asks for every set of attributes that the profile has. It compares all codes of sources up to 16 bits. Of wider sources it compares both ends of every piece with their
neighbours, the boundaries of the target, and codes that are drawn from a fixed seed. Any difference fails the command.
A profile leaves the codes of the column *open* to the implementation, so they are not compared. Of the *codes*, those
of the column *tolerated* have a result that the profile tolerates and does not recommend.

| profile | witness | pairs | codes | tolerated | open | differences |
|---|---|---|---|---|---|---|
";

/// Writes the page. Witnesses that were not run keep their line.
pub(super) fn write(path: &Path, rows: &[Row]) -> Result<(), String> {
    let old = std::fs::read_to_string(path).unwrap_or_default();
    let title = |line: &str| {
        let (title, _) = line.strip_prefix("| ")?.split_once(" | ")?;
        title.starts_with('`').then(|| title.to_string())
    };
    let mut lines: BTreeMap<String, String> =
        old.lines().filter_map(|line| Some((title(line)?, line.to_string()))).collect();
    for Row { witness, version, found } in rows {
        let Compared { pairs, codes, open, tolerated, differences } = found;
        let cells = [
            witness.clone(),
            version.replace('|', "/"),
            pairs.to_string(),
            codes.to_string(),
            tolerated.to_string(),
            open.to_string(),
            differences.len().to_string(),
        ];
        lines.insert(witness.clone(), format!("| {} |", cells.join(" | ")));
    }
    let known = WITNESSES.iter().filter_map(|witness| lines.remove(&witness.title()));
    let table: Vec<String> = known.collect();
    write_whole(path, format!("{HEAD}{}\n{}", table.join("\n"), notes()))
}

/// The pairs that a witness is not asked for, and why.
fn notes() -> String {
    let note = |witness: &Witness| {
        let why = witness.unasked.as_ref()?.why;
        let pairs = profile_pairs(witness.profile).into_iter();
        let count = pairs.filter(|&pair| !witness.is_asked(pair)).count();
        let (pairs, have) = if count == 1 { ("pair", "has") } else { ("pairs", "have") };
        let others = WITNESSES.iter().filter(|it| it.name() == witness.name());
        let whose = match others.count() {
            1 => "no witness",
            _ => "no witness that runs everywhere",
        };
        Some(format!("\n{count} {pairs} of `{}` {have} {whose}, {why}.\n", witness.name()))
    };
    WITNESSES.iter().filter_map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_witness() {
        let path = super::super::root().join("docs/witnesses.md");
        let page = std::fs::read_to_string(path).expect("docs/witnesses.md");
        for witness in WITNESSES {
            let line = format!("| {} | ", witness.title());
            let lacks = "docs/witnesses.md lacks it; run: cargo xtask witnesses";
            assert!(page.contains(&line), "{}: {lacks} {}", witness.title(), witness.name());
        }
        assert!(page.ends_with(&notes()), "docs/witnesses.md: run: cargo xtask witnesses");
    }
}

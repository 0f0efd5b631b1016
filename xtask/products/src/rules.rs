//! The rule book: read from `vectors/spec/rules`, written as Rust, as JSON and as a page.

use crate::repository::{vectors_crate, write_whole};
use castproof_vectors::{
    Basis, BlockFormat, BlockProfile, Elements, Profile, RULES_FORMAT, RangeRecord, RuleRecord,
    RulesFile, SourceRecord,
};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of the book, in its order, each with the title of its part of the page. The files of
/// the profiles with numeric casts follow; each has the name of its profile.
const FAMILIES: [(&str, &str); 13] = [
    ("onnx-cast", "ONNX Cast: requests, floats, bool, integers"),
    ("onnx-cast-small-floats", "ONNX Cast: float8, float8e8m0, float4, float6"),
    ("onnx-cast-strings", "ONNX Cast: strings"),
    ("onnx-castlike", "ONNX CastLike"),
    ("packing", "Packing of elements"),
    ("bitcast", "Bitcasts of TensorFlow and ONNX"),
    ("complex-cast", "Casts of complex dtypes"),
    ("mindspore-promotion", "Implicit promotion of MindSpore"),
    ("blocks", "Blocks that share a scale"),
    ("gguf", "Blocks of GGUF"),
    ("projections", "Conversions between formats by parameters"),
    ("layouts", "Layouts of codes in bytes"),
    ("onnx-quantize", "ONNX QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear"),
];

/// Specifications that a rule can name besides the profiles, and whether they have versions.
const SPECS: [(&str, bool); 12] = [
    ("onnx-cast", true),
    ("onnx-castlike", true),
    ("onnx-bitcast", true),
    ("onnx-tensor", true),
    ("onnx-quantizelinear", true),
    ("onnx-dequantizelinear", true),
    ("onnx-dynamicquantizelinear", true),
    ("tf-bitcast", false),
    ("gguf", false),
    ("projection", false),
    ("layout", false),
    ("mindspore-promotion", false),
];

/// Every file of the book with its title.
fn all_families() -> Vec<(&'static str, &'static str)> {
    let profiles = Profile::ALL.into_iter().filter_map(|profile| match profile.elements() {
        Elements::Numeric(title) => Some((profile.name(), title)),
        Elements::Complex => None, // all in one file
    });
    FAMILIES.into_iter().chain(profiles).collect()
}

/// Does the specification of this name have versions? `None` if there is no such specification.
fn has_versions(name: &str) -> Option<bool> {
    let profiles = Profile::ALL.map(|profile| (profile.name(), false));
    let blocks = BlockProfile::ALL.map(|profile| (profile.name(), false));
    SPECS
        .into_iter()
        .chain(profiles)
        .chain(blocks)
        .chain(BlockFormat::ALL.map(|format| (format.name(), false)))
        .find(|(known, _)| *known == name)
        .map(|(_, it)| it)
}

/// Writes all files that are generated from the book, or checks that they are up to date.
pub(crate) fn rules(check: bool) -> Result<String, String> {
    let root = vectors_crate().with_file_name("");
    let families = read(&vectors_crate().join("spec/rules"))?;
    let count: usize = families.iter().map(|family| family.rules.len()).sum();
    for (path, text) in outputs(&families).map_err(|error| error.to_string())? {
        let path = root.join(path);
        let failed = |error| format!("{}: {error}", path.display());
        if !check {
            write_whole(&path, &text)?;
        } else if fs::read_to_string(&path).map_err(failed)? != text {
            let path = path.display();
            return Err(format!("{path}: is out of date; run cargo xtask generate rules"));
        }
    }
    let what = if check { "what is made of them is up to date" } else { "written" };
    Ok(format!("{count} rules, {what}"))
}

/// The rules of one file.
struct Family {
    title: &'static str,
    rules: Vec<RuleRecord>,
}

fn read(folder: &Path) -> Result<Vec<Family>, String> {
    let mut seen = BTreeSet::new();
    let mut families = Vec::new();
    for (name, title) in all_families() {
        let path = folder.join(format!("{name}.json"));
        let at = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = fs::read_to_string(&path).map_err(|error| at(&error))?;
        let rules: Vec<RuleRecord> = serde_json::from_str(&text).map_err(|error| at(&error))?;
        for rule in &rules {
            whole(rule).map_err(|error| at(&error))?;
            if !seen.insert(rule.id.clone()) {
                return Err(at(&format!("{} stands twice in the book", rule.id)));
            }
        }
        families.push(Family { title, rules });
    }
    let known: Vec<String> =
        all_families().iter().map(|(name, _)| format!("{name}.json")).collect();
    for entry in fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let name = entry.map_err(|error| error.to_string())?.file_name().display().to_string();
        if !known.contains(&name) {
            let path = folder.join(name);
            return Err(format!(
                "{}: no profile has this name; add one, or add the file to FAMILIES in xtask/products/src/rules.rs",
                path.display()
            ));
        }
    }
    Ok(families)
}

/// Checks that a rule has everything it must have.
fn whole(rule: &RuleRecord) -> Result<(), String> {
    let RuleRecord { id, specs, statement, source, not_shown, .. } = rule;
    if !id.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-') {
        return Err(format!("{id}: an id has capital letters, digits and hyphens, as in FF-03"));
    }
    for RangeRecord { name, first, last } in specs {
        let Some(versioned) = has_versions(name) else {
            return Err(format!(
                "{id}: there is no specification '{name}': name one that vectors/src/labels/spec.rs or profile.rs has"
            ));
        };
        if first.is_some() != versioned || last.is_some_and(|last| *first > Some(last)) {
            return Err(format!("{id}: {name} needs a first version exactly if it has versions"));
        }
    }
    if specs.is_empty() || source.document.is_empty() || source.version.is_empty() {
        return Err(format!("{id}: a specification, a document or its version is missing: add it"));
    }
    for text in [Some(statement), not_shown.as_ref()].into_iter().flatten() {
        if !text.ends_with('.') {
            return Err(format!("{id}: '{text}' is not a whole sentence: end it with a full stop"));
        }
    }
    Ok(())
}

/// Returns every file that is generated from the book, by its path from the root of the repository.
fn outputs(families: &[Family]) -> Result<Vec<(PathBuf, String)>, std::fmt::Error> {
    let rules: Vec<RuleRecord> = families.iter().flat_map(|it| it.rules.clone()).collect();
    let outputs = [
        ("vectors/rules/src/ids.rs", ids(&rules)?),
        ("vectors/rules/src/table.rs", table(&rules)?),
        ("docs/rules.md", page(families)?),
        ("vectors/data/rules.json", RulesFile { format: RULES_FORMAT.into(), rules }.render()),
    ];
    Ok(outputs.map(|(path, text)| (path.into(), text)).into())
}

const GENERATED: &str = "Made from vectors/spec/rules by `cargo xtask generate rules`.";

/// A constant for each rule.
fn ids(rules: &[RuleRecord]) -> Result<String, std::fmt::Error> {
    let mut text = format!("//! The ids of the rules. {GENERATED}\n\nuse super::RuleId;\n\n");
    for (place, RuleRecord { id, statement, .. }) in rules.iter().enumerate() {
        writeln!(text, "/// {statement}\npub const {}: RuleId = RuleId({place});", constant(id))?;
    }
    Ok(text)
}

/// The entries, in the order of the constants.
fn table(rules: &[RuleRecord]) -> Result<String, std::fmt::Error> {
    let mut text = format!(
        "//! The entries of the rule book. {GENERATED}\n\n\
         use super::{{Basis, Rule, RuleSource, SpecRange, ids}};\n\n\
         pub(super) static TABLE: &[Rule] = &[\n"
    );
    for RuleRecord { id, specs, basis, statement, source, not_shown } in rules {
        let specs: Vec<String> = specs.iter().map(|range| format!("SpecRange {range:?}")).collect();
        let specs: Vec<String> =
            specs.iter().map(|it| it.replacen("SpecRange RangeRecord", "SpecRange", 1)).collect();
        let SourceRecord { document, version, section } = source;
        writeln!(
            text,
            "    Rule {{ id: ids::{}, name: {id:?}, specs: &[{}], basis: Basis::{basis:?}, \
             statement: {statement:?}, source: RuleSource {{ document: {document:?}, \
             version: {version:?}, section: {section:?} }}, not_shown: {not_shown:?} }},",
            constant(id),
            specs.join(", ")
        )?;
    }
    text += "];\n";
    Ok(text)
}

/// `FF_03`
fn constant(id: &str) -> String {
    id.replace('-', "_")
}

const HEAD: &str = "\
# The rules

Every rule that Castproof holds casts to: what it says in our own words, in which versions of which specification it holds,
how firmly it stands, and where it was read. A test vector names its rule in the member `clause`; `castproof rules ID` prints
one. The same as data is [rules.json](https://github.com/castproof/castproof/blob/main/vectors/data/rules.json), with its [schema](https://github.com/castproof/castproof/blob/main/vectors/data/rules.schema.json).

Basis: `text` is the operator's text; `technical-doc` a technical page beside it; `practice` where the text is silent and
implementations agree, or nearly so; `undefined` where it is silent and they differ. What holds in a version of `onnx-cast`
holds in the same version of `onnx-castlike` (CL-01). A rule that no vector shows says why.

Made from [vectors/spec/rules](https://github.com/castproof/castproof/tree/main/vectors/spec/rules) by `cargo xtask generate rules`.
";

/// Returns the page.
fn page(families: &[Family]) -> Result<String, std::fmt::Error> {
    let mut text = HEAD.to_string();
    for Family { title, rules } in families {
        writeln!(text, "\n## {title}\n\n| rule | holds in | basis | it says | source |")?;
        writeln!(text, "|---|---|---|---|---|")?;
        for RuleRecord { id, specs, basis, statement, source, not_shown } in rules {
            let specs: Vec<String> = specs.iter().map(range).collect();
            let statement = match not_shown {
                Some(why) => format!("{statement} *No vector shows it: {why}*"),
                None => statement.clone(),
            };
            let SourceRecord { document, version, section } = source;
            let section = section.as_ref().map_or(String::new(), |it| format!(", {it}"));
            let (specs, basis) = (specs.join("; "), Basis::name(*basis));
            writeln!(
                text,
                "| <a id=\"{id}\"></a>{id} | {specs} | {basis} | {statement} | {document} ({version}){section} |"
            )?;
        }
    }
    Ok(text)
}

fn range(RangeRecord { name, first, last }: &RangeRecord) -> String {
    match (first, last) {
        (None, _) => name.clone(),
        (Some(first), None) => format!("{name} from {first}"),
        (Some(first), Some(last)) if first == last => format!("{name} {first}"),
        (Some(first), Some(last)) => format!("{name} {first} to {last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::default_data;
    use castproof_vectors::{VectorFile, find_rule, rules as all_rules};
    use std::collections::BTreeMap;

    #[test]
    fn what_is_made_of_the_book_is_up_to_date() {
        rules(true).expect("up to date");
    }

    /// Ids that tests invent to check that they are refused.
    const INVENTED: [&str; 2] = ["F8-S99", "FF-99"];

    /// Every word in sources, pages, data and baselines that looks like the id of a rule is the id
    /// of a rule.
    #[test]
    fn every_id_that_is_cited_exists() {
        let families: BTreeSet<&str> = all_rules().iter().map(|rule| family(rule.name)).collect();
        let mut cited: BTreeMap<String, PathBuf> = BTreeMap::new();
        for path in files(&vectors_crate().with_file_name("")) {
            let Ok(text) = fs::read_to_string(&path) else { continue };
            for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c))) {
                let digits = word.len() - word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
                if (1..=2).contains(&digits) && families.contains(family(word)) {
                    cited.entry(word.to_string()).or_insert_with(|| path.clone());
                }
            }
        }
        assert!(cited.len() > 180, "only {} ids were found", cited.len());
        cited.retain(|id, _| find_rule(id).is_none() && !INVENTED.contains(&id.as_str()));
        assert!(cited.is_empty(), "vectors/spec/rules lacks {cited:?}");
    }

    /// A rule has a committed vector, or says why no case can show it.
    #[test]
    fn every_rule_has_a_vector_or_says_why_not() {
        let mut cited = BTreeSet::new();
        let vectors = |path: &PathBuf| path.extension().is_some_and(|it| it == "json");
        for path in files(&default_data()).into_iter().filter(vectors) {
            let text = fs::read_to_string(&path).expect("readable");
            let members = text.split("\"clause\":").skip(1);
            let id = |member: &str| member.split('"').nth(1).map(str::to_string);
            cited.extend(members.filter_map(id));
            // A file that several profiles share has the rules of each beside those of the first.
            if text.contains("\"servesToo\": {")
                && let Ok(file) = serde_json::from_str::<VectorFile>(&text)
            {
                let tests = file.groups.iter().flat_map(|group| &group.tests);
                let here: BTreeSet<&str> = tests.map(|test| test.clause.as_str()).collect();
                let others = file.serves_too.values().flatten();
                let shown = others.filter(|(clause, _)| here.contains(clause.as_str()));
                cited.extend(shown.map(|(_, other)| other.clone()));
            }
        }
        assert!(cited.len() > 150, "only {} rules were found", cited.len());
        for rule in all_rules() {
            let shown = cited.contains(rule.name);
            match rule.not_shown {
                None => {
                    assert!(shown, "{}: no vector cites it, and it does not say why", rule.name);
                }
                Some(_) => assert!(!shown, "{}: a vector cites it; drop notShown", rule.name),
            }
        }
    }

    #[test]
    fn half_entries_are_refused() {
        let whole_rule = RuleRecord::from(&all_rules()[0]);
        assert_eq!(whole(&whole_rule), Ok(()));
        let range = whole_rule.specs[0].clone();
        let with = |change: &dyn Fn(&mut RuleRecord)| {
            let mut rule = whole_rule.clone();
            change(&mut rule);
            whole(&rule).expect_err("not whole")
        };
        for (error, said) in [
            (with(&|rule| rule.id = "ff-03".into()), "capital letters"),
            (with(&|rule| rule.statement = "No".into()), "whole sentence"),
            (with(&|rule| rule.specs.clear()), "missing"),
            (with(&|rule| rule.specs[0].name = "onnx".into()), "no specification"),
            (with(&|rule| rule.specs[0].first = None), "first version"),
            (with(&|rule| rule.specs[0] = RangeRecord { last: Some(0), ..range.clone() }), "first"),
            (with(&|rule| rule.source.version.clear()), "missing"),
        ] {
            assert!(error.contains(said), "{error}");
        }
    }

    /// Returns the family of an id: `FF-` for `FF-03`.
    fn family(id: &str) -> &str {
        id.trim_end_matches(|c: char| c.is_ascii_digit())
    }

    /// Returns text files under a folder, except those that are built or installed there.
    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("a folder of the repository");
        let mut found = Vec::new();
        for entry in entries {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // Files that fuzzing leaves may hold ids that it has changed.
            let made = ["target", "node_modules", "corpus", "artifacts"];
            let built = made.iter().any(|it| name == *it) || name.contains("venv");
            if path.is_dir() && !built && !(name.starts_with('.') && name != ".ci") {
                found.extend(files(&path));
            } else if path.is_file() && !name.starts_with('.') {
                found.push(path);
            }
        }
        found
    }
}

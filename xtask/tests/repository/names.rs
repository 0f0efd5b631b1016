//! Public types: one name stands for one type.

use std::collections::BTreeMap;
use std::path::Path;

/// Names of two types, and why they keep them.
const KEPT: [(&str, &str); 4] = [
    ("Asking", "one type, defined once for machines with signals and once for others"),
    ("ComplexCast", "a question of the suites, and the cast of the implementation that answers it"),
    ("Element", "what the implementation casts between, and an element of a vector file"),
    (
        "Operands",
        "a question of the suites, and the operands of the implementation that answers it",
    ),
];

/// Returns the names of the public types of a file, each with its line.
fn types(text: &str) -> impl Iterator<Item = (&str, usize)> {
    text.lines().enumerate().filter_map(|(number, line)| {
        let item = line.trim_start().strip_prefix("pub ")?;
        let kinds = ["struct ", "enum ", "trait ", "type "];
        let name = kinds.iter().find_map(|kind| item.strip_prefix(kind))?;
        let end = name.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(name.len());
        // A macro has `$name` there.
        (end > 0).then_some((&name[..end], number + 1))
    })
}

/// Returns each name with the places of its types.
fn places<'a>(
    files: impl Iterator<Item = (&'a String, &'a String)>,
) -> BTreeMap<&'a str, Vec<String>> {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (file, text) in files {
        for (name, line) in types(text) {
            places.entry(name).or_default().push(format!("{file}:{line}"));
        }
    }
    places
}

#[test]
fn a_public_type_has_a_name_of_its_own() {
    let files = super::files();
    let is_source = |name: &str| {
        let mut parts = Path::new(name).components();
        name.ends_with(".rs") && parts.any(|part| part.as_os_str() == "src")
    };
    let sources = files.iter().filter(|(name, _)| is_source(name));
    let texts = sources.filter_map(|(name, text)| Some((name, text.as_ref()?)));
    let places = places(texts);
    assert!(places.len() > 400, "only {} public types were found", places.len());
    let twice = |name: &str| places.get(name).is_some_and(|places| places.len() > 1);
    for (name, places) in places.iter().filter(|(name, _)| twice(name)) {
        let is_kept = KEPT.iter().any(|(kept, _)| kept == name);
        assert!(
            is_kept,
            "{name} is the name of several types; give each a name that says what it holds: {}",
            places.join(", ")
        );
    }
    for (name, _) in KEPT {
        assert!(twice(name), "{name} is the name of one type: take it off the list");
    }
}

#[test]
fn every_form_of_a_type_is_seen() {
    let text = "pub struct One;\n    pub enum Two<T> {\npub(crate) struct Other;\npub type Three = u8;\npub fn four() {}\n";
    let found: Vec<(&str, usize)> = types(text).collect();
    assert_eq!(found, [("One", 1), ("Two", 2), ("Three", 4)]);
}

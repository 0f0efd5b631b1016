//! Modules of this crate import each other in one direction only.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The path of a module from the root of the crate. The path of the root is empty.
type Module = Vec<String>;

#[test]
fn no_module_imports_itself_on_a_detour() {
    let files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let modules: BTreeMap<Module, String> = files.iter().map(|path| module(path)).collect();
    assert!(modules.len() > 40, "only {} modules", modules.len());
    let mut imports: BTreeMap<&Module, BTreeSet<Module>> = BTreeMap::new();
    for (name, text) in &modules {
        // The root imports items only to export them, so it is part of no circle.
        if name.is_empty() {
            continue;
        }
        let mut targets: BTreeSet<Module> =
            uses(text).iter().filter_map(|path| target(path, name, &modules)).collect();
        targets.remove(name);
        imports.insert(name, targets);
    }
    assert!(imports.values().map(BTreeSet::len).sum::<usize>() > 100, "imports are not seen");
    for start in imports.keys() {
        if let Some(circle) = way_back(start, &imports) {
            panic!("an import circle: {}", circle.join(" -> "));
        }
    }
}

/// Both crates state the facts of formats, and tests compare them. The comparison proves nothing if
/// one crate imports the other.
#[test]
fn implementation_and_oracle_do_not_import_each_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (name, other) in [("impl", "castproof-oracle"), ("oracle", "castproof-impl")] {
        let path = root.join(name).join("Cargo.toml");
        let text = fs::read_to_string(&path).expect("a manifest beside this one");
        assert!(!text.contains(other), "{} names {other}", path.display());
    }
}

#[test]
fn every_published_crate_has_a_readme_and_both_licences() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in ["vectors", "oracle", "impl", "check", "gate"] {
        assert!(root.join(name).join("README.md").exists(), "{name} has no README.md");
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let text = |folder: &Path| fs::read_to_string(folder.join(licence)).expect(licence);
            assert_eq!(text(&root.join(name)), text(&root), "{name}/{licence}");
        }
    }
}

/// Returns the shortest path of imports from a module to itself.
fn way_back(start: &Module, imports: &BTreeMap<&Module, BTreeSet<Module>>) -> Option<Vec<String>> {
    let mut ways: Vec<Vec<&Module>> = vec![vec![start]];
    let mut seen: BTreeSet<&Module> = BTreeSet::new();
    let mut next = 0;
    while let Some(way) = ways.get(next).cloned() {
        next += 1;
        for target in imports.get(way[way.len() - 1]).into_iter().flatten() {
            if target == start {
                let names = way.iter().chain([&start]).map(|module| module.join("::"));
                return Some(names.collect());
            }
            if seen.insert(target) {
                ways.push([&way[..], &[target]].concat());
            }
        }
    }
    None
}

/// Returns the module that a path of a `use` names, or the module of the item that it names.
fn target(path: &str, from: &Module, modules: &BTreeMap<Module, String>) -> Option<Module> {
    let mut parts: Vec<String> = path.split("::").map(str::to_string).collect();
    let mut base = match parts[0].as_str() {
        "crate" => Vec::new(),
        "super" => from[..from.len() - 1].to_vec(),
        "self" => from.clone(),
        // A child module. Any other name is another crate.
        child if modules.contains_key(&[&from[..], &[child.to_string()]].concat()) => {
            parts.insert(0, "self".into());
            from.clone()
        }
        _ => return None,
    };
    for part in &parts[1..] {
        let deeper = [&base[..], std::slice::from_ref(part)].concat();
        if modules.contains_key(&deeper) {
            base = deeper;
        } else if base.is_empty() {
            // An item that the root exports from a module.
            let exported = uses(&modules[&base]);
            let source = exported.iter().find(|path| path.ends_with(&format!("::{part}")))?;
            return Some(vec![source.split("::").next()?.to_string()])
                .filter(|module| modules.contains_key(module));
        } else {
            break;
        }
    }
    Some(base)
}

/// Returns every path of every `use` outside of tests, with braces expanded.
fn uses(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let code: Vec<&str> =
        text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let statements = code.split('\n').enumerate().filter_map(|(index, line)| {
        let line = line.trim_start();
        let line = line.strip_prefix("pub(crate) ").or(line.strip_prefix("pub ")).unwrap_or(line);
        line.starts_with("use ").then(|| {
            let rest: Vec<&str> = code.split('\n').skip(index).collect();
            let rest = rest.join(" ");
            let start = rest.find("use ").expect("just seen") + 4;
            let end = rest[start..].find(';').expect("a use ends") + start;
            rest[start..end].replace(char::is_whitespace, "")
        })
    });
    statements.flat_map(|statement| expand(&statement)).collect()
}

/// Expands the braces of a path: `a::{b, c::{d, e}}` becomes `a::b`, `a::c::d`, `a::c::e`.
fn expand(path: &str) -> Vec<String> {
    let Some(open) = path.find('{') else { return vec![path.to_string()] };
    let (prefix, inner) = (&path[..open], &path[open + 1..path.len() - 1]);
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (index, letter) in inner.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.flat_map(expand).map(|part| format!("{prefix}{part}")).collect()
}

fn module(path: &Path) -> (Module, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let relative = path.strip_prefix(root).expect("below src").with_extension("");
    let mut parts: Module =
        relative.iter().map(|part| part.to_str().expect("ASCII").to_string()).collect();
    if parts.last().is_some_and(|last| last == "mod" || last == "lib") {
        parts.pop();
    }
    (parts, fs::read_to_string(path).expect("a readable source file"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a readable folder");
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    paths
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .filter(|path| path.file_name().is_some_and(|name| name != "tests.rs"))
        .collect()
}

#[test]
fn paths_of_braces_are_found() {
    let text = "use crate::{Error, arch::{self, Loop}};\npub(crate) use a::B;\n// use no::Thing;\n";
    let expected = ["crate::Error", "crate::arch::self", "crate::arch::Loop", "a::B"];
    assert_eq!(uses(text), expected);
}

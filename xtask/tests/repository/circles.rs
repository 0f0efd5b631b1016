//! Which modules of a crate import each other in a circle.

use crate::source::{Module, Names};
use std::collections::{BTreeMap, BTreeSet};

/// The modules of one crate.
pub(crate) type Modules = BTreeMap<Module, Names>;

/// What a path leads to.
enum End {
    Module(Module),
    /// An item, by the module that defines it.
    Item(Module),
}

/// Returns which modules each module imports, by `use` or by a path in its code. A name that a
/// module only passes on counts as the module that defines it.
pub(crate) fn imports(modules: &Modules) -> BTreeMap<&Module, BTreeSet<Module>> {
    let of = |(module, names): (_, &Names)| {
        let Names { imports, paths, .. } = names;
        let paths = imports.iter().map(|import| &import.path).chain(paths.iter());
        let ends = paths.filter_map(|path| follow(modules, module, path, &mut BTreeSet::new()));
        let mut targets: BTreeSet<Module> =
            ends.map(|(End::Module(target) | End::Item(target))| target).collect();
        targets.remove(module);
        (module, targets)
    };
    modules.iter().map(of).collect()
}

/// Returns circles of imports, each as its modules in order. Every module that is part of a circle
/// is in one of them.
pub(crate) fn circles(modules: &Modules) -> Vec<Vec<String>> {
    let imports = imports(modules);
    let mut circles: Vec<Vec<&Module>> = Vec::new();
    for start in imports.keys() {
        if circles.iter().any(|circle| circle.contains(start)) {
            continue;
        }
        circles.extend(way_back(start, &imports));
    }
    let name = |module: &&Module| format!("crate::{}", module.join("::"));
    circles.iter().map(|circle| circle.iter().map(name).collect()).collect()
}

/// Returns the shortest way of imports from a module to itself.
fn way_back<'a>(
    start: &'a Module,
    imports: &'a BTreeMap<&Module, BTreeSet<Module>>,
) -> Option<Vec<&'a Module>> {
    let mut ways: Vec<Vec<&Module>> = vec![vec![start]];
    let mut seen: BTreeSet<&Module> = BTreeSet::new();
    let mut next = 0;
    while let Some(way) = ways.get(next).cloned() {
        next += 1;
        for target in imports.get(way[way.len() - 1]).into_iter().flatten() {
            if target == start {
                return Some([&way[..], &[start]].concat());
            }
            if seen.insert(target) {
                ways.push([&way[..], &[target]].concat());
            }
        }
    }
    None
}

/// Names that are being looked up, so that imports of all names in a circle have an end.
type Asked = BTreeSet<(Module, String)>;

/// Returns where a path leads; `None` if it leads to another crate.
fn follow(modules: &Modules, from: &Module, path: &[String], asked: &mut Asked) -> Option<End> {
    let (first, rest) = path.split_first()?;
    let mut end = match first.as_str() {
        "crate" => End::Module(Module::new()),
        "self" => End::Module(from.clone()),
        "super" => End::Module(parent(from)?),
        name => find(modules, from, name, asked)?,
    };
    for word in rest {
        let End::Module(module) = &end else { break };
        end = match word.as_str() {
            "super" => End::Module(parent(module)?),
            name => match find(modules, module, name, asked) {
                Some(end) => end,
                None if modules[module].imports.iter().any(|it| it.name == name) => return None,
                // Not seen in the text of the module, such as an item that a macro defines.
                None => End::Item(module.clone()),
            },
        };
    }
    Some(end)
}

fn parent(module: &Module) -> Option<Module> {
    Some(module.split_last()?.1.to_vec())
}

/// Returns what a name stands for in a module; `None` if it comes from another crate.
fn find(modules: &Modules, module: &Module, name: &str, asked: &mut Asked) -> Option<End> {
    let child = [&module[..], &[name.to_string()]].concat();
    if modules.contains_key(&child) {
        return Some(End::Module(child));
    }
    let names = modules.get(module)?;
    if names.items.contains(name) {
        return Some(End::Item(module.clone()));
    }
    if !asked.insert((module.clone(), name.to_string())) {
        return None;
    }
    if let Some(import) = names.imports.iter().find(|import| import.name == name) {
        return follow(modules, module, &import.path, asked);
    }
    names.imports.iter().filter(|import| import.name == "*").find_map(|import| {
        match follow(modules, module, &import.path, asked)? {
            End::Module(source) => find(modules, &source, name, asked),
            End::Item(_) => None,
        }
    })
}

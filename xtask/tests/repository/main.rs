//! Tests of the repository as a whole: modules import downwards, the oracle and the implementation
//! do not know each other, what is published is whole, every profile has a witness, unsafe code stands
//! where it may, every link leads somewhere, and something links to every picture and page.

mod circles;
mod documents;
mod links;
mod names;
mod source;

use castproof_vectors::Profile;
use circles::{Modules, circles, imports};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What `cargo metadata` says of the crates of a manifest.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    /// The registries to which it may be published; absent if to all.
    publish: Option<Vec<String>>,
    dependencies: Vec<Dependency>,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// `dev` or `build`; absent if the crate itself imports it.
    kind: Option<String>,
    /// What the manifest calls it, if not by its name. `features-of-...` is a crate that no line imports.
    rename: Option<String>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    src_path: PathBuf,
    /// Whether `cargo test` compiles the target once more, for the tests in it.
    test: bool,
    /// Whether `cargo test` runs the examples in its documentation.
    doctest: bool,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository")
}

/// Every crate of the workspace, and the crate `fuzz`, which stands outside of it.
fn packages() -> Vec<Package> {
    let mut packages = BTreeMap::new();
    for manifest in ["Cargo.toml", "fuzz/Cargo.toml"] {
        let said = Command::new(env!("CARGO"))
            .args(["metadata", "--no-deps", "--offline", "--format-version=1", "--manifest-path"])
            .arg(root().join(manifest))
            .output()
            .expect("cargo starts");
        let metadata: Metadata = serde_json::from_slice(&said.stdout).unwrap_or_else(|error| {
            panic!("{manifest}: {error}: {}", String::from_utf8_lossy(&said.stderr))
        });
        packages.extend(metadata.packages.into_iter().map(|it| (it.manifest_path.clone(), it)));
    }
    assert!(packages.len() >= 9, "only {} crates", packages.len());
    packages.into_values().collect()
}

/// Which crates of the repository each one imports, by their folders.
type Table = BTreeMap<String, BTreeSet<String>>;

/// Returns the text of ARCHITECTURE.md, and its table of crates.
fn architecture() -> (String, Table) {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("a page");
    let quoted = |cell: &str| -> BTreeSet<String> {
        cell.split('`').skip(1).step_by(2).map(String::from).collect()
    };
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows = rows.filter_map(|line| {
        let [name, .., imports, ""] = line.split('|').collect::<Vec<_>>()[..] else { return None };
        (line.matches('|').count() == 4)
            .then(|| (name.trim_end_matches(['`', ' ']).to_string(), quoted(imports)))
    });
    let table = rows.collect();
    (page, table)
}

/// The table of crates in ARCHITECTURE.md says which crates of the repository each one imports.
#[test]
fn the_table_of_crates_is_what_the_manifests_say() {
    let (_, table) = architecture();
    let packages = packages();
    let folder = |package: &Package| {
        let folder = package.manifest_path.parent().expect("a folder");
        folder.strip_prefix(root()).expect("in the repository").display().to_string()
    };
    let folders: BTreeMap<&str, String> =
        packages.iter().map(|package| (&package.name[..], folder(package))).collect();
    let listed = packages.iter().filter(|package| table.contains_key(&folders[&package.name[..]]));
    let mut compared = 0;
    for package in listed {
        let imported = package.dependencies.iter().filter(|it| {
            it.kind.is_none() && !it.rename.iter().any(|name| name.starts_with("features-of-"))
        });
        let imported: BTreeSet<String> =
            imported.filter_map(|it| folders.get(&it.name[..]).cloned()).collect();
        let name = &folders[&package.name[..]];
        assert_eq!(table[name], imported, "ARCHITECTURE.md, the row of {name}");
        compared += 1;
    }
    assert_eq!(compared, table.len(), "each row is a crate");
    assert!(compared >= 13, "the table has only {compared} rows");
}

/// The most lines of source of a crate: what is longer holds two things.
const MOST_LINES: usize = 8_000;

/// Crates that may be longer: `impl` has a loop for each family of casts and each instruction set.
const LONGER: [&str; 1] = ["castproof-impl"];

/// The sources of a crate are short enough to be read in an evening.
#[test]
fn no_crate_is_longer_than_it_may_be() {
    let files = files();
    for package in packages() {
        let folder = package.manifest_path.parent().expect("a folder");
        let folder = folder.strip_prefix(root()).expect("in the repository").join("src");
        let is_source = |name: &str| Path::new(name).starts_with(&folder) && name.ends_with(".rs");
        let sources = files.iter().filter(|(name, _)| is_source(name));
        let texts = sources.filter_map(|(_, text)| text.as_deref());
        let lines: usize = texts.map(|text| text.lines().count()).sum();
        assert!(
            lines <= MOST_LINES || LONGER.contains(&&package.name[..]),
            "{} has {lines} lines of source, more than {MOST_LINES}: make a crate of a part of it",
            package.name
        );
    }
}

/// `cargo test` compiles a library a second time for the tests in its sources, and a third time for its examples. A library
/// without them says `test = false` or `doctest = false`, and one that has them does not.
#[test]
fn a_library_is_compiled_for_the_tests_that_it_has() {
    let files = files();
    let mut compared = 0;
    for Package { name, targets, .. } in packages() {
        for target in targets.iter().filter(|it| it.kind.iter().any(|kind| kind.ends_with("lib"))) {
            let folder = target.src_path.parent().expect("a folder");
            let folder = folder.strip_prefix(root()).expect("in the repository");
            let is_source =
                |path: &str| Path::new(path).starts_with(folder) && path.ends_with(".rs");
            let sources = files.iter().filter(|(path, _)| is_source(path));
            let texts: Vec<&str> = sources.filter_map(|(_, text)| text.as_deref()).collect();
            let have = |is: fn(&str) -> bool| {
                texts.iter().any(|text| text.lines().any(|it| is(it.trim_start())))
            };
            let has_tests = have(|line| line == "#[test]");
            let has_examples =
                have(|line| line.starts_with("/// ```") || line.starts_with("//! ```"));
            assert_eq!(target.test, has_tests, "{name}: the key `test` of [lib]");
            assert_eq!(target.doctest, has_examples, "{name}: the key `doctest` of [lib]");
            compared += 1;
        }
    }
    assert!(compared >= 25, "only {compared} libraries");
}

/// The picture in ARCHITECTURE.md has every crate below the crates that it imports.
#[test]
fn the_picture_of_crates_is_what_the_table_says() {
    let (page, table) = architecture();
    let picture = page.split("```").nth(1).expect("a picture");
    let line_of = |folder: &str| {
        let has = |line: &str| line.split_whitespace().any(|word| word == folder);
        let line = picture.lines().position(has);
        line.unwrap_or_else(|| panic!("the picture of ARCHITECTURE.md lacks {folder}"))
    };
    for (folder, imports) in table.iter().filter(|(folder, _)| *folder != "fuzz/checks") {
        for import in imports {
            assert!(
                line_of(import) < line_of(folder),
                "ARCHITECTURE.md: {folder} imports {import}, which stands beside or below it"
            );
        }
    }
}

/// Returns what `cargo tree` says with these words: each crate with its version and its features.
fn tree(words: &[&str]) -> BTreeSet<(String, String)> {
    let said = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--prefix=none", "--format={p}|{f}"])
        .args(words)
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let text = String::from_utf8(said.stdout).expect("UTF-8");
    let row = |line: &str| {
        let (name, features) = line.split_once('|').expect("a crate and its features");
        (name.to_string(), features.trim_end_matches(" (*)").to_string())
    };
    // An empty line stands between two crates of the workspace.
    text.lines().filter(|line| !line.is_empty()).map(row).collect()
}

/// The wheel and the library for C would compile every crate again if one had other features than in the program.
#[test]
fn the_wheel_and_the_library_share_the_build_of_the_program() {
    let program: BTreeMap<String, String> =
        tree(&["--package=castproof", "--edges=normal,build"]).into_iter().collect();
    assert!(program.len() > 100, "only {} crates", program.len());
    for package in
        [&["--package=castproof-python"][..], &["--package=castproof-c", "--features=with-program"]]
    {
        let all = tree(&[package, &["--edges=normal,build"]].concat());
        let is_other = |(name, features): &&(String, String)| {
            program.get(name).is_some_and(|of_program| of_program != features)
        };
        let other: Vec<&(String, String)> = all.iter().filter(is_other).collect();
        let said = "other features of these crates are on; turn them on in gate/Cargo.toml";
        assert!(other.is_empty(), "{package:?}: {said}: {other:#?}");
    }
}

/// `.ci/machines` would compile castproof-impl twice for each machine if the sweep's testee had other features than the tests.
#[test]
fn the_testee_of_a_machine_shares_the_build_of_the_tests() {
    let script = fs::read_to_string(root().join(".ci/machines")).expect("the script");
    let line = script
        .lines()
        .find(|line| line.contains("cargo build") && line.contains("castproof-testee"));
    let words = line.expect("the testee is built").split_whitespace();
    let flags: Vec<&str> =
        words.skip_while(|word| *word != "--package").take_while(|word| *word != "\\").collect();
    let tests: BTreeMap<String, String> =
        tree(&["--package=castproof-impl", "--edges=normal,build,dev"]).into_iter().collect();
    let testee: BTreeMap<String, String> =
        tree(&[&flags[..], &["--edges=normal,build"]].concat()).into_iter().collect();
    let features = |all: &BTreeMap<String, String>, start: &str| {
        all.iter().find(|(name, _)| name.starts_with(start)).map(|(_, features)| features.clone())
    };
    for start in ["castproof-impl ", "castproof-vectors "] {
        let of_tests = features(&tests, start);
        assert!(of_tests.is_some(), "{start}is not among {tests:#?}");
        assert_eq!(of_tests, features(&testee, start), "features of {start}by {flags:?}");
    }
}

/// A chore after `cargo test --workspace` would compile most crates again if they had other features.
#[test]
fn the_chores_share_the_build_of_the_tests() {
    let tests = tree(&["--workspace", "--edges=normal,build,dev"]);
    let chores = tree(&["--package=xtask", "--edges=normal,build"]);
    assert!(chores.len() > 100, "only {} crates", chores.len());
    let other: Vec<&(String, String)> = chores.difference(&tests).collect();
    assert!(
        other.is_empty(),
        "the tests turn on other features of these crates; turn them on in xtask/Cargo.toml: {other:#?}"
    );
}

#[test]
fn no_module_imports_itself_on_a_detour() {
    let root = root();
    let mut wrong = Vec::new();
    for target in packages().iter().flat_map(|package| &package.targets) {
        if !target.kind.iter().any(|kind| kind == "lib" || kind == "bin") {
            continue;
        }
        let modules = source::modules(&target.src_path, &|path| fs::read_to_string(path).ok());
        let file = target.src_path.strip_prefix(&root).expect("in the repository");
        for circle in circles(&modules) {
            wrong.push(format!("{}: {}", file.display(), circle.join(" -> ")));
        }
    }
    assert!(wrong.is_empty(), "modules import each other in a circle:\n{}", wrong.join("\n"));
}

/// The test above finds nothing if sources are not read.
#[test]
fn imports_are_seen() {
    let modules =
        source::modules(&root().join("impl/src/lib.rs"), &|path| fs::read_to_string(path).ok());
    assert!(modules.len() > 50, "only {} modules", modules.len());
    let imports = imports(&modules);
    let count: usize = imports.values().map(BTreeSet::len).sum();
    assert!(count > 150, "only {count} imports");
    let module = |path: &str| path.split("::").map(String::from).collect::<Vec<_>>();
    assert!(imports[&module("run")].contains(&module("plan")), "{:?}", imports[&module("run")]);
}

/// Both crates state the facts of formats, and tests compare them. The comparison proves nothing if
/// one crate imports the other.
#[test]
fn implementation_and_oracle_do_not_know_each_other() {
    let packages = packages();
    let known = |name: &str| {
        let mut known = BTreeSet::from([name.to_string()]);
        loop {
            let of_known = packages.iter().filter(|package| known.contains(&package.name));
            let names = of_known.flat_map(|it| &it.dependencies).map(|it| it.name.clone());
            let more: BTreeSet<String> = names.collect();
            if more.is_subset(&known) {
                return known;
            }
            known.extend(more);
        }
    };
    for (name, other) in
        [("castproof-impl", "castproof-oracle"), ("castproof-oracle", "castproof-impl")]
    {
        let known = known(name);
        assert!(known.contains("castproof-vectors"), "{name} is not found");
        assert!(!known.contains(other), "{name} depends on {other}: {known:?}");
    }
}

#[test]
fn every_published_crate_has_a_readme_and_both_licences() {
    let published: Vec<Package> =
        packages().into_iter().filter(|it| it.publish.is_none()).collect();
    assert!(published.len() >= 6, "only {} published crates", published.len());
    for Package { name, manifest_path, .. } in published {
        let folder = manifest_path.parent().expect("a manifest has a folder");
        assert!(folder.join("README.md").exists(), "{name} has no README.md");
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let text = |folder: &Path| fs::read_to_string(folder.join(licence)).unwrap_or_default();
            assert!(text(folder) == text(&root()), "{name}: copy {licence} into its folder");
        }
    }
}

/// What a crate cannot take from the workspace has the same version.
#[test]
fn every_file_names_the_version_of_the_workspace() {
    let version = env!("CARGO_PKG_VERSION");
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("a file");
    let citation = format!("version: {version}");
    assert!(read("CITATION.cff").lines().any(|line| line == citation), "CITATION.cff: {citation}");
    let json = |path: &str| -> serde_json::Value {
        serde_json::from_str(&read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let lock = json("packages/npm/package-lock.json");
    let stated = [
        ("package.json", &json("packages/npm/package.json")["version"]),
        ("package-lock.json", &lock["version"]),
        ("package-lock.json, packages", &lock["packages"][""]["version"]),
    ];
    for (file, stated) in stated {
        assert_eq!(stated, version, "packages/npm/{file}");
    }
    for key in ["title", "description", "license", "creators"] {
        assert!(!json(".zenodo.json")[key].is_null(), ".zenodo.json has no {key}");
    }
}

/// People find a profile by its row, which is written by hand.
#[test]
fn every_profile_of_numbers_has_its_row() {
    let page = fs::read_to_string(root().join("docs/profiles.md")).expect("a page");
    for profile in Profile::numeric() {
        let name = profile.name();
        assert!(
            page.contains(&format!("\n| `{name}` | ")),
            "docs/profiles.md has no row of {name}"
        );
    }
}

/// A profile that nothing runs may say anything. `cargo xtask witnesses` runs the witnesses of
/// numeric casts by the names in its table.
#[test]
fn every_profile_has_a_witness_that_runs_it() {
    let table = fs::read_to_string(root().join("xtask/src/witnesses/table.rs")).expect("a table");
    for profile in Profile::ALL {
        let (name, witness) = (profile.name(), profile.witness());
        let text = fs::read_to_string(root().join(witness)).unwrap_or_default();
        // A testee is asked for a profile by its name.
        let in_table = table.contains(&format!("profile: Profile::{profile:?},"))
            && table.contains(witness)
            && !text.is_empty();
        let runs = in_table
            || text.contains(&format!("\"{name}\""))
            || text.contains(&format!("{profile:?}"));
        assert!(
            runs,
            "vectors/src/labels/profile.rs: the witness of {name}, {witness}, does not run it"
        );
    }
}

/// The files and folders with unsafe code: loops of instruction sets, guard pages, the call of foreign
/// libraries, the interfaces for C and WebAssembly, and faults of memory that are planted.
const UNSAFE: [&str; 13] = [
    "check/src/memory/",
    "check/src/packed.rs",
    "check/src/slices.rs",
    "fuzz/checks/src/memory.rs",
    "gate/testee/src/library.rs",
    "gate/testee/src/library_blocks.rs",
    "gate/tests/served/places/mod.rs",
    "impl/examples/wasm.rs",
    "impl/src/arch/",
    "packages/c/src/abi.rs",
    "packages/npm/src/lib.rs",
    "site/src/lib.rs",
    "xtask/mutants/src/places/planted.rs",
];

/// Does code outside of comments say `unsafe`, before a block, an item or an attribute?
fn is_unsafe(text: &str) -> bool {
    let starts = ["{", "(", "fn ", "impl ", "trait ", "extern "];
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| {
        line.match_indices("unsafe").map(move |(at, word)| line.split_at(at + word.len()))
    })
    .any(|(before, after)| {
        let before = before.trim_end_matches("unsafe");
        let is_word = !before.ends_with(|it: char| it.is_alphanumeric() || it == '_');
        is_word && starts.iter().any(|it| after.trim_start().starts_with(it))
    })
}

#[test]
fn unsafe_code_stands_where_it_may() {
    let found: Vec<String> = files()
        .into_iter()
        .filter(|(path, text)| path.ends_with(".rs") && text.as_deref().is_some_and(is_unsafe))
        .map(|(path, _)| path)
        .collect();
    let wrong: Vec<&String> =
        found.iter().filter(|path| !UNSAFE.iter().any(|it| path.starts_with(it))).collect();
    assert!(
        wrong.is_empty(),
        "CONTRIBUTING.md says where unsafe code may stand, not here: {wrong:?}"
    );
    for place in UNSAFE {
        assert!(found.iter().any(|path| path.starts_with(place)), "{place} has no unsafe code");
    }
}

/// Returns the files that git knows or would add.
fn files() -> Vec<links::File> {
    let said = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git starts: install git");
    assert!(said.status.success(), "git: {}", String::from_utf8_lossy(&said.stderr));
    let names = String::from_utf8(said.stdout).expect("names in UTF-8");
    let mut files = Vec::new();
    for name in names.split_terminator('\0') {
        let path = root().join(name);
        if path.is_file() {
            files.push((name.to_owned(), fs::read_to_string(path).ok()));
        }
    }
    files
}

#[test]
fn something_links_to_every_picture_and_page() {
    let files = files();
    assert!(files.len() > 300, "only {} files", files.len());
    let unlinked = links::unlinked(&files);
    assert!(unlinked.is_empty(), "nothing links to these files; link or delete them: {unlinked:?}");
}

#[test]
fn a_file_that_nothing_links_to_is_named() {
    let file = |path: &str, text: Option<&str>| (path.to_owned(), text.map(str::to_owned));
    let files = [
        file("README.md", Some("[a](docs/a.html) [c](/docs/images/xc.png)")),
        file("docs/b.md", Some("![b](images/b.png) ![d](../d.svg) old-e.png ./f.gif")),
        file("docs/a.html", Some("images/a.png, and a.html")),
        file("docs/images/a.png", None),
        file("docs/images/b.png", None),
        file("docs/images/c.png", None),
        file("d.svg", Some("d.svg")),
        file("docs/e.png", None),
        file("docs/f.gif", None),
        file("docs/g.html", Some("g.html")),
        file("docs/notes.txt", None),
    ];
    assert_eq!(links::unlinked(&files), ["docs/images/c.png", "docs/e.png", "docs/g.html"]);
}

/// Reads a crate whose files are given here.
fn crate_of(files: &[(&str, &str)]) -> Modules {
    source::modules(Path::new("lib.rs"), &|path| {
        let file = files.iter().find(|(name, _)| path == Path::new(name));
        file.map(|(_, text)| text.to_string())
    })
}

/// Every way in which a module may name another one closes the circle between `a` and `b`.
#[test]
fn every_form_of_import_is_seen() {
    for closing in [
        "use crate::a::One;",
        "use crate::{a::{self, One}, b};",
        "pub(crate) use super::a::One as Other;",
        "fn two() -> u8 { crate::a::one(\"} //\") }",
        "fn two<'a>(x: &'a u8) -> char { super::a::one(x); '\"' }",
        "impl crate::a::One for Two {}",
        "use super::*; fn two() { a::one() }",
        "use crate::One;",
        "use crate::all::One;",
        "mod inner { use super::super::a::One; } use inner::Two;",
        "#[cfg(test)] use std::fmt; #[derive(A)] use crate::a::One;",
        "const TWO: &str = r#\"a \"quoted\" word\"#; use crate::a::One;",
    ] {
        let files = [
            ("lib.rs", "mod a; mod b; mod all; pub use a::One; pub use all::Three;"),
            ("a.rs", "use crate::b::Two; pub trait One {}"),
            ("all.rs", "pub use crate::a::*; pub struct Three;"),
            ("b.rs", closing),
        ];
        assert!(!circles(&crate_of(&files)).is_empty(), "not seen: {closing}");
    }
}

/// What is no import closes no circle.
#[test]
fn nothing_else_is_taken_for_an_import() {
    for harmless in [
        "// use crate::a::One;",
        "/* use crate::a::One; */",
        "const TEXT: &str = \"use crate::a::One;\";",
        "const TEXT: &str = r#\"crate::a::One\"#;",
        "#[cfg(test)] mod tests { use crate::a::One; }",
        "#[cfg(test)] fn two() { crate::a::one(); }",
        "#[cfg(test)] use crate::a::One;",
        "use std::a::One; fn two() { std::a::one(); }",
        "pub(in crate::a) struct Two;",
        "use crate::Three;",
        "use super::Three;",
    ] {
        let files = [
            (
                "lib.rs",
                "mod a; mod b; mod c; pub use a::One; pub use c::Three; fn f(x: &'static Three) {}",
            ),
            ("a.rs", "use crate::b::Two; pub trait One {}"),
            ("b.rs", harmless),
            ("c/mod.rs", "pub struct Three;"),
        ];
        assert_eq!(circles(&crate_of(&files)), Vec::<Vec<String>>::new(), "{harmless}");
    }
}

/// What the packages call a cause is what the gate calls it: each name is a method of the gate, and each table of the
/// packages has all of them, by the constants of the names.
#[test]
fn causes_have_the_names_of_the_gate() {
    let known: BTreeSet<&str> =
        castproof_methods::METHODS.iter().map(|method| method.name).collect();
    let read = |file: &str| fs::read_to_string(root().join(file)).expect("a file of causes");
    let (rust, go) = (read("check/src/cause/methods.rs"), read("packages/go/methods.go"));
    let (rows, names) = (read("packages/go/names.go"), castproof_vectors::methods::ALL);
    for (constant, name) in names {
        assert!(known.contains(name), "the gate has no such cause: {name}");
        assert!(
            rust.contains(&format!("(names::{constant}, "))
                || rust.contains(&format!("names::{constant},\n")),
            "no row of {constant} in Rust"
        );
        let row = rows.lines().find(|row| row.ends_with(&format!("= \"{name}\"")));
        let constant = row.and_then(|row| row.split_whitespace().next()).expect("a constant of Go");
        assert!(go.contains(&format!("{{{constant}, ")), "no row of {constant} in Go");
    }
}

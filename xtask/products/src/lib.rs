//! What is generated from the repository alone and committed, as one table. `cargo xtask generate` makes it in the order of the table.
//! Recordings, docs/witnesses.md and adapters/answers.json are not in it: they need other people's programs.

pub mod atlas;
pub mod blocks;
mod book;
pub mod check;
mod data;
mod defects;
mod diff;
mod differences;
pub mod generate;
mod history;
pub mod repository;
mod rules;

use castproof_vectors::{Level, sha256_hex};
use repository::default_data;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// One thing that is generated.
pub(crate) struct Product {
    pub(crate) name: &'static str,
    /// What it is, for people.
    what: &'static str,
    /// The products from which it is made.
    needs: &'static [&'static str],
    /// The files and folders of it that are compiled into this program, from the folder of the repository. What is made after it
    /// needs a program that has them.
    compiled: &'static [&'static str],
    write: fn() -> Result<String, String>,
    check: fn() -> Result<String, String>,
}

/// All products, each after those from which it is made.
pub(crate) const PRODUCTS: [Product; 9] = [
    Product {
        name: "rules",
        what: "the rules: as Rust, as JSON, as a page; from vectors/spec/rules",
        needs: &[],
        compiled: &["vectors/rules/src"],
        write: || rules::rules(false),
        check: || rules::rules(true),
    },
    Product {
        name: "defects",
        what: "the page of specification defects; from vectors/spec/defects.json",
        needs: &[],
        compiled: &[],
        write: || defects::page(false),
        check: || defects::page(true),
    },
    Product {
        name: "vectors",
        what: "the vectors of level core and their manifest; from the oracle",
        needs: &["rules"],
        compiled: &[],
        write: core_vectors,
        check: || check::check(&default_data()),
    },
    Product {
        name: "book",
        what: "every answer of every cast; from the oracle",
        needs: &["rules"],
        compiled: &["vectors/data/book.bin"],
        write: book::generate,
        check: book::check,
    },
    Product {
        name: "blocks",
        what: "the tables of blocks and docs/blocks.md; from the oracle",
        needs: &["rules"],
        compiled: &[],
        write: blocks::generate,
        check: blocks::check,
    },
    Product {
        name: "atlas",
        what: "which step of two casts can be dropped, its page and its witnesses; from the book",
        needs: &["book"],
        compiled: &["vectors/data/atlas.json.gz", "vectors/data/chains.json.gz"],
        write: atlas::generate,
        check: atlas::check,
    },
    Product {
        name: "data",
        what: "dtypes.json, schemas of all files, names for Go; from the types",
        needs: &["rules"],
        compiled: &[],
        write: data::generate,
        check: data::check,
    },
    Product {
        name: "differences",
        what: "docs/differences.md, where two specifications differ; from the book",
        needs: &["book"],
        compiled: &[],
        write: || differences::differences(false),
        check: || differences::differences(true),
    },
    Product {
        name: "history",
        what: "docs/history.md; from adapters/NAME/history.json",
        needs: &[],
        compiled: &[],
        write: || history::history(false),
        check: || history::history(true),
    },
];

fn core_vectors() -> Result<String, String> {
    let out = default_data();
    let job = generate::GenerateJob { level: Level::Core, out, from: None, to: None, fresh: false };
    generate::generate(&job)
}

/// Makes the named products, or all of them, or checks that they are what is made today.
///
/// # Errors
/// If a name is unknown, a product cannot be made, or one is out of date: all of those are named.
pub fn products(names: &[String], only_check: bool) -> Result<String, String> {
    let wanted = wanted(names)?;
    if only_check {
        return checked(&wanted);
    }
    for (at, product) in wanted.iter().enumerate() {
        let before = digests(product.compiled)?;
        println!("{}: {}", product.name, (product.write)()?);
        let rest: Vec<&str> = wanted[at + 1..].iter().map(|it| it.name).collect();
        if !rest.is_empty() && digests(product.compiled)? != before {
            println!("{} changed, and is compiled into this program: built again", product.name);
            return again(&rest);
        }
    }
    Ok(made_from(&wanted))
}

fn wanted(names: &[String]) -> Result<Vec<&'static Product>, String> {
    let is_known = |name: &&String| PRODUCTS.iter().all(|it| it.name != name.as_str());
    if let Some(unknown) = names.iter().find(is_known) {
        let known: Vec<&str> = PRODUCTS.iter().map(|it| it.name).collect();
        return Err(format!("no product is called {unknown}: there are {}", known.join(", ")));
    }
    let is_wanted =
        |it: &&Product| names.is_empty() || names.iter().any(|name| name.as_str() == it.name);
    Ok(PRODUCTS.iter().filter(is_wanted).collect())
}

fn checked(wanted: &[&Product]) -> Result<String, String> {
    let mut stale = Vec::new();
    for product in wanted {
        match (product.check)() {
            Ok(said) => println!("{}: {said}", product.name),
            Err(problem) => {
                println!("{}: {problem}", product.name);
                stale.push(product.name);
            }
        }
    }
    match stale.is_empty() {
        true => Ok(format!("{} products are up to date", wanted.len())),
        false => Err(format!(
            "not up to date: {0}; to accept what is made today, run: cargo xtask generate {0}",
            stale.join(" ")
        )),
    }
}

/// Names the products that are made from these and were not made.
fn made_from(made: &[&Product]) -> String {
    let is_made = |name: &str| made.iter().any(|it| it.name == name);
    let others = PRODUCTS.iter().filter(|it| !is_made(it.name));
    let stale: Vec<&str> =
        others.filter(|it| it.needs.iter().any(|need| is_made(need))).map(|it| it.name).collect();
    match stale.is_empty() {
        true => format!("{} products are made", made.len()),
        false => format!("made from them, and not made again: {}", stale.join(", ")),
    }
}

/// Builds this program again and lets it make the rest.
fn again(rest: &[&str]) -> Result<String, String> {
    let mut cargo = Command::new("cargo");
    let status = cargo.args(["xtask", "generate"]).args(rest).status();
    match status.map_err(|error| format!("cargo does not start: {error}"))?.success() {
        true => Ok("all of them are made".into()),
        false => Err("the rest was not made; see above".into()),
    }
}

/// The digest of every file of these files and folders.
fn digests(paths: &[&str]) -> Result<BTreeMap<PathBuf, String>, String> {
    let root = repository::vectors_crate().with_file_name("");
    let mut found = BTreeMap::new();
    let mut folders: Vec<PathBuf> = paths.iter().map(|path| root.join(path)).collect();
    while let Some(path) = folders.pop() {
        let failed = |error| format!("{}: {error}", path.display());
        if path.is_dir() {
            for entry in fs::read_dir(&path).map_err(failed)? {
                folders.push(entry.map_err(failed)?.path());
            }
        } else if let Ok(bytes) = fs::read(&path) {
            found.insert(path, sha256_hex(&bytes));
        }
    }
    Ok(found)
}

/// The table, for `--help`.
pub fn table() -> String {
    let mut text = String::from("Products, each after those from which it is made:\n");
    for Product { name, what, .. } in &PRODUCTS {
        let _ = writeln!(text, "  {name:<12} {what}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_made_after_what_it_needs() {
        for (at, product) in PRODUCTS.iter().enumerate() {
            for need in product.needs {
                let first = PRODUCTS[..at].iter().any(|it| it.name == *need);
                assert!(first, "{} stands before {need}, which it needs", product.name);
            }
        }
    }

    #[test]
    fn what_is_compiled_exists() {
        let root = repository::vectors_crate().with_file_name("");
        for path in PRODUCTS.iter().flat_map(|product| product.compiled) {
            assert!(root.join(path).exists(), "{path}");
        }
    }

    /// `.ci/run` checks each of them.
    #[test]
    fn every_product_is_checked() {
        let steps = repository::vectors_crate().with_file_name(".ci").join("steps.toml");
        let steps = fs::read_to_string(steps).expect("the steps");
        let checks = steps.lines().filter_map(|line| line.split_once("generate --check "));
        let names: Vec<&str> = checks
            .flat_map(|(_, names)| names.split_whitespace())
            .map(|it| it.trim_matches('\''))
            .collect();
        for Product { name, .. } in &PRODUCTS {
            assert!(names.contains(name), "no step checks {name}: {names:?}");
        }
    }

    #[test]
    fn an_unknown_product_is_named() {
        let problem = products(&["boook".into()], true).expect_err("unknown");
        assert!(problem.starts_with("no product is called boook: there are rules, "), "{problem}");
    }
}

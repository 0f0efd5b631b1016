//! The modules of one crate, and the paths that each of them names. Code of tests is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The path of a module from the root of the crate. The path of the root is empty.
pub(crate) type Module = Vec<String>;

/// What the text of a module says about names.
#[derive(Default)]
pub(crate) struct Names {
    /// Items that the module defines.
    pub(crate) items: BTreeSet<String>,
    /// What each name of a `use` stands for.
    pub(crate) imports: Vec<Import>,
    /// Paths in code, such as `crate::round::exponent`.
    pub(crate) paths: Vec<Vec<String>>,
}

/// One name of a `use`, braces expanded.
pub(crate) struct Import {
    pub(crate) path: Vec<String>,
    /// The name by which the module knows it; `*` for all names.
    pub(crate) name: String,
}

/// Reads a crate from the file of its root. `read` returns the text of a file, if there is one.
pub(crate) fn modules(
    root: &Path,
    read: &dyn Fn(&Path) -> Option<String>,
) -> BTreeMap<Module, Names> {
    let mut modules = BTreeMap::new();
    let folder = root.parent().expect("a file has a folder").to_path_buf();
    let mut files = vec![(Module::new(), root.to_path_buf(), folder)];
    while let Some((module, file, folder)) = files.pop() {
        let text = read(&file).unwrap_or_else(|| panic!("{} is missing", file.display()));
        let mut reader = Reader { modules: &mut modules, children: Vec::new() };
        reader.read(&module, &tokens(&text));
        for child in reader.children {
            let below: PathBuf = child[module.len()..].iter().collect();
            let stem = folder.join(below);
            let inner = stem.join("mod.rs");
            let file = if read(&inner).is_some() { inner } else { stem.with_extension("rs") };
            files.push((child, file, stem));
        }
    }
    modules
}

struct Reader<'a> {
    modules: &'a mut BTreeMap<Module, Names>,
    /// Modules that have a file of their own.
    children: Vec<Module>,
}

impl Reader<'_> {
    fn read(&mut self, module: &Module, tokens: &[String]) {
        let mut names = Names::default();
        let (mut at, mut depth) = (0, 0usize);
        while at < tokens.len() {
            let next = |offset: usize| tokens.get(at + offset).map_or("", String::as_str);
            match tokens[at].as_str() {
                "#" if is_of_tests(&tokens[at..]) => {
                    at = end_of_item(tokens, end_of_group(tokens, at + 1));
                    continue;
                }
                // `pub(in crate::arch)` names who may see an item.
                "pub" if next(1) == "(" => {
                    at = end_of_group(tokens, at + 1);
                    continue;
                }
                "use" => {
                    let end = at + tokens[at..].iter().position(|it| it == ";").expect("a ;");
                    names.imports.extend(imports(&tokens[at + 1..end]));
                    at = end;
                }
                "mod" if next(2) == ";" || next(2) == "{" => {
                    let child = [&module[..], &[next(1).to_string()]].concat();
                    if next(2) == ";" {
                        self.children.push(child);
                    } else {
                        let end = end_of_group(tokens, at + 2);
                        self.read(&child, &tokens[at + 3..end - 1]);
                        at = end;
                        continue;
                    }
                }
                "fn" | "struct" | "enum" | "trait" | "const" | "static" | "type" if depth == 0 => {
                    let name = if ["fn", "unsafe"].contains(&next(1)) { next(2) } else { next(1) };
                    names.items.insert(name.to_string());
                }
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth -= 1,
                word if is_word(word) && next(1) == "::" => {
                    let path = path(&tokens[at..]);
                    at += 2 * path.len() - 1;
                    if !is_after_colons(tokens, at - (2 * path.len() - 1)) {
                        names.paths.push(path);
                    }
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        self.modules.insert(module.clone(), names);
    }
}

/// Does an attribute that leaves an item to tests begin here?
fn is_of_tests(tokens: &[String]) -> bool {
    let words: Vec<&str> = tokens.iter().take(6).map(String::as_str).collect();
    matches!(words[..], ["#", "[", "cfg", "(", "test" | "all", ..])
        && tokens[..end_of_group(tokens, 1)].iter().any(|it| it == "test")
}

/// Returns the place after a group whose opening bracket is at `at`.
fn end_of_group(tokens: &[String], at: usize) -> usize {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    panic!("a bracket is not closed: {}", tokens[at..].concat());
}

/// Returns the place after an item that begins at `at`, perhaps with further attributes.
fn end_of_item(tokens: &[String], mut at: usize) -> usize {
    while at < tokens.len() {
        match tokens[at].as_str() {
            ";" | "," => return at + 1,
            "{" => return end_of_group(tokens, at),
            "(" | "[" => at = end_of_group(tokens, at),
            "}" => return at,
            _ => at += 1,
        }
    }
    at
}

fn is_word(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

fn is_after_colons(tokens: &[String], at: usize) -> bool {
    at > 0 && (tokens[at - 1] == "::" || tokens[at - 1] == ".")
}

/// Returns the words of the path that begins here.
fn path(tokens: &[String]) -> Vec<String> {
    let mut words = vec![tokens[0].clone()];
    while let [colons, word, ..] = &tokens[2 * words.len() - 1..] {
        if colons != "::" || !is_word(word) {
            break;
        }
        words.push(word.clone());
    }
    words
}

/// Expands the braces of a `use`: `a::{b, c::{d as e, *}}`.
fn imports(tokens: &[String]) -> Vec<Import> {
    let start: Vec<String> =
        tokens.iter().take_while(|it| is_word(it) || *it == "::").cloned().collect();
    let mut path: Vec<String> = start.iter().filter(|it| *it != "::").cloned().collect();
    match tokens.get(start.len()).map(String::as_str) {
        Some("{") => {
            let inner = &tokens[start.len() + 1..tokens.len() - 1];
            let below = split(inner).into_iter().flat_map(imports);
            below.map(|it| it.below(&path)).collect()
        }
        Some("*") => vec![Import { path, name: "*".into() }],
        _ => {
            let renamed = path.iter().position(|it| it == "as").map(|at| {
                let name = path[at + 1].clone();
                path.truncate(at);
                name
            });
            let last = path.last().cloned().unwrap_or_default();
            vec![Import { path, name: renamed.unwrap_or(last) }]
        }
    }
}

impl Import {
    /// The import of braces that stand after a path. `self` among them means the path.
    fn below(mut self, path: &[String]) -> Import {
        if !path.is_empty() && self.path == ["self"] {
            self.path.clear();
            if self.name == "self" {
                self.name = path[path.len() - 1].clone();
            }
        }
        Import { path: [path, &self.path[..]].concat(), name: self.name }
    }
}

/// Splits at the commas that stand in no further braces.
fn split(tokens: &[String]) -> Vec<&[String]> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (index, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," if depth == 0 => {
                parts.push(&tokens[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&tokens[start..]);
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}

/// Splits a text into words, `::` and single signs. Comments, texts and letters are left out.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").expect("a comment ends") + 2
        } else if let Some(length) = length_of_raw_text(rest) {
            length
        } else if letter == '"' {
            length_of_text(rest, '"')
        } else if letter == '\'' {
            length_of_letter(rest)
        } else if letter.is_alphanumeric() || letter == '_' {
            let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let length = end.unwrap_or(rest.len());
            tokens.push(rest[..length].to_string());
            length
        } else {
            let length = if rest.starts_with("::") { 2 } else { letter.len_utf8() };
            if !letter.is_whitespace() {
                tokens.push(rest[..length].to_string());
            }
            length
        };
        rest = &rest[length..];
    }
    tokens
}

/// The length of a text up to its end, which no backslash precedes.
fn length_of_text(text: &str, end: char) -> usize {
    let mut is_escaped = false;
    for (index, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if letter == end => return index + 1,
            _ => {}
        }
    }
    panic!("a text does not end: {text}");
}

fn length_of_raw_text(text: &str) -> Option<usize> {
    let after = text.strip_prefix("br").or(text.strip_prefix('r'))?;
    let marks = after.len() - after.trim_start_matches('#').len();
    after[marks..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(marks));
    let start = text.len() - after.len() + marks + 1;
    Some(start + text[start..].find(&end).expect("a raw text ends") + end.len())
}

/// The length of `'x'`, or of the lifetime `'x`.
fn length_of_letter(text: &str) -> usize {
    let mut letters = text.chars().skip(1);
    let first = letters.next();
    if first == Some('\\') || letters.next() == Some('\'') {
        return length_of_text(text, '\'');
    }
    let end = text[1..].find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    1 + end.unwrap_or(text.len() - 1)
}

//! Pictures and pages that nothing links to.

use std::path::Path;

/// The endings of pictures and pages.
const LINKED: &[&str] = &["png", "jpg", "jpeg", "gif", "svg", "webp", "html", "pdf"];

/// A file of the repository: its path from the root, and its text if it has one.
pub(crate) type File = (String, Option<String>);

/// Returns the pictures and pages that no other file names, by its path from the root or from the
/// folder of the file that names it.
pub(crate) fn unlinked(files: &[File]) -> Vec<&str> {
    let of_kind = |path: &str| {
        let ending = Path::new(path).extension().and_then(|it| it.to_str());
        ending.is_some_and(|it| LINKED.contains(&it))
    };
    let candidates = files.iter().map(|(path, _)| &path[..]).filter(|path| of_kind(path));
    candidates.filter(|path| !files.iter().any(|file| links(file, path))).collect()
}

fn links((from, text): &File, to: &str) -> bool {
    let Some(text) = text.as_ref().filter(|_| from != to) else { return false };
    names(text, to) || names(text, &relative(from, to))
}

/// Returns the path from the folder of one file to another file.
fn relative(from: &str, to: &str) -> String {
    let (from, to): (Vec<&str>, Vec<&str>) = (from.split('/').collect(), to.split('/').collect());
    let folders = &from[..from.len() - 1];
    let same = folders.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", folders.len() - same);
    up.chain(to[same..].iter().copied()).collect::<Vec<_>>().join("/")
}

/// Does a text hold a path that is not the end of a longer one? A leading `./` or `/` is allowed.
fn names(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, _)| {
        let before = text[..at].trim_end_matches("./").trim_end_matches('/');
        let longer = |it: char| it.is_alphanumeric() || "-_.".contains(it);
        !before.ends_with(longer)
    })
}

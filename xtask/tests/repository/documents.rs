//! The documents: links lead somewhere, the book has every page, each page begins with what its reader
//! wants, and what the repository installs is pinned by digests.

use super::{files, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The address of a file or folder of the repository on its host.
const HOST: [&str; 2] = [
    "https://github.com/castproof/castproof/blob/main/",
    "https://github.com/castproof/castproof/tree/main/",
];

/// Returns the Markdown files of the repository by their paths.
fn pages() -> BTreeMap<String, String> {
    let pages = files().into_iter().filter(|(path, _)| path.ends_with(".md"));
    pages.filter_map(|(path, text)| Some((path, text?))).collect()
}

/// Returns the text outside of code blocks.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the targets of the links of a page.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let ends = prose.split("](").skip(1);
    ends.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_string()).collect()
}

/// Returns the anchors of a page: its headings as hosts name them, and explicit ones.
fn anchors(text: &str) -> BTreeSet<String> {
    let prose = prose(text);
    let headings = prose.lines().filter_map(|line| line.strip_prefix('#'));
    let named = headings.map(|heading| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    });
    let explicit = text.split("<a id=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    named.chain(explicit.map(|(id, _)| id.to_string())).collect()
}

/// Returns the path from the root to which a link of a page leads.
fn resolved(page: &str, target: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns what is wrong with a link, if anything is.
fn broken(pages: &BTreeMap<String, String>, page: &str, link: &str) -> Option<String> {
    let own = HOST.iter().find_map(|host| link.strip_prefix(host));
    if own.is_none() && link.contains("://") {
        return None; // of another host
    }
    let (target, anchor) = own.unwrap_or(link).split_once('#').unwrap_or((own.unwrap_or(link), ""));
    let path = match (own, target) {
        (Some(_), target) => target.trim_end_matches('/').to_string(),
        (None, "") => page.to_string(),
        (None, target) => resolved(page, target),
    };
    if own.is_none() && page.starts_with("docs/") && !path.starts_with("docs/") {
        return Some("leads out of the book; write its whole address".into());
    }
    if !root().join(&path).exists() {
        return Some("leads nowhere".into());
    }
    let has_anchor = || pages.get(&path).is_some_and(|text| anchors(text).contains(anchor));
    (!anchor.is_empty() && path.ends_with(".md") && !has_anchor())
        .then(|| format!("leads to a page without '{anchor}'"))
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let mut count = 0;
    let mut wrong = Vec::new();
    for (page, text) in &pages {
        for link in links(text) {
            count += 1;
            wrong.extend(broken(&pages, page, &link).map(|why| format!("{page}: {link} {why}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 100, "only {count} links were found");
}

#[test]
fn a_broken_link_is_named() {
    let page = |text: &str| text.to_string();
    let pages = BTreeMap::from([
        ("docs/index.md".to_string(), page("# A heading, of two!\n\n<a id=\"X-1\"></a>\n")),
        ("README.md".to_string(), page("# Castproof\n")),
    ]);
    for (from, link, said) in [
        ("README.md", "docs/index.md#a-heading-of-two", None),
        ("README.md", "docs/index.md#X-1", None),
        ("README.md", "docs/none.md", Some("leads nowhere")),
        ("README.md", "docs/index.md#none", Some("without 'none'")),
        ("docs/index.md", "#none", Some("without 'none'")),
        ("docs/index.md", "../README.md", Some("out of the book")),
        ("docs/index.md", "https://github.com/castproof/castproof/blob/main/README.md", None),
        (
            "docs/index.md",
            "https://github.com/castproof/castproof/blob/main/none.md",
            Some("leads nowhere"),
        ),
        ("docs/index.md", "https://example.org/none", None),
    ] {
        let why = broken(&pages, from, link);
        let is_so = match (&why, said) {
            (Some(why), Some(said)) => why.contains(said),
            (why, said) => why.is_none() == said.is_none(),
        };
        assert!(is_so, "{from} {link}: {why:?}");
    }
    assert_eq!(links("[a](b) `c`\n```\n[d](e)\n```\n![f](g)"), ["b", "g"]);
}

#[test]
fn the_book_has_every_page() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("a summary");
    let named: BTreeSet<String> = links(&summary).into_iter().collect();
    let there = pages().into_keys().filter_map(|path| {
        let name = path.strip_prefix("docs/")?;
        (name != "SUMMARY.md" && !name.contains('/')).then(|| name.to_string())
    });
    assert_eq!(named, there.collect());
    let index = fs::read_to_string(root().join("docs/index.md")).expect("a page");
    let listed: BTreeSet<String> = links(&index).into_iter().collect();
    let missing: Vec<&String> =
        named.iter().filter(|page| *page != "index.md" && !listed.contains(*page)).collect();
    assert!(missing.is_empty(), "docs/index.md leads to no {missing:?}");
}

/// A page of the book begins with what its reader wants or has, and then with a command.
#[test]
fn every_page_begins_with_its_reader() {
    for (path, text) in pages() {
        // Rules and witnesses are tables that are made from data.
        let made = ["docs/SUMMARY.md", "docs/differences.md", "docs/rules.md", "docs/witnesses.md"];
        if !path.starts_with("docs/") || made.contains(&&*path) {
            continue;
        }
        let mut blocks = text.split("\n\n").map(str::trim).filter(|block| !block.is_empty());
        let title = blocks.next().unwrap_or_default();
        assert!(title.starts_with("# "), "{path}: it begins with {title}");
        let reader = blocks.next().unwrap_or_default();
        let is_of_reader = reader.starts_with("You ") || path == "docs/index.md";
        assert!(is_of_reader, "{path}: it says first: {reader}");
        let command = blocks.next().unwrap_or_default();
        let is_command = command.starts_with("```sh\n") || command.starts_with("```console\n");
        assert!(is_command, "{path}: no command follows, but: {command}");
    }
}

/// The way of an element in ARCHITECTURE.md names functions that are there, and counts them.
#[test]
fn the_way_of_an_element_is_what_the_files_say() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("a page");
    let begin = page.find("### One element, function by function").expect("the way of an element");
    let part = page[begin..].split("\n## ").next().expect("a part");
    let (mut files, mut functions) = (0, 0);
    for row in part.lines().filter(|line| line.starts_with("| `")) {
        let mut quoted = row.split('`').skip(1).step_by(2);
        let file = quoted.next().expect("a file");
        let text =
            fs::read_to_string(root().join(file)).unwrap_or_else(|_| panic!("{file} is missing"));
        for name in quoted {
            let is_there = ["(", "<"].iter().any(|next| text.contains(&format!("fn {name}{next}")));
            assert!(
                is_there,
                "{file} has no function {name}: correct the way of an element in ARCHITECTURE.md"
            );
            functions += 1;
        }
        files += 1;
    }
    assert!(files > 0, "no row of the way of an element was read");
    let told = format!("{functions} functions in {files} files");
    assert!(part.contains(&told), "ARCHITECTURE.md must say that there are {told}");
}

/// What pip installs has digests, those of what it depends on too, and what npm installs a lock file.
#[test]
fn what_is_installed_is_pinned_by_digests() {
    let mut counts = (0, 0);
    for (path, text) in files() {
        let Some(text) = text else { continue };
        let name = path.rsplit('/').next().unwrap_or_default();
        if name.starts_with("requirements") && name.ends_with(".txt") {
            counts.0 += 1;
            let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
            for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.contains("==")) {
                let next = lines.get(at + 1).unwrap_or(&"");
                assert!(next.trim().starts_with("--hash=sha256:"), "{path}: {line} has no digest");
            }
        }
        if name == "package.json" {
            counts.1 += 1;
            let lock = root().join(&path).with_file_name("package-lock.json");
            let lock = fs::read_to_string(&lock).unwrap_or_else(|_| panic!("{path} has no lock"));
            assert!(lock.contains("\"integrity\": \"sha512-"), "{path}: no digests");
        }
    }
    assert!(counts.0 >= 8 && counts.1 >= 1, "{counts:?}");
}

/// Images that are fetched by a name, which may come to mean something else, and why.
const BY_NAME: [(&str, &str); 1] = [(
    "gcr.io/oss-fuzz-base/base-builder-rust",
    "its registry alone lists its digests; ClusterFuzzLite builds with the image of the day",
)];

/// Actions are named by a commit and images by a digest, unless they are listed; programs of cargo have a version.
#[test]
fn what_others_change_is_named_by_content() {
    let (mut actions, mut by_name) = (0, Vec::new());
    for (path, text) in files() {
        let Some(text) = text else { continue };
        for line in text.lines().map(|line| line.trim().trim_start_matches("- ")) {
            let action = line.strip_prefix("uses: ").filter(|_| path.ends_with(".yml"));
            // A workflow of this repository is of the same commit.
            if let Some(action) = action.filter(|it| !it.starts_with("./")) {
                let (name, commit) = action.split_once('@').unwrap_or((action, ""));
                let (commit, release) = commit.split_once(" # v").unwrap_or((commit, ""));
                let is_commit =
                    commit.len() == 40 && commit.bytes().all(|it| it.is_ascii_hexdigit());
                assert!(is_commit && !release.is_empty(), "{path}: {name}: COMMIT # vRELEASE");
                actions += 1;
            }
            if let Some(image) = line.strip_prefix("FROM ").filter(|_| path.ends_with("Dockerfile"))
                && !image.contains("@sha256:")
            {
                by_name.push(image.to_string());
            }
            let installs =
                path.ends_with(".sh") || path.starts_with(".ci/") || path.ends_with("Dockerfile");
            if installs && line.contains("cargo install ") && !line.starts_with(['#', '`']) {
                let is_named = line.contains("--locked")
                    && (line.contains("--version ") || line.contains("--path "));
                assert!(is_named || line.contains("`cargo install`"), "{path}: {line}");
            }
        }
    }
    assert!(actions >= 8, "{actions}");
    let listed: Vec<&str> = BY_NAME.iter().map(|(name, _)| *name).collect();
    assert_eq!(by_name, listed, "an image is named by its digest, or listed with the reason");
}

/// A release is published only after all tests, registries get it after that, and no secret key is committed.
#[test]
fn a_release_is_proved_and_no_key_is_committed() {
    let text =
        fs::read_to_string(root().join(".github/workflows/release.yml")).expect("a workflow");
    let needs =
        text.split("\n  publish:\n").nth(1).and_then(|job| job.lines().next()).unwrap_or("");
    assert!(needs.contains("needs: [") && needs.contains("prove"), "publish: {needs}");
    assert!(!text.contains("secrets."), "release.yml has a secret");
    // A registry gets what the release has, by the commands whose dry run is a step.
    for name in ["pypi", "npm", "crates", "go"] {
        let job = text.split(&format!("\n  {name}:\n")).nth(1).unwrap_or("");
        assert!(job.starts_with("    needs: publish\n"), "{name}: {job}");
        assert!(job.contains(&format!("run: packages/publish.sh dist {name}\n")), "{name}: {job}");
    }
    let page = text.split("\n  page:\n").nth(1).unwrap_or("");
    assert!(page.starts_with("    needs: publish\n") && page.contains("run: cargo xtask site\n"));
    let prove = text.split("\n  prove:\n").nth(1).and_then(|job| job.lines().next()).unwrap_or("");
    assert_eq!(prove.trim(), "uses: ./.github/workflows/ci.yml");
    let text = fs::read_to_string(root().join(".github/workflows/ci.yml")).expect("a workflow");
    // Shares of every step: each of so many shares has its job.
    let run = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("- run: .ci/run --shard \"${{ matrix.shard }}/"));
    let shares =
        run.and_then(|rest| rest.strip_suffix('"')).expect("ci.yml runs .ci/run in shares");
    let count: usize = shares.parse().expect("a number");
    let each: Vec<String> = (1..=count).map(|share| share.to_string()).collect();
    assert!(
        text.contains(&format!("shard: [{}]\n", each.join(", "))),
        "a job for each of {count} shares"
    );
    // The start of a secret key of minisign without a password, and of one of PEM. A key of a test, which vouches
    // for nothing, shows that such keys are read.
    let of_tests = ["gate/tests/it/certify.rs"];
    let starts = [["RWQAAE", "Iy"].concat(), ["-----BEGIN ", "PRIVATE KEY"].concat()];
    for (path, text) in files() {
        let text = text.unwrap_or_default();
        let holds_one = starts.iter().any(|start| text.contains(start));
        assert_eq!(holds_one, of_tests.contains(&&*path), "{path}: a secret key");
    }
}

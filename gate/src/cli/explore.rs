//! `castproof explore`: opens the page of answers at what is asked.

use super::asked::asked;
use super::print::print;
use crate::formats;
use anyhow::{Context, Result, bail};
use castproof_vectors::{DType, find_rule};
use clap::Args;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// Names the folder of the page, if it lies elsewhere.
const VARIABLE: &str = "CASTPROOF_SITE";

/// Where `cargo xtask site` builds the page, from the root of a clone.
const BUILT: &str = "dist/site";

/// The pages that are lists, each with its own word.
const LISTS: [&str; 5] = ["questions", "formats", "runtimes", "chains", "differ"];

/// `castproof explore`
#[derive(Args)]
#[command(override_usage = "castproof explore [OPTIONS] [WORD]...")]
pub(super) struct Explore {
    /// What the page shows: FROM VALUE TO one element, FROM TO a pair, FROM BETWEEN TO a chain of casts, DTYPE or a format
    /// such as binary8p4se its codes, F8-S10 a rule; questions, formats, runtimes and chains are lists, differ is where
    /// specifications differ; block/float8e4m3fn/464,1 is what stands behind # in an address; without a word, the first page.
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// The folder of the page; without it, that of the environment variable CASTPROOF_SITE, or dist/site, where
    /// `cargo xtask site` builds it.
    #[arg(long, value_name = "FOLDER")]
    site: Option<PathBuf>,
    /// Print the address, and open nothing.
    #[arg(long)]
    print: bool,
}

impl Explore {
    pub(super) fn run(&self) -> Result<bool> {
        let fragment = fragment(&self.words)?;
        let folder = self.site.clone().or_else(|| env::var_os(VARIABLE).map(PathBuf::from));
        let page = folder.unwrap_or_else(|| BUILT.into()).join("index.html");
        let whole = fs::canonicalize(&page).with_context(|| {
            format!(
                "no page at {}: `cargo xtask site` builds it in a clone, and --site or {VARIABLE} names its folder",
                page.display()
            )
        })?;
        let address = format!("{}{fragment}", file_address(&whole));
        if !self.print {
            open(&address)?;
        }
        print(&format!("{address}\n"))
    }
}

/// Returns what stands behind the page in an address: `#float32/464/float16`, or nothing.
///
/// # Errors
/// If a word is nothing that the page shows, or there are several values.
fn fragment(words: &[String]) -> Result<String> {
    let [word] = words else { return of_cast(words) };
    let word = word.trim_start_matches('#');
    Ok(match word.split_once(':') {
        Some((from, to)) => of_cast(&[from.into(), to.into()])?,
        None if word.contains('/') || LISTS.contains(&word) => format!("#{}", encoded(word)),
        None if find_rule(word).is_some() => format!("#rule/{word}"),
        None => match DType::named(word) {
            Ok(dtype) => format!("#format/{dtype}"),
            Err(_) => format!("#format/{}", formats::named(word)?.name),
        },
    })
}

fn of_cast(words: &[String]) -> Result<String> {
    if words.is_empty() {
        return Ok(String::new());
    }
    // `float32 1 int8` is an element: 1 is ONNX's number of float32, too.
    let is_value = |word: &String| castproof_oracle::read(word).is_some();
    if let [from, between, to] = words
        && !is_value(between)
        && let (Ok(from), Ok(between), Ok(to)) =
            (DType::named(from), DType::named(between), DType::named(to))
    {
        return Ok(format!("#chain/{from}/{between}/{to}"));
    }
    if let [from, to] = words
        && let (Ok(from), Ok(to)) = (DType::named(from), DType::named(to))
    {
        return Ok(format!("#cast/{from}/{to}"));
    }
    let asked = asked("explore", words)?;
    match &asked.values[..] {
        [value] => Ok(format!("#{}/{}/{}", asked.from, encoded(value), asked.to)),
        values => bail!(
            "the page shows one element, and there are {}; castproof expect {} {} {} shows all",
            values.len(),
            asked.from,
            values.join(" "),
            asked.to
        ),
    }
}

/// Writes a text for an address: what is no letter, digit or `-._~,/+` by the numbers of its bytes, as `%20`.
fn encoded(text: &str) -> String {
    let mut all = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~,/+".contains(&byte) {
            all.push(byte.into());
        } else {
            let _ = write!(all, "%{byte:02X}");
        }
    }
    all
}

fn file_address(path: &Path) -> String {
    let path = path.to_string_lossy();
    // Windows: the long form begins with \\?\, and a drive needs a slash before it.
    let path = path.trim_start_matches(r"\\?\").replace('\\', "/");
    let path = encoded(&path).replace("%3A", ":");
    if path.starts_with('/') { format!("file://{path}") } else { format!("file:///{path}") }
}

/// Opens an address in the program of the environment variable BROWSER, or else in that of the system.
///
/// # Errors
/// If it does not start; the line has the address.
fn open(address: &str) -> Result<()> {
    let system: &[&str] = if cfg!(target_os = "macos") {
        &["open"]
    } else if cfg!(windows) {
        &["cmd", "/C", "start", ""]
    } else {
        &["xdg-open"]
    };
    let chosen = env::var("BROWSER").ok().filter(|it| !it.is_empty());
    let words: Vec<&str> = match &chosen {
        Some(program) => vec![program],
        None => system.to_vec(),
    };
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).arg(address).stdin(Stdio::null()).stdout(Stdio::null());
    let started = command.stderr(Stdio::null()).spawn();
    started.map(drop).with_context(|| {
        format!("{} does not start; BROWSER names another program, and --print shows the address {address}", words[0])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<String> {
        fragment(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn words_lead_to_addresses() {
        for (line, due) in [
            ("", ""),
            ("f32 464 float8_e4m3fn", "#float32/464/float8e4m3fn"),
            ("float32 -0.0 half", "#float32/-0.0/float16"),
            ("float32 int32", "#cast/float32/int32"),
            ("f32:i32", "#cast/float32/int32"),
            ("i32 f32 i32", "#chain/int32/float32/int32"),
            ("float32 1 int8", "#float32/1/int8"),
            ("chains", "#chains"),
            ("bf16", "#format/bfloat16"),
            ("binary8p4se", "#format/binary8p4se"),
            ("F8-S10", "#rule/F8-S10"),
            ("questions", "#questions"),
            ("runtimes", "#runtimes"),
            ("#runtime/openvino", "#runtime/openvino"),
            ("#block/float8e4m3fn/464,1", "#block/float8e4m3fn/464,1"),
        ] {
            assert_eq!(of(line).expect(line), due, "{line}");
        }
        let said = of("float32 1 2 int8").expect_err("two").to_string();
        assert!(said.contains("castproof expect float32 1 2 int8"), "{said}");
        assert!(of("flaot32 1 int8").is_err());
        let said = of("flaot16").expect_err("no dtype").to_string();
        assert!(said.contains("did you mean float16"), "{said}");
    }

    #[test]
    fn an_address_has_no_blanks() {
        assert_eq!(file_address(Path::new("/a b/index.html")), "file:///a%20b/index.html");
        assert_eq!(file_address(Path::new(r"\\?\C:\a\index.html")), "file:///C:/a/index.html");
    }
}

//! A small file that another project keeps, against the answers of today.

use super::choice::{answered, choose};
use super::form::{COMMAND, DIGEST, MADE_BY, SmallForm, SmallJob, TITLE, share};
use super::npz;
use super::value::{Value, digest};
use anyhow::{Context, Result, bail};
use castproof_check::words;
use castproof_vectors::{DType, Request};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A small file that was read.
pub struct Vendored {
    /// The command that made it, as its first lines say.
    pub command: String,
    head: String,
    digest: String,
    body: Body,
}

/// Where the codes stand.
enum Body {
    Archive(npz::Held),
    Json(Columns),
    Text(String),
}

/// The members of the JSON form. Others are not read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Json {
    castproof: String,
    share: String,
    sha256_of_csv: String,
    made_by: String,
    #[serde(flatten)]
    columns: Columns,
}

#[derive(Deserialize)]
struct Columns {
    input: Vec<String>,
    expected: Vec<String>,
    right: Vec<Vec<String>>,
}

const UNKNOWN: &str = "it is none of the forms that castproof vectors export --format csv, json-small, c-header, cpp, \
                       testfloat, rust, js, go and npz write";
const DAMAGED: &str = "its values are not those that were written";

impl Vendored {
    /// Reads the first lines, and finds the codes.
    ///
    /// # Errors
    /// If it is no small file.
    pub fn read(bytes: &[u8]) -> Result<Vendored> {
        if npz::is_one(bytes) {
            let held = npz::read(bytes);
            let held = held.context("it is an archive, and not one that castproof vectors export --format npz writes, or a damaged one")?;
            return Vendored::of_text(&held.head.clone(), Body::Archive(held));
        }
        let text = std::str::from_utf8(bytes).ok().context(UNKNOWN)?;
        if !text.trim_start().starts_with('{') {
            return Vendored::of_text(text, Body::Text(text.into()));
        }
        let Ok(json) = serde_json::from_str::<Json>(text) else { bail!(UNKNOWN) };
        let head = format!("{TITLE}{}\n{}\n", json.castproof, json.share);
        let (command, digest) = (json.made_by, json.sha256_of_csv);
        Ok(Vendored { command, head, digest, body: Body::Json(json.columns) })
    }

    /// Finds the words of the first lines in a text.
    fn of_text(text: &str, body: Body) -> Result<Vendored> {
        let after = |mark: &str| Some(text.split_once(mark)?.1.lines().next()?.trim().to_string());
        let (Some(digest), Some(command)) = (after(DIGEST), after(MADE_BY)) else { bail!(UNKNOWN) };
        let end = text.find(MADE_BY).unwrap_or(0);
        Ok(Vendored { command, head: text[..end].into(), digest, body })
    }

    /// Returns the values.
    ///
    /// # Errors
    /// If they are not those whose SHA-256 stands in the first lines.
    fn values(&self, job: &SmallJob) -> Result<Vec<Value>> {
        let values = match (&self.body, job.form) {
            (Body::Archive(held), SmallForm::Npz) => {
                of_columns([&held.input, &held.expected, &held.right])
            }
            (Body::Json(columns), SmallForm::Json) => columns.values(),
            (Body::Text(_), SmallForm::Npz | SmallForm::Json)
            | (Body::Archive(_) | Body::Json(_), _) => {
                bail!("it is no {}, which its first lines call it", job.form.name())
            }
            (Body::Text(text), form) => {
                let body = text.split_once(MADE_BY).map_or("", |(_, rest)| rest);
                let body = body.split_once('\n').map_or("", |(_, rest)| rest);
                of_text(form, body)
            }
        };
        let whole = values.filter(|it| digest(&job.request, it) == self.digest);
        whole.with_context(|| {
            format!("{DAMAGED}: their SHA-256 is another than its first lines say; take the file from where it came, or make it again: {}", job.command())
        })
    }

    /// The version of Castproof that made the file.
    fn version(&self) -> &str {
        let title = self.head.split_once(TITLE).map_or("", |(_, rest)| rest);
        title.split(':').next().unwrap_or_default().trim()
    }
}

impl Columns {
    fn values(&self) -> Option<Vec<Value>> {
        let code = |text: &String| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok();
        let codes = |texts: &[String]| texts.iter().map(code).collect::<Option<Vec<u64>>>();
        let right = self.right.concat();
        of_columns([&codes(&self.input)?, &codes(&self.expected)?, &codes(&right)?])
    }
}

fn of_columns([input, expected, right]: [&[u64]; 3]) -> Option<Vec<Value>> {
    let (rows, rest) = right.as_chunks::<4>();
    let is_whole = rest.is_empty() && input.len() == expected.len() && input.len() == rows.len();
    let value = |((&input, &expected), &[a, b, c, d]): ((&u64, &u64), &[u64; 4])| Value {
        input,
        expected,
        right: [[a, b], [c, d]],
    };
    is_whole.then(|| input.iter().zip(expected).zip(rows).map(value).collect())
}

/// Reads the codes of a text, in any layout: a formatter may have moved them to other lines.
fn of_text(form: SmallForm, body: &str) -> Option<Vec<Value>> {
    if form == SmallForm::TestFloat {
        let lines = body.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        let value = |line: &str| {
            let (input, expected) = line.split_once(' ')?;
            let [input, expected] =
                [input, expected].map(|word| u64::from_str_radix(word.trim(), 16).ok());
            let expected = expected?;
            Some(Value { input: input?, expected, right: [[expected; 2]; 2] })
        };
        return lines.map(value).collect();
    }
    let digits = |rest: &str| {
        let end = rest.find(|it: char| !it.is_ascii_hexdigit()).unwrap_or(rest.len());
        u64::from_str_radix(&rest[..end], 16).ok()
    };
    let codes: Vec<u64> = body.split("0x").skip(1).map(digits).collect::<Option<_>>()?;
    let count = codes.len() / 6;
    if !codes.len().is_multiple_of(6) {
        return None;
    }
    if form != SmallForm::Csv {
        return of_columns([&codes[..count], &codes[count..2 * count], &codes[2 * count..]]);
    }
    let rows = codes.as_chunks::<6>().0.iter();
    let value = |&[input, expected, a, b, c, d]: &[u64; 6]| Value {
        input,
        expected,
        right: [[a, b], [c, d]],
    };
    Some(rows.map(value).collect())
}

/// Makes the file again, and names what is no longer so. Returns whether nothing is, and the lines.
///
/// # Errors
/// If the values are damaged, or the request has none today.
pub fn compare(vendored: &Vendored, job: &SmallJob) -> Result<(bool, String)> {
    let was = vendored.values(job)?;
    let Request { from, to, .. } = job.request;
    let mut text = String::new();
    let inputs: Vec<u64> = was.iter().map(|it| it.input).collect();
    let now = answered(&job.request, &inputs).with_context(|| DAMAGED)?;
    for (was, now) in was.iter().zip(&now) {
        let now = now.as_ref().map_or_else(|| "anything".into(), |it| said(it, to));
        let before = said(was, to);
        if before != now {
            let input = words::value(from, was.input);
            let _ = writeln!(text, "{input}: was {before}, is {now}");
        }
    }
    let choice = choose(&job.request, job.budget, |value| job.form.holds(value))?;
    let before: BTreeSet<u64> = inputs.iter().copied().collect();
    let chosen: BTreeMap<u64, &Value> = choice.values.iter().map(|it| (it.input, it)).collect();
    for (input, value) in chosen.iter().filter(|(input, _)| !before.contains(input)) {
        let (input, is) = (words::value(from, *input), said(value, to));
        let _ = writeln!(text, "{input}: was not in the file, is {is}");
    }
    for value in was.iter().filter(|it| !chosen.contains_key(&it.input)) {
        let (input, was) = (words::value(from, value.input), said(value, to));
        let _ = writeln!(text, "{input}: was {was}, is no longer in the file");
    }
    let share = share(&choice);
    if text.is_empty() && !vendored.head.contains(&share) {
        let _ = writeln!(text, "the share is now: {share}");
    }
    let same = text.is_empty();
    let (version, newest) = (vendored.version(), env!("CARGO_PKG_VERSION"));
    let again = match same {
        true => format!("as Castproof {newest} writes it: {share}"),
        false => format!(
            "made by Castproof {version}; {newest} writes another file. Make it again: {}",
            job.command()
        ),
    };
    let _ = writeln!(text, "{again}");
    Ok((same, text))
}

/// Returns `0x7e (448)`, and what else is right.
fn said(value: &Value, to: DType) -> String {
    let mut text = words::value(to, value.expected);
    if !value.is_single() {
        let [one, other] = value.right.map(|[first, last]| match first == last {
            true => to.hex(first),
            false => format!("{} to {}", to.hex(first), to.hex(last)),
        });
        text += &match one == other {
            true => format!(", right is {one}"),
            false => format!(", right is {one} or {other}"),
        };
    }
    text
}

/// Returns the words of the command after `castproof vectors export`.
///
/// # Errors
/// If it is another command.
pub fn words_of(command: &str) -> Result<Vec<&str>> {
    let words = command.strip_prefix(COMMAND);
    let words = words.with_context(|| {
        format!("its first lines name the command '{command}', which makes no small file")
    })?;
    Ok(words.split_whitespace().collect())
}

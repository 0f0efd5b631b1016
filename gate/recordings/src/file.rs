//! The file of a recording: a line of JSON for people and programs, then compressed entries, then a
//! digest of both.

use super::bytes::{Reader, put_bytes, put_number};
use super::predict::Cast;
use super::trace::{DIGEST, STEP};
use anyhow::{Context, Result, anyhow, bail};
use castproof_io::{input, sink};
use castproof_testee::Identity;
use castproof_testee::protocol::Supported;
use castproof_testee::subject::Subject;
use castproof_vectors::{OneLine, Profile};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The name of the format and its version.
pub const FORMAT: &str = "castproof-recording/1";

/// The beginning of the name of every version.
const FAMILY: &str = "castproof-recording/";

/// Bytes of the digest at the end.
const END: usize = 32;

/// Most bytes of the entries.
const LARGEST: u64 = 1 << 28;

const DAMAGED: &str = "it is damaged or cut short: its digest is not that of its content";

/// The name of the method that casts as it is asked to.
const DUE: &str = "due";

/// What is recorded, where and when.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// The implementation, as the command line names it.
    #[serde(flatten)]
    pub subject: NamedTestee,
    /// The machine.
    pub machine: OneLine,
    /// When the recording was made, as RFC 3339 writes it.
    pub date: OneLine,
    /// The program that made it.
    pub program: OneLine,
    /// How it was asked: what the gate needs to ask the same questions.
    pub asked: serde_json::Value,
    /// What is left out, in the words of the command line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reduced: Vec<OneLine>,
}

/// An implementation, as the command line names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedTestee {
    /// The command of a testee; `builtin`: Castproof's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The adapter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<String>,
    /// The variant of the adapter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The shared library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<PathBuf>,
}

impl From<&Subject> for NamedTestee {
    fn from(subject: &Subject) -> NamedTestee {
        let none = NamedTestee::default();
        match subject {
            Subject::Builtin => NamedTestee { command: Some("builtin".into()), ..none },
            Subject::Command(line) => NamedTestee { command: Some(line.clone()), ..none },
            Subject::Library(path) => NamedTestee { library: Some(path.clone()), ..none },
            Subject::Adapter(named) => {
                let (adapter, variant) = (Some(named.name.clone()), named.variant.clone());
                NamedTestee { adapter, variant, ..none }
            }
        }
    }
}

impl NamedTestee {
    /// Returns the implementation; `None` if the file names none.
    pub fn subject(&self) -> Option<Subject> {
        let NamedTestee { command, adapter, variant, library } = self.clone();
        match (command, adapter, library) {
            (Some(line), None, None) if line == "builtin" => Some(Subject::Builtin),
            (Some(line), None, None) => Some(Subject::Command(line)),
            (None, Some(name), None) => {
                Some(Subject::Adapter(castproof_testee::adapter::NamedAdapter { name, variant }))
            }
            (None, None, Some(path)) => Some(Subject::Library(path)),
            _ => None,
        }
    }
}

/// The first line of a recording. Members that are not known here are passed over.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// [`FORMAT`].
    pub format: String,
    /// Who the testee said it is.
    pub testee: Identity,
    /// What is recorded, where and when.
    #[serde(flatten)]
    pub about: About,
    /// The features that its hello listed.
    pub features: Vec<String>,
    /// The profiles that its hello listed.
    pub profiles: Vec<String>,
    /// The casts that its hello listed; absent: it listed none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub casts: Option<Vec<Supported>>,
    /// How many tensors it was best given at once.
    pub ahead: usize,
    /// How many parts the run had.
    pub parts: u64,
    /// How many questions.
    pub questions: u64,
    /// A digest of the questions of all parts.
    pub digest: OneLine,
    /// How many questions were answered otherwise when they were asked again.
    #[serde(default)]
    pub varying: u64,
    /// The specifications by which answers are foretold: `due`, then names of profiles.
    pub methods: Vec<String>,
    /// How many bytes the entries take before they are compressed.
    pub bytes: u64,
}

/// What was answered in one part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PartRecord {
    /// How many questions it had.
    pub(super) asked: u64,
    /// Digests of the questions and of the answers.
    pub(super) digests: [[u8; DIGEST]; 2],
    /// The same of its beginning, where a run that asks less ends it: how many questions, and digests.
    pub(super) beginning: Option<(u64, [[u8; DIGEST]; 2])>,
    /// A byte of the digest of the questions after each [`STEP`] of them.
    pub(super) marks: Vec<u8>,
    /// The differences.
    pub(super) entries: Vec<u8>,
}

/// The answer to whether a cast is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Zero {
    /// That of Castproof.
    AsExpected,
    /// Another output.
    Output(Vec<u8>),
    /// What was said instead, by kind and the number of the message.
    Said(u8, u64),
}

/// What a file holds behind its first line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) messages: Vec<String>,
    pub(super) initial: HashMap<Cast, usize>,
    pub(super) zeros: BTreeMap<String, Zero>,
    pub(super) parts: BTreeMap<String, PartRecord>,
}

/// A recording.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Its first line.
    pub header: Header,
    pub(super) body: Body,
    /// The methods by number.
    pub(super) methods: Vec<Option<Profile>>,
}

/// Returns the names of methods, as a file writes them.
pub(super) fn names(methods: &[Option<Profile>]) -> Vec<String> {
    methods.iter().map(|it| it.map_or(DUE, Profile::name).to_string()).collect()
}

impl Recording {
    /// Reads a file.
    ///
    /// # Errors
    /// If it is no recording, is damaged, or is of a version that this program does not read.
    pub fn read(path: &Path) -> Result<Recording> {
        let place = || format!("recording {}", sink::path(path));
        Recording::of(&input::bytes(path).with_context(place)?).with_context(place)
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// The same as those of [`read`](Recording::read).
    pub fn of(bytes: &[u8]) -> Result<Recording> {
        let (line, rest) = first_line(bytes)?;
        let whole = bytes.len() - END.min(rest.len());
        if rest.len() < END || blake3::hash(&bytes[..whole]).as_bytes()[..] != bytes[whole..] {
            bail!(DAMAGED);
        }
        let header: Header = serde_json::from_str(line)
            .map_err(|error| anyhow!("its first line is not that of a recording: {error}"))?;
        let method = |name: &String| match &name[..] {
            DUE => Ok(None),
            name => name.parse().map(Some),
        };
        let methods: Result<Vec<Option<Profile>>, String> =
            header.methods.iter().map(method).collect();
        let methods = methods.map_err(|problem| anyhow!("of its methods one is {problem}"))?;
        let entries = inflated(&rest[..rest.len() - END], header.bytes)?;
        let body = read_body(&entries, methods.len())
            .map_err(|problem| anyhow!("its entries cannot be read: {problem}"))?;
        Ok(Recording { header, body, methods })
    }
}

/// Splits the first line off, and checks that it is that of this version.
fn first_line(bytes: &[u8]) -> Result<(&str, &[u8])> {
    #[derive(Deserialize)]
    struct Any {
        format: String,
    }
    let foreign = "it is not a recording: castproof record makes one";
    let is_ours = bytes.starts_with(format!("{{\"format\":\"{FAMILY}").as_bytes());
    let problem = if is_ours { DAMAGED } else { foreign };
    let end = bytes.iter().position(|&byte| byte == b'\n').context(problem)?;
    let line = std::str::from_utf8(&bytes[..end]).ok().context(problem)?;
    let Any { format } = serde_json::from_str(line).ok().context(problem)?;
    if format != FORMAT {
        if !format.starts_with(FAMILY) {
            bail!("{foreign}");
        }
        let format = sink::line(&format);
        bail!(
            "it is in the form {format}, and this program reads {FORMAT}: record it again with castproof record"
        );
    }
    Ok((line, &bytes[end + 1..]))
}

fn inflated(compressed: &[u8], length: u64) -> Result<Vec<u8>> {
    if length > LARGEST {
        bail!("its entries would take {length} bytes, more than {LARGEST}");
    }
    let mut entries = Vec::new();
    ZlibDecoder::new(compressed)
        .take(length + 1)
        .read_to_end(&mut entries)
        .context("its entries cannot be decompressed")?;
    if entries.len() as u64 != length {
        bail!("its entries take {} bytes, not {length}", entries.len());
    }
    Ok(entries)
}

/// Returns the bytes of a file.
///
/// # Errors
/// If they do not fit in memory.
pub(super) fn written(mut header: Header, body: &Body) -> Result<Vec<u8>> {
    let entries = body_bytes(body);
    header.bytes = entries.len() as u64;
    let mut bytes = serde_json::to_vec(&header)?;
    bytes.push(b'\n');
    let mut encoder = ZlibEncoder::new(bytes, Compression::best());
    encoder.write_all(&entries)?;
    let mut bytes = encoder.finish()?;
    let digest = blake3::hash(&bytes);
    bytes.extend(digest.as_bytes());
    Ok(bytes)
}

/// Writes what is alike one behind the other, which compresses best.
fn body_bytes(body: &Body) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_number(&mut bytes, body.messages.len() as u64);
    body.messages.iter().for_each(|text| put_bytes(&mut bytes, text.as_bytes()));
    let initial: BTreeMap<_, _> = body.initial.iter().collect();
    put_number(&mut bytes, initial.len() as u64);
    for ((from, to, attributes), method) in initial {
        let attributes = serde_json::to_string(attributes).unwrap_or_default();
        let text = format!("{from} {to} {attributes}");
        put_bytes(&mut bytes, text.as_bytes());
        put_number(&mut bytes, *method as u64);
    }
    put_number(&mut bytes, body.zeros.len() as u64);
    body.zeros.keys().for_each(|name| put_bytes(&mut bytes, name.as_bytes()));
    for zero in body.zeros.values() {
        match zero {
            Zero::AsExpected => bytes.push(0),
            Zero::Output(output) => {
                bytes.push(1);
                put_bytes(&mut bytes, output);
            }
            Zero::Said(kind, message) => {
                bytes.push(2 + kind);
                put_number(&mut bytes, *message);
            }
        }
    }
    put_number(&mut bytes, body.parts.len() as u64);
    body.parts.keys().for_each(|name| put_bytes(&mut bytes, name.as_bytes()));
    body.parts.values().for_each(|part| put_number(&mut bytes, part.asked));
    body.parts.values().for_each(|part| bytes.extend(part.digests.as_flattened()));
    for part in body.parts.values() {
        put_number(&mut bytes, part.beginning.map_or(0, |(asked, _)| asked));
        part.beginning.iter().for_each(|(_, digests)| bytes.extend(digests.as_flattened()));
    }
    body.parts.values().for_each(|part| bytes.extend(&part.marks));
    body.parts.values().for_each(|part| put_bytes(&mut bytes, &part.entries));
    bytes
}

fn read_body(bytes: &[u8], methods: usize) -> Result<Body, String> {
    let mut reader = Reader::new(bytes);
    // A message goes through the same hands as one that a testee says.
    let messages = reader.each(|it| Ok(sink::line(it.text()?)))?;
    let initial = reader.each(|it| read_initial(it, methods))?.into_iter().collect();
    let names = reader.each(|it| Ok(it.text()?.to_string()))?;
    let mut zeros = BTreeMap::new();
    for name in names {
        let zero = match reader.take(1)?[0] {
            0 => Zero::AsExpected,
            1 => Zero::Output(reader.bytes()?.to_vec()),
            kind @ 2..6 => Zero::Said(kind - 2, reader.number()?),
            kind => return Err(format!("an answer is of the unknown kind {kind}")),
        };
        zeros.insert(name, zero);
    }
    let names = reader.each(|it| Ok(it.text()?.to_string()))?;
    let mut records = vec![PartRecord::default(); names.len()];
    for record in &mut records {
        record.asked = reader.number()?;
    }
    for record in &mut records {
        record.digests = read_digests(&mut reader)?;
    }
    for record in &mut records {
        let asked = reader.number()?;
        if asked > 0 {
            record.beginning = Some((asked, read_digests(&mut reader)?));
        }
    }
    for record in &mut records {
        let marks = usize::try_from(record.asked / STEP).map_err(|_| "a part is too long")?;
        record.marks = reader.take(marks)?.to_vec();
    }
    for record in &mut records {
        record.entries = reader.bytes()?.to_vec();
    }
    if !reader.is_at_end() {
        return Err("bytes follow the last part".into());
    }
    Ok(Body { messages, initial, zeros, parts: names.into_iter().zip(records).collect() })
}

fn read_digests(reader: &mut Reader<'_>) -> Result<[[u8; DIGEST]; 2], String> {
    let mut digests = [[0; DIGEST]; 2];
    for digest in &mut digests {
        digest.copy_from_slice(reader.take(DIGEST)?);
    }
    Ok(digests)
}

fn read_initial(reader: &mut Reader<'_>, methods: usize) -> Result<(Cast, usize), String> {
    let text = reader.text()?;
    let mut words = text.splitn(3, ' ');
    let mut word = || words.next().unwrap_or_default();
    let (from, to) = (word().parse()?, word().parse()?);
    let attributes = serde_json::from_str(word()).map_err(|error| error.to_string())?;
    let method = usize::try_from(reader.number()?).unwrap_or(usize::MAX);
    if method >= methods {
        return Err("it names a specification that there is not".into());
    }
    Ok(((from, to, attributes), method))
}

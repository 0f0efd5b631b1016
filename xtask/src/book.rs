//! The book: written from the oracle, and checked against it.

mod order;

use crate::repository::{check_weight, default_data, write_whole};
use castproof_oracle::{Caster, concerning, partition, versions};
use castproof_vectors::book::{BOOK_FORMAT, Book, BookPiece, RequestRecord};
use castproof_vectors::random::Random;
use castproof_vectors::{
    Attributes, DType, Operator, Piece, Profile, Request, RoundMode, RuleId, Spec, piece_of,
};
use flate2::read::GzDecoder;
use rayon::prelude::*;
use std::collections::HashMap;
use std::io::Read;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use zopfli::{Format, Options};

/// The maximum size of the compressed book, in bytes.
const HEAVIEST: usize = 900_000;

/// The number of codes drawn by the check, over all requests.
const DRAWN: u64 = 1_000_000;

/// Where the book is kept.
fn path() -> PathBuf {
    default_data().join("book.json.gz")
}

/// Writes the book.
pub(crate) fn generate() -> Result<String, String> {
    let (text, said) = text()?;
    let compressed = compressed(&text)?;
    check_weight("book", &compressed, HEAVIEST)?;
    write_whole(&path(), &compressed)?;
    Ok(format!("{said}; {} bytes, {} compressed", text.len(), compressed.len()))
}

/// Generates the book again and compares it byte for byte with the committed one. Then reads the
/// committed one and compares it with the oracle code by code.
pub(crate) fn check() -> Result<String, String> {
    let kept = std::fs::read(path()).map_err(|error| at(&path(), &error))?;
    let (text, said) = text()?;
    same(&path(), &text, "book")?;
    check_weight("book", &kept, HEAVIEST)?;
    let book = Book::read(&kept)?;
    let requests = requests();
    let draws = DRAWN.div_ceil(requests.len() as u64);
    let asked: u64 = (0u64..)
        .zip(&requests)
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|(seed, request)| compare(&book, request, seed, draws))
        .sum::<Result<u64, String>>()?;
    Ok(format!("{said}; {asked} codes asked in {} requests", requests.len()))
}

/// Checks that a compressed file holds this text, byte for byte. `chore` is the command that writes
/// it.
pub(crate) fn same(path: &Path, text: &str, chore: &str) -> Result<(), String> {
    let kept = std::fs::read(path).map_err(|error| at(path, &error))?;
    let mut old = String::new();
    GzDecoder::new(&kept[..]).read_to_string(&mut old).map_err(|error| at(path, &error))?;
    if old == text {
        return Ok(());
    }
    let alike = old.lines().zip(text.lines()).take_while(|(old, new)| old == new).count();
    Err(format!(
        "{}: line {} is not what is found today; to accept it, run: cargo xtask {chore} generate",
        path.display(),
        alike + 1
    ))
}

fn at(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Compares the book with the oracle at both ends of every piece, next to them, and at drawn codes.
fn compare(book: &Book, request: &Request, seed: u64, draws: u64) -> Result<u64, String> {
    let caster = Caster::new(request).map_err(|error| error.to_string())?;
    let pieces = book.pieces(request)?;
    let mask = request.from.code_mask();
    let mut codes: Vec<u64> = Vec::new();
    for piece in &pieces {
        let ends = [piece.first, piece.last];
        codes.extend(
            ends.into_iter()
                .flat_map(|end| [end.saturating_sub(1), end, end.saturating_add(1).min(mask)]),
        );
    }
    let mut random = Random::new(seed);
    codes.extend((0..draws).map(|_| random.number() & mask));
    codes.sort_unstable();
    codes.dedup();
    for &code in &codes {
        let answer = caster.cast(code).map_err(|error| error.to_string())?;
        let said = piece_of(&pieces, code).expectation(request.from, request.to, code);
        if said != answer {
            return Err(format!(
                "{request}: of {code:#x} the book says {said:?}, the oracle {answer:?}"
            ));
        }
    }
    Ok(codes.len() as u64)
}

/// Every set of attributes.
fn all_attributes() -> Vec<Attributes> {
    let modes = [None].into_iter().chain(RoundMode::ALL.map(Some));
    let saturates = [None, Some(false), Some(true)];
    modes
        .flat_map(|round_mode| saturates.map(|saturate| Attributes { saturate, round_mode }))
        .collect()
}

/// The specifications: operators and versions, and the profiles that cast between numeric dtypes.
fn specs() -> Vec<Spec> {
    let of = |op| versions(op).iter().map(move |&opset| Spec::Onnx { op, opset });
    let profiles = Profile::numeric().map(Spec::Profile);
    of(Operator::Cast).chain(of(Operator::CastLike)).chain(profiles).collect()
}

/// Returns every request, including those that are refused.
fn requests() -> Vec<Request> {
    let attributes = all_attributes();
    let mut requests = Vec::new();
    for &from in DType::NUMERIC {
        for &to in DType::NUMERIC {
            for spec in specs() {
                let with = |&attributes| Request { spec, from, to, attributes };
                requests.extend(attributes.iter().map(with));
            }
        }
    }
    requests
}

/// A request as the book stores it.
struct Row {
    request: Request,
    pieces: Vec<Piece>,
    /// Replaces the rules of the pieces.
    rule: Option<RuleId>,
}

/// The rows of a pair.
fn rows(from: DType, to: DType) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for spec in specs() {
        let mut known: HashMap<Attributes, Vec<Piece>> = HashMap::new();
        for attributes in all_attributes() {
            let request = Request { spec, from, to, attributes };
            let heeded = concerning(spec, (from, to), attributes);
            let caster = Caster::new(&request).map_err(|error| error.to_string())?;
            let ignored = heeded != attributes && !caster.is_refused();
            let asked = if ignored { request.with(heeded) } else { request };
            let pieces = match known.get(&asked.attributes) {
                Some(pieces) => pieces.clone(),
                None => partition(&asked).map_err(|error| error.to_string())?,
            };
            known.entry(asked.attributes).or_insert_with(|| pieces.clone());
            // An attribute that changes nothing is decided by one rule, whatever the code; the
            // check compares the result with the oracle.
            let rule = match ignored {
                true => Some(caster.cast(0).map_err(|error| error.to_string())?.rule),
                false => None,
            };
            rows.push(Row { request, pieces, rule });
        }
    }
    Ok(rows)
}

/// Returns the book as text, and a summary of it.
fn text() -> Result<(String, String), String> {
    let pairs: Vec<(DType, DType)> = DType::NUMERIC
        .iter()
        .flat_map(|&from| DType::NUMERIC.iter().map(move |&to| (from, to)))
        .collect();
    let rows: Vec<Vec<Row>> =
        pairs.par_iter().map(|&(from, to)| rows(from, to)).collect::<Result<_, _>>()?;
    let mut answers: Vec<(DType, DType, Vec<Piece>)> = Vec::new();
    let mut places: HashMap<(u32, u32, Vec<Piece>), usize> = HashMap::new();
    let mut records: Vec<RequestRecord> = Vec::new();
    for rows in rows {
        let mut of_pair: Vec<RequestRecord> = Vec::new();
        for Row { request: Request { spec, from, to, attributes }, pieces, rule } in rows {
            let key = (from.bits(), to.bits(), pieces);
            let answer = *places.entry(key).or_insert_with_key(|(.., pieces)| {
                answers.push((from, to, pieces.clone()));
                answers.len() - 1
            });
            let (specs, attributes) = (vec![spec.to_string()], vec![attributes]);
            let rule = rule.map(|rule| rule.to_string());
            of_pair.push(RequestRecord { specs, from, to, attributes, answer, rule });
        }
        records.extend(joined(of_pair));
    }
    let answers: Vec<Answer> = answers.iter().map(Answer::new).collect();
    let order = order::by_likeness(&answers.iter().map(|it| &it.pieces[..]).collect::<Vec<_>>());
    let mut places = vec![0; answers.len()];
    order.iter().enumerate().for_each(|(place, &index)| places[index] = place);
    records.iter_mut().for_each(|record| record.answer = places[record.answer]);
    let requests: Vec<String> = records.iter().map(json).collect();
    let texts: Vec<String> = order.iter().map(|&index| answers[index].text()).collect();
    let text = format!(
        "{{\"format\":\"{BOOK_FORMAT}\",\n\"requests\":[\n{}\n],\n\"answers\":[\n{}\n]}}\n",
        requests.join(",\n"),
        texts.join(",\n")
    );
    let (rows, pieces) = (records.len(), answers.iter().map(|it| it.pieces.len()).sum::<usize>());
    Ok((text, format!("{rows} rows of requests, {} answers, {pieces} pieces", answers.len())))
}

/// An answer as text.
struct Answer {
    widths: (u32, u32),
    /// The first code and the line of each piece.
    pieces: Vec<(String, String)>,
}

impl Answer {
    fn new((from, to, pieces): &(DType, DType, Vec<Piece>)) -> Answer {
        let piece = |piece| {
            let record = BookPiece::new(piece, *from, *to);
            (record.first.to_string(), json(&record))
        };
        Answer { widths: (from.bits(), to.bits()), pieces: pieces.iter().map(piece).collect() }
    }

    fn text(&self) -> String {
        let (from_bits, to_bits) = self.widths;
        let lines: Vec<&str> = self.pieces.iter().map(|(_, line)| &line[..]).collect();
        let lines = lines.join(",\n");
        format!("{{\"fromBits\":{from_bits},\"toBits\":{to_bits},\"pieces\":[\n{lines}\n]}}")
    }
}

fn json(record: &impl serde::Serialize) -> String {
    serde_json::to_string(record).expect("records serialise")
}

/// Joins the rows of a pair that have the same answer: first the specs with the same attributes,
/// then the sets of attributes with the same specs.
fn joined(rows: Vec<RequestRecord>) -> Vec<RequestRecord> {
    let same = |a: &RequestRecord, b: &RequestRecord| (a.answer, &a.rule) == (b.answer, &b.rule);
    let mut by_specs: Vec<RequestRecord> = Vec::new();
    for row in rows {
        let found =
            by_specs.iter_mut().find(|it| same(it, &row) && it.attributes == row.attributes);
        match found {
            Some(found) => found.specs.extend(row.specs),
            None => by_specs.push(row),
        }
    }
    let mut joined: Vec<RequestRecord> = Vec::new();
    for row in by_specs {
        match joined.iter_mut().find(|it| same(it, &row) && it.specs == row.specs) {
            Some(found) => found.attributes.extend(row.attributes),
            None => joined.push(row),
        }
    }
    joined
}

/// Compresses a text by zopfli, which takes most of a minute and makes the book a tenth smaller than zlib
/// does. The result is reproducible.
pub(crate) fn compressed(text: &str) -> Result<Vec<u8>, String> {
    let options = Options { iteration_count: NonZeroU64::MIN, ..Options::default() };
    let mut packed = Vec::new();
    zopfli::compress(options, Format::Gzip, text.as_bytes(), &mut packed)
        .map_err(|error| error.to_string())?;
    Ok(packed)
}

//! The binary form of the book: it says what the JSON form says, only what is asked is read, and a damaged
//! byte is refused.
//!
//! Go and Python are required.

use castproof_book::{
    BINARY_FORMAT, BOOK_BYTES, Book, BookFile, BookPiece, FIRST_BINARY_FORMAT, RequestRecord,
    encode,
};
use castproof_vectors::random::Random;
use castproof_vectors::{Attributes, DType, Piece, Request, RoundMode, Spec};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The carried book as JSON.
static JSON: LazyLock<BookFile> = LazyLock::new(|| {
    let text = Book::carried().contents().and_then(|contents| contents.text()).expect("a book");
    serde_json::from_str(&text).expect("a book")
});

/// The part of the book with the requests between a few dtypes.
fn small() -> Vec<u8> {
    const SMALL: [DType; 3] = [DType::Int4, DType::Float4E2M1, DType::Float8E8M0];
    let mut contents = Book::carried().contents().expect("a book");
    contents.requests.retain(|it| SMALL.contains(&it.from) && SMALL.contains(&it.to));
    let mut order: Vec<usize> = contents.requests.iter().map(|it| it.answer).collect();
    order.sort_unstable();
    order.dedup();
    for request in &mut contents.requests {
        request.answer = order.binary_search(&request.answer).expect("an answer");
    }
    contents.answers = order.iter().map(|&index| contents.answers[index].clone()).collect();
    encode(&contents).expect("a book")
}

/// Every spec that the JSON book names with every set of attributes.
static KINDS: LazyLock<Vec<(Spec, Attributes)>> = LazyLock::new(|| {
    let names: BTreeSet<&String> = JSON.requests.iter().flat_map(|it| &it.specs).collect();
    let specs = names.into_iter().map(|name| name.parse().expect("a spec"));
    let modes = [None].into_iter().chain(RoundMode::ALL.map(Some));
    let sets = modes.flat_map(|round_mode| {
        [None, Some(false), Some(true)].map(|saturate| Attributes { saturate, round_mode })
    });
    let sets: Vec<Attributes> = sets.collect();
    specs.flat_map(|spec| sets.iter().map(move |&set| (spec, set)).collect::<Vec<_>>()).collect()
});

/// Every request of a pair, also those that the book does not hold.
fn requests(from: DType, to: DType) -> impl Iterator<Item = Request> {
    KINDS.iter().map(move |&(spec, attributes)| Request { spec, from, to, attributes })
}

/// The JSON form is parsed by other code, from other bytes.
#[test]
fn both_forms_say_the_same_of_every_request() {
    let json = Book::new(JSON.clone()).expect("a book");
    let (mut compared, mut pieces) = (0, 0);
    for &from in DType::NUMERIC {
        for &to in DType::NUMERIC {
            for request in requests(from, to) {
                let said = Book::carried().pieces(&request);
                assert_eq!(said, json.pieces(&request), "{request}");
                compared += 1;
                pieces += said.map_or(0, |it| it.len());
            }
        }
    }
    assert!(compared > 250_000 && pieces > 2_000_000, "{compared} requests, {pieces} pieces");
    assert_eq!(json.number_of_answers(), Book::carried().number_of_answers());
    for index in 0..json.number_of_answers() {
        assert_eq!(json.answer(index), Book::carried().answer(index), "answer {index}");
    }
    assert!(Book::carried().answer(json.number_of_answers()).is_err());
}

/// Programs and libraries carry it as it is, packages compressed. The JSON book was 813 kB compressed.
#[test]
fn it_is_small() {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(BOOK_BYTES).expect("memory");
    let packed = packed.finish().expect("memory").len();
    let plain = BOOK_BYTES.len();
    assert!(plain < 800_000 && packed < 150_000, "{plain} bytes, {packed} compressed");
}

/// The committed bytes are those that the JSON book is written as.
#[test]
fn the_json_book_is_written_as_the_committed_bytes() {
    let json = Book::new(JSON.clone()).expect("a book");
    assert!(encode(&json.contents().expect("a book")).expect("a book") == BOOK_BYTES);
    let text = json.contents().and_then(|contents| contents.text()).expect("a book");
    assert!(serde_json::from_str::<BookFile>(&text).expect("a book") == *JSON);
}

/// A program that was written from docs/formats.md reads the book.
#[test]
fn a_reader_of_another_language_reads_it() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let read = |book: &Path| {
        let mut python = Command::new("python3");
        python.arg(folder.join("tests/data/read_book.py")).arg(book);
        python.output().expect("python3 runs; install Python 3.11 or newer")
    };
    let output = read(&folder.join("../data/book.bin"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(serde_json::from_slice::<BookFile>(&output.stdout).expect("a book") == *JSON);
    let damaged = Path::new(env!("CARGO_TARGET_TMPDIR")).join("damaged.bin");
    let mut bytes = BOOK_BYTES.to_vec();
    bytes[20_000] ^= 1;
    fs::write(&damaged, bytes).expect("a file");
    let output = read(&damaged);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "a checksum is wrong\n");
}

/// The book of the example of docs/formats.md is written as the page says.
#[test]
fn the_example_of_the_page_is_right() {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats.md");
    let page = fs::read_to_string(page).expect("the page");
    let (_, block) = page.split_once("Its columns and its answer are:\n\n```text\n").expect("it");
    let (block, _) = block.split_once("```").expect("its end");
    let is_hex = |word: &&str| word.len() == 2 && u8::from_str_radix(word, 16).is_ok();
    let due: Vec<String> = block
        .lines()
        .flat_map(|line| line.split(' ').take_while(is_hex).map(str::to_owned))
        .collect();
    let text = r#"{"format":"castproof-book/5","requests":[{"specs":["rust-as"],"from":"bool","to":"bfloat16",
        "attributes":[{}],"answer":0}],"answers":[{"fromBits":8,"toBits":16,"pieces":[
        {"first":"0x00","expect":{"code":"0x0000"},"rule":"B-08"},
        {"first":"0x01","shift":{"origin":"0x00","bits":-7,"base":"0x3f00"},"rule":"B-08"},
        {"first":"0x02","expect":{"any":true},"rule":"B-08"}]}]}"#;
    let book = Book::new(serde_json::from_str(text).expect("a book")).expect("a book");
    let bytes = encode(&book.contents().expect("a book")).expect("a book");
    let parts = &bytes[..bytes.len() - 4];
    let found: Vec<String> = parts.iter().map(|byte| format!("{byte:02x}")).collect();
    let found = &found[found.len() - due.len()..];
    assert!(due.len() == 27 && found == due, "{found:?}\n{due:?}");
}

/// The reader of the Go module says the same of every request and every piece.
#[test]
fn the_go_module_reads_it() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("read-book-go");
    fs::create_dir_all(&folder).expect("a folder");
    for name in
        ["packages/go/book.go", "vectors/expand/expand.go", "vectors/book/tests/data/read_book.go"]
    {
        let text = fs::read_to_string(root.join(name)).expect("a file");
        let text = text.replace("\npackage castproof\n", "\npackage main\n");
        fs::write(folder.join(name.rsplit('/').next().expect("a name")), text).expect("a file");
    }
    let mut go = Command::new("go");
    go.args(["run", "book.go", "expand.go", "read_book.go"])
        .arg(root.join("vectors/data/book.bin"));
    let run = go.current_dir(&folder).env("GO111MODULE", "off").output();
    let output = run.expect("go runs; install Go, such as the package golang-go");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).expect("text");
    let (pieces, requests): (Vec<&str>, Vec<&str>) =
        said.lines().partition(|line| line.starts_with(|first: char| first.is_ascii_digit()));
    let mut due: Vec<String> = Vec::new();
    for row in &JSON.requests {
        let RequestRecord { specs, from, to, attributes, answer, rule } = row;
        let rule = rule.as_ref().map_or(String::new(), |rule| format!("\"{rule}\""));
        for spec in specs {
            let line = |set| format!("{from} {to} {spec} {{{set}}} {answer} {rule}");
            due.extend(attributes.iter().map(line));
        }
    }
    due.sort_unstable();
    let mut requests = requests;
    requests.sort_unstable();
    assert_eq!(requests.len(), due.len());
    requests.iter().zip(&due).for_each(|(found, due)| assert_eq!(found, due));
    let all = JSON.answers.iter().enumerate();
    let mut all = all.flat_map(|(index, it)| it.pieces.iter().map(move |piece| (index, piece)));
    for line in pieces {
        let (index, piece) = all.next().expect("not more pieces than the book has");
        let (number, found) = line.split_once(' ').expect("a number and a piece");
        assert_eq!(number, index.to_string());
        let found: Value = serde_json::from_str(found).expect("JSON");
        assert_eq!(found, flat(piece), "answer {index}");
    }
    assert!(all.next().is_none(), "a piece is missing");
}

/// A piece with all members in one level.
fn flat(piece: &BookPiece) -> Value {
    let mut value = serde_json::to_value(piece).expect("JSON");
    let members = value.as_object_mut().expect("an object");
    for name in ["shift", "tolerateByCode"] {
        if let Some(Value::Object(inner)) = members.remove(name) {
            members.extend(inner);
        }
    }
    value
}

/// What a book says of some requests between dtypes of [`small`].
fn consult(book: &Book) -> Vec<Result<Vec<Piece>, String>> {
    let pairs = [(DType::Int4, DType::Float4E2M1), (DType::Float8E8M0, DType::Int4)];
    let requests = pairs.into_iter().flat_map(|(from, to)| requests(from, to).step_by(7));
    requests.map(|request| book.pieces(&request)).collect()
}

/// Every byte of a small book, in turn.
#[test]
fn a_damaged_byte_is_refused_and_never_gives_another_answer() {
    let original = small();
    let book = Book::read(&original).expect("a book");
    book.check().expect("in order");
    let due = consult(&book);
    let mut random = Random::new(1);
    let mut noticed = 0;
    for place in 0..original.len() {
        let mut bytes = original.clone();
        bytes[place] ^= 1 << random.below(8);
        let problem = match Book::read(&bytes) {
            Err(problem) => problem,
            Ok(book) => {
                for (said, due) in consult(&book).iter().zip(&due) {
                    if said != due {
                        assert!(said.as_ref().is_err_and(|it| it.contains("damaged")), "{said:?}");
                        noticed += 1;
                    }
                }
                book.check().expect_err("the checksum of the whole is wrong")
            }
        };
        let line = !problem.is_empty() && problem.len() < 300 && !problem.contains('\n');
        assert!(line, "byte {place}: {problem}");
    }
    assert!(noticed > 1000, "{noticed}");
    for length in 0..original.len() {
        assert!(Book::read(&original[..length]).is_err(), "cut to {length} bytes");
    }
    assert!(Book::read(&[&original[..], b"\n"].concat()).is_err(), "longer");
}

/// Bytes throughout the committed book.
#[test]
fn a_damaged_byte_of_the_carried_book_is_refused() {
    let mut random = Random::new(2);
    for _ in 0..200 {
        let mut bytes = BOOK_BYTES.to_vec();
        let place = random.below(bytes.len());
        bytes[place] ^= 1 << random.below(8);
        let problem = Book::read(&bytes).and_then(|book| book.check());
        assert!(problem.is_err(), "byte {place}");
    }
}

/// A book all of whose answers but one are destroyed answers one request as before, and names what is damaged
/// when it is asked for another.
#[test]
fn only_what_is_asked_is_read() {
    let request = Request::cast(DType::Float32, DType::Float8E4M3FN, 28);
    let due = Book::carried().pieces(&request).expect("a cast");
    let (mut kept, mut bytes) = (0, BOOK_BYTES.to_vec());
    // Wipes what can be wiped without touching this answer.
    for block in (0..bytes.len()).step_by(4096) {
        let mut wiped = bytes.clone();
        let end = (block + 4096).min(wiped.len());
        wiped[block..end].fill(0xff);
        match Book::read(&wiped).and_then(|book| book.pieces(&request)) {
            Ok(pieces) => {
                assert_eq!(pieces, due);
                bytes = wiped;
            }
            Err(_) => kept += 1,
        }
    }
    assert!(kept < 12, "{kept} blocks of 4096 bytes are read for one request");
    let book = Book::read(&bytes).expect("its head is right");
    assert_eq!(book.pieces(&request), Ok(due));
    let other = Request::cast(DType::Int8, DType::Float16, 28);
    let problem = book.pieces(&other).expect_err("it is wiped");
    let said = "the book is damaged: the checksum of the requests of int8 to float16 is wrong; get the book anew";
    assert_eq!(problem, said);
}

/// A book of the former version, which has no entry of any quiet NaN, is still read.
#[test]
fn the_former_version_is_read() {
    let rest = &BOOK_BYTES[BINARY_FORMAT.len()..];
    let former = [FIRST_BINARY_FORMAT.as_bytes(), rest].concat();
    let request = Request::cast(DType::Float32, DType::Float16, 28);
    let due = Book::carried().pieces(&request);
    assert_eq!(Book::read(&former).expect("a book").pieces(&request), due);
}

#[test]
fn what_is_no_book_is_refused_with_one_line() {
    let newer = [b"castproof-book-binary/3\n", &BOOK_BYTES[BINARY_FORMAT.len() + 1..]].concat();
    for (bytes, due) in [
        (
            &newer[..],
            "its format is 'castproof-book-binary/3': give castproof-book-binary/1 or castproof-book-binary/2",
        ),
        (b"", "it is not a book: neither in the binary form"),
        (b"castproof-book", "it is not a book: neither in the binary form"),
        (b"castproof-book-binary/1\n", "the book is damaged: the checksum of its head is wrong"),
        (b"castproof-book-binary/", "its format is 'castproof-book-binary/': give"),
        (&BOOK_BYTES[..BOOK_BYTES.len() - 1], "bytes and should have"),
        (&BOOK_BYTES[..9000], "the book is damaged: the checksum of its head is wrong"),
    ] {
        let problem = Book::read(bytes).err().expect("it is no book");
        assert!(problem.contains(due) && !problem.contains('\n'), "{problem}");
    }
}

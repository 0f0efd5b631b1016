//! Files with a fault: a seeded generator of edits, from a flipped bit to 100,000 brackets.

use castproof_vectors::random;
use serde_json::Value;

/// The seed of the draws, unless `HOSTILE_SEED` names another.
const SEED: u64 = 20_261_122;

/// A sequence of numbers that a seed determines.
pub(crate) struct Random(random::Random);

impl Random {
    /// Returns the sequence of a test. Prints its seed, which the output of a failing test shows.
    pub(crate) fn new(test: &str) -> Random {
        let named = std::env::var("HOSTILE_SEED").ok().and_then(|text| text.parse().ok());
        let seed = named.unwrap_or(SEED);
        println!("{test}: HOSTILE_SEED={seed}");
        // Tests with the same seed draw different numbers.
        let seed = test.bytes().fold(seed, |sum, byte| sum.rotate_left(5) ^ u64::from(byte));
        Random(random::Random::new(seed))
    }

    /// Returns a number below this one.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.below(end.max(1))
    }

    /// Returns one of these.
    pub(crate) fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// Values that a reader may not expect in place of a number.
const NUMBERS: &[&str] = &[
    "-1",
    "0",
    "1",
    "00",
    "0.5",
    "1e999",
    "-0",
    "NaN",
    "Infinity",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775808",
    "4294967295",
    "99999999999999999999999999999999999999999",
    "null",
    "\"7\"",
    "[]",
];

/// Words of our files, and some that none of our files holds.
const WORDS: &[&str] = &[
    "int8",
    "uint8",
    "float32",
    "float8e8m0",
    "string",
    "int9",
    "true",
    "false",
    "null",
    "pass",
    "fail",
    "unsupported",
    "core",
    "full",
    "*",
    "../../etc/passwd",
    "\\u0000",
    "\\ud800",
    "\\u001b[2J",
    "::error::forged",
    "anyNaN",
    "quietNaN",
    "code",
    "0x00",
    "0xffffffffffffffffff",
    "some",
    "all",
    "onnx-cast-28",
];

/// Returns the name of an edit, and a copy with this edit.
pub(crate) fn mutated(random: &mut Random, original: &[u8]) -> (String, Vec<u8>) {
    loop {
        let mut bytes = original.to_vec();
        let said = edit(random, &mut bytes);
        if bytes != original {
            return (said, bytes);
        }
    }
}

fn edit(random: &mut Random, bytes: &mut Vec<u8>) -> String {
    let place = random.below(bytes.len());
    let length = 1 + random.below(40);
    let end = (place + length).min(bytes.len());
    let name = match random.below(20) {
        0 => flip(random, bytes, place),
        1 => put(bytes, place, random.0.number() as u8),
        2 => insert(bytes, place, &[random.0.number() as u8]),
        3 => insert(bytes, place, "::error::\u{1b}[2J\u{fffe}\n".as_bytes()),
        4 => insert(bytes, place, &vec![b'['; 100_000]),
        5 => insert(bytes, place, &[0xff, 0xfe, 0]),
        6 => taken_away(bytes, place, end),
        7 => {
            let again = bytes[place..end].to_vec();
            insert(bytes, place, &again)
        }
        8 => cut(bytes, place),
        9 => insert(bytes, bytes.len(), b"garbage\n"),
        10 => insert(bytes, 0, b"\xef\xbb\xbf"),
        11 => cut(bytes, 0),
        12 | 13 => number(random, bytes, place),
        14 | 15 => word(random, bytes, place),
        16 => digit(random, bytes, place),
        17..=19 => lines(random, bytes),
        _ => unreachable!("below 20"),
    };
    format!("{name} at {place}")
}

fn flip(random: &mut Random, bytes: &mut [u8], place: usize) -> &'static str {
    bytes[place] ^= 1 << random.below(8);
    "a bit flipped"
}

fn put(bytes: &mut [u8], place: usize, byte: u8) -> &'static str {
    bytes[place] = byte;
    "another byte"
}

fn insert(bytes: &mut Vec<u8>, place: usize, more: &[u8]) -> &'static str {
    bytes.splice(place..place, more.iter().copied());
    "bytes put in"
}

fn taken_away(bytes: &mut Vec<u8>, place: usize, end: usize) -> &'static str {
    bytes.drain(place..end);
    "bytes taken away"
}

fn cut(bytes: &mut Vec<u8>, place: usize) -> &'static str {
    bytes.truncate(place);
    "cut off"
}

/// Returns the ends of the first run of such bytes from a place on.
fn run_of(bytes: &[u8], place: usize, fits: fn(&u8) -> bool) -> Option<(usize, usize)> {
    let start = place + bytes[place..].iter().position(fits)?;
    let length = bytes[start..].iter().take_while(|byte| fits(byte)).count();
    Some((start, start + length))
}

fn number(random: &mut Random, bytes: &mut Vec<u8>, place: usize) -> &'static str {
    if let Some((start, end)) = run_of(bytes, place, u8::is_ascii_digit) {
        bytes.splice(start..end, random.of(NUMBERS).bytes());
    }
    "another number"
}

fn word(random: &mut Random, bytes: &mut Vec<u8>, place: usize) -> &'static str {
    if let Some((start, end)) = run_of(bytes, place, u8::is_ascii_alphanumeric) {
        bytes.splice(start..end, random.of(WORDS).bytes());
    }
    "another word"
}

fn digit(random: &mut Random, bytes: &mut [u8], place: usize) -> &'static str {
    if let Some((start, _)) = run_of(bytes, place, u8::is_ascii_digit) {
        bytes[start] = b'0' + random.below(10) as u8;
    }
    "another digit"
}

/// Removes, doubles or swaps lines.
fn lines(random: &mut Random, bytes: &mut Vec<u8>) -> &'static str {
    let mut lines: Vec<Vec<u8>> =
        bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    let name = match random.below(3) {
        0 => {
            lines.remove(one);
            "a line taken away"
        }
        1 => {
            lines.insert(other, lines[one].clone());
            "a line twice"
        }
        _ => {
            lines.swap(one, other);
            "lines in another order"
        }
    };
    *bytes = lines.concat();
    name
}

/// Returns the name of an edit, and a copy of a JSON value with this edit. The copy stays JSON, so
/// that a reader gets beyond the grammar.
pub(crate) fn mutated_value(random: &mut Random, original: &Value) -> (String, Value) {
    loop {
        let mut value = original.clone();
        let mut places = Vec::new();
        pointers(original, &mut String::new(), &mut places);
        let place = random.of(&places).clone();
        let said = match value.pointer_mut(&place) {
            Some(Value::Array(values)) if !values.is_empty() && random.below(2) == 0 => {
                let (one, other) = (random.below(values.len()), random.below(values.len()));
                match random.below(3) {
                    0 => drop(values.remove(one)),
                    1 => values.insert(other, values[one].clone()),
                    _ => values.swap(one, other),
                }
                "elements"
            }
            Some(Value::Object(members)) if !members.is_empty() && random.below(2) == 0 => {
                let name = members.keys().nth(random.below(members.len())).cloned();
                let taken = name.and_then(|name| members.remove(&name)).unwrap_or_default();
                if random.below(2) == 0 {
                    members.insert(random.of(WORDS).to_string(), taken);
                }
                "members"
            }
            Some(value) => {
                *value = another(random, value);
                "a value"
            }
            None => "nothing",
        };
        if value != *original {
            return (format!("{said} at {place}"), value);
        }
    }
}

fn another(random: &mut Random, value: &Value) -> Value {
    match (value, random.below(4)) {
        (Value::Number(number), 0) => {
            let near = [1, u64::MAX, 1 << 32, 1 << 63]
                .map(|more| number.as_u64().map(|it| it.wrapping_add(more)));
            (*random.of(&near)).into()
        }
        (Value::String(text), 0) => {
            let mut bytes = text.clone().into_bytes();
            if bytes.is_empty() {
                bytes.push(b'0');
            }
            edit(random, &mut bytes);
            String::from_utf8_lossy(&bytes).into()
        }
        (Value::Bool(flag), _) => (!flag).into(),
        (Value::String(_), _) => (*random.of(WORDS)).into(),
        _ => {
            let number: &str = random.of::<&str>(NUMBERS);
            serde_json::from_str(number).unwrap_or(Value::Null)
        }
    }
}

/// Collects the JSON pointers to every place of a value.
fn pointers(value: &Value, place: &mut String, places: &mut Vec<String>) {
    places.push(place.clone());
    let length = place.len();
    let mut within = |name: &str, value: &Value| {
        *place += "/";
        *place += &name.replace('~', "~0").replace('/', "~1");
        pointers(value, place, places);
        place.truncate(length);
    };
    match value {
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(index, value)| within(&index.to_string(), value));
        }
        Value::Object(members) => members.iter().for_each(|(name, value)| within(name, value)),
        _ => {}
    }
}

/// Prints the mutation at which a test panicked.
pub(crate) struct At<'a>(pub(crate) &'a str);

impl Drop for At<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("it panicked at: {}", self.0);
        }
    }
}

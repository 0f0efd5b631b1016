//! The words of the search box: dtypes by any of their names, formats, rules, and a number or a code.

use castproof_lookup::formats;
use castproof_oracle::read;
use castproof_vectors::{DType, find_rule};
use serde_json::{Value as Json, json};

/// Words between dtypes and numbers that mean nothing here.
const BETWEEN: [&str; 9] = ["to", "as", "in", "from", "cast", "->", "→", "of", "into"];

/// Returns the dtypes, the formats, the values and the rules that the words name, in their order, and the other words.
pub(crate) fn json(words: &str) -> Json {
    let (mut dtypes, mut formats, mut values) = (vec![], vec![], vec![]);
    let (mut rules, mut rest) = (vec![], vec![]);
    let words = words.replace("->", " ").replace(',', " ");
    for word in words.split(|letter: char| letter.is_whitespace() || letter == ':') {
        if word.is_empty() || BETWEEN.contains(&word.to_lowercase().as_str()) {
            continue;
        }
        // A number comes first: ONNX has numbers for its dtypes.
        if is_value(word) {
            values.push(word);
        } else if let Ok(dtype) = DType::named(word) {
            dtypes.push(dtype.name());
        } else if let Ok(format) = formats::named(word) {
            formats.push(format.name);
        } else if let Some(rule) = find_rule(&word.to_uppercase()) {
            rules.push(rule.name);
        } else {
            rest.push(word);
        }
    }
    json!({ "dtypes": dtypes, "formats": formats, "values": values, "rules": rules, "rest": rest })
}

fn is_value(word: &str) -> bool {
    let is_code = word.strip_prefix("0x").is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    is_code || read(word).is_some() || ["true", "false"].contains(&word.to_lowercase().as_str())
}

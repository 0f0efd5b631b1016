//! What people type that is no command or option here, and the command that does what they mean.

use std::ffi::OsString;

/// Words that stand where a command is due, each with what does it. `...` stands for the words that follow.
const COMMANDS: [(&[&str], &str); 8] = [
    (
        &["cast", "convert"],
        "castproof expect ... says what a cast must give, and castproof explain ... why",
    ),
    (
        &["check", "test", "verify", "run", "validate"],
        "castproof gate --library ./libkernel.so holds a library to the answers, castproof gate --adapter NAME a \
         runtime (castproof adapters lists them), castproof gate --testee COMMAND a program",
    ),
    (&["why"], "castproof explain ... says why a cast gives what it does"),
    (&["dtype", "types"], "castproof dtypes lists the dtypes"),
    (&["formats"], "castproof dtypes lists the dtypes, castproof format the formats by parameters"),
    (&["runtimes", "backends"], "castproof adapters lists the runtimes"),
    (
        &["profiles", "specs"],
        "castproof rules --profile NAME lists the rules of a profile, like numpy-astype",
    ),
    (&["list", "ls"], LISTS),
];

const LISTS: &str = "castproof adapters lists the runtimes, castproof dtypes the dtypes, castproof rules the rules, \
     castproof show --results FILE the findings of a run";

/// What `...` becomes if nothing follows.
const EXAMPLE: &str = "float32 464 float16";

/// Returns the line that answers a command line that was not understood, if it is one of those.
pub(super) fn hint(words: &[OsString]) -> Option<String> {
    let words: Vec<&str> = words.iter().skip(1).filter_map(|word| word.to_str()).collect();
    let (first, rest) = words.split_first()?;
    if words.contains(&"--list") {
        return Some(format!("there is no option --list: {LISTS}"));
    }
    let (_, does) = COMMANDS.iter().find(|(words, _)| words.contains(first))?;
    let rest = if rest.is_empty() { EXAMPLE.into() } else { rest.join(" ") };
    Some(format!("there is no command '{first}': {}", does.replace("...", &rest)))
}

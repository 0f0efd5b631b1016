//! Every option that names a file to be read, against wrong inputs. A program that reads a pipe or
//! a device may wait for ever.

use crate::hostile::{run, text};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

/// The words of a command; `@` is the input.
const READERS: &[&str] = &[
    "gate --testee builtin --from bool --to bool --baseline @",
    "gate --testee builtin --from bool --to bool --vectors @",
    "gate --testee builtin --from bool --to bool --journal @",
    "gate --library @",
    "gate --testee @",
    "report @",
    "report --compare @ @",
    "diff @ @",
    "sweep --library @ --from bool --to bool --certificate $/new",
    "sweep merge @ --certificate $/new",
    "certify verify @",
    "certify verify $/certificate --public-key @",
    "certify verify $/certificate --public-key RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3 --signature @",
    "certify sign @ --key @",
    "certify sign $/certificate --key @",
    "certify replay @ --testee builtin",
    "vectors export --format jsonl --vectors @",
    "vectors export --check @",
];

/// The name of a wrong input, and the function that makes it.
type Wrong = (&'static str, fn(&Path));

const WRONG: &[Wrong] = &[
    ("a pipe", |place| {
        assert!(Command::new("mkfifo").arg(place).status().expect("mkfifo").success());
    }),
    ("an endless device", |place| symlink("/dev/zero", place).expect("a link")),
    ("an empty device", |place| symlink("/dev/null", place).expect("a link")),
    ("a socket", |place| drop(UnixListener::bind(place).expect("a socket"))),
    ("a folder", |place| fs::create_dir(place).expect("a folder")),
    ("nothing", |_| {}),
    ("a link to itself", |place| symlink(place, place).expect("a link")),
    ("an empty file", |place| drop(File::create(place).expect("a file"))),
    ("a terabyte", |place| {
        File::create(place).and_then(|file| file.set_len(1 << 40)).expect("a sparse file");
    }),
];

#[test]
fn what_is_no_file_is_refused_in_one_line() {
    let certificate = certificate();
    for words in READERS {
        for (what, make) in WRONG {
            let folder = tempfile::tempdir().expect("a folder");
            fs::copy(&certificate.1, folder.path().join("certificate")).expect("a copy");
            let place = folder.path().join("place");
            make(&place);
            let words = words.replace('$', text(folder.path()));
            let words: Vec<&str> = words
                .split(' ')
                .map(|word| if word == "@" { text(&place) } else { word })
                .collect();
            // An empty file is a baseline without entries. A journal that is missing is begun.
            let is_fine = (words.contains(&"--baseline") && *what == "an empty file")
                || (words.contains(&"--journal") && *what == "nothing");
            let run = run(&words);
            if is_fine {
                assert_eq!(run.code, 0, "{words:?}, {what}: {}", run.err);
            } else {
                assert!(run.error_line().contains("place"), "{words:?}, {what}: {}", run.err);
                assert_eq!(run.out, "", "{words:?}, {what}");
            }
        }
    }
}

/// Makes the certificate of a small sweep.
fn certificate() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("certificate");
    let pair = ["sweep", "--testee", "builtin", "--from", "bool", "--to", "bool"];
    let run = run(&[&pair[..], &["--certificate", text(&place)]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    (folder, place)
}

//! Certificates that a forger sealed anew. One that contradicts the rules or itself is refused. The
//! claims of any other are printed, and a signature or a replay reveals the forgery.

use crate::common::{Run, castproof, testee};
use minisign::KeyPair;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Sweeps the casts of a testee from one dtype. Returns the path of the certificate and the run.
fn sweep(folder: &Path, testee: &str, from: &str) -> (PathBuf, Run) {
    let path = folder.join("certificate.json");
    let file = path.to_str().expect("text");
    let words = ["sweep", "--testee", testee, "--from", from, "--opset", "28", "--threads", "1"];
    let run = castproof(&[&words[..], &["--certificate", file]].concat(), "");
    assert!(run.code < 2, "{}", run.err);
    (path, run)
}

/// Writes the certificate as the program does, with a right seal.
fn seal(path: &Path, mut certificate: Value) {
    let text = |certificate: &Value| {
        let mut lines = vec!["{".to_string()];
        for key in ["format", "heading", "date", "machine", "share", "seal"] {
            if let Some(value) = certificate.get(key) {
                lines.push(format!("\"{key}\": {value},"));
            }
        }
        lines.push("\"requests\": [".into());
        let rows = certificate["requests"].as_array().expect("requests");
        lines.push(rows.iter().map(Value::to_string).collect::<Vec<_>>().join(",\n"));
        lines.push("]}\n".into());
        lines.join("\n")
    };
    certificate["seal"] = json!("0".repeat(64));
    let digest = blake3::hash(text(&certificate).as_bytes());
    certificate["seal"] = json!(digest.to_hex().to_string());
    fs::write(path, text(&certificate)).expect("a certificate");
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("text")).expect("JSON")
}

fn verify(path: &Path, more: &[&str]) -> Run {
    castproof(&[&["certify", "verify", path.to_str().expect("text")], more].concat(), "")
}

/// Returns the first request whose sweep found failures.
fn failing(certificate: &mut Value) -> &mut Value {
    let requests = certificate["requests"].as_array_mut().expect("requests");
    let failing = requests.iter_mut().find(|it| it["whole"]["found"]["fail"].is_u64());
    failing.expect("a request that fails")
}

#[test]
#[expect(clippy::too_many_lines, reason = "one row a forgery")]
fn forgeries_that_contradict_themselves_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    // The testee is wrong at the code 1 only: it flips the lowest bit of the result.
    let (path, run) = sweep(folder.path(), &testee("hostile.py", "flips"), "uint8");
    assert_eq!(run.code, 1, "{}", run.out);
    let honest = read(&path);
    seal(&path, honest.clone());
    let clean = verify(&path, &[]);
    assert_eq!(clean.code, 1, "it claims failures: {}{}", clean.out, clean.err);
    assert!(clean.out.contains("claimed: FAIL"), "{}", clean.out);
    assert_eq!(verify(&path, &["--allow-failures"]).code, 0);

    type Edit = fn(&mut Value);
    let forgeries: &[(&str, Edit, &str)] = &[
        (
            "failures emptied",
            |it| {
                let found = failing(it)["whole"]["found"].as_object_mut().expect("found");
                found.retain(|key, _| key == "undefined" || key == "tolerated");
            },
            "the digests differ, but no difference is listed",
        ),
        (
            "a failing request dropped",
            |it| {
                let requests = it["requests"].as_array_mut().expect("requests");
                let place = requests.iter().position(|it| it["whole"]["found"]["fail"].is_u64());
                requests.remove(place.expect("a request that fails"));
            },
            "is missing, of the",
        ),
        ("fewer failures", |it| failing(it)["whole"]["found"]["fail"] = json!(2), "do not add up"),
        (
            "another failure",
            |it| {
                let range = &mut failing(it)["whole"]["found"]["failures"][0];
                range["first"] = json!("0x07");
                range["last"] = json!("0x07");
            },
            "what came is not what its failures say",
        ),
        (
            "another element came",
            |it| {
                let asked = failing(it)["request"]["to"].as_str().expect("text").to_string();
                assert_eq!(asked, "bool", "the first that fails");
                failing(it)["whole"]["found"]["failures"][0]["got"] = json!("0x03");
            },
            "what came is not what its failures say",
        ),
        (
            "a rule that does not exist",
            |it| failing(it)["whole"]["found"]["failures"][0]["clause"] = json!("X-99"),
            "is not the one of the specification",
        ),
        (
            "no failure at all",
            |it| failing(it)["whole"]["observed"] = failing(it)["whole"]["expected"].clone(),
            "the digests are equal, but differences are listed",
        ),
        (
            "undefined elements",
            |it| failing(it)["whole"]["found"]["undefined"] = json!(7),
            "undefined elements, not",
        ),
        (
            "too many",
            |it| {
                let found = &mut failing(it)["whole"]["found"];
                found["fail"] = json!(1_000_000_000_000_u64);
                found["unlisted"] = json!(999_999_999_999_u64);
            },
            "more elements than there are codes",
        ),
        (
            "a request twice",
            |it| {
                let requests = it["requests"].as_array_mut().expect("requests");
                requests.insert(1, requests[0].clone());
            },
            "there twice",
        ),
        (
            "another specification",
            |it| it["heading"]["specification"] = json!("rust-as"),
            "its heading names \"rust-as\", but its requests are of ONNX Cast, opset 28",
        ),
        (
            "another operator set",
            |it| it["heading"]["specification"] = json!("ONNX Cast, opset 13"),
            "its heading names \"ONNX Cast, opset 13\", but its requests are of ONNX Cast, opset 28",
        ),
        ("no request", |it| it["requests"] = json!([]), "no request"),
    ];
    for (name, edit, said) in forgeries {
        let mut forged = honest.clone();
        edit(&mut forged);
        seal(&path, forged);
        let run = verify(&path, &["--allow-failures"]);
        assert!(run.error_line().contains(said), "{name}: {}", run.err);
    }
}

/// Formerly a request whose chunks were taken away was not mentioned, and the rest passed.
#[test]
fn what_is_not_covered_is_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, _) = sweep(folder.path(), &testee("hostile.py", "flips"), "uint8");
    let honest = read(&path);
    let mut forged = honest.clone();
    let requests = forged["requests"].as_array_mut().expect("requests");
    let mut taken = Vec::new();
    for request in requests.iter_mut().filter(|it| it["whole"]["found"]["fail"].is_u64()) {
        let members = request.as_object_mut().expect("a request");
        members.remove("whole");
        members.insert("parts".into(), json!([]));
        taken.push(request["request"]["to"].as_str().expect("a dtype").to_string());
    }
    seal(&path, forged.clone());
    for more in [&[][..], &["--allow-failures"]] {
        let run = verify(&path, more);
        assert_eq!(run.code, 3, "{}{}", run.out, run.err);
        assert!(run.out.contains("claimed: PART  "), "{}", run.out);
        for to in &taken {
            let line = format!("not covered: Cast(28) uint8 -> {to}: chunks 0 of 1");
            let line_of_mode = format!("not covered: Cast(28) uint8 -> {to} ");
            assert!(
                run.out.contains(&line) || run.out.contains(&line_of_mode),
                "{line}: {}",
                run.out
            );
        }
    }
    // A share has no chunk of another one, and its own chunks are due.
    forged["share"] = json!("1/2");
    seal(&path, forged);
    let run = verify(&path, &[]);
    assert_eq!(run.code, 3, "{}{}", run.out, run.err);
    assert!(run.out.contains("not covered: "), "{}", run.out);
    let mut share = honest.clone();
    share["share"] = json!("1/2");
    seal(&path, share);
    assert!(verify(&path, &[]).error_line().contains("is none of share 1/2"));
    let mut other = honest;
    other["heading"]["questions"] = json!("0".repeat(64));
    seal(&path, other);
    let said = verify(&path, &[]);
    assert!(said.error_line().contains("its digest of the questions"), "{}", said.err);
}

/// Formerly shares of different builds were joined into one certificate.
#[test]
fn shares_of_different_builds_are_not_joined() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("text").to_string();
    let share = |shard: &str, digest: &str| {
        let file = place(&shard[..1]);
        let stated = testee("echo.py", &format!("digest-{digest}"));
        let words = ["sweep", "--testee", &stated, "--from", "int8", "--to", "int8", "--opset"];
        let more = ["28", "--shard", shard, "--certificate", &file];
        let run = castproof(&[&words[..], &more].concat(), "");
        assert_eq!(run.code, 3, "{}{}", run.out, run.err);
        file
    };
    let merge = |files: &[&str]| {
        castproof(&[&["sweep", "merge", "--certificate", &place("joined")], files].concat(), "")
    };
    let first = share("1/2", "one");
    let other = share("2/2", "another");
    let run = merge(&[&first, &other]);
    assert!(run.error_line().contains("the digest of the testee differs"), "{}", run.err);
    let same = share("2/2", "one");
    let run = merge(&[&first, &same]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("PASS  256 codes swept"), "{}", run.out);
}

/// Formerly a signature that was cut short ended the program with a panic.
#[test]
fn a_signature_cut_short_is_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("text").to_string();
    let (path, _) = sweep(folder.path(), "builtin", "bool");
    let file = path.to_str().expect("text");
    let KeyPair { pk, sk } = KeyPair::generate_unencrypted_keypair().expect("a key");
    fs::write(place("key"), sk.to_box(None).expect("a key").into_string()).expect("a file");
    let run = castproof(&["certify", "sign", file, "--key", &place("key")], "");
    assert_eq!(run.code, 0, "{}", run.err);
    let signature = format!("{file}.minisig");
    let whole = fs::read_to_string(&signature).expect("a signature");
    // At the end of a group of base64, the text that is left is valid.
    let cuts = (4..whole.trim_end().len()).rev().step_by(4).take(12);
    for length in cuts.chain([whole.len() / 2, whole.len() / 4, 0]) {
        fs::write(&signature, &whole[..length]).expect("a file");
        let run = verify(&path, &["--public-key", &pk.to_base64()]);
        assert_eq!(run.code, 2, "{length}: {}", run.err);
        assert!(run.error_line().contains("certificate.json.minisig"), "{}", run.err);
    }
    let key = fs::read_to_string(place("key")).expect("a key");
    for length in (0..key.len()).step_by(9) {
        fs::write(place("cut"), &key[..length]).expect("a file");
        let run = castproof(&["certify", "sign", file, "--key", &place("cut")], "");
        assert_eq!(run.code, 2, "{length}: {}", run.err);
        run.error_line();
    }
}

/// Two keys as `minisign -G -W` of minisign 0.11 wrote them, with zeros in place of a checksum; the second
/// has a changed byte.
#[test]
fn a_key_of_minisign_without_a_password_signs() {
    const KEY: &str = "RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAfG0oSUa5\
                       qFAsBmYpLajT5Y1k02bpjwBrmDNpvrw1BzA8UjmswJqCRrRU86xmMzsfGLmHUYIPmRFb2Ofa/PnB9W\
                       IGa65udNHtAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let folder = tempfile::tempdir().expect("a folder");
    let (path, _) = sweep(folder.path(), "builtin", "bool");
    let file = path.to_str().expect("text");
    let place = folder.path().join("minisign.key");
    let sign = |key: &str| {
        let text = format!("untrusted comment: minisign encrypted secret key\n{key}\n");
        fs::write(&place, text).expect("a file");
        castproof(&["certify", "sign", file, "--key", place.to_str().expect("text")], "")
    };
    let run = sign(KEY);
    assert_eq!(run.code, 0, "{}", run.err);
    let public = "RWR8bShJRrmoULRU86xmMzsfGLmHUYIPmRFb2Ofa/PnB9WIGa65udNHt";
    let run = verify(&path, &["--public-key", public]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let run = sign(&KEY.replace("LajT", "LajU"));
    assert_eq!(run.code, 2, "its halves do not belong together: {}", run.out);
    assert!(run.error_line().contains("minisign.key"), "{}", run.err);
}

/// A replay finds false claims that verification cannot find.
#[test]
fn replay_finds_what_was_invented() {
    let folder = tempfile::tempdir().expect("a folder");
    let flips = testee("hostile.py", "flips");
    let (path, _) = sweep(folder.path(), &flips, "int8");
    let replay = |testee: &str, blocks: &str| {
        let file = path.to_str().expect("text");
        castproof(&["certify", "replay", file, "--testee", testee, "--blocks", blocks], "")
    };
    let run = replay(&flips, "1000");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("PASS  "), "{}", run.out);

    // The certificate of a failing sweep is edited to claim a clean one.
    let mut forged = read(&path);
    for request in forged["requests"].as_array_mut().expect("requests") {
        let whole = &mut request["whole"];
        whole["observed"] = whole["expected"].clone();
        let found = whole["found"].as_object_mut().expect("found");
        found.retain(|key, _| key == "undefined");
    }
    seal(&path, forged);
    let run = verify(&path, &[]);
    assert_eq!(run.code, 0, "nothing in it contradicts the rules: {}", run.err);
    assert!(run.out.contains("no signature was checked"), "{}", run.out);
    let run = replay(&flips, "1000");
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.out.contains("other elements came, of which 1 fail"), "{}", run.out);

    let run = replay("builtin", "1");
    assert!(run.error_line().contains("the certificate is of flips"), "{}", run.err);
}

#[test]
fn a_signature_is_of_one_file_and_one_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("text").to_string();
    let (path, _) = sweep(folder.path(), "builtin", "bool");
    let file = path.to_str().expect("text");
    let [mine, other] = ["mine", "other"].map(|name| {
        let KeyPair { pk, sk } = KeyPair::generate_unencrypted_keypair().expect("a key");
        let secret = sk.to_box(None).expect("a key").into_string();
        fs::write(place(&format!("{name}.key")), secret).expect("a file");
        let public = pk.to_box().expect("a key").into_string();
        fs::write(place(&format!("{name}.pub")), public).expect("a file");
        pk.to_base64()
    });
    let unsigned = verify(&path, &["--public-key", &mine]);
    assert!(unsigned.error_line().contains("certificate.json.minisig"), "{}", unsigned.err);
    let run = castproof(&["certify", "sign", file, "--key", &place("mine.key")], "");
    assert_eq!(run.code, 0, "{}", run.err);
    for key in [&mine, &place("mine.pub")] {
        let run = verify(&path, &["--public-key", key]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.out.contains("signed with key RW"), "{}", run.out);
    }
    let run = verify(&path, &["--public-key", &other]);
    assert!(run.error_line().contains("not one of this certificate with this key"), "{}", run.err);
    let mut renamed = read(&path);
    renamed["heading"]["testee"]["name"] = json!("another");
    seal(&path, renamed);
    let run = verify(&path, &["--public-key", &mine]);
    assert!(run.error_line().contains("not one of this certificate with this key"), "{}", run.err);
    let run = verify(&path, &["--public-key", "no-such-key"]);
    assert!(run.error_line().contains("neither a key nor a file"), "{}", run.err);
    let run = castproof(&["certify", "sign", file, "--key", &place("mine.pub")], "");
    assert!(run.error_line().contains("mine.pub"), "{}", run.err);
}

/// Certificates of sources of 64 bits say that results change at up to 2^62 codes, which is no count of a
/// run.
#[test]
fn the_committed_certificate_is_read() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors/certificates/builtin.json");
    let file = file.to_str().expect("text");
    let run = castproof(&["certify", "verify", file, "--from", "uint4"], "");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
}

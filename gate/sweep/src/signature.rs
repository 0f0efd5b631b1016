//! Signatures of certificates, in the format of minisign.

use anyhow::{Context, Result, anyhow, bail};
use castproof_io::output::Output;
use castproof_io::{input, sink};
use ct_codecs::{Base64, Decoder};
use minisign::{PublicKey, PublicKeyBox, SecretKey, SecretKeyBox, SignatureBox};
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// Bytes of a secret key, of which the last 32 are its checksum.
const SECRET_KEY: usize = 158;

/// Returns where minisign looks for the signature of a file.
pub(super) fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".minisig");
    name.into()
}

/// Signs the content of a file with a secret key of minisign. If the key has a password, it is
/// asked for on the terminal.
///
/// # Errors
/// If the key is invalid, or the signature cannot be written.
pub(super) fn sign(content: &str, key: &Path, comment: &str, output: Output) -> Result<()> {
    let place = || format!("key {}", key.display());
    let text = input::read(key).with_context(place)?;
    let secret = secret_key(&text).with_context(place)?;
    // Without a checksum in the key, only a signature shows whether its halves belong together.
    let public = PublicKey::from_secret_key(&secret).map_err(|error| anyhow!("{error}"))?;
    let content = Cursor::new(content);
    let signature =
        minisign::sign(Some(&public), &secret, content, Some(comment), Some("castproof"));
    let signature = signature.map_err(|error| anyhow!("{error}")).with_context(place)?;
    output.commit(signature.into_string())
}

/// Reads a secret key. Without a password, the program minisign (`-G -W`) writes zeros in place of the
/// checksum, and rsign writes the checksum.
fn secret_key(text: &str) -> Result<SecretKey> {
    let encoded = text.lines().nth(1).context("it has no second line with the key")?;
    let bytes = Base64::decode_to_vec(encoded.trim(), None);
    let bytes = bytes.map_err(|_| anyhow!("its second line is not in base64"))?;
    let has_password = bytes.get(2..4).is_some_and(|kind| kind != [0, 0]);
    let is_checked = bytes.len() == SECRET_KEY && bytes[SECRET_KEY - 32..] != [0; 32];
    let boxed = SecretKeyBox::from_string(text).map_err(|error| anyhow!("{error}"))?;
    let secret = match (has_password, is_checked) {
        (true, _) => boxed.into_secret_key(None),
        (false, true) => boxed.into_unencrypted_secret_key(),
        (false, false) => SecretKey::from_bytes(&bytes),
    };
    secret.map_err(|error| anyhow!("it is no secret key of minisign: {error}"))
}

/// Checks the signature of a file's content. Returns the key and the comment of the signer.
///
/// # Errors
/// If it is not a signature of this content with this key.
pub(super) fn check(content: &str, file: &Path, key: &str) -> Result<String> {
    let public = public_key(key)?;
    let text = input::read(file)
        .with_context(|| format!("signature {} cannot be read", file.display()))?;
    // The crate reads the 64 bytes of the second signature without a look at its length.
    let second = text.lines().nth(3).map(|line| Base64::decode_to_vec(line.trim(), None));
    if !second.is_some_and(|bytes| bytes.is_ok_and(|bytes| bytes.len() == 64)) {
        bail!(
            "signature {} is none: its fourth line is not a signature; was it cut short?",
            file.display()
        );
    }
    let signature = SignatureBox::from_string(&text);
    let signature =
        signature.map_err(|error| anyhow!("signature {} is none: {error}", file.display()))?;
    let content = Cursor::new(content);
    if minisign::verify(&public, &signature, content, true, false, false).is_err() {
        bail!("signature {}: it is not one of this certificate with this key", file.display());
    }
    let comment = signature.trusted_comment().unwrap_or_default();
    Ok(format!("signed with key {}, which says: {}", public.to_base64(), sink::line(&comment)))
}

/// Reads a public key, given as text or as the path of its file.
fn public_key(key: &str) -> Result<PublicKey> {
    if let Ok(public) = PublicKey::from_base64(key) {
        return Ok(public);
    }
    let text = input::read(Path::new(key))
        .with_context(|| format!("public key {key}: it is neither a key nor a file of one"))?;
    let boxed = PublicKeyBox::from_string(&text).and_then(PublicKeyBox::into_public_key);
    boxed.map_err(|error| anyhow!("public key {key}: {error}"))
}

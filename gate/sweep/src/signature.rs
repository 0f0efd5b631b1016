//! Signatures of certificates, in the format of minisign.

use anyhow::{Context, Result, anyhow, bail};
use castproof_io::output::Output;
use castproof_io::{input, sink};
use minisign::{PublicKey, PublicKeyBox, SecretKeyBox, SignatureBox};
use std::io::Cursor;
use std::path::{Path, PathBuf};

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
    let boxed = || SecretKeyBox::from_string(&text).map_err(|error| anyhow!("{error}"));
    let plain = boxed().with_context(place)?.into_unencrypted_secret_key();
    let secret = match plain {
        Ok(secret) => secret,
        Err(_) => {
            let secret = boxed()?.into_secret_key(None);
            secret.map_err(|error| anyhow!("{error}")).with_context(place)?
        }
    };
    let signature =
        minisign::sign(None, &secret, Cursor::new(content), Some(comment), Some("castproof"));
    let signature = signature.map_err(|error| anyhow!("{error}")).with_context(place)?;
    output.commit(signature.into_string())
}

/// Checks the signature of a file's content. Returns the key and the comment of the signer.
///
/// # Errors
/// If it is not a signature of this content with this key.
pub(super) fn check(content: &str, file: &Path, key: &str) -> Result<String> {
    let public = public_key(key)?;
    let text = input::read(file)
        .with_context(|| format!("signature {} cannot be read", file.display()))?;
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

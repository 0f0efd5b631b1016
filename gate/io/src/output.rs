//! Writing to the places that a user names. A regular file is replaced whole or not at all. A
//! character device, a pipe or standard output is written through. Nothing else is touched.

use crate::beside::beside;
use crate::sink;
use anyhow::{Context, Result, bail};
use std::fs::{self, FileType, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A place that is written once, when the work is done.
pub struct Output {
    path: PathBuf,
    target: Target,
}

enum Target {
    /// A regular file, which may not exist yet.
    File { folder: PathBuf },
    /// Something that is written through.
    Stream(Box<dyn Write>),
}

impl Output {
    /// Checks, before a long run, that the place can be written. Nothing is changed there, and
    /// nothing is left beside it, however the run ends.
    ///
    /// # Errors
    /// If it cannot be written, or is a thing that is not replaced: a folder, a symbolic link, a
    /// disk, a socket or a read-only file.
    pub fn create(path: &Path) -> Result<Output> {
        let target = target(path).with_context(|| unwritable(path))?;
        Ok(Output { path: path.to_path_buf(), target })
    }

    /// Writes the content. For a file, it is written beside the place and moved there when it is
    /// complete; for a device, a pipe or standard output, it is written through.
    ///
    /// # Errors
    /// If writing fails, for example because the disk is full. A file is then as it was, and
    /// nothing is left beside it.
    pub fn commit(self, content: impl AsRef<[u8]>) -> Result<()> {
        let written = match self.target {
            Target::File { folder } => replace(&self.path, &folder, content.as_ref()),
            Target::Stream(mut stream) => {
                stream.write_all(content.as_ref()).and_then(|()| stream.flush()).map_err(Into::into)
            }
        };
        written.with_context(|| unwritable(&self.path))
    }
}

/// Does the work of [`Output::create`] and [`Output::commit`] at once, where nothing long lies
/// between them.
///
/// # Errors
/// The same as theirs.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    Output::create(path)?.commit(content)
}

/// Refuses outputs that are inputs of the same command too, or each other: one would destroy the
/// other. Devices, pipes and standard output may be named twice.
///
/// # Errors
/// If there is such an output.
pub fn apart(outputs: &[&Path], inputs: &[&Path]) -> Result<()> {
    for (index, output) in outputs.iter().enumerate() {
        let Some(place) = place_of(output) else { continue };
        let is_it = |other: &&&Path| place_of(other) == Some(place.clone());
        if inputs.iter().find(is_it).is_some() {
            bail!("{} is an input of this command; name another output", sink::path(output));
        }
        if outputs[..index].iter().find(is_it).is_some() {
            bail!("{} is named as two outputs; name another one", sink::path(output));
        }
    }
    Ok(())
}

/// Where a file lies.
#[derive(Clone, PartialEq, Eq)]
enum PlaceOnDisk {
    /// An existing file, by device and number where the system has those.
    Here(u64, u64, PathBuf),
    /// A file that does not exist yet.
    New(PathBuf),
}

/// Returns the place of a file or folder; `None` for what is written through, and for what cannot be
/// found.
fn place_of(path: &Path) -> Option<PlaceOnDisk> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() || metadata.is_dir() => Some(existing(path, &metadata)),
        Ok(_) => None,
        Err(_) => {
            let folder = folder_of(path).canonicalize().ok()?;
            Some(PlaceOnDisk::New(folder.join(path.file_name()?)))
        }
    }
}

#[cfg(unix)]
fn existing(_: &Path, metadata: &Metadata) -> PlaceOnDisk {
    use std::os::unix::fs::MetadataExt;
    PlaceOnDisk::Here(metadata.dev(), metadata.ino(), PathBuf::new())
}

#[cfg(not(unix))]
fn existing(path: &Path, _: &Metadata) -> PlaceOnDisk {
    PlaceOnDisk::Here(0, 0, path.canonicalize().unwrap_or_else(|_| path.to_path_buf()))
}

/// Returns the reason why this cannot be used as a regular file; `None` if it can.
pub fn not_regular(metadata: &Metadata) -> Option<&'static str> {
    let kind = metadata.file_type();
    match () {
        () if kind.is_file() => None,
        () if kind.is_dir() => Some("it is a folder"),
        () if kind.is_symlink() => Some("it is a symbolic link; name the file itself"),
        () => Some(special(kind).unwrap_or("it is not a regular file")),
    }
}

fn unwritable(path: &Path) -> String {
    format!("{} cannot be written", path.display())
}

fn target(path: &Path) -> Result<Target> {
    if let Some(stream) = own_stream(path)? {
        return Ok(Target::Stream(stream));
    }
    let folder = folder_of(path);
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error.into()),
        Ok(metadata) if is_stream(metadata.file_type()) => return Ok(Target::Stream(open(path)?)),
        Ok(metadata) => {
            if let Some(problem) = not_regular(&metadata) {
                bail!(problem);
            }
            if metadata.permissions().readonly() {
                bail!("it is read-only");
            }
        }
    }
    if path.file_name().is_none() {
        bail!("it names no file");
    }
    // A file without a name, where the system has such files, so that not even a killed run leaves
    // it.
    tempfile::tempfile_in(&folder).map(drop)?;
    Ok(Target::File { folder })
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

fn replace(path: &Path, folder: &Path, content: &[u8]) -> Result<()> {
    let mut file = beside(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    // The place may hold something else than before the run.
    if let Some(problem) = fs::symlink_metadata(path).ok().as_ref().and_then(not_regular) {
        bail!(problem);
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Opens standard output, standard error or another open file of this process, if the path names
/// one. Such paths are symbolic links, and no other symbolic links are written to.
fn own_stream(path: &Path) -> Result<Option<Box<dyn Write>>> {
    let text = path.to_str().unwrap_or_default();
    let number = ["/dev/fd/", "/proc/self/fd/"].iter().find_map(|start| text.strip_prefix(start));
    Ok(match (text, number) {
        ("-" | "/dev/stdout", _) | (_, Some("1")) => Some(Box::new(io::stdout())),
        ("/dev/stderr", _) | (_, Some("2")) => Some(Box::new(io::stderr())),
        (_, Some(_)) => Some(Box::new(OpenOptions::new().append(true).open(path)?)),
        _ => None,
    })
}

/// Opens a device or a pipe, which must still be one once it is open.
fn open(path: &Path) -> Result<Box<dyn Write>> {
    let file = OpenOptions::new().write(true).open(path)?;
    if !is_stream(file.metadata()?.file_type()) {
        bail!("it has just become something else");
    }
    Ok(Box::new(file))
}

#[cfg(unix)]
fn is_stream(kind: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_char_device() || kind.is_fifo()
}

#[cfg(not(unix))]
fn is_stream(_: FileType) -> bool {
    false
}

#[cfg(unix)]
fn special(kind: FileType) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;
    match () {
        () if kind.is_char_device() => Some("it is a device"),
        () if kind.is_block_device() => Some("it is a disk"),
        () if kind.is_fifo() => Some("it is a pipe"),
        () if kind.is_socket() => Some("it is a socket"),
        () => None,
    }
}

#[cfg(not(unix))]
fn special(_: FileType) -> Option<&'static str> {
    None
}

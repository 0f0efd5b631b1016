//! Archives of ONNX backend tests: one for each version of `Cast`, laid out as the node tests of the
//! ONNX project. The same vectors give the same bytes.

use super::node::{Exported, cases};
use anyhow::{Context, Result, bail};
use castproof_io::output::{self, Output};
use castproof_io::sink::path;
use castproof_judge::pairs::pairs_of;
use castproof_judge::source::Source;
use castproof_vectors::{Level, Operator, Suite, versions};
use flate2::{Compression, GzBuilder};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;
use tar::{Builder, EntryType, Header};

/// What to archive.
#[derive(Clone, Debug)]
pub struct ArchiveJob {
    /// The version of `Cast`; `None` stands for every version, each with an archive of its own.
    pub opset: Option<u32>,
    /// The level of the vectors.
    pub level: Level,
    /// A folder of vectors, instead of those of `level`.
    pub vectors: Option<PathBuf>,
    /// The file, if its name ends with `.tar.gz`, or else the folder of the files.
    pub out: PathBuf,
}

/// Writes the archives, and says a line about each.
///
/// # Errors
/// If the version is none of `Cast`, vectors are broken, or something cannot be written. An archive
/// is written whole or not at all.
pub fn write(job: &ArchiveJob, said: &mut dyn Write) -> Result<()> {
    if let Some(opset) = job.opset {
        known(opset)?;
    }
    let opsets = job.opset.map_or(versions(Operator::Cast).to_vec(), |opset| vec![opset]);
    let is_file = path(&job.out).to_string().ends_with(".tar.gz");
    if is_file && job.opset.is_none() {
        bail!("one file holds one version of Cast: give --opset, or a folder as --out");
    }
    if !is_file {
        fs::create_dir_all(&job.out).with_context(|| job.out.display().to_string())?;
    }
    let places: Vec<PathBuf> = opsets
        .iter()
        .map(|opset| match is_file {
            true => job.out.clone(),
            false => job.out.join(format!("castproof-onnx-cast-{opset}.tar.gz")),
        })
        .collect();
    // Each place is checked before the long work.
    let checked: Result<Vec<Output>> = places.iter().map(|place| Output::create(place)).collect();
    drop(checked?);
    let source = Source::open(job.vectors.as_deref(), job.level)?;
    for (opset, place) in opsets.into_iter().zip(&places) {
        let exported = archive(&source, opset, place)?;
        writeln!(said, "{exported} in {}", path(place))?;
        said.flush()?;
    }
    Ok(())
}

/// Refuses what is not a version of `Cast`.
pub(super) fn known(opset: u32) -> Result<()> {
    let known = versions(Operator::Cast);
    if known.contains(&opset) {
        return Ok(());
    }
    let list: Vec<String> = known.iter().map(u32::to_string).collect();
    bail!("{opset} is not a version of Cast; its versions are {}", list.join(", "))
}

/// Writes the archive of one version.
fn archive(source: &Source, opset: u32, place: &Path) -> Result<Exported> {
    let mut exported = Exported::default();
    // Neither a time nor a name stands in the header.
    let packed = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    let mut archive = Builder::new(packed);
    folder(&mut archive, "node/")?;
    let mut pairs = pairs_of(Suite::OnnxCast);
    pairs.retain(|&pair| source.has(Suite::OnnxCast, pair));
    let threads = available_parallelism().map_or(1, usize::from);
    source.stream((Suite::OnnxCast, &pairs), threads, |vectors| {
        for case in cases(&vectors, Some(opset)) {
            exported += case.counted();
            if case.answered.is_empty() {
                continue;
            }
            let name = format!("node/{}", case.name());
            folder(&mut archive, &format!("{name}/"))?;
            folder(&mut archive, &format!("{name}/test_data_set_0/"))?;
            for (file, content) in case.files()? {
                let mut header = header(EntryType::Regular, 0o644);
                header.set_size(content.len() as u64);
                archive.append_data(&mut header, format!("{name}/{file}"), &content[..])?;
            }
        }
        Ok(())
    })?;
    let bytes = archive.into_inner()?.finish()?;
    output::write(place, bytes)?;
    Ok(exported)
}

fn folder(archive: &mut Builder<impl Write>, name: &str) -> Result<()> {
    let mut header = header(EntryType::Directory, 0o755);
    header.set_size(0);
    Ok(archive.append_data(&mut header, name, std::io::empty())?)
}

/// The header of an entry that names no time and no owner.
fn header(kind: EntryType, mode: u32) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header
}

//! `seeds FOLDER` writes FOLDER/TARGET/NAME for every seed, and FOLDER/cast.dict and slices.dict.

use castproof_fuzz::{dictionary, seeds};
use std::error::Error;
use std::fs;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name the folder to write to")?;
    let folder = PathBuf::from(folder);
    let (seeds, words) = (seeds()?, dictionary()?);
    for target in ["cast", "slices"] {
        fs::create_dir_all(folder.join(target))?;
        fs::write(folder.join(format!("{target}.dict")), &words)?;
    }
    for (target, name, bytes) in &seeds {
        fs::write(folder.join(target).join(name), bytes)?;
    }
    println!("{} seeds and {} words", seeds.len(), words.lines().count() - 1);
    Ok(())
}

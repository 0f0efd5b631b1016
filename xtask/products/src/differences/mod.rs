//! docs/differences.md: where two specifications give different defined results.

mod asked;
mod classes;
mod count;
mod page;

use crate::repository::{is_current, vectors_crate, write_whole};
use asked::{Pieces, asked, pieces};
use rayon::prelude::*;

/// Writes docs/differences.md, or checks it.
///
/// # Errors
/// If the page is not up to date, or two answers cannot be compared.
pub(crate) fn differences(check: bool) -> Result<String, String> {
    let path = vectors_crate().with_file_name("docs").join("differences.md");
    let (text, classes) = render()?;
    if !check {
        write_whole(&path, text)?;
        return Ok(format!("{classes} classes of inputs in {}", path.display()));
    }
    is_current(&path, &text, "cargo xtask generate differences")?;
    Ok("docs/differences.md is up to date".into())
}

fn render() -> Result<(String, usize), String> {
    let all = asked();
    let pieces: Vec<Pieces> = all.par_iter().map(pieces).collect::<Result<_, String>>()?;
    let places = (0..all.len()).flat_map(|one| (one + 1..all.len()).map(move |two| [one, two]));
    // A specification is not compared with itself with other attributes.
    let places: Vec<[usize; 2]> =
        places.filter(|&[one, two]| all[one].spec != all[two].spec).collect();
    let sections = places
        .par_iter()
        .map(|&[one, two]| classes::between([&all[one], &all[two]], [&pieces[one], &pieces[two]]));
    let sections: Vec<classes::Section> = sections.collect::<Result<_, String>>()?;
    let classes = sections.iter().map(|section| section.classes.len()).sum();
    Ok((page::text(&all, &sections)?, classes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_up_to_date() {
        differences(true).expect("up to date");
    }
}

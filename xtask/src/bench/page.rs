//! The heat map: a self-contained page, a row for each source and a column for each target.

use super::measure::{Row, SIZES};
use castproof_impl::Backend;
use castproof_vectors::DType;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = "
body { font: 14px system-ui, sans-serif; margin: 2em }
table { border-collapse: collapse; margin-bottom: 2em }
th { font-weight: normal; text-align: left; padding: 2px 6px }
thead th { writing-mode: vertical-rl; transform: rotate(180deg); padding: 6px 2px }
td { text-align: right; padding: 2px 6px; color: #000; border: 1px solid #fff }
";

/// The page for rows of one backend.
pub(super) fn page(rows: &[Row], backend: Backend) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { "Castproof: speed of casts" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "Speed of casts, backend " (backend) }
                p {
                    "Speed over that of a loop that only reads and writes the same bytes, one "
                    "thread. A cell's title holds the figures."
                }
                @for elements in SIZES {
                    h2 { (elements) " elements" }
                    (table(rows, elements))
                }
            }
        }
    }
    .into_string()
}

fn table(rows: &[Row], elements: usize) -> Markup {
    let at = |from: DType, to: DType| {
        let of_pair = |row: &&Row| (row.from, row.to, row.threads) == (from, to, 1);
        rows.iter().filter(|row| row.elements == elements).find(of_pair)
    };
    html! {
        table {
            thead {
                tr {
                    th {}
                    @for to in DType::NUMERIC { th { (to) } }
                }
            }
            tbody {
                @for &from in DType::NUMERIC {
                    tr {
                        th { (from) }
                        @for &to in DType::NUMERIC { (cell(at(from, to))) }
                    }
                }
            }
        }
    }
}

fn cell(row: Option<&Row>) -> Markup {
    let Some(row) = row else { return html! { td {} } };
    let ratio = row.of_roofline;
    // The hue goes from red at zero to green at the roofline.
    let hue = (120.0 * ratio.min(1.0)).round();
    let peer = row
        .of_best_peer
        .map_or(String::new(), |(ratio, name)| format!("; {ratio:.2} times {name}"));
    let title = format!(
        "{} to {}: {:.2} Gelem/s, {:.2} GB/s, spread {:.0}%{peer}",
        row.from,
        row.to,
        row.gelem_per_s,
        row.gbyte_per_s,
        100.0 * row.spread,
    );
    html! {
        td style=(format!("background: hsl({hue} 70% 65%)")) title=(title) { (format!("{ratio:.2}")) }
    }
}

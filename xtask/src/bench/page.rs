//! The heat map: a self-contained page, a row for each source and a column for each target.

use super::measure::Row;
use super::report::Report;
use castproof_vectors::DType;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::{BTreeMap, BTreeSet};

const STYLE: &str = "
body { font: 14px system-ui, sans-serif; margin: 2em }
table { border-collapse: collapse; margin-bottom: 2em }
th { font-weight: normal; text-align: left; padding: 2px 6px }
thead th { writing-mode: vertical-rl; transform: rotate(180deg); padding: 6px 2px }
td { text-align: right; padding: 2px 6px; color: #000; border: 1px solid #fff; background: hsl(var(--h) 70% 65%) }
";

/// The page of a run: a table for each backend and size.
pub(super) fn page(report: &Report) -> String {
    let Report { machine, peers, rows } = report;
    let backends: BTreeSet<&str> = rows.iter().map(|row| &row.backend[..]).collect();
    let sizes: BTreeSet<usize> = rows.iter().map(|row| row.elements).collect();
    let peers: Vec<String> =
        peers.iter().map(|(name, version)| format!("{name} {version}")).collect();
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { "Castproof: speed of casts" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "Speed of casts" }
                p {
                    "Speed over that of a loop that only reads and writes the same bytes, one "
                    "thread; a row for each source, a column for each target. A cell's title holds "
                    "10" sup { "9" } " elements a second, and the speed over that of the fastest peer."
                }
                p { (machine) }
                @if !peers.is_empty() { p { "peers: " (peers.join(", ")) } }
                @for elements in &sizes {
                    @for backend in &backends {
                        h2 { (backend) ", " (elements) " elements" }
                        (table(rows, backend, *elements))
                    }
                }
            }
        }
    }
    .into_string()
}

fn table(rows: &[Row], backend: &str, elements: usize) -> Markup {
    let rows: BTreeMap<_, _> = rows
        .iter()
        .filter(|row| row.backend == backend && row.elements == elements && row.threads == 1)
        .map(|row| ((row.from, row.to), row))
        .collect();
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
                        @for &to in DType::NUMERIC { (cell(rows.get(&(from, to)))) }
                    }
                }
            }
        }
    }
}

fn cell(row: Option<&&Row>) -> Markup {
    let Some(row) = row else { return html! { td {} } };
    let ratio = row.of_roofline;
    // The hue goes from red at zero to green at the roofline.
    let hue = (120.0 * ratio.min(1.0)).round();
    let peer = row
        .of_best_peer
        .as_ref()
        .map_or(String::new(), |(ratio, name)| format!("; {ratio:.2} of {name}"));
    let title = format!("{:.2}{peer}", row.gelem_per_s);
    html! {
        td style=(format!("--h:{hue}")) title=(title) { (format!("{ratio:.2}")) }
    }
}

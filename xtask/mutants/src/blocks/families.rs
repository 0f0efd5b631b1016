//! Families of faults of blocks. Each function draws the parameters of one fault.

use castproof::fuzz::Random;
use castproof_vectors::{BlockProfile, DType};

/// A rule, dtypes, and what follows from the rule.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    pub(super) rule: BlockProfile,
    pub(super) from: DType,
    pub(super) to: DType,
    /// Numbers of a block.
    pub(super) size: usize,
    /// May the last block of a line be shorter?
    pub(super) has_short: bool,
    /// May blocks lie along another axis than the last one?
    pub(super) has_axes: bool,
}

/// Where an element stands, and what its tensor is like.
pub(super) struct Stands<'a> {
    pub(super) shape: &'a [u64],
    pub(super) axis: usize,
    /// The number of the element in row-major order, of so many.
    pub(super) element: usize,
    pub(super) count: usize,
    /// Its line, its block in the line of so many, its place in the block of this length.
    pub(super) line: usize,
    pub(super) block: usize,
    pub(super) blocks: usize,
    pub(super) place: usize,
    pub(super) length: usize,
    /// The scale of its block.
    pub(super) scale: u8,
}

type Wrong = Box<dyn Fn(&Stands<'_>) -> bool + Send + Sync>;

/// What a fault does.
pub(super) enum Does {
    /// Elements that stand there are wrong.
    Element(Wrong),
    /// The scales of blocks that have an element there are wrong.
    Scale(Wrong),
    /// A block behind one with a special number takes its scale.
    Leaks(Special),
    /// The scales of so many lines and blocks of a line are stored the other way round.
    Transposed,
    /// From this line on, blocks have the scales of the line before.
    ScalesOfLineBefore(usize),
    /// From this block of a line on, blocks have the scale of the block before.
    ScaleOfBlockBefore(usize),
    /// A NaN at this place of a block counts as zero.
    MissedNan(usize),
}

/// What leaks into the next block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Special {
    Nan,
    Zeros,
}

/// A fault of blocks.
pub(super) struct Fault {
    pub(super) name: String,
    pub(super) does: Does,
    /// Is it one of decoding?
    pub(super) decodes: bool,
    /// Why the default gate cannot notice it, if it cannot.
    pub(super) beyond: Option<&'static str>,
}

type Draws = fn(&Setting, &mut Random) -> Option<Fault>;

pub(super) const FAMILIES: [(&str, Draws); 13] = [
    ("element from a number on", |_, random| {
        let from = [64, 96, 256, 512, 1024, 2048][random.below(6)];
        let wrong = move |it: &Stands<'_>| it.element >= from;
        element(format!("elements from {from} on"), random, wrong)
    }),
    ("lane", |setting, random| {
        let (of, least) = ([4, 8, 16][random.below(3)], setting.size * (2 + random.below(4)));
        let lane = random.below(of);
        let wrong = move |it: &Stands<'_>| it.count >= least && it.element % of == lane;
        element(format!("lane {lane} of {of} in tensors of {least} and more"), random, wrong)
    }),
    ("block from a number on", |_, random| {
        let from = 1 + random.below(24);
        let wrong = move |it: &Stands<'_>| it.block >= from;
        scale(format!("blocks of a line from {from} on"), wrong)
    }),
    ("line", |_, random| {
        let from = [1, 2, 4, 8, 16, 17, 33, 64][random.below(8)];
        let wrong = move |it: &Stands<'_>| it.line >= from;
        element(format!("lines from {from} on"), random, wrong)
    }),
    ("rank", |_, random| {
        let rank = 2 + random.below(3);
        let wrong = move |it: &Stands<'_>| it.shape.len() == rank && it.element + 1 == it.count;
        element(format!("the last element of rank {rank}"), random, wrong)
    }),
    ("axis", |setting, random| {
        let wrong = |it: &Stands<'_>| it.axis + 1 < it.shape.len() && it.block + 1 == it.blocks;
        setting.has_axes.then(|| element("last blocks of another axis".into(), random, wrong))?
    }),
    ("short block", |setting, random| {
        let from = 1 + random.below(setting.size - 5);
        let to = from + 4;
        let wrong =
            move |it: &Stands<'_>| (from..to).contains(&it.length) && it.place + 1 == it.length;
        let name = format!("short blocks of {from} to {}", to - 1);
        setting.has_short.then(|| element(name, random, wrong))?
    }),
    ("tail of a tensor", |setting, random| {
        let of = [64, 128][random.below(2)];
        let wrong = move |it: &Stands<'_>| it.count > of && it.element >= it.count / of * of;
        let name = format!("the tail of {of}");
        (of > setting.size).then(|| element(name, random, wrong))?
    }),
    ("number of blocks", |_, random| {
        let (of, rest) = ([2, 3, 4][random.below(3)], random.below(2));
        let wrong = move |it: &Stands<'_>| {
            it.blocks % of == rest && it.blocks > 1 && it.block + 1 == it.blocks
        };
        scale(format!("the last of blocks that are {rest} modulo {of}"), wrong)
    }),
    ("special numbers leak", |_, random| {
        let special = [Special::Nan, Special::Zeros][random.below(2)];
        fault(format!("{special:?} of the block before"), Does::Leaks(special), false)
    }),
    ("NaN is missed", |setting, random| {
        let place = random.below(setting.size);
        fault(format!("NaN at place {place} counts as zero"), Does::MissedNan(place), false)
    }),
    ("scales of others", |_, random| {
        let (decodes, from) = (random.below(2) == 0, 1 + random.below(4));
        let (name, does) = match random.below(3) {
            0 => ("scales transposed".into(), Does::Transposed),
            1 => (
                format!("scales of the line before from line {from} on"),
                Does::ScalesOfLineBefore(from),
            ),
            _ => (format!("the scale before from block {from} on"), Does::ScaleOfBlockBefore(from)),
        };
        fault(name, does, decodes)
    }),
    ("table of scales", |setting, random| {
        let most = if setting.size == 16 { 0x7e } else { 0xfe };
        let (decodes, scale) = (random.below(3) > 0, random.below(most) as u8);
        // A decoder is asked under every scale, a quantiser in tensors under some of them.
        let wrong = move |it: &Stands<'_>| it.scale == scale;
        let beyond = (!decodes).then_some("a run asks for tensors under some 100 scales");
        let fault = fault(
            format!("elements under the scale 0x{scale:02x}"),
            Does::Element(Box::new(wrong)),
            decodes,
        )?;
        Some(Fault { beyond, ..fault })
    }),
];

fn fault(name: String, does: Does, decodes: bool) -> Option<Fault> {
    Some(Fault { name, does, decodes, beyond: None })
}

/// Returns a fault of elements, of a quantiser or a decoder.
fn element(
    name: String,
    random: &mut Random,
    wrong: impl Fn(&Stands<'_>) -> bool + Send + Sync + 'static,
) -> Option<Fault> {
    fault(name, Does::Element(Box::new(wrong)), random.below(2) == 0)
}

/// Returns a fault of the scales of a quantiser.
fn scale(
    name: String,
    wrong: impl Fn(&Stands<'_>) -> bool + Send + Sync + 'static,
) -> Option<Fault> {
    fault(name, Does::Scale(Box::new(wrong)), false)
}

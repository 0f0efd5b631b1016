//! The built-in testee with a fault of blocks.

use super::families::{Does, Fault, Special, Stands};
use castproof::testee::{Identity, Reply, Returned, Testee, builtin::Builtin};
use castproof_vectors::{
    BlockLayout, Bytes, DType, DequantizeBlock, QuantizeTensor, Question, Request, landmarks, pack,
    unpack,
};

/// The built-in testee with a fault of blocks.
pub(super) struct Planted<'a> {
    inner: Builtin,
    fault: &'a Fault,
}

/// A tensor of blocks.
struct Tensor<'a> {
    shape: &'a [u64],
    axis: usize,
    layout: BlockLayout,
    size: usize,
}

impl<'a> Planted<'a> {
    pub(super) fn new(fault: &'a Fault) -> Planted<'a> {
        Planted { inner: Builtin::new(), fault }
    }

    fn quantise(&mut self, tensor: &QuantizeTensor) -> Option<Returned> {
        let codes = tensor.codes().ok()?;
        let asked = match self.fault.does {
            Does::MissedNan(place) => without_nan(tensor, &codes, place)?,
            _ => tensor.clone(),
        };
        let reply = self.inner.ask(&Question::QuantizeTensor(asked));
        let Reply::Output(Returned { bytes, .. }) = reply else { return None };
        let layout = tensor.layout().ok()?;
        let (scales, elements) = bytes.split_at(layout.scales());
        let (axis, size) = (tensor.axis as usize, tensor.block_size as usize);
        let of = Tensor { shape: &tensor.shape, axis, layout, size };
        let mut scales = scales.to_vec();
        let mut elements = unpack(tensor.to, elements, codes.len()).ok()?;
        of.spoil_elements(&self.fault.does, &scales, &mut elements, tensor.to);
        of.spoil_scales(&self.fault.does, &mut scales);
        if let Does::Leaks(special) = self.fault.does {
            of.leak(special, (tensor.from, &codes), &mut scales);
        }
        let bytes = [scales, pack(tensor.to, &elements).ok()?].concat();
        Some(Returned { bytes, ..Returned::default() })
    }

    fn decode(&mut self, tensor: &DequantizeBlock) -> Option<Returned> {
        let layout = tensor.layout().ok()?;
        let (axis, size) = (tensor.axis as usize, tensor.block_size as usize);
        let of = Tensor { shape: &tensor.shape, axis, layout, size };
        let mut scales = tensor.scales.0.clone();
        of.spoil_scales(&self.fault.does, &mut scales);
        let asked = DequantizeBlock { scales: Bytes(scales), ..tensor.clone() };
        let reply = self.inner.ask(&Question::DequantizeBlock(asked));
        let Reply::Output(Returned { bytes, .. }) = reply else { return None };
        let mut numbers = unpack(tensor.to, &bytes, tensor.count().ok()?).ok()?;
        of.spoil_elements(&self.fault.does, &tensor.scales.0, &mut numbers, tensor.to);
        Some(Returned { bytes: pack(tensor.to, &numbers).ok()?, ..Returned::default() })
    }
}

impl Testee for Planted<'_> {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.inner.cast(request, count, input)
    }

    fn ask(&mut self, question: &Question) -> Reply<Returned> {
        let spoiled = match (question, self.fault.decodes) {
            (Question::QuantizeTensor(tensor), false) => self.quantise(tensor),
            (Question::QuantizeBlock(block), false) => self.quantise(&QuantizeTensor::from(block)),
            (Question::DequantizeBlock(tensor), true) => self.decode(tensor),
            _ => None,
        };
        spoiled.map_or_else(|| self.inner.ask(question), Reply::Output)
    }
}

impl Tensor<'_> {
    /// Changes the lowest bit of the elements that are wrong.
    fn spoil_elements(&self, does: &Does, scales: &[u8], elements: &mut [u64], dtype: DType) {
        let Does::Element(wrong) = does else { return };
        self.each(scales, |stands, _| {
            if wrong(stands) {
                // The lowest bit of a NaN would leave a NaN.
                let code = elements[stands.element];
                let is_nan = landmarks(dtype).is_some_and(|it| it.is_nan(code));
                elements[stands.element] = if is_nan { 0 } else { code ^ 1 };
            }
        });
    }

    fn spoil_scales(&self, does: &Does, scales: &mut [u8]) {
        let right = scales.to_vec();
        let (lines, blocks) = (self.layout.lines().count(), self.layout.blocks());
        match does {
            Does::Scale(wrong) => self.each(&right, |stands, scale| {
                if wrong(stands) {
                    scales[scale] = right[scale] ^ 1;
                }
            }),
            Does::Transposed if self.axis + 1 == self.shape.len() => {
                for (at, scale) in right.iter().enumerate() {
                    scales[at % blocks * lines + at / blocks] = *scale;
                }
            }
            Does::ScalesOfLineBefore(from) => {
                let lines: Vec<Vec<usize>> =
                    self.layout.lines().map(|(_, places)| places).collect();
                for pair in lines.windows(2).skip(from - 1) {
                    pair[0].iter().zip(&pair[1]).for_each(|(&a, &b)| scales[b] = right[a]);
                }
            }
            Does::ScaleOfBlockBefore(from) => {
                for (_, places) in self.layout.lines() {
                    places
                        .windows(2)
                        .skip(from - 1)
                        .for_each(|pair| scales[pair[1]] = right[pair[0]]);
                }
            }
            _ => {}
        }
    }

    /// Gives a block the scale of the one before it in the line, if that has a special number.
    fn leak(&self, special: Special, (from, codes): (DType, &[u64]), scales: &mut [u8]) {
        let right = scales.to_vec();
        let sign = 1 << (from.bits() - 1);
        let is_special = |places: &[usize]| match special {
            Special::Nan => places
                .iter()
                .any(|&place| landmarks(from).is_some_and(|it| it.is_nan(codes[place]))),
            Special::Zeros => places.iter().all(|&place| codes[place] & (sign - 1) == 0),
        };
        for (places, its_scales) in self.layout.lines() {
            let blocks: Vec<&[usize]> = places.chunks(self.size).collect();
            for (at, pair) in its_scales.windows(2).enumerate() {
                if is_special(blocks[at]) {
                    scales[pair[1]] = right[pair[0]];
                }
            }
        }
    }

    /// Calls a function for each element with the place of its scale.
    fn each(&self, scales: &[u8], mut call: impl FnMut(&Stands<'_>, usize)) {
        let count = self.shape.iter().product::<u64>() as usize;
        for (line, (places, its_scales)) in self.layout.lines().enumerate() {
            for (at, &element) in places.iter().enumerate() {
                let block = at / self.size;
                let length = self.size.min(places.len() - block * self.size);
                let stands = Stands {
                    shape: self.shape,
                    axis: self.axis,
                    element,
                    count,
                    line,
                    block,
                    blocks: its_scales.len(),
                    place: at % self.size,
                    length,
                    scale: scales[its_scales[block]],
                };
                call(&stands, its_scales[block]);
            }
        }
    }
}

/// Returns the tensor with zeros for the NaN that stand at a place of their block.
fn without_nan(tensor: &QuantizeTensor, codes: &[u64], place: usize) -> Option<QuantizeTensor> {
    let mut codes = codes.to_vec();
    for (places, _) in tensor.layout().ok()?.lines() {
        for block in places.chunks(tensor.block_size as usize) {
            let Some(&at) = block.get(place) else { continue };
            if landmarks(tensor.from)?.is_nan(codes[at]) {
                codes[at] = 0;
            }
        }
    }
    Some(QuantizeTensor { input: Bytes(pack(tensor.from, &codes).ok()?), ..tensor.clone() })
}

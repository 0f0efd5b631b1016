//! The built-in testee with a fault of linear quantisation.

use super::families::{Does, Dynamic, Fault, Setting, Stands};
use castproof::testee::{Identity, Reply, Returned, Testee, builtin::Builtin};
use castproof_vectors::{DType, DynamicLinear, Linear, Question, Request, pack, unpack};

/// The built-in testee with a fault of linear quantisation.
pub(super) struct Planted<'a> {
    inner: Builtin,
    fault: &'a Fault,
    small: DType,
}

impl<'a> Planted<'a> {
    pub(super) fn new(fault: &'a Fault, small: DType) -> Planted<'a> {
        Planted { inner: Builtin::new(), fault, small }
    }

    /// Quantises, or turns back, with the fault; `None` if the node is none of those that have it.
    fn node(&mut self, node: &Linear, question: &Question) -> Option<Returned> {
        let codes = node.codes(self.small).ok()?;
        let Reply::Output(returned) = self.inner.ask(question) else { return None };
        let mut right = unpack(node.to, &returned.bytes, codes.input.len()).ok()?;
        let setting = Setting::of(self.small);
        for (at, right) in right.iter_mut().enumerate() {
            let stands = stands(node, at);
            let zero = codes
                .zero_points
                .as_ref()
                .map_or(0, |zeros| setting.number(zeros[stands.scale_at]));
            let scale = f32::from_bits(codes.scales[stands.scale_at] as u32);
            if !(scale > 0.0 && scale.is_finite()) {
                continue;
            }
            match &self.fault.does {
                Does::Quantised(wrong) => {
                    let x = f32::from_bits(codes.input[at] as u32);
                    if x.is_finite() {
                        let wrong = wrong(&stands, (x, scale, zero), setting.number(*right));
                        *right = wrong as u64 & node.to.code_mask();
                    }
                }
                Does::Decoded(wrong) => {
                    let q = setting.number(codes.input[at]);
                    let due = f32::from_bits(*right as u32);
                    *right = wrong(&stands, (q, scale, zero), due).to_bits().into();
                }
                Does::Dynamic(_) => return None,
            }
        }
        Some(Returned { bytes: pack(node.to, &right).ok()?, ..Returned::default() })
    }

    fn dynamic(&mut self, node: &DynamicLinear) -> Option<Returned> {
        let Does::Dynamic(wrong) = &self.fault.does else { return None };
        let numbers: Vec<f32> =
            node.codes().ok()?.iter().map(|&code| f32::from_bits(code as u32)).collect();
        if numbers.iter().any(|number| !number.is_finite()) {
            return None;
        }
        let Dynamic { scale, zero_point, elements } = wrong(&numbers)?;
        let bytes = [&scale.to_le_bytes()[..], &[zero_point], &elements].concat();
        Some(Returned { bytes, ..Returned::default() })
    }

    /// Has the node the dtypes of the fault, and a quotient or product of float32? With the attribute `precision` a kernel
    /// without a fault would be wrong, too, because the families calculate in float32.
    fn is_of_pair(&self, node: &Linear) -> bool {
        (node.from, node.to) == self.fault.does.pair(self.small)
            && node.scale == DType::Float32
            && node.precision.is_none()
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
        let spoiled = match question {
            Question::QuantizeLinear(node) | Question::DequantizeLinear(node)
                if self.is_of_pair(node) =>
            {
                self.node(node, question)
            }
            Question::DynamicQuantizeLinear(node) => self.dynamic(node),
            _ => None,
        };
        spoiled.map_or_else(|| self.inner.ask(question), Reply::Output)
    }
}

/// Returns where an element stands.
fn stands(node: &Linear, at: usize) -> Stands {
    let (along, scale_at) = node.place(at);
    let block_size = node.block_size.unwrap_or(0) as usize;
    Stands { at, count: node.count(), rank: node.shape.len(), scale_at, along, block_size }
}

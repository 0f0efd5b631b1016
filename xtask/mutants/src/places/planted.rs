//! The built-in testee with a fault of place.
#![allow(unsafe_code, reason = "faults of memory are planted")]

use super::fault::{Before, Call, Does, Fault, Kinds, Spot, Values, Whole};
use crate::answers::Answers;
use castproof::testee::{Feature, Form, Identity, Reply, Testee, builtin::Builtin};
use castproof_vectors::{DType, Operator, Request, Spec, element_count, pack, unpack};
use std::rc::Rc;

/// The built-in testee with a fault.
pub(super) struct Planted<'a> {
    inner: Builtin,
    fault: &'a Fault,
    values: Values,
    /// Does it take buffers of the gate?
    in_process: bool,
    calls: u64,
    before: Option<Before>,
    /// The request of the last call, with its answers and kinds of codes.
    asked: Option<(Answers, Kinds)>,
    /// Was any result changed?
    pub(super) has_shown: bool,
}

impl<'a> Planted<'a> {
    pub(super) fn new(fault: &'a Fault, values: Values, in_process: bool) -> Planted<'a> {
        Planted {
            inner: Builtin::new(),
            fault,
            values,
            in_process,
            calls: 0,
            before: None,
            asked: None,
            has_shown: false,
        }
    }

    /// Notes a call, and returns it if the fault shows in it.
    fn noted<'b>(
        &mut self,
        request: &Request,
        form: &'b Form,
        count: usize,
        addresses: Option<[usize; 2]>,
    ) -> Option<Call<'b>> {
        self.calls += 1;
        let like = matches!(request.spec, Spec::Onnx { op: Operator::CastLike, .. });
        let before = self.before.replace(Before { count, input: addresses.map(|it| it[0]) });
        let call = Call { count, form, addresses, number: self.calls, before, like };
        (self.fault.on_call)(&call).then_some(call)
    }

    /// Spoils an output.
    fn spoil(&mut self, request: &Request, call: &Call<'_>, input: &[u8], output: &mut [u8]) {
        if self.asked.as_ref().is_none_or(|(asked, _)| asked.request != *request) {
            let kinds = |answers: &Answers| Kinds::of(Rc::clone(&answers.draw));
            self.asked = Answers::of(request).map(|it| {
                let kinds = kinds(&it);
                (it, kinds)
            });
        }
        let Some((asked, kinds)) = &mut self.asked else { return };
        let codes = unpack(request.from, input, call.count).expect("the gate packs right");
        let mut got = unpack(request.to, output, call.count).expect("so does the builtin");
        let mut has_changed = false;
        if self.fault.does == Does::Permutes {
            let swapped = swapped(&got, &call.form.shape);
            has_changed = swapped != got;
            got = swapped;
        } else {
            let whole = Whole::of(&codes, kinds);
            for index in 0..call.count {
                let spot = Spot { index, call, codes: &codes, whole, kinds };
                let code = codes[index];
                if self.values.hold(kinds, code)
                    && (self.fault.on_spot)(&spot)
                    && let Some(wrong) = asked.wrong(code, got[index])
                {
                    got[index] = wrong;
                    has_changed = true;
                }
            }
        }
        if has_changed {
            self.has_shown = true;
            output.copy_from_slice(&pack(request.to, &got).expect("codes"));
        }
    }

    /// Misuses buffers of the gate.
    fn misuse(&mut self, input: &[u8], output: &mut [u8], (last, width): (Vec<u8>, usize)) {
        self.has_shown = true;
        // SAFETY: none. The accesses outside the slices are the planted faults. They reach memory of
        // the gate, or a page whose signal the gate handles so that the testee goes on.
        unsafe {
            match self.fault.does {
                Does::ZeroesInput => {
                    let start = std::hint::black_box(input.as_ptr());
                    start.cast_mut().write_bytes(0, input.len());
                }
                Does::Writes(distance @ 1..) => {
                    let end = output.as_mut_ptr().wrapping_add(output.len() - 1);
                    end.wrapping_offset(distance).write_volatile(1);
                }
                Does::Writes(distance) => {
                    output.as_mut_ptr().wrapping_offset(distance).write_volatile(1);
                }
                Does::Reads(distance @ 1..) => {
                    let end = input.as_ptr().wrapping_add(input.len() - 1);
                    std::hint::black_box(end.wrapping_offset(distance).read_volatile());
                }
                Does::Reads(distance) => {
                    std::hint::black_box(input.as_ptr().wrapping_offset(distance).read_volatile());
                }
                Does::LeavesLast => {
                    let start = output.len() - width;
                    output[start..].copy_from_slice(&last);
                }
                Does::Wrong | Does::Permutes => {}
            }
        }
    }
}

/// Returns the elements with the last two axes of their shape swapped, in the old shape.
fn swapped(elements: &[u64], shape: &[u64]) -> Vec<u64> {
    let [.., rows, columns] = shape else { return elements.to_vec() };
    let (rows, columns) = (*rows as usize, *columns as usize);
    let mut all = Vec::new();
    for matrix in elements.chunks((rows * columns).max(1)) {
        all.extend((0..matrix.len()).map(|at| matrix[at % rows * columns + at / rows]));
    }
    all
}

impl Testee for Planted<'_> {
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.cast_formed(request, &Form::flat(count), input)
    }

    fn features(&self) -> Vec<Feature> {
        Feature::ALL.into_iter().filter(|it| *it != Feature::Chain).collect()
    }

    fn cast_formed(&mut self, request: &Request, form: &Form, input: &[u8]) -> Reply {
        let count = match element_count(&form.shape) {
            Ok(count) => count,
            Err(problem) => return Reply::Error(problem),
        };
        let reply = self.inner.cast(request, count, input);
        let addresses = self.in_process.then_some([input.as_ptr() as usize, 0]);
        let call = self.noted(request, form, count, addresses);
        match (reply, call) {
            (Reply::Output(mut output), Some(call))
                if matches!(self.fault.does, Does::Wrong | Does::Permutes)
                    && request.from != DType::String =>
            {
                self.spoil(request, &call, input, &mut output);
                Reply::Output(output)
            }
            (reply, _) => reply,
        }
    }

    fn cast_into(
        &mut self,
        request: &Request,
        count: usize,
        input: &[u8],
        output: &mut [u8],
    ) -> Option<Reply<()>> {
        if !self.in_process {
            return None;
        }
        let width = (request.to.bits() as usize / 8).max(1).min(output.len());
        let last = output[output.len() - width..].to_vec();
        let reply = self.inner.cast_into(request, count, input, output);
        let form = Form::flat(count);
        let addresses = [input.as_ptr() as usize, output.as_ptr() as usize];
        if let Some(call) = self.noted(request, &form, count, Some(addresses))
            && reply == Some(Reply::Output(()))
            && count > 0
        {
            match self.fault.does {
                Does::Wrong => self.spoil(request, &call, input, output),
                Does::Permutes => {}
                _ => self.misuse(input, output, (last, width)),
            }
        }
        reply
    }
}

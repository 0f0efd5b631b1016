//! A tensor as a testee is asked for it: its codes, and how it reaches the testee.

use castproof_testee::Form;
use castproof_vectors::{DType, Request, RuleId, pack, rule};

/// A tensor of codes that a testee is asked to cast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The request, with the dtypes and attributes.
    pub request: Request,
    /// Its elements.
    pub codes: Vec<u64>,
    /// How it reaches the testee.
    pub way: Way,
}

impl Tensor {
    /// Makes a contiguous tensor of rank 1.
    pub fn plain(request: Request, codes: Vec<u64>) -> Tensor {
        Tensor { request, codes, way: Way::Plain }
    }

    /// Packs the elements as the testee gets them.
    ///
    /// # Errors
    /// If they do not fit in memory.
    pub fn input(&self) -> Result<Vec<u8>, String> {
        let mut input = pack(self.request.from, &self.codes)?;
        self.way.soil(self.request.from, self.codes.len(), &mut input);
        Ok(input)
    }
}

/// How a tensor reaches the testee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// Contiguous and of rank 1, as the vectors are asked.
    Plain,
    /// In a form that the testee's hello lists.
    Formed(Form),
    /// With ones in the padding bits of the input's last byte.
    DirtyPadding,
    /// In buffers of the gate, at these distances from a multiple of 64 bytes.
    Placed {
        /// Distance of the input.
        input: usize,
        /// Distance of the output.
        output: usize,
    },
}

impl Way {
    /// Is the tensor in a form that the testee's hello lists?
    pub fn is_formed(&self) -> bool {
        matches!(self, Way::Formed(_))
    }

    /// Returns the form of a tensor of `count` elements.
    pub fn form(&self, count: usize) -> Form {
        match self {
            Way::Formed(form) => form.clone(),
            _ => Form::flat(count),
        }
    }

    /// Sets the padding bits of a packed input, if that is the way.
    pub fn soil(&self, from: DType, count: usize, input: &mut [u8]) {
        if let (Way::DirtyPadding, Some(last)) = (self, input.last_mut()) {
            *last |= padding(from, count);
        }
    }

    /// Describes the way for people: `contiguous`, `strided in shape [5, 13]`.
    pub fn layout(&self) -> String {
        match self {
            Way::Plain => "contiguous".into(),
            Way::DirtyPadding => "ones in the padding bits of the input".into(),
            Way::Placed { input, output } => {
                format!("input {input} and output {output} bytes after a multiple of 64")
            }
            Way::Formed(form) => {
                let constant = if form.constant { ", a constant" } else { "" };
                let in_place = if form.in_place { ", in place" } else { "" };
                let name = form.layout.name();
                format!("{name} in shape {:?}{constant}{in_place}", form.shape)
            }
        }
    }
}

/// The bits of the last byte that belong to no element.
pub fn padding(dtype: DType, count: usize) -> u8 {
    match count % 8 * dtype.bits() as usize % 8 {
        0 => 0,
        used => !0 << used,
    }
}

/// Are all bits of an output that belong to no element zero?
pub fn has_zero_padding(dtype: DType, count: usize, output: &[u8]) -> bool {
    output.last().is_none_or(|last| last & padding(dtype, count) == 0)
}

/// Returns the rule of the padding bits of a dtype that has some.
pub fn padding_rule(dtype: DType) -> Option<RuleId> {
    match dtype.bits() {
        2 => Some(rule::P_05),
        4 => Some(rule::P_02),
        6 => Some(rule::P_09),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_what_no_element_uses() {
        assert_eq!(padding(DType::Int4, 3), 0xf0);
        assert_eq!(padding(DType::Float6E2M3, 1), 0xc0);
        assert_eq!(padding(DType::Float6E2M3, 4), 0);
        assert_eq!(padding(DType::Int8, 3), 0);
    }

    #[test]
    fn padding_of_the_input_is_soiled() {
        let request = Request::cast(DType::Int4, DType::Int8, 21);
        let way = Way::DirtyPadding;
        let dirty = |codes| Tensor { way: way.clone(), ..Tensor::plain(request, codes) }.input();
        assert_eq!(dirty(vec![1, 2, 3]), Ok(vec![0x21, 0xf3]));
        assert_eq!(dirty(vec![1, 2]), Ok(vec![0x21]));
        assert_eq!(dirty(vec![]), Ok(vec![]));
    }
}

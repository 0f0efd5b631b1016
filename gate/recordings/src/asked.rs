//! Questions and answers, of whatever kind.

use castproof_testee::protocol;
use castproof_testee::{Chain, Form, Reply, Returned, Testee};
use castproof_vectors::{Question, Request};
use std::io::Write;

/// One question of a run.
#[derive(Clone, Copy)]
pub(super) enum Asked<'a> {
    Cast(&'a Request, &'a Form, &'a [u8]),
    Chain(&'a Chain, usize, &'a [u8]),
    Question(&'a Question),
}

impl Asked<'_> {
    /// Writes it as the protocol does, as message 0.
    pub(super) fn write(&self, writer: &mut impl Write) {
        // Writing to a digest does not fail. A question that has no message is not answered by any
        // testee behind a pipe, and stands for nothing.
        let _ = match self {
            Asked::Cast(request, form, input) => {
                protocol::write_request(writer, 0, request, form, input)
            }
            Asked::Chain(chain, count, input) => {
                protocol::write_chain(writer, 0, chain, *count, input)
            }
            Asked::Question(question) => protocol::write_question(writer, 0, question),
        };
    }

    /// Names it for people, without its elements.
    pub(super) fn named(&self) -> String {
        match self {
            Asked::Cast(request, form, _) if form.is_plain() => {
                format!("{request}, shape {:?}", form.shape)
            }
            Asked::Cast(request, form, _) => {
                let constant = if form.constant { ", a constant" } else { "" };
                let in_place = if form.in_place { ", in place" } else { "" };
                let layout = form.layout.name();
                format!("{request}, {layout} in shape {:?}{constant}{in_place}", form.shape)
            }
            Asked::Chain(chain, count, _) => {
                let shape =
                    chain.shape.as_ref().map_or(String::new(), |it| format!(" in shape {it:?}"));
                format!("{}, opset {}, {count} elements{shape}", chain.steps_text(), chain.opset)
            }
            Asked::Question(question) => {
                let text = serde_json::to_string(question).unwrap_or_default();
                let end = text.char_indices().nth(120).map_or(text.len(), |(end, _)| end);
                text[..end].to_string()
            }
        }
    }
}

/// The reply to a question, whatever it was.
pub(super) type Answer = Reply<Returned>;

pub(super) fn with_elements(reply: Reply) -> Answer {
    reply.map(|bytes| Returned { bytes, ..Returned::default() })
}

/// Asks a testee for a question alone.
pub(super) fn ask(testee: &mut dyn Testee, asked: Asked<'_>) -> Answer {
    match asked {
        Asked::Cast(request, form, input) => {
            with_elements(testee.cast_formed(request, form, input))
        }
        Asked::Chain(chain, count, input) => with_elements(testee.chain(chain, count, input)),
        Asked::Question(question) => testee.ask(question),
    }
}

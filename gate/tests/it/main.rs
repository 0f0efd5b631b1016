//! The program and its parts, from outside. One binary holds all tests that need no process of their
//! own, so that the program is linked once.

mod answers;
mod backends;
mod baseline;
mod before;
mod block_names;
mod blocks;
mod blocks_decoded;
mod certify;
mod chains;
mod common;
mod defaults;
mod differential;
mod documents;
mod expect;
mod explain;
mod findings;
mod first_run;
mod gate;
mod hostile;
mod jobs;
mod outputs;
mod partition;
mod plan;
mod planted;
mod profiles;
mod quantize;
mod reading;
mod recognise;
mod report;
mod reproduce;
mod sinks;
mod suites;
mod testees;
mod verdicts;
mod ways;

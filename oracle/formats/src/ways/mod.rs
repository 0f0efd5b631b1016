//! Wrong ways to convert between formats, and what each gives: from these the cause of wrong results is named, and by these the codes
//! of the suite `projections` are chosen.

mod apply;
mod model;
mod table;

pub use model::{
    Beyond, Carry, Coded, Randomly, Sign, SmallNumbers, SpecialResults, Task, Ties, WayChange,
};
pub use table::{WrongWay, ways};

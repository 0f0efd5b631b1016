//! Threads that work at the same time. Wherever one fails or panics, the same follows: the others
//! are told to end, and the caller gets an error.

use anyhow::{Context, Error, Result, anyhow};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Tells the threads of a pool that the work ends early.
#[derive(Debug, Default)]
pub struct End(AtomicBool);

impl End {
    /// Must a thread end early?
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Ends the work of all threads.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What came of the work of a pool.
#[derive(Debug)]
pub struct PoolDone<T, U> {
    /// What came of the work in the thread of the caller.
    pub here: Result<U>,
    /// What came of each worker, in order. The workers for which the system had no thread are one
    /// error at the end.
    pub workers: Vec<Result<T>>,
}

impl<T, U> PoolDone<T, U> {
    /// Returns all that came.
    ///
    /// # Errors
    /// The first error of a worker; if there is none, the error of the caller's thread, which may
    /// only follow from the former.
    pub fn all(self) -> Result<(U, Vec<T>)> {
        let workers = self.workers.into_iter().collect::<Result<Vec<T>>>()?;
        Ok((self.here?, workers))
    }
}

/// Does `work` with each worker in a thread of its own, and `here` in the thread of the caller. The
/// first of them that fails or panics sets [`End`]. A panic is an error that holds its message.
/// `no_thread` is the error if the system has no thread for a worker.
pub fn run<W: Send, T: Send, U>(
    workers: Vec<W>,
    no_thread: &'static str,
    work: impl Fn(W, &End) -> Result<T> + Sync,
    here: impl FnOnce(&End) -> Result<U>,
) -> PoolDone<T, U> {
    let (end, work) = (&End::default(), &work);
    thread::scope(|scope| {
        let mut running = Vec::new();
        let mut missing = None;
        for worker in workers {
            let job = move || ending(end, || work(worker, end));
            match thread::Builder::new().spawn_scoped(scope, job).context(no_thread) {
                Ok(thread) => running.push(thread),
                Err(error) => {
                    end.set();
                    missing = Some(error);
                    break;
                }
            }
        }
        let here = ending(end, || here(end));
        let ended =
            running.into_iter().map(|it| it.join().unwrap_or_else(|it| Err(panicked(&*it))));
        let mut workers: Vec<Result<T>> = ended.collect();
        workers.extend(missing.map(Err));
        PoolDone { here, workers }
    })
}

/// Calls a function with each item, on several threads. All items are tried.
///
/// # Errors
/// The error of an item, the first in their order; `no_thread` if the system has no thread.
pub fn each<I: Sync, T: Send>(
    items: &[I],
    threads: usize,
    no_thread: &'static str,
    act: impl Fn(&I) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let work = |(), _: &End| {
        let mut results = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return Ok(results) };
            results.push((index, act(item)));
        }
    };
    let workers = vec![(); threads.clamp(1, items.len().max(1))];
    let ((), results) = run(workers, no_thread, work, |_| Ok(())).all()?;
    let mut results: Vec<(usize, Result<T>)> = results.into_iter().flatten().collect();
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Does some work, and ends that of the others if it fails or panics.
fn ending<T>(end: &End, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|it| Err(panicked(&*it)));
    if result.is_err() {
        end.set();
    }
    result
}

fn panicked(payload: &(dyn Any + Send)) -> Error {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    anyhow!("a thread of this program panicked: {}", text.unwrap_or("it gave no message"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    const NO_THREAD: &str = "no thread";

    /// Runs three workers and the caller's thread. All go on until they are told to end, except for
    /// the one with this number; the caller's has the number 0.
    fn all_end_when(number: usize, of_one: fn() -> Result<()>) -> Result<((), Vec<()>)> {
        let work = |worker: usize, end: &End| {
            if worker == number {
                return of_one();
            }
            while !end.is_set() {
                thread::yield_now();
            }
            Ok(())
        };
        run(vec![1, 2, 3], NO_THREAD, work, |end| work(0, end)).all()
    }

    #[test]
    fn an_error_or_a_panic_of_any_thread_ends_the_others() {
        for number in 0..=3 {
            let error = all_end_when(number, || bail!("as planned")).expect_err("one failed");
            assert_eq!(error.to_string(), "as planned");
            let error =
                all_end_when(number, || panic!("as {}", "planned")).expect_err("one failed");
            assert_eq!(error.to_string(), "a thread of this program panicked: as planned");
        }
    }

    #[test]
    fn results_keep_the_order_of_workers_and_items() {
        let done = run(vec![3, 1, 2], NO_THREAD, |it, _| Ok(it), |_| Ok("here"));
        assert_eq!(done.all().expect("no error"), ("here", vec![3, 1, 2]));
        let items: Vec<u32> = (0..100).collect();
        for threads in [0, 1, 3, 1000] {
            let squares = each(&items, threads, NO_THREAD, |it| Ok(it * it)).expect("no error");
            assert!(squares.iter().zip(&items).all(|(square, it)| *square == it * it));
            let is_odd = |it: &u32| if it % 2 == 1 { bail!("{it} is odd") } else { Ok(()) };
            let error = each(&items, threads, NO_THREAD, is_odd).expect_err("some are odd");
            assert_eq!(error.to_string(), "1 is odd");
        }
        assert!(each(&[0; 0], 4, NO_THREAD, |it| Ok(*it)).expect("no error").is_empty());
    }
}

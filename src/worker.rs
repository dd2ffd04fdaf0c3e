//! One thread for long computations. The newest request wins; tests run it inline.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A mailbox with one place: putting overwrites.
#[derive(Debug)]
struct Latest<T> {
    place: Mutex<(Option<T>, bool)>,
    filled: Condvar,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Latest<T> {
    fn new() -> Self {
        Self { place: Mutex::new((None, false)), filled: Condvar::new() }
    }
    fn put(&self, value: T) {
        lock(&self.place).0 = Some(value);
        self.filled.notify_one();
    }
    fn try_take(&self) -> Option<T> {
        lock(&self.place).0.take()
    }
    /// Waits for a value; `None` once closed.
    fn take(&self) -> Option<T> {
        let mut place = lock(&self.place);
        loop {
            if place.1 {
                return None;
            }
            if let Some(value) = place.0.take() {
                return Some(value);
            }
            place = self.filled.wait(place).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Answers requests of type `Q` with `A` on its own thread, or at once.
pub struct Worker<Q, A> {
    requests: Arc<Latest<Q>>,
    answers: Arc<Latest<A>>,
    inline: Option<Box<dyn Fn(Q) -> A + Send>>,
}

impl<Q, A> std::fmt::Debug for Worker<Q, A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").field("inline", &self.inline.is_some()).finish_non_exhaustive()
    }
}

impl<Q: Send + 'static, A: Send + 'static> Worker<Q, A> {
    /// Starts the thread; `wake` is called after each answer. Falls back to inline work where no thread can be had.
    pub fn start(work: impl Fn(Q) -> A + Send + Clone + 'static, wake: impl Fn() + Send + 'static) -> Self {
        let (requests, answers) = (Arc::new(Latest::new()), Arc::new(Latest::new()));
        let (inbox, outbox, on_thread) = (Arc::clone(&requests), Arc::clone(&answers), work.clone());
        let started = std::thread::Builder::new().name("analysis".to_owned()).spawn(move || {
            while let Some(request) = inbox.take() {
                // One request that fails must not end the thread: the next one is answered again.
                if let Ok(answer) = catch_unwind(AssertUnwindSafe(|| on_thread(request))) {
                    outbox.put(answer);
                }
                wake();
            }
        });
        let inline: Option<Box<dyn Fn(Q) -> A + Send>> = if started.is_ok() { None } else { Some(Box::new(work)) };
        Self { requests, answers, inline }
    }

    /// Works on the caller's thread.
    pub fn inline(work: impl Fn(Q) -> A + Send + 'static) -> Self {
        Self { requests: Arc::new(Latest::new()), answers: Arc::new(Latest::new()), inline: Some(Box::new(work)) }
    }

    /// Asks; an older request that has not been started is dropped.
    pub fn ask(&self, request: Q) {
        match &self.inline {
            Some(work) => self.answers.put(work(request)),
            None => self.requests.put(request),
        }
    }

    /// The newest answer, if there is one.
    pub fn answer(&self) -> Option<A> {
        self.answers.try_take()
    }
}

impl<Q, A> Drop for Worker<Q, A> {
    fn drop(&mut self) {
        lock(&self.requests.place).1 = true;
        self.requests.filled.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_request_that_fails_does_not_end_the_thread() {
        let (woken, wait) = mpsc::channel();
        let wake = move || {
            let _ = woken.send(());
        };
        let worker = Worker::start(|n: u32| 12_u32.checked_div(n).expect("this request is meant to fail"), wake);
        worker.ask(0);
        wait.recv().unwrap();
        assert_eq!(worker.answer(), None);
        worker.ask(3);
        wait.recv().unwrap();
        assert_eq!(worker.answer(), Some(4));
    }
}

//! Texts in, counts out: the caller's splitter on all threads.
//!
//! The calling thread reads texts and hands them out in portions through a short queue;
//! workers split and count into tables of their own, which are added up at the end. Sums do not depend on who
//! counted what, so the result is the same for any number of threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tessella_core::{Error, Portion, Result, threads};
use tessella_formats::corpus::Corpus;

use super::front::Front;
use super::portions::Portions;
use super::waiting::Waiting;
use super::{LEAST_BUDGET, PieceCounts, Source, overflow};
use crate::progress::{Progress, Stage, report};

/// Takes a piece and how often it came since it was told before.
pub type Add<'a> = dyn FnMut(&str, u64) -> Result<()> + 'a;

/// Cuts texts into pieces.
pub trait Cutter {
    /// Cuts each of some texts. A piece is told when it comes for the first time, in order; later ones now or at the end.
    fn cut(&mut self, texts: &Portion, add: &mut Add<'_>) -> Result<()>;

    /// Tells what was not told yet.
    fn finish(&mut self, _add: &mut Add<'_>) -> Result<()> {
        Ok(())
    }

    /// The most bytes that it may hold of what was not told yet.
    fn memory(&self) -> usize {
        0
    }
}

/// Gives every thread something that cuts texts. A function that cuts is one.
pub trait Splitter: Sync {
    /// Called once on each thread. Once `stop` is set, cutting may end in the middle of a text. What was not told yet
    /// may take `memory` bytes.
    fn cutter(&self, stop: &Arc<AtomicBool>, memory: usize) -> Box<dyn Cutter + '_>;
}

impl<F: Fn(&str, &mut dyn FnMut(&str)) -> Result<()> + Sync> Splitter for F {
    fn cutter(&self, _stop: &Arc<AtomicBool>, memory: usize) -> Box<dyn Cutter + '_> {
        Box::new(OneByOne { cut: self, front: (memory >= Front::MEMORY).then(Front::new) })
    }
}

/// A function that hands over every piece.
struct OneByOne<'f, F> {
    cut: &'f F,
    /// If there is room for it.
    front: Option<Front>,
}

impl<F: Fn(&str, &mut dyn FnMut(&str)) -> Result<()>> Cutter for OneByOne<'_, F> {
    fn cut(&mut self, texts: &Portion, add: &mut Add<'_>) -> Result<()> {
        let mut outcome = Ok(());
        let front = &mut self.front;
        for text in texts.iter() {
            (self.cut)(text, &mut |piece| {
                if outcome.is_ok() {
                    outcome = match front {
                        Some(front) => front.count(piece, add),
                        None => add(piece, 1),
                    };
                }
            })?;
            if outcome.is_err() {
                break;
            }
        }
        outcome
    }

    fn finish(&mut self, add: &mut Add<'_>) -> Result<()> {
        self.front.as_mut().map_or(Ok(()), |front| front.tell_all(add))
    }

    fn memory(&self) -> usize {
        self.front.as_ref().map_or(0, |_| Front::MEMORY)
    }
}

/// How to count.
#[derive(Debug, Clone)]
pub struct CountOptions {
    /// Worker threads; 0 means one per available core. With 1 everything happens on the calling thread, and
    /// the counts remember the order of appearance.
    pub threads: usize,
    /// Bytes of counts in memory, all threads together; `None` means no limit.
    pub memory: Option<usize>,
    /// Where to spill; the system's temporary folder if `None`.
    pub spill_folder: Option<std::path::PathBuf>,
    /// Name, language tag and weight that are noted with the counts. Every occurrence counts `weight` times.
    pub name: String,
    /// Its name.
    pub language: String,
    /// Each of its pieces counts so often.
    pub weight: u64,
    /// Total bytes to read if known, for the progress report.
    pub expected_bytes: u64,
    /// Bytes read so far, kept by whoever reads: for compressed files, what has been taken from the disk. `None`
    /// reports the bytes of the texts.
    pub position: Option<Arc<AtomicU64>>,
}

impl CountOptions {
    /// How far the job is, in the unit of `expected_bytes`.
    fn done(&self, bytes_of_text: u64) -> u64 {
        self.position.as_ref().map_or(bytes_of_text, |position| position.load(Ordering::Relaxed))
    }
}

impl Default for CountOptions {
    fn default() -> Self {
        CountOptions {
            threads: 0,
            memory: None,
            spill_folder: None,
            name: String::new(),
            language: String::new(),
            weight: 1,
            expected_bytes: 0,
            position: None,
        }
    }
}

/// Counts the pieces of all texts. An error of the iterator or of the splitter ends the count.
pub fn count_texts<S: AsRef<str> + Into<String>>(
    texts: impl IntoIterator<Item = Result<S>>,
    split: &dyn Splitter,
    options: &CountOptions,
    progress: &dyn Progress,
) -> Result<PieceCounts> {
    let mut portions = Portions::new(texts.into_iter());
    count_portions(&mut |portion| portions.read(portion), split, options, progress)
}

/// The same for the texts of files, whose lines are read together.
pub fn count_files(
    corpus: Corpus,
    split: &dyn Splitter,
    options: &CountOptions,
    progress: &dyn Progress,
) -> Result<PieceCounts> {
    let mut portions = Portions::of_files(corpus);
    count_portions(&mut |portion| portions.read(portion), split, options, progress)
}

/// Puts the next texts into a portion; false if there are none.
type Read<'a> = dyn FnMut(&mut Portion) -> Result<bool> + 'a;

fn count_portions(
    read: &mut Read<'_>,
    split: &dyn Splitter,
    options: &CountOptions,
    progress: &dyn Progress,
) -> Result<PieceCounts> {
    refuse_if!(options.weight == 0, Value, "the weight of a source must be 1 or more");
    let threads = crate::parallel::threads(options.threads);
    // A table for each worker, one for their sum, and one that the caller may add the result to.
    let shares = if threads <= 1 { 2 } else { threads + 2 };
    if let Some(bytes) = options.memory
        && bytes / shares < LEAST_BUDGET
    {
        return Err(Error::value(format!(
            "a memory budget of {bytes} bytes is too small when the number of threads is {threads}: give at \
             least {} bytes, or count on fewer threads",
            shares * LEAST_BUDGET
        )));
    }
    let fresh = || match options.memory {
        Some(bytes) => PieceCounts::with_budget(bytes / shares, options.spill_folder.as_deref()),
        None => Ok(PieceCounts::new()),
    };
    let mut note = Source {
        name: options.name.clone(),
        language: options.language.clone(),
        weight: options.weight,
        ..Source::default()
    };
    let mut counts = if threads <= 1 {
        let mut counting = Counting::new(fresh()?, split, &Arc::default(), options.weight);
        let mut texts = Portion::default();
        while read(&mut texts)? {
            counting.add(&texts)?;
            note.texts += texts.len() as u64;
            note.bytes += texts.bytes() as u64;
            report(progress, Stage::Count, options.done(note.bytes), options.expected_bytes)?;
        }
        let counts = counting.finish()?;
        let done = options.done(note.bytes);
        report(progress, Stage::Count, done, done)?;
        counts
    } else {
        let tables = (0..threads).map(|_| fresh()).collect::<Result<Vec<_>>>()?;
        let mut tables = count_on_threads(read, split, options, progress, tables, &mut note)?.into_iter();
        let mut whole = tables.next().map_or_else(fresh, Ok)?;
        let parts = tables.len() as u64;
        for (table, merged) in tables.zip(0..) {
            report(progress, Stage::MergeCounts, merged, parts)?;
            // A table is dropped as soon as it is merged.
            whole.absorb(table)?;
        }
        whole.by_chance = true;
        report(progress, Stage::MergeCounts, parts, parts)?;
        whole
    };
    counts.note_source(note)?;
    Ok(counts)
}

/// What one thread counts with: the cutter's memory is part of what the counts may take.
struct Counting<'s> {
    counts: PieceCounts,
    waiting: Waiting,
    cutter: Box<dyn Cutter + 's>,
    weight: u64,
    budget: Option<usize>,
}

/// What a cutter may hold, as a part of the budget, and where there is none.
const CUTTERS_PART: usize = 8;
const CUTTERS_MOST: usize = 32 << 20;

impl<'s> Counting<'s> {
    fn new(
        mut counts: PieceCounts,
        split: &'s dyn Splitter,
        stop: &Arc<AtomicBool>,
        weight: u64,
    ) -> Counting<'s> {
        let budget = counts.budget;
        let memory = budget.map_or(CUTTERS_MOST, |bytes| bytes / CUTTERS_PART);
        let cutter = split.cutter(stop, memory);
        counts.budget = budget.map(|bytes| bytes - cutter.memory().min(memory));
        Counting { counts, waiting: Waiting::default(), cutter, weight, budget }
    }

    fn add(&mut self, texts: &Portion) -> Result<()> {
        let Counting { counts, waiting, cutter, weight, .. } = self;
        cutter.cut(texts, &mut |piece, count| waiting.add(counts, piece, weighted(piece, count, *weight)?))
    }

    fn finish(self) -> Result<PieceCounts> {
        let Counting { mut counts, mut waiting, mut cutter, weight, budget } = self;
        cutter
            .finish(&mut |piece, count| waiting.add(&mut counts, piece, weighted(piece, count, weight)?))?;
        waiting.add_all(&mut counts)?;
        counts.budget = budget;
        Ok(counts)
    }
}

fn weighted(piece: &str, count: u64, weight: u64) -> Result<u64> {
    count.checked_mul(weight).ok_or_else(|| overflow(piece))
}

type Worker<'scope> = std::io::Result<std::thread::ScopedJoinHandle<'scope, Result<PieceCounts>>>;

fn count_on_threads(
    read: &mut Read<'_>,
    split: &dyn Splitter,
    options: &CountOptions,
    progress: &dyn Progress,
    tables: Vec<PieceCounts>,
    note: &mut Source,
) -> Result<Vec<PieceCounts>> {
    let stop = Arc::new(AtomicBool::new(false));
    let done = AtomicU64::new(0);
    let (sender, receiver) = sync_channel::<Portion>(tables.len() * 2);
    let receiver = Mutex::new(receiver);
    std::thread::scope(|scope| {
        let workers: Vec<Worker<'_>> = tables
            .into_iter()
            .map(|counts| {
                let (receiver, stop, done) = (&receiver, &stop, &done);
                let work = move || {
                    let counted = count_batches(receiver, split, options.weight, counts, done, stop);
                    if counted.is_err() {
                        stop.store(true, Ordering::Relaxed);
                        // Drain, so that the reader never waits for a worker that is gone.
                        while next_batch(receiver).is_some() {}
                    }
                    counted
                };
                threads::start(std::thread::Builder::new(), scope, work)
            })
            .collect();
        if workers.iter().any(|worker| worker.is_err()) {
            stop.store(true, Ordering::Relaxed);
        }

        let told = || {
            let done = options.done(done.load(Ordering::Relaxed));
            report(progress, Stage::Count, done, options.expected_bytes)
        };
        let mut read_all = || -> Result<()> {
            let mut texts = Portion::default();
            while read(&mut texts)? {
                note.texts += texts.len() as u64;
                note.bytes += texts.bytes() as u64;
                if stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                told()?;
                // Where no worker is left, its own error says why.
                if !hand_out(&sender, std::mem::take(&mut texts), &told)? {
                    return Ok(());
                }
            }
            Ok(())
        };
        let mut read = read_all();
        drop(sender);
        let is_busy = |worker: &Worker<'_>| worker.as_ref().is_ok_and(|worker| !worker.is_finished());
        while read.is_ok() && workers.iter().any(is_busy) {
            std::thread::sleep(PAUSE);
            read = told();
        }
        if read.is_ok() {
            let done = options.done(note.bytes);
            read = report(progress, Stage::Count, done, done);
        }
        if read.is_err() {
            stop.store(true, Ordering::Relaxed);
        }
        gathered(workers, read.err())
    })
}

/// While all workers are busy with what they have, the caller may still want to stop.
const PAUSE: Duration = Duration::from_millis(5);

/// Waits for a place in the queue. False once no worker is left.
fn hand_out(
    sender: &SyncSender<Portion>,
    mut batch: Portion,
    told: &impl Fn() -> Result<()>,
) -> Result<bool> {
    loop {
        batch = match sender.try_send(batch) {
            Ok(()) => return Ok(true),
            Err(TrySendError::Disconnected(_)) => return Ok(false),
            Err(TrySendError::Full(batch)) => batch,
        };
        std::thread::sleep(PAUSE);
        told()?;
    }
}

/// What one thread does: batches from the queue into its table, until there are no more.
fn count_batches(
    receiver: &Mutex<Receiver<Portion>>,
    split: &dyn Splitter,
    weight: u64,
    counts: PieceCounts,
    done: &AtomicU64,
    stop: &Arc<AtomicBool>,
) -> Result<PieceCounts> {
    let mut counting = Counting::new(counts, split, stop, weight);
    while let Some(batch) = next_batch(receiver) {
        counting.add(&batch)?;
        done.fetch_add(batch.bytes() as u64, Ordering::Relaxed);
    }
    counting.finish()
}

/// The tables of all workers, or the first failure.
fn gathered(workers: Vec<Worker<'_>>, mut failure: Option<Error>) -> Result<Vec<PieceCounts>> {
    let failed = |message: &str| Error::new(tessella_core::ErrorKind::Train, message);
    let mut counted = Vec::new();
    for worker in workers {
        let error = match worker.map(|worker| worker.join()) {
            Ok(Ok(Ok(counts))) => {
                counted.push(counts);
                continue;
            }
            Ok(Ok(Err(error))) => error,
            Ok(Err(_)) => {
                failed("a counting thread stopped unexpectedly; count with one thread to see where")
            }
            Err(error) => failed("the system gives no more threads; count with fewer").caused_by(error),
        };
        failure = failure.or(Some(error));
    }
    failure.map_or(Ok(counted), Err)
}

fn next_batch(receiver: &Mutex<Receiver<Portion>>) -> Option<Portion> {
    receiver.lock().ok()?.recv().ok()
}

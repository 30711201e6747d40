//! What one text may cost: limits that keep a hostile description, or a mistaken one, from taking a process along.
//!
//! A description can ask for more than anybody wants: a pattern that tries every way to cut a line, a row of
//! replacements that double the text forty times. What honest ones ask for is far below these limits, which
//! [`set`] changes for the whole process, and errors name the one that was met.
//!
//! The bill is opened where a text comes in ([`begin`]) and lies with the thread that works on it, for those who
//! charge it stand deep inside of stages that know nothing of calls. What nobody opened a bill for is charged to one
//! of its own. The places that may take long also [`check`] whether the caller still wants the result.

use std::cell::RefCell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::cancel::Cancel;
use crate::error::{Error, Result};

/// The limits of a process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// How many times its own length a text may get by what normalizers, pre-tokenizers, templates and decoders make
    /// of it.
    pub text_growth: u64,
    /// Up to so many bytes, it may grow whatever its length was.
    pub text_growth_free: u64,
    /// Seconds of processor time that the patterns of a tokenizer may work on one text: those that run on a backtracking
    /// engine.
    pub pattern_seconds: f64,
    /// Seconds that are added for every million bytes of it.
    pub pattern_seconds_per_megabyte: f64,
}

impl Limits {
    /// What holds where nobody says otherwise.
    pub const DEFAULT: Limits = Limits {
        text_growth: 100,
        text_growth_free: 4 << 20,
        pattern_seconds: 2.0,
        pattern_seconds_per_megabyte: 10.0,
    };

    /// Bytes that a text of `bytes` may get.
    fn most_bytes(&self, bytes: usize) -> usize {
        let grown = (bytes as u64).saturating_mul(self.text_growth).max(self.text_growth_free);
        usize::try_from(grown).unwrap_or(usize::MAX)
    }

    fn pattern_time(&self, bytes: usize) -> Duration {
        let seconds = self.pattern_seconds + self.pattern_seconds_per_megabyte * (bytes as f64 / 1e6);
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }
}

static TEXT_GROWTH: AtomicU64 = AtomicU64::new(Limits::DEFAULT.text_growth);
static TEXT_GROWTH_FREE: AtomicU64 = AtomicU64::new(Limits::DEFAULT.text_growth_free);
static PATTERN_SECONDS: AtomicU64 = AtomicU64::new(Limits::DEFAULT.pattern_seconds.to_bits());
static PATTERN_SECONDS_PER_MEGABYTE: AtomicU64 =
    AtomicU64::new(Limits::DEFAULT.pattern_seconds_per_megabyte.to_bits());

/// The limits that hold now.
pub fn get() -> Limits {
    Limits {
        text_growth: TEXT_GROWTH.load(Ordering::Relaxed),
        text_growth_free: TEXT_GROWTH_FREE.load(Ordering::Relaxed),
        pattern_seconds: f64::from_bits(PATTERN_SECONDS.load(Ordering::Relaxed)),
        pattern_seconds_per_megabyte: f64::from_bits(PATTERN_SECONDS_PER_MEGABYTE.load(Ordering::Relaxed)),
    }
}

/// Sets the limits of the process, for texts that come in from now on.
pub fn set(limits: Limits) -> Result<()> {
    for (name, seconds) in [
        ("pattern_seconds", limits.pattern_seconds),
        ("pattern_seconds_per_megabyte", limits.pattern_seconds_per_megabyte),
    ] {
        if seconds.is_nan() || seconds < 0.0 {
            refuse!(Value, "{name} is {seconds}; expected a number of seconds, 0 or more");
        }
    }
    TEXT_GROWTH.store(limits.text_growth, Ordering::Relaxed);
    TEXT_GROWTH_FREE.store(limits.text_growth_free, Ordering::Relaxed);
    PATTERN_SECONDS.store(limits.pattern_seconds.to_bits(), Ordering::Relaxed);
    PATTERN_SECONDS_PER_MEGABYTE.store(limits.pattern_seconds_per_megabyte.to_bits(), Ordering::Relaxed);
    Ok(())
}

/// Asks whether the thread's caller wants to stop. Errors end the work.
pub type Poll = fn() -> Result<()>;

static POLL: OnceLock<Poll> = OnceLock::new();

/// Whom [`check`] asks now and then, on the thread that works: a language that hears of signals only when it is asked.
/// Once for a process; later calls change nothing.
pub fn poll_with(poll: Poll) {
    let _ = POLL.set(poll);
}

/// Time between two questions.
const POLL_EVERY: Duration = Duration::from_millis(50);

/// So many looks are free on a short text before the clock is read: most texts are done by then.
const FREE_LOOKS: u32 = 8;
const SHORT_TEXT: usize = 16 << 10;

/// What a text has cost so far. Most texts are short and cost nothing worth a question: what may be asked for is worked
/// out when somebody asks.
#[derive(Debug)]
struct Bill {
    cancel: Cancel,
    /// Bytes of the text as it came in.
    bytes: usize,
    /// Bytes of the parts that are done.
    written: usize,
    /// Processor time that patterns have taken.
    pattern_time: Duration,
    /// How often it was asked whether the result is still wanted.
    looks: u32,
    /// When the caller was last asked whether to stop.
    polled: Option<Instant>,
}

impl Bill {
    fn new(bytes: usize, cancel: Cancel) -> Self {
        Bill { cancel, bytes, written: 0, pattern_time: Duration::ZERO, looks: 0, polled: None }
    }

    fn most_bytes(&self) -> usize {
        get().most_bytes(self.bytes)
    }

    /// Whether it is time to ask the caller.
    fn is_due(&mut self, free_looks: u32) -> bool {
        self.looks = self.looks.saturating_add(1);
        if self.looks < free_looks && self.bytes < SHORT_TEXT {
            return false;
        }
        let now = Instant::now();
        // The first look only starts the clock: short work asks nobody.
        let polled = *self.polled.get_or_insert(now);
        let due = now - polled >= POLL_EVERY;
        if due {
            self.polled = Some(now);
        }
        due
    }
}

thread_local! {
    static OPEN: RefCell<Option<Bill>> = const { RefCell::new(None) };
}

/// The work on one text. When it ends, the bill of the work that it was a part of is open again.
#[derive(Debug)]
#[must_use = "the bill is closed when this is dropped"]
pub struct Work {
    outer: Option<Bill>,
    /// Bills belong to a thread.
    _here: std::marker::PhantomData<*const ()>,
}

impl Drop for Work {
    fn drop(&mut self) {
        OPEN.with(|open| open.replace(self.outer.take()));
    }
}

/// Opens the bill of a text of `bytes` bytes.
pub fn begin(bytes: usize, cancel: Cancel) -> Work {
    let outer = OPEN.with(|open| open.replace(Some(Bill::new(bytes, cancel))));
    Work { outer, _here: std::marker::PhantomData }
}

/// The same, unless the text is part of one whose bill is open already.
pub fn begin_alone(bytes: usize) -> Option<Work> {
    let is_open = OPEN.with(|open| open.borrow().is_some());
    (!is_open).then(|| begin(bytes, Cancel::never()))
}

/// Whether the caller still wants the result.
pub fn check() -> Result<()> {
    ask(FREE_LOOKS)
}

/// The same for who waits for others, be it for ever, and so asks now and then of itself.
pub fn check_waiting() -> Result<()> {
    POLL.get().map_or(Ok(()), |poll| poll())
}

/// The same where time has passed already.
pub(crate) fn check_after_work() -> Result<()> {
    ask(0)
}

fn ask(free_looks: u32) -> Result<()> {
    let due = OPEN.with(|open| {
        let mut open = open.borrow_mut();
        let Some(bill) = open.as_mut() else { return Ok::<_, Error>(false) };
        bill.cancel.check()?;
        Ok(bill.is_due(free_looks))
    })?;
    // Who is asked may run anything, this engine as well: nothing is borrowed here.
    let (true, Some(poll)) = (due, POLL.get()) else { return Ok(()) };
    poll().inspect_err(|_| {
        OPEN.with(|open| {
            if let Some(bill) = open.borrow().as_ref() {
                bill.cancel.cancel();
            }
        });
    })
}

/// Puts processor time of a pattern on the bill. The error is the sentence's middle: for how long it ran.
pub(crate) fn charge_pattern(took: Duration) -> std::result::Result<(), String> {
    OPEN.with(|open| {
        let mut open = open.borrow_mut();
        let Some(bill) = open.as_mut() else { return Ok(()) };
        bill.pattern_time = bill.pattern_time.saturating_add(took);
        let most = get().pattern_time(bill.bytes);
        if bill.pattern_time <= most {
            return Ok(());
        }
        // Whoever goes on after an error begins anew.
        bill.pattern_time = Duration::ZERO;
        Err(format!(
            "it ran for more than {:.1} s, which is the limit for a text of {} bytes (pattern_seconds and \
             pattern_seconds_per_megabyte of the limits)",
            most.as_secs_f64(),
            bill.bytes
        ))
    })
}

/// Processor time that a pattern may take for one try to match at one place, in which nobody can stop it:
/// a fifth of `pattern_seconds`.
pub(crate) fn pattern_time_at_one_place() -> Duration {
    Duration::try_from_secs_f64(get().pattern_seconds / 5.0).unwrap_or(Duration::MAX)
}

/// Processor time of this thread, where the system tells it: a busy machine or a process that is halted for a while
/// takes nothing from a text. Elsewhere the time that went by.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    wall: Instant,
    used: Duration,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Stopwatch { wall: Instant::now(), used: thread_time() }
    }

    /// Time that went by, which costs little to ask.
    #[inline]
    pub(crate) fn wall(&self) -> Duration {
        self.wall.elapsed()
    }

    /// Processor time since it was started or last asked; it starts anew.
    pub(crate) fn lap(&mut self) -> Duration {
        let before = std::mem::replace(self, Stopwatch::start());
        self.used.saturating_sub(before.used)
    }
}

#[cfg(unix)]
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(not(unix))]
fn thread_time() -> Duration {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed()
}

/// How many bytes the next part of the text that is open may get, after those that are done.
pub(crate) fn most_of_part() -> usize {
    most(|bill| bill.most_bytes().saturating_sub(bill.written))
}

/// Checks that a stage may make `bytes` bytes of a part; `stage` names it in the error.
pub(crate) fn check_part(bytes: usize, stage: impl FnOnce() -> String) -> Result<()> {
    if bytes <= most_of_part() {
        return Ok(());
    }
    let before = OPEN.with(|open| open.borrow().as_ref().map_or(0, |bill| bill.written));
    Err(grown(before.saturating_add(bytes), "bytes", &stage()))
}

/// Checks that a stage may make `bytes` bytes of the whole text.
pub(crate) fn check_growth(bytes: usize, stage: impl FnOnce() -> String) -> Result<()> {
    if bytes <= most(Bill::most_bytes) { Ok(()) } else { Err(grown(bytes, "bytes", &stage())) }
}

/// The same for tokens, of which a text may get as many as bytes.
pub(crate) fn check_tokens(tokens: usize, stage: impl FnOnce() -> String) -> Result<()> {
    if tokens <= most(Bill::most_bytes) { Ok(()) } else { Err(grown(tokens, "tokens", &stage())) }
}

fn most(of: impl FnOnce(&Bill) -> usize) -> usize {
    OPEN.with(|open| open.borrow().as_ref().map_or(usize::MAX, of))
}

/// A part of the text is done, and `bytes` long.
pub(crate) fn add_written(bytes: usize) {
    OPEN.with(|open| {
        if let Some(bill) = open.borrow_mut().as_mut() {
            bill.written = bill.written.saturating_add(bytes);
        }
    });
}

#[cold]
fn grown(amount: usize, unit: &str, stage: &str) -> Error {
    let (before, most) =
        OPEN.with(|open| open.borrow().as_ref().map_or((0, 0), |bill| (bill.bytes, bill.most_bytes())));
    Error::value(format!(
        "{stage} would make {amount} {unit} or more out of a text of {before} bytes; the limit for it is {most} \
         (text_growth and text_growth_free of the limits): look at what it inserts"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bill_is_open_as_long_as_its_work() {
        assert_eq!(most_of_part(), usize::MAX);
        let outer = begin(1 << 20, Cancel::never());
        assert_eq!(most_of_part(), 100 << 20);
        {
            let _inner = begin(1, Cancel::never());
            assert_eq!(most_of_part(), 4 << 20);
            assert!(begin_alone(1 << 20).is_none());
        }
        add_written(1 << 20);
        assert_eq!(most_of_part(), 99 << 20);
        let error = check_growth(101 << 20, || "Replace".into()).unwrap_err().to_string();
        assert!(
            error.contains("Replace would make 105906176 bytes or more out of a text of 1048576 bytes"),
            "{error}"
        );
        drop(outer);
        assert_eq!(most_of_part(), usize::MAX);
    }

    #[test]
    fn time_runs_out() {
        let _work = begin(0, Cancel::never());
        assert!(charge_pattern(Duration::from_millis(1999)).is_ok());
        let error = charge_pattern(Duration::from_millis(2)).unwrap_err();
        assert!(error.contains("2.0 s"), "{error}");
        assert!(charge_pattern(Duration::from_millis(2)).is_ok());
    }

    #[test]
    fn sleep_costs_nothing() {
        let mut watch = Stopwatch::start();
        std::thread::sleep(Duration::from_millis(100));
        assert!(watch.wall() >= Duration::from_millis(100));
        assert!(!cfg!(unix) || watch.lap() < Duration::from_millis(50));
    }

    #[test]
    fn cancelled_work_ends() {
        let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let _work = begin(0, Cancel::new(Some(&flag)));
        assert!(check().is_ok());
        flag.store(true, Ordering::Relaxed);
        assert!(check().is_err());
    }
}

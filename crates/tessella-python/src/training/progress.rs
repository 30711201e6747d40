//! Showing how far a long job is: a bar on a terminal, plain lines now and then elsewhere, lines of JSON, or
//! nothing. In a notebook, which does not see what a process writes to standard error, Python is told instead.
//!
//! [`Board`] shows, [`Display`] is a board for the trainers' jobs, [`Meter`] one for jobs that Python runs.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use tessella_train::{Ending, Progress, Stage, TrainReport};

use crate::components::live::lock;

/// Time between two updates of a bar or of JSON.
const EVERY: Duration = Duration::from_millis(100);
/// Time before the first plain line, and between two: short jobs say nothing, long ones do not fill a log.
const PLAIN_EVERY: Duration = Duration::from_secs(10);
/// Characters of a bar.
const WIDTH: u64 = 30;

enum Form {
    Silent,
    Bar,
    Plain,
    Json,
    /// Called with the stage, what is done, the total (0 if unknown) and whether these are bytes; with an empty
    /// stage at the end.
    Told(Py<PyAny>),
}

impl Form {
    fn of(name: &str) -> Form {
        match name {
            "silent" => Form::Silent,
            "json" => Form::Json,
            _ => match Python::attach(listener) {
                // Without a notebook there is none, and what goes wrong with one is no reason to end a job.
                Ok(Some(listener)) => Form::Told(listener),
                _ if std::io::stderr().is_terminal() => Form::Bar,
                _ => Form::Plain,
            },
        }
    }

    fn is_bar(&self) -> bool {
        matches!(self, Form::Bar)
    }

    fn is_plain(&self) -> bool {
        matches!(self, Form::Plain)
    }
}

/// What a notebook shows progress with.
fn listener(py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
    let made = py.import("tessella._progress")?.call_method0("listener")?;
    Ok((!made.is_none()).then(|| made.unbind()))
}

/// What is counted in a stage, for showing.
#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Bytes,
    Things,
}

struct Shown {
    stage: Option<String>,
    started: Instant,
    last: Option<Instant>,
    /// Whether anything was shown.
    spoke: bool,
}

/// Shows stages, one after the other.
struct Board {
    form: Form,
    /// Number of texts, if the caller knows it.
    texts: Option<usize>,
    shown: Mutex<Shown>,
}

/// A display that also carries the wish to stop.
pub struct Display<'a> {
    board: Board,
    cancel: &'a AtomicBool,
    /// Whether to ask Python for signals, and what came.
    signals: bool,
    signal: Mutex<Option<PyErr>>,
}

impl<'a> Display<'a> {
    /// `form` is `silent`, `json`, or anything else for a bar on a terminal and plain lines elsewhere.
    pub fn new(form: &str, cancel: &'a AtomicBool, texts: Option<usize>) -> Self {
        Display { board: Board::new(form, texts), cancel, signals: false, signal: Mutex::new(None) }
    }

    /// For jobs on the calling thread: what Python's signal handlers raise stops the job; see `signal`.
    pub fn looking_for_signals(mut self) -> Self {
        self.signals = true;
        self
    }

    /// What a signal handler raised.
    pub fn signal(&self) -> Option<PyErr> {
        lock(&self.signal).take()
    }

    /// Tells why learning ended: programs always, people where it ended before the vocabulary was full.
    pub fn ended(&self, report: &TrainReport) {
        let TrainReport { ending, vocab_size, target, .. } = report;
        let form = &self.board.form;
        let mut shown = lock(&self.board.shown);
        let is_told = match form {
            Form::Silent | Form::Told(_) => false,
            Form::Json => true,
            Form::Bar | Form::Plain => shown.spoke && *ending != Ending::Full,
        };
        if !is_told {
            return;
        }
        let why = ending.explain();
        let mut out = std::io::stderr().lock();
        let _ = match form {
            // The explanation has nothing that JSON escapes.
            Form::Json => {
                writeln!(out, "{{\"ended\":\"{why}\",\"vocab_size\":{vocab_size},\"target\":{target}}}")
            }
            _ => {
                let (size, target) = (grouped(*vocab_size as u64), grouped(*target as u64));
                let break_bar = if form.is_bar() { "\n" } else { "" };
                writeln!(out, "{break_bar}learning ended with {size} of {target} entries: {why}")
            }
        };
        // The bar's line is complete.
        shown.stage = None;
    }
}

impl Board {
    fn new(form: &str, texts: Option<usize>) -> Self {
        let shown = Shown { stage: None, started: Instant::now(), last: None, spoke: false };
        Board { form: Form::of(form), texts, shown: Mutex::new(shown) }
    }

    fn show(&self, stage: &str, unit: Unit, done: u64, total: u64) {
        let mut shown = lock(&self.shown);
        let now = Instant::now();
        let changed = shown.stage.as_deref() != Some(stage);
        let ended = total > 0 && done >= total;
        if changed {
            if self.form.is_bar() && shown.stage.is_some() {
                let _ = writeln!(std::io::stderr());
            }
            shown.stage = Some(stage.to_string());
            shown.started = now;
            shown.last = self.form.is_plain().then_some(now);
        }
        let pause = if self.form.is_plain() { PLAIN_EVERY } else { EVERY };
        let is_due = shown.last.is_none_or(|last| now - last >= pause);
        // The end of a stage completes its bar; a log needs no such line.
        let completes = ended && !self.form.is_plain();
        if !is_due && !completes {
            return;
        }
        (shown.last, shown.spoke) = (Some(now), true);
        let seconds = (now - shown.started).as_secs_f64();
        if let Form::Told(listener) = &self.form {
            // Python may be slow to come, and what it shows is not worth that another thread waits here.
            drop(shown);
            return Python::attach(|py| tell(py, listener, stage, done, total, unit));
        }
        let mut out = std::io::stderr().lock();
        // A display that cannot be written is no reason to end a job.
        let _ = match self.form {
            Form::Json => writeln!(
                out,
                "{{\"stage\":\"{stage}\",\"done\":{done},\"total\":{total},\"seconds\":{seconds:.3}}}",
            ),
            Form::Plain => writeln!(out, "{}", self.line(stage, unit, done, total, seconds, false)),
            _ => write!(out, "\r{}\x1b[K", self.line(stage, unit, done, total, seconds, true))
                .and_then(|()| out.flush()),
        };
    }

    fn line(&self, stage: &str, unit: Unit, done: u64, total: u64, seconds: f64, bar: bool) -> String {
        let rate = if seconds > 0.0 { done as f64 / seconds } else { 0.0 };
        let texts = match (unit, self.texts) {
            (Unit::Bytes, Some(texts)) => format!(" of {} texts", grouped(texts as u64)),
            _ => String::new(),
        };
        let speed = format!("{}/s", amount(unit, rate as u64));
        if total == 0 {
            return format!("{stage:<13} {}{texts}, {speed}", amount(unit, done));
        }
        let filled = (done.min(total) as u128 * u128::from(WIDTH) / u128::from(total)) as usize;
        let drawn = match bar {
            true => format!("{}{} ", "█".repeat(filled), "░".repeat(WIDTH as usize - filled)),
            false => String::new(),
        };
        let percent = done.min(total) as u128 * 100 / u128::from(total);
        let of = format!("{percent:>3}% of {}{texts}, {speed}", amount(unit, total));
        let left = match rate > 0.0 && done < total {
            true => format!(", {} left", duration((total - done) as f64 / rate)),
            false => format!(", took {}", duration(seconds)),
        };
        format!("{stage:<13} {drawn}{of}{left}")
    }

    /// Completes what is shown; whatever comes next begins anew.
    fn end(&self) {
        if lock(&self.shown).stage.take().is_none() {
            return;
        }
        match &self.form {
            Form::Bar => {
                let _ = writeln!(std::io::stderr());
            }
            Form::Told(listener) => Python::attach(|py| tell(py, listener, "", 0, 0, Unit::Things)),
            Form::Silent | Form::Plain | Form::Json => {}
        }
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.end();
    }
}

fn tell(py: Python<'_>, listener: &Py<PyAny>, stage: &str, done: u64, total: u64, unit: Unit) {
    let _ = listener.call1(py, (stage, done, total, unit == Unit::Bytes));
}

/// How far a job of Python's is, in bytes.
#[pyclass(frozen, module = "tessella._tessella")]
pub struct Meter {
    stage: String,
    board: Board,
}

#[pymethods]
impl Meter {
    /// `form` is `silent`, `json`, or anything else for what suits the place.
    #[new]
    fn new(stage: String, form: &str) -> Self {
        Meter { stage, board: Board::new(form, None) }
    }

    /// Shows that so many bytes are done; a total of 0 is not known.
    fn update(&self, py: Python<'_>, done: u64, total: u64) {
        if !matches!(self.board.form, Form::Silent) {
            py.detach(|| self.board.show(&self.stage, Unit::Bytes, done, total));
        }
    }

    fn end(&self, py: Python<'_>) {
        py.detach(|| self.board.end());
    }
}

/// A number in its unit.
fn amount(unit: Unit, number: u64) -> String {
    if unit != Unit::Bytes {
        return grouped(number);
    }
    match number {
        0..1_000 => format!("{number} B"),
        1_000..1_000_000 => format!("{:.1} kB", number as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", number as f64 / 1e6),
        _ => format!("{:.2} GB", number as f64 / 1e9),
    }
}

/// Digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn duration(seconds: f64) -> String {
    let whole = seconds.ceil() as u64;
    match whole {
        0..120 => format!("{whole} s"),
        120..7200 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

impl Progress for Display<'_> {
    fn update(&self, stage: Stage, done: u64, total: u64) {
        if !matches!(self.board.form, Form::Silent) {
            let unit = if stage == Stage::Count { Unit::Bytes } else { Unit::Things };
            self.board.show(stage.name(), unit, done, total);
        }
    }

    fn expect_memory(&self, bytes: u64) {
        if matches!(self.board.form, Form::Json) {
            let _ = writeln!(std::io::stderr(), "{{\"expected_memory\":{bytes}}}");
        }
    }

    fn cancelled(&self) -> bool {
        if self.signals
            && let Err(error) = Python::attach(|py| py.check_signals())
        {
            *lock(&self.signal) = Some(error);
            return true;
        }
        self.cancel.load(Ordering::Relaxed)
    }
}

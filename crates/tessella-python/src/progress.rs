//! Showing how far a long job is: a bar on a terminal, plain lines now and then elsewhere, lines of JSON, or
//! nothing.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use tessella_train::{Ending, Progress, Stage, TrainReport};

use crate::live::lock;

/// Time between two updates of a bar or of JSON.
const EVERY: Duration = Duration::from_millis(100);
/// Time before the first plain line, and between two: short jobs say nothing, long ones do not fill a log.
const PLAIN_EVERY: Duration = Duration::from_secs(10);
/// Characters of a bar.
const WIDTH: u64 = 30;

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Silent,
    Bar,
    Plain,
    Json,
}

struct Shown {
    stage: Option<Stage>,
    started: Instant,
    last: Option<Instant>,
    /// Whether anything was shown.
    spoke: bool,
}

/// A display that also carries the wish to stop.
pub struct Display<'a> {
    form: Form,
    cancel: &'a AtomicBool,
    /// Number of texts, if the caller knows it.
    texts: Option<usize>,
    shown: Mutex<Shown>,
    /// Whether to ask Python for signals, and what came.
    signals: bool,
    signal: Mutex<Option<PyErr>>,
}

impl<'a> Display<'a> {
    /// `form` is `silent`, `json`, or anything else for a bar on a terminal and plain lines elsewhere.
    pub fn new(form: &str, cancel: &'a AtomicBool, texts: Option<usize>) -> Self {
        let form = match form {
            "silent" => Form::Silent,
            "json" => Form::Json,
            _ if std::io::stderr().is_terminal() => Form::Bar,
            _ => Form::Plain,
        };
        let shown = Shown { stage: None, started: Instant::now(), last: None, spoke: false };
        Display { form, cancel, texts, shown: Mutex::new(shown), signals: false, signal: Mutex::new(None) }
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
        let mut shown = lock(&self.shown);
        let is_told = match self.form {
            Form::Silent => false,
            Form::Json => true,
            Form::Bar | Form::Plain => shown.spoke && *ending != Ending::Full,
        };
        if !is_told {
            return;
        }
        let why = ending.explain();
        let mut out = std::io::stderr().lock();
        let _ = match self.form {
            // The explanation has nothing that JSON escapes.
            Form::Json => {
                writeln!(out, "{{\"ended\":\"{why}\",\"vocab_size\":{vocab_size},\"target\":{target}}}")
            }
            _ => {
                let (size, target) = (grouped(*vocab_size as u64), grouped(*target as u64));
                let break_bar = if self.form == Form::Bar { "\n" } else { "" };
                writeln!(out, "{break_bar}learning ended with {size} of {target} entries: {why}")
            }
        };
        // The bar's line is complete.
        shown.stage = None;
    }

    fn show(&self, stage: Stage, done: u64, total: u64) {
        let mut shown = lock(&self.shown);
        let now = Instant::now();
        let changed = shown.stage != Some(stage);
        let ended = total > 0 && done >= total;
        if changed {
            if self.form == Form::Bar && shown.stage.is_some() {
                let _ = writeln!(std::io::stderr());
            }
            shown.stage = Some(stage);
            shown.started = now;
            shown.last = (self.form == Form::Plain).then_some(now);
        }
        let pause = if self.form == Form::Plain { PLAIN_EVERY } else { EVERY };
        let is_due = shown.last.is_none_or(|last| now - last >= pause);
        // The end of a stage completes its bar; a log needs no such line.
        let completes = ended && self.form != Form::Plain;
        if !is_due && !completes {
            return;
        }
        (shown.last, shown.spoke) = (Some(now), true);
        let seconds = (now - shown.started).as_secs_f64();
        let mut out = std::io::stderr().lock();
        // A display that cannot be written is no reason to end a job.
        let _ = match self.form {
            Form::Json => writeln!(
                out,
                "{{\"stage\":\"{}\",\"done\":{done},\"total\":{total},\"seconds\":{seconds:.3}}}",
                stage.name()
            ),
            Form::Plain => writeln!(out, "{}", self.line(stage, done, total, seconds, false)),
            _ => write!(out, "\r{}\x1b[K", self.line(stage, done, total, seconds, true))
                .and_then(|()| out.flush()),
        };
    }

    fn line(&self, stage: Stage, done: u64, total: u64, seconds: f64, bar: bool) -> String {
        let rate = if seconds > 0.0 { done as f64 / seconds } else { 0.0 };
        let texts = match (stage, self.texts) {
            (Stage::Count, Some(texts)) => format!(" of {} texts", grouped(texts as u64)),
            _ => String::new(),
        };
        let speed = format!("{}/s", amount(stage, rate as u64));
        if total == 0 {
            return format!("{:<13} {}{texts}, {speed}", stage.name(), amount(stage, done));
        }
        let filled = (done.min(total) as u128 * u128::from(WIDTH) / u128::from(total)) as usize;
        let drawn = match bar {
            true => format!("{}{} ", "█".repeat(filled), "░".repeat(WIDTH as usize - filled)),
            false => String::new(),
        };
        let percent = done.min(total) as u128 * 100 / u128::from(total);
        let of = format!("{percent:>3}% of {}{texts}, {speed}", amount(stage, total));
        let left = match rate > 0.0 && done < total {
            true => format!(", {} left", duration((total - done) as f64 / rate)),
            false => format!(", took {}", duration(seconds)),
        };
        format!("{:<13} {drawn}{of}{left}", stage.name())
    }
}

/// A number in the unit of its stage.
fn amount(stage: Stage, number: u64) -> String {
    if stage != Stage::Count {
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
        if self.form != Form::Silent {
            self.show(stage, done, total);
        }
    }

    fn expect_memory(&self, bytes: u64) {
        if self.form == Form::Json {
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

impl Drop for Display<'_> {
    fn drop(&mut self) {
        if self.form == Form::Bar && lock(&self.shown).stage.is_some() {
            let _ = writeln!(std::io::stderr());
        }
    }
}

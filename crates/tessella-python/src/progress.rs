//! Showing how far a training job is: a line on a terminal, lines of JSON, or nothing.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tessella_train::{Progress, Stage};

use crate::live::lock;

/// Time between two updates of the display.
const EVERY: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Silent,
    Line,
    Json,
}

struct Shown {
    stage: Option<Stage>,
    started: Instant,
    last: Option<Instant>,
}

/// A display that also carries the wish to stop.
pub struct Display<'a> {
    form: Form,
    cancel: &'a AtomicBool,
    /// Number of texts, if the caller knows it.
    texts: Option<usize>,
    shown: Mutex<Shown>,
}

impl<'a> Display<'a> {
    /// `form` is `silent`, `json`, or anything else for a line on a terminal.
    pub fn new(form: &str, cancel: &'a AtomicBool, texts: Option<usize>) -> Self {
        let form = match form {
            "silent" => Form::Silent,
            "json" => Form::Json,
            _ if std::io::stderr().is_terminal() => Form::Line,
            _ => Form::Silent,
        };
        let shown = Shown { stage: None, started: Instant::now(), last: None };
        Display { form, cancel, texts, shown: Mutex::new(shown) }
    }

    fn show(&self, stage: Stage, done: u64, total: u64) {
        let mut shown = lock(&self.shown);
        let now = Instant::now();
        let changed = shown.stage != Some(stage);
        let ended = total > 0 && done >= total;
        if !changed && !ended && shown.last.is_some_and(|last| now - last < EVERY) {
            return;
        }
        let mut out = std::io::stderr().lock();
        if changed {
            if self.form == Form::Line && shown.stage.is_some() {
                let _ = writeln!(out);
            }
            shown.stage = Some(stage);
            shown.started = now;
        }
        shown.last = Some(now);
        let seconds = (now - shown.started).as_secs_f64();
        // A display that cannot be written is no reason to end a training.
        let _ = match self.form {
            Form::Json => writeln!(
                out,
                "{{\"stage\":\"{}\",\"done\":{done},\"total\":{total},\"seconds\":{seconds:.3}}}",
                stage.name()
            ),
            _ => write!(out, "\r{}", self.line(stage, done, total, seconds)).and_then(|()| out.flush()),
        };
    }

    fn line(&self, stage: Stage, done: u64, total: u64, seconds: f64) -> String {
        let rate = if seconds > 0.0 { done as f64 / seconds } else { 0.0 };
        let texts = match (stage, self.texts) {
            (Stage::Count, Some(texts)) => format!(" of {texts} texts"),
            _ => String::new(),
        };
        if total == 0 {
            return format!("{:<13} {done}{texts}  {rate:.0}/s\x1b[K", stage.name());
        }
        const WIDTH: u64 = 30;
        let filled = (done.min(total) * WIDTH / total) as usize;
        let bar = format!("{}{}", "█".repeat(filled), "░".repeat(WIDTH as usize - filled));
        let left = if rate > 0.0 { total.saturating_sub(done) as f64 / rate } else { 0.0 };
        format!("{:<13} {bar} {done}/{total}{texts}  {rate:.0}/s, {left:.0} s left\x1b[K", stage.name())
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
        self.cancel.load(Ordering::Relaxed)
    }
}

impl Drop for Display<'_> {
    fn drop(&mut self) {
        if self.form == Form::Line && lock(&self.shown).stage.is_some() {
            let _ = writeln!(std::io::stderr());
        }
    }
}

//! The dialects' own regular-expression engines, and the rules of their match iterators.
//!
//! Oniguruma runs the patterns of `tokenizer.json` (Ruby syntax), fancy-regex those of tiktoken. Both
//! iterators agree on empty matches: one that touches the end of the previous match is not a match, and the
//! search goes on one character later.
//!
//! Both engines compile by recursion, Oniguruma down to a depth that does not fit on a thread's usual stack. So
//! that a pattern from a hostile file is an error and not the end of the process, one that could nest deep is
//! compiled on a stack of its own, and repeats of repeats, which no engine limits, are counted first.
//!
//! A run can fail: both engines backtrack and give up at a limit, which counts the attempts at one start; what they
//! take for a whole text is put on its bill ([`limits`]). A pattern can also misbehave (`\K` inside
//! a look-ahead makes a match end before it starts, a byte escape matches inside a character). [`Guard`]
//! turns all of that into an error, so that nobody downstream slices text at an impossible place.

use std::ops::Range;
use std::time::Duration;

use onig::{MatchParam, Region, SearchOptions};

use crate::error::{Error, ErrorKind, Result, excerpt};
use crate::limits::{self, Stopwatch};
use crate::spec::Dialect;
use crate::threads;

/// One compiled regular expression.
pub(super) enum Engine {
    Oniguruma(onig::Regex),
    Fancy(Box<fancy_regex::Regex>),
}

pub(super) fn name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Oniguruma => "oniguruma",
        Dialect::Fancy => "fancy-regex",
    }
}

impl Engine {
    pub(super) fn new(source: &str, dialect: Dialect) -> Result<Self> {
        let refused = |message: String| {
            Error::new(
                ErrorKind::Regex,
                format!(
                    "the regular expression `{}` does not compile with {}: {message}",
                    excerpt(source),
                    name(dialect)
                ),
            )
        };
        let repeats = longest_run_of_repeats(source);
        if repeats > MOST_REPEATS {
            return Err(refused(format!(
                "{repeats} repeat operators stand one behind another; the limit is {MOST_REPEATS}"
            )));
        }
        let compile = || Self::compile(source, dialect).map_err(&refused);
        if source.bytes().filter(|byte| matches!(byte, b'(' | b'[')).count() <= SHALLOW {
            return compile();
        }
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(DEEP_STACK);
            match threads::start(thread, scope, compile) {
                Ok(thread) => {
                    thread.join().unwrap_or_else(|_| Err(refused("the engine panicked".to_string())))
                }
                Err(error) => Err(refused(format!("no thread could be started for it: {error}"))),
            }
        })
    }

    fn compile(source: &str, dialect: Dialect) -> std::result::Result<Self, String> {
        match dialect {
            Dialect::Oniguruma => onig::Regex::new(source)
                .map(Engine::Oniguruma)
                .map_err(|error| error.description().to_string()),
            Dialect::Fancy => fancy_regex::Regex::new(source)
                .map(|regex| Engine::Fancy(Box::new(regex)))
                .map_err(|error| error.to_string()),
        }
    }

    /// Calls `found` for every match of `text`; `source` is the pattern's text, for messages.
    pub(super) fn for_each(
        &self,
        source: &str,
        text: &str,
        found: &mut dyn FnMut(Range<usize>),
    ) -> Result<()> {
        let _work = limits::begin_alone(text.len());
        let mut guard = Guard { source, text, end: 0 };
        match self {
            Engine::Oniguruma(regex) => {
                let mut search = Search::new(regex, source, text);
                let mut at = 0;
                let mut last_end = None;
                while at <= text.len() {
                    let Some((start, end)) = search.first(at)? else { break };
                    if start == end && last_end == Some(end) {
                        at = next_boundary(text, at);
                        continue;
                    }
                    at = end;
                    last_end = Some(end);
                    found(guard.check(start, end)?);
                }
            }
            Engine::Fancy(regex) => {
                let mut hits = regex.find_iter(text);
                let mut time = Time::start(source, text);
                loop {
                    let hit = hits.next();
                    time.look(hit.is_none())?;
                    let Some(hit) = hit else { break };
                    let hit = hit.map_err(|error| time.gave_up(&error.to_string()))?;
                    found(guard.check(hit.start(), hit.end())?);
                }
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Engine::Oniguruma(_) => "Oniguruma",
            Engine::Fancy(_) => "Fancy",
        })
    }
}

/// Patterns with at most so many opening brackets cannot nest deep enough to matter.
const SHALLOW: usize = 100;

/// For the others, in bytes. Oniguruma gives up at a depth of 4096, which takes about 4 MiB. Memory that is not
/// touched is not used.
const DEEP_STACK: usize = 64 << 20;

/// `a+?+` repeats what is repeated; nobody writes more than three.
const MOST_REPEATS: usize = 100;

/// The most repeat operators in a row, or what looks like them: a class of such characters counts as well.
fn longest_run_of_repeats(source: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in source.bytes() {
        match byte {
            b'*' | b'+' | b'?' | b'}' => run += 1,
            // Inside of a repeat's braces.
            b'{' | b',' | b'0'..=b'9' => {}
            _ => run = 0,
        }
        longest = longest.max(run);
    }
    longest
}

/// The character boundary after `at`, or one past the end.
fn next_boundary(text: &str, at: usize) -> usize {
    let mut next = at + 1;
    while next < text.len() && !text.is_char_boundary(next) {
        next += 1;
    }
    next
}

/// Searches of one text with Oniguruma, from left to right.
///
/// The engine is asked start by start, so that somebody can stop it. (Its own search over some of the starts is no way:
/// it lets no match reach beyond them.) And at each start it is first given few attempts, since it cannot be stopped
/// while it works on one: one attempt may look at all of the text. If they do not do, it begins anew with more, as many as fit
/// into the time that one try may take.
struct Search<'t> {
    regex: &'t onig::Regex,
    text: &'t str,
    region: Region,
    /// `\G` matches where a search begins, and so would match at each start: such a pattern is searched for at once.
    at_once: bool,
    time: Time<'t>,
}

/// Attempts at one start: the engine's own limit, which the reference library keeps.
const ATTEMPTS: u32 = 10_000_000;
const FIRST_ATTEMPTS: u32 = 1_000;
/// How many times more it gets at once, at most and at least, which is what it gets after tries that took long.
const MOST_MORE: f64 = 16.0;
const LEAST_MORE: f64 = 1.5;
const LONG: Duration = Duration::from_millis(20);
/// The engine's word for an attempt too many.
const TOO_MANY_ATTEMPTS: i32 = -17;

/// Entries that the engine's stack may have, of about 40 bytes: so many, and so many more for every byte of the text.
/// Honest patterns leave a few for each character that they may have to give back.
const STACK: usize = 2 << 20;
const STACK_PER_BYTE: usize = 8;

impl<'t> Search<'t> {
    fn new(regex: &'t onig::Regex, source: &'t str, text: &'t str) -> Self {
        let at_once = source.contains(r"\G");
        Search { regex, text, region: Region::new(), at_once, time: Time::start(source, text) }
    }

    /// The leftmost match that starts at `at` or later.
    fn first(&mut self, at: usize) -> Result<Option<(usize, usize)>> {
        let mut from = at;
        loop {
            let hit = self.try_at(from, FIRST_ATTEMPTS);
            let found = match hit {
                Ok(found) => found,
                Err(error) if error.code() == TOO_MANY_ATTEMPTS => self.try_harder(from)?,
                Err(error) => return Err(self.time.gave_up(error.description())),
            };
            let is_end = self.at_once || from == self.text.len();
            self.time.look(is_end)?;
            if found {
                return Ok(self.region.pos(0));
            }
            if is_end {
                return Ok(None);
            }
            from = next_boundary(self.text, from);
        }
    }

    /// Whether it matches at `from`.
    #[inline]
    fn try_at(&mut self, from: usize, attempts: u32) -> std::result::Result<bool, onig::Error> {
        self.region.clear();
        let (options, region) = (SearchOptions::SEARCH_OPTION_NONE, Some(&mut self.region));
        let mut param = MatchParam::default();
        let stack = STACK.saturating_add(self.text.len().saturating_mul(STACK_PER_BYTE));
        param.set_match_stack_limit(u32::try_from(stack).unwrap_or(u32::MAX));
        param.set_retry_limit_in_match(attempts);
        let hit = match self.at_once {
            true => self.regex.search_with_param(self.text, from, self.text.len(), options, region, param),
            false => self.regex.match_with_param(self.text, from, options, region, param),
        };
        hit.map(|hit| hit.is_some())
    }

    /// The same where the first attempts did not do.
    #[cold]
    fn try_harder(&mut self, from: usize) -> Result<bool> {
        let most = limits::pattern_time_at_one_place();
        let mut attempts = FIRST_ATTEMPTS;
        let mut watch = Stopwatch::start();
        loop {
            self.time.look(false)?;
            // The first ones once more, to know how long they take.
            match self.try_at(from, attempts) {
                Ok(hit) => return Ok(hit),
                Err(error) if error.code() == TOO_MANY_ATTEMPTS && attempts < ATTEMPTS => {}
                Err(error) => return Err(self.time.gave_up(error.description())),
            }
            let took = watch.lap();
            // How many times as long the next try may take. Later attempts may cost more than the first ones, in
            // proportion to their number: so many times as many may take the square of it as long.
            let left = most.as_secs_f64() / took.as_secs_f64().max(1e-9);
            if left < LEAST_MORE * LEAST_MORE {
                let reason = format!(
                    "it tried for {:.2} s to match at one place, and another try would take more than the {:.2} s that \
                     it may (a fifth of pattern_seconds of the limits)",
                    took.as_secs_f64(),
                    most.as_secs_f64()
                );
                return Err(self.time.gave_up(&reason));
            }
            // Whoever has much time shall still be asked now and then whether the result is wanted.
            let more = if took < LONG { left.sqrt().min(MOST_MORE) } else { LEAST_MORE };
            attempts = ((f64::from(attempts) * more) as u32).min(ATTEMPTS);
        }
    }
}

/// The time that a pattern takes for a text, put on the text's bill now and then.
struct Time<'t> {
    source: &'t str,
    text: &'t str,
    watch: Stopwatch,
}

/// Time between two looks at whether the result is still wanted.
const LOOK_EVERY: Duration = Duration::from_millis(1);

impl<'t> Time<'t> {
    fn start(source: &'t str, text: &'t str) -> Self {
        Time { source, text, watch: Stopwatch::start() }
    }

    /// Charges what was used, and looks whether the result is still wanted: if it is time for it, or at the end of the text.
    #[inline]
    fn look(&mut self, is_end: bool) -> Result<()> {
        if is_end || self.watch.wall() >= LOOK_EVERY { self.charge() } else { Ok(()) }
    }

    fn charge(&mut self) -> Result<()> {
        limits::charge_pattern(self.watch.lap()).map_err(|reason| self.gave_up(&reason))?;
        limits::check_after_work()
    }

    #[cold]
    fn gave_up(&self, message: &str) -> Error {
        Error::new(
            ErrorKind::Regex,
            format!(
                "the regular expression `{}` gave up on a text of {} bytes: {message}; nested or adjacent \
                 repetitions make it backtrack: use possessive quantifiers (`++`) or atomic groups (`(?>...)`), \
                 or cut the text first",
                excerpt(self.source),
                self.text.len()
            ),
        )
    }
}

/// Lets matches through that are in order and lie between characters.
struct Guard<'a> {
    source: &'a str,
    text: &'a str,
    /// Where the previous match ended.
    end: usize,
}

impl Guard<'_> {
    #[inline]
    fn check(&mut self, start: usize, end: usize) -> Result<Range<usize>> {
        let sound = self.end <= start
            && start <= end
            && self.text.is_char_boundary(start)
            && self.text.is_char_boundary(end);
        if !sound {
            return Err(self.unsound(start, end));
        }
        self.end = end;
        Ok(start..end)
    }

    #[cold]
    fn unsound(&self, start: usize, end: usize) -> Error {
        Error::new(
            ErrorKind::Regex,
            format!(
                "the regular expression `{}` matched bytes {start}..{end}, which is not a run of whole \
                 characters after byte {}; matches must be whole and in order: remove \\K from look-arounds \
                 and write characters instead of byte escapes",
                excerpt(self.source),
                self.end
            ),
        )
    }
}

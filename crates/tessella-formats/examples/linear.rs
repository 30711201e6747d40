//! Whether encoding takes time in proportion to the text: `linear FILE... [--largest MB] [--stack KB] [--pattern NAME]`
//!
//! FILE is any tokenizer that `load_path` reads; NAME is the encoding of a table of ranks (cl100k_base otherwise).
//! For each kind of text the time at an eighth, a quarter, half and the whole of the largest size (8 MB), of ids alone
//! and with offsets, and the growth from the first to the last: 8 is linear. Then the same with 100,000 added tokens.
//! All of it on a thread with a small stack (512 KB).

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use tessella_core::spec::AddedToken;
use tessella_core::{EncodeOptions, Input, Tokenizer};
use tessella_formats::detect::{LoadOptions, load_path};

/// The sizes of a text, as shares of the largest.
const SHARES: [usize; 4] = [8, 4, 2, 1];
/// Growth from half of the largest text to all of it: 2 is linear, n√n comes to 2.8, the square to 4. The first sizes
/// say less: there, memory is used again that large texts give back to the system and get anew.
const SUSPICIOUS: f64 = 2.7;

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// `size` bytes, or a few less, of what `part` makes.
fn fill(size: usize, mut part: impl FnMut(&mut Numbers, &mut String)) -> String {
    let mut numbers = Numbers(0x2545_F491_4F6C_DD1D);
    let mut text = String::with_capacity(size + 64);
    while text.len() < size {
        part(&mut numbers, &mut text);
    }
    let mut end = size;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

type Make = fn(usize) -> String;

/// Texts without a place to cut, or with nothing that repeats.
const TEXTS: [(&str, Make); 12] = [
    ("one letter", |size| "a".repeat(size)),
    ("spaces", |size| " ".repeat(size)),
    ("newlines", |size| "\n".repeat(size)),
    ("ab repeated", |size| "ab".repeat(size / 2)),
    ("punctuation", |size| "!".repeat(size)),
    ("digits", |size| fill(size, |numbers, text| text.push(char::from(b'0' + (numbers.next() % 10) as u8)))),
    ("combining marks", |size| fill(size, |_, text| text.push('\u{301}'))),
    ("CJK, no break", |size| {
        fill(size, |numbers, text| {
            text.push(char::from_u32(0x4E00 + (numbers.next() % 5000) as u32).unwrap_or('一'));
        })
    }),
    ("base64", |size| {
        const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        fill(size, |numbers, text| text.push(ALPHABET[(numbers.next() % 64) as usize] as char))
    }),
    ("letters, no break", |size| {
        fill(size, |numbers, text| text.push(char::from(b'a' + (numbers.next() % 26) as u8)))
    }),
    ("distinct words", |size| {
        fill(size, |numbers, text| {
            for _ in 0..3 + numbers.next() % 8 {
                text.push(char::from(b'a' + (numbers.next() % 26) as u8));
            }
            text.push(' ');
        })
    }),
    ("alternating scripts", |size| {
        const SCRIPTS: [u32; 8] = [0x61, 0x430, 0x5D0, 0x627, 0x905, 0x3042, 0x4E00, 0xAC00];
        fill(size, |numbers, text| {
            for _ in 0..1 + numbers.next() % 3 {
                let script = SCRIPTS[(numbers.next() % 8) as usize];
                text.push(char::from_u32(script + (numbers.next() % 20) as u32).unwrap_or('a'));
            }
        })
    }),
];

/// Seconds that this thread has run, where the system counts them: other programs do not disturb that.
fn thread_seconds() -> Option<f64> {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(statistics.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}

fn seconds(work: impl FnOnce() -> Result<(), tessella_core::Error>) -> Result<f64, tessella_core::Error> {
    let (before, started) = (thread_seconds(), Instant::now());
    work()?;
    let elapsed = started.elapsed().as_secs_f64();
    Ok(before.and_then(|before| Some(thread_seconds()? - before)).unwrap_or(elapsed))
}

fn table(tokenizer: &Tokenizer, texts: &[(&str, Make)], largest: usize) -> Result<(), tessella_core::Error> {
    let options = EncodeOptions::default();
    let [first, second, third, last] = SHARES.map(|share| format!("{} kB", (largest / share) >> 10));
    println!("  {:20} {first:>9} {second:>9} {third:>9} {last:>9}  growth  with offsets  growth", "ms at");
    for (name, make) in texts {
        let mut ids = [0.0; 4];
        let mut aligned = [0.0; 4];
        for (at, share) in SHARES.iter().enumerate() {
            let text = make(largest / share);
            tokenizer.clear_cache();
            ids[at] = seconds(|| tokenizer.encode_ids(&text, &options).map(drop))?;
            tokenizer.clear_cache();
            aligned[at] = seconds(|| tokenizer.encode(&Input::from(text.as_str()), &options).map(drop))?;
        }
        let growth = |times: [f64; 4]| times[3] / times[0].max(1e-3);
        let at_the_end = |times: [f64; 4]| times[3] / times[2].max(1e-3);
        let mark =
            if at_the_end(ids).max(at_the_end(aligned)) > SUSPICIOUS { "  <-- not linear?" } else { "" };
        println!(
            "  {name:20} {:9.1} {:9.1} {:9.1} {:9.1} {:7.1} {:15.1} {:10.1}{mark}",
            ids[0] * 1e3,
            ids[1] * 1e3,
            ids[2] * 1e3,
            ids[3] * 1e3,
            growth(ids),
            aligned[3] * 1e3,
            growth(aligned)
        );
    }
    Ok(())
}

fn run(files: &[String], pattern: &str, largest: usize) -> Result<(), tessella_core::Error> {
    for file in files {
        let path = Path::new(file);
        let pattern = path.extension().is_some_and(|extension| extension == "tiktoken").then_some(pattern);
        let spec = load_path(path, &LoadOptions { pattern, ..LoadOptions::default() })?.spec;
        let tokenizer = Tokenizer::new(spec)?;
        println!("{}", path.display());
        table(&tokenizer, &TEXTS, largest)?;
        let mut many = Vec::new();
        for count in [25_000, 50_000, 100_000] {
            let tokens: Vec<AddedToken> = (0..count)
                .map(|index| AddedToken::new(format!("<|added {index}|>"), index % 2 == 0))
                .collect();
            let started = Instant::now();
            many.push((tokenizer.with_added_tokens(&tokens)?.0, started.elapsed().as_secs_f64() * 1e3));
        }
        println!(
            "  25,000 / 50,000 / 100,000 added tokens: built in {:.0} / {:.0} / {:.0} ms",
            many[0].1, many[1].1, many[2].1
        );
        const ADDED: [(&str, Make); 2] = [
            ("  added tokens", |size| {
                fill(size, |numbers, text| text.push_str(&format!("<|added {}|>x", numbers.next() % 100_000)))
            }),
            ("  nearly added ones", |size| {
                fill(size, |numbers, text| text.push_str(&format!("<|added {}|", numbers.next() % 100_000)))
            }),
        ];
        if let Some((tokenizer, _)) = many.pop() {
            table(&tokenizer, &ADDED, largest)?;
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut files, mut pattern) = (Vec::new(), "cl100k_base".to_string());
    let (mut stack, mut largest) = (512usize, 8usize);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--stack" => stack = arguments.next().ok_or("--stack needs a number")?.parse()?,
            "--largest" => largest = arguments.next().ok_or("--largest needs a number")?.parse()?,
            "--pattern" => pattern = arguments.next().ok_or("--pattern needs a name")?,
            _ => files.push(argument),
        }
    }
    if files.is_empty() {
        return Err("usage: linear FILE... [--largest MB] [--stack KB] [--pattern NAME]".into());
    }
    let thread = std::thread::Builder::new()
        .stack_size(stack << 10)
        .spawn(move || run(&files, &pattern, largest << 20))?;
    match thread.join() {
        Ok(outcome) => Ok(outcome?),
        Err(_) => Err("the thread panicked".into()),
    }
}

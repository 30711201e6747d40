//! Reads any tokenizer file and writes it as `tokenizer.json` to standard output:
//! `rewrite FILE [--pretty] [PATTERN-OR-ENCODING]`. The time that loading took goes to standard error.

use std::path::Path;
use std::time::Instant;

use tessella_formats::detect::{LoadOptions, load_path};
use tessella_formats::hf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (flags, rest): (Vec<_>, Vec<_>) = arguments.iter().partition(|argument| argument.starts_with("--"));
    let path = rest.first().ok_or("usage: rewrite FILE [--pretty] [PATTERN-OR-ENCODING]")?;
    let started = Instant::now();
    let pattern = rest.get(1).map(|pattern| pattern.as_str());
    let loaded = load_path(Path::new(path), &LoadOptions { pattern, ..LoadOptions::default() })?;
    eprintln!("{:?} in {:.1} ms", loaded.format, started.elapsed().as_secs_f64() * 1e3);
    loaded.notices.iter().for_each(|notice| eprintln!("{notice}"));
    print!("{}", hf::to_string(&loaded.spec, flags.iter().any(|flag| *flag == "--pretty"))?);
    Ok(())
}

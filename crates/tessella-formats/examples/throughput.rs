//! How fast one tokenizer runs on one text: `cargo run --release --example throughput -- tokenizer.json text.txt`
//!
//! Prints MB/s of the ids-only path (first pass and warm) and of the full path, one thread, no Python.

use std::time::Instant;

use tessella_core::{EncodeOptions, Input, Tokenizer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(model), Some(text)) = (arguments.next(), arguments.next()) else {
        return Err("usage: throughput <tokenizer.json> <text file>".into());
    };
    let started = Instant::now();
    let tokenizer = Tokenizer::new(tessella_formats::hf::from_bytes(&std::fs::read(&model)?)?)?;
    println!("load      {:8.1} ms", started.elapsed().as_secs_f64() * 1e3);
    for step in tokenizer.explain_plan() {
        println!("          {}: {} ({})", step.stage, step.engine, step.reason);
    }
    let text = String::from_utf8_lossy(&std::fs::read(&text)?).into_owned();
    let documents: Vec<&str> = text.split_inclusive("\n\n").collect();
    let options = EncodeOptions::default();
    let megabytes = text.len() as f64 / 1e6;
    for pass in ["ids first", "ids warm"] {
        let started = Instant::now();
        let mut tokens = 0;
        for document in &documents {
            tokens += tokenizer.encode_ids(document, &options)?.len();
        }
        println!("{pass:9} {:8.1} MB/s  {tokens} tokens", megabytes / started.elapsed().as_secs_f64());
    }
    let started = Instant::now();
    let mut tokens = 0;
    for document in &documents {
        tokens += tokenizer.encode(&Input::from(*document), &options)?.len();
    }
    println!("offsets   {:8.1} MB/s  {tokens} tokens", megabytes / started.elapsed().as_secs_f64());
    Ok(())
}

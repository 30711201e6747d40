//! Real tokenizer files cut short: always an error, never a panic.
//!
//! The files are those of the folder that `TESSELLA_MODELS` names; without it there is nothing to cut.

use std::path::PathBuf;

use tessella_core::{EncodeOptions, Tokenizer};
use tessella_formats::{hf, sentencepiece, tiktoken};

/// Cuts per file, spread evenly: large files take long to read.
const CUTS: usize = 24;

fn load(path: &str, bytes: &[u8]) -> tessella_core::Result<Tokenizer> {
    let spec = match path.rsplit('.').next().unwrap_or_default() {
        "json" => hf::from_bytes(bytes),
        "tiktoken" => tiktoken::from_bytes(bytes, "cl100k_base", Some(&[])),
        _ => sentencepiece::read_model(bytes),
    }?;
    Tokenizer::new(spec)
}

#[test]
fn real_files_cut_short_are_refused_or_work() {
    let Some(folder) = std::env::var_os("TESSELLA_MODELS").map(PathBuf::from) else {
        println!("skipped: TESSELLA_MODELS names no folder with tokenizer files");
        return;
    };
    let mut seen = 0;
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let name = path.to_string_lossy().into_owned();
        if !["json", "tiktoken", "model"].iter().any(|end| name.ends_with(end)) {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        seen += 1;
        load(&name, &bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        for cut in 0..CUTS {
            let short = &bytes[..bytes.len() * cut / CUTS + cut % 3];
            match load(&name, short) {
                Err(error) => assert!(error.message().len() > 8, "{name} cut to {}: {error}", short.len()),
                Ok(tokenizer) => {
                    assert!(!name.ends_with("json"), "{name} loads when cut to {} bytes", short.len());
                    let _ = tokenizer.encode_ids("Hello wörld 你好", &EncodeOptions::default());
                }
            }
        }
    }
    assert!(seen > 0, "the folder holds no tokenizer files");
}

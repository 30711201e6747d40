//! Writes the first inputs of each target: `seeds CORPUS_FOLDER`.

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let corpus = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "corpus".to_string()));
    let write = |target: &str, name: &str, bytes: &[u8]| {
        let folder = corpus.join(target);
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(name), bytes)
    };
    for (name, text) in tessella_fuzz::files::JSON {
        write("load_json", name, text.as_bytes())?;
    }
    for (name, bytes) in tessella_fuzz::files::binary() {
        write("load_binary", &name, &bytes)?;
    }
    // The others read decisions: bytes of every kind, long enough for a tokenizer and a text.
    for target in [
        "encode_equals_reference",
        "round_trip",
        "offsets_slice_back",
        "scanner_equals_engine",
        "parts_equal_whole",
    ] {
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        for index in 0..200 {
            let bytes: Vec<u8> = (0..100 + index * 4)
                .map(|_| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    (state >> 24) as u8
                })
                .collect();
            write(target, &format!("seed-{index:03}"), &bytes)?;
        }
    }
    Ok(())
}

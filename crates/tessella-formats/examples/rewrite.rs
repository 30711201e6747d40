//! Reads a `tokenizer.json` and writes it again: `rewrite FILE [--pretty]`, to standard output.

use tessella_formats::hf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: rewrite FILE [--pretty]")?;
    let pretty = arguments.next().as_deref() == Some("--pretty");
    print!("{}", hf::to_string(&hf::from_bytes(&std::fs::read(path)?)?, pretty)?);
    Ok(())
}

//! Megabytes per second. Run by hand:
//! `cargo test --release -p tessella-core pattern::scan::tests::speed -- --ignored --nocapture`.
//! `TESSELLA_SPEED_TEXTS` names text files, separated by colons, to measure besides the made-up ones;
//! `TESSELLA_SPEED_PATTERN` picks patterns by a part of their name.

use super::*;
use std::time::Instant;

fn texts() -> Vec<(String, String)> {
    let repeat = |text: &str| text.repeat(1_000_000 / text.len());
    let mut texts = vec![
        (
            "english".to_string(),
            repeat("It wasn't the 1st time; she'd walked home (alone) from school, and that was 1987.\n\n"),
        ),
        (
            "code".to_string(),
            repeat("    def run(self, count: int = 10) -> None:\n        return self.walk(count + 1)\n\n"),
        ),
        ("chinese".to_string(), repeat("今天天气很好，我们去公园散步。他说：“明天见！”\n")),
        ("russian".to_string(), repeat("Сегодня хорошая погода, мы пойдём гулять в парк.\n")),
    ];
    for path in
        std::env::var("TESSELLA_SPEED_TEXTS").unwrap_or_default().split(':').filter(|path| !path.is_empty())
    {
        texts.push((path.rsplit('/').next().unwrap().to_string(), std::fs::read_to_string(path).unwrap()));
    }
    texts
}

#[test]
#[ignore = "a measurement"]
fn megabytes_per_second() {
    let texts = texts();
    for (name, dialect, source) in super::named::patterns() {
        if !name.contains(&std::env::var("TESSELLA_SPEED_PATTERN").unwrap_or_default()) {
            continue;
        }
        let started = Instant::now();
        let Ok(scanner) = Scanner::compile(&source, dialect).unwrap() else { continue };
        let compiled = started.elapsed();
        let mut line = format!("{name} {dialect:?} [{}; {compiled:.1?}]:", scanner.explain());
        for (text_name, text) in &texts {
            let mut best = f64::MAX;
            for _ in 0..setting("TESSELLA_SPEED_RUNS", 40) {
                let started = Instant::now();
                let mut sum = 0;
                scanner.for_each_piece(text, |start, end, _| sum += end ^ start);
                std::hint::black_box(sum);
                best = best.min(started.elapsed().as_secs_f64());
            }
            line += &format!(" {text_name} {:.0}", text.len() as f64 / best / 1e6);
        }
        println!("{line}");
    }
}

/// The named patterns on the same texts, cut into stretches that the engines can finish.
#[test]
#[ignore = "takes minutes; run with text files in TESSELLA_SPEED_TEXTS"]
fn texts_match_as_their_engines_do() {
    for (name, dialect, source) in super::named::patterns() {
        let Ok(scanner) = Scanner::compile(&source, dialect).unwrap() else { continue };
        let engine = Engine::new(&source, dialect).unwrap();
        for (text_name, text) in texts().iter().skip(4) {
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let mut cut = rest.len().min(20_000);
                while !rest.is_char_boundary(cut) {
                    cut += 1;
                }
                let (stretch, after) = rest.split_at(cut);
                rest = after;
                let Some(wanted) = engine.pieces(stretch) else { continue };
                assert!(pieces(&scanner, stretch) == wanted, "{name} {dialect:?} on {text_name}: {stretch}");
            }
        }
    }
}

//! Counts as an artefact: files, merging, spilling, threads, damage.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tessella_core::ErrorKind;
use tessella_core::random::Random;
use tessella_train::{CountOptions, PieceCounts, Silent, Source, count_texts};

struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let name = format!("tessella-test-{:016x}", Random::from_entropy().next_u64());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn random_pieces(random: &mut Random, n: usize) -> Vec<(String, u64)> {
    let letters = ['a', 'b', 'é', '日', '\0', ' ', '𝒳'];
    (0..n)
        .map(|_| {
            let len = random.next_u64() % 9;
            let text = (0..len).map(|_| letters[(random.next_u64() % 7) as usize]).collect();
            (text, 1 + random.next_u64() % 1000)
        })
        .collect()
}

fn all(counts: &PieceCounts) -> Vec<(String, u64)> {
    counts.iter().unwrap().collect::<Result<_, _>>().unwrap()
}

fn spell(text: &str, emit: &mut dyn FnMut(&str)) -> tessella_core::Result<()> {
    text.split(' ').for_each(emit);
    Ok(())
}

#[test]
fn like_an_ordered_map() {
    let mut random = Random::from_seed(1);
    let pieces = random_pieces(&mut random, 20_000);
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    for (piece, count) in &pieces {
        *expected.entry(piece.clone()).or_default() += count;
    }
    let counts = PieceCounts::from_pairs(pieces.clone()).unwrap();
    assert_eq!(all(&counts), expected.clone().into_iter().collect::<Vec<_>>());
    assert_eq!(counts.distinct().unwrap(), expected.len() as u64);
    assert_eq!(counts.total(), pieces.iter().map(|(_, count)| u128::from(*count)).sum());
    let mut top: Vec<(String, u64)> = expected.into_iter().collect();
    top.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    top.truncate(50);
    assert_eq!(counts.top(50).unwrap(), top);
}

#[test]
fn shards_spills_and_files_give_the_same_bytes() {
    let folder = Folder::new();
    let mut random = Random::from_seed(2);
    let pieces: Vec<(String, u64)> =
        (0..120_000).map(|_| (format!("{:x}", random.next_u64() >> (random.next_u64() % 60)), 3)).collect();
    let whole = PieceCounts::from_pairs(pieces.clone()).unwrap();
    whole.save(&folder.file("whole"), &Silent).unwrap();
    let bytes = std::fs::read(folder.file("whole")).unwrap();
    assert_eq!(&bytes[..8], b"TSLCOUNT");

    // Shards, merged in another order, one of them from a file.
    let mut shards: Vec<PieceCounts> = (0..8).map(|_| PieceCounts::new()).collect();
    for (piece, count) in &pieces {
        shards[(random.next_u64() % 8) as usize].add(piece, *count).unwrap();
    }
    shards[3].save(&folder.file("shard"), &Silent).unwrap();
    shards[3] = PieceCounts::open(&folder.file("shard")).unwrap();
    let mut merged = PieceCounts::new();
    shards.iter().rev().for_each(|shard| merged.merge(shard).unwrap());
    merged.save(&folder.file("merged"), &Silent).unwrap();
    assert!(bytes == std::fs::read(folder.file("merged")).unwrap());

    // A budget that does not hold everything.
    let mut spilled = PieceCounts::with_budget(1 << 20, Some(&folder.0)).unwrap();
    for (piece, count) in &pieces {
        spilled.add(piece, *count).unwrap();
    }
    assert!(!spilled.knows_appearance(), "nothing was written to disk");
    assert!(spilled.memory() < 1 << 20);
    assert_eq!(spilled.distinct().unwrap(), whole.distinct().unwrap());
    spilled.save(&folder.file("spilled"), &Silent).unwrap();
    assert!(bytes == std::fs::read(folder.file("spilled")).unwrap());
    for (piece, _) in pieces.iter().step_by(1000) {
        assert_eq!(spilled.get(piece).unwrap(), whole.get(piece).unwrap());
    }
    drop(spilled);

    // Opening is lazy and whole.
    let opened = PieceCounts::open(&folder.file("whole")).unwrap();
    opened.verify(&Silent).unwrap();
    assert_eq!(all(&opened), all(&whole));
    assert_eq!((opened.total(), opened.distinct().unwrap()), (whole.total(), whole.distinct().unwrap()));
    for (piece, _) in pieces.iter().step_by(777) {
        assert_eq!(opened.get(piece).unwrap(), whole.get(piece).unwrap());
    }
    assert_eq!(opened.get("nothing like it").unwrap(), None);
    let left: Vec<_> =
        std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 4, "temporary files were left behind: {left:?}");
}

/// Counts of several machines in parts, of which those of one number are merged alone, are the counts of one machine.
#[test]
fn parts_of_a_number_belong_together() {
    let folder = Folder::new();
    let mut random = Random::from_seed(6);
    let pieces = random_pieces(&mut random, 30_000);
    let mut whole = PieceCounts::from_pairs(pieces.clone()).unwrap();
    let source = Source { name: "one".into(), weight: 1, texts: 3, bytes: 5, ..Source::default() };
    let mut merged = [const { Vec::new() }; 7];
    for (machine, shard) in pieces.chunks(11_000).enumerate() {
        let mut counts = PieceCounts::from_pairs(shard.to_vec()).unwrap();
        counts.note_source(source.clone()).unwrap();
        whole.note_source(source.clone()).unwrap();
        let own = folder.file(&machine.to_string());
        std::fs::create_dir(&own).unwrap();
        let paths = counts.save_parts(&own, merged.len(), &Silent).unwrap();
        assert_eq!(std::fs::read_dir(&own).unwrap().count(), merged.len());
        for (part, path) in merged.iter_mut().zip(paths) {
            part.push(PieceCounts::open(&path).unwrap());
        }
    }
    let mut joined = PieceCounts::new();
    for (number, parts) in merged.iter().enumerate() {
        let mut part = PieceCounts::new();
        parts.iter().for_each(|one| part.merge(one).unwrap());
        let share = part.distinct().unwrap() as f64 / whole.distinct().unwrap() as f64 * merged.len() as f64;
        assert!((0.8..1.2).contains(&share), "part {number} has {share} of its share");
        part.save(&folder.file("part"), &Silent).unwrap();
        joined.merge(&PieceCounts::open(&folder.file("part")).unwrap()).unwrap();
    }
    joined.verify(&Silent).unwrap();
    joined.save(&folder.file("joined"), &Silent).unwrap();
    whole.save(&folder.file("whole"), &Silent).unwrap();
    assert!(std::fs::read(folder.file("joined")).unwrap() == std::fs::read(folder.file("whole")).unwrap());
    for wrong in [0, 1000] {
        let error = whole.save_parts(&folder.0, wrong, &Silent).unwrap_err();
        assert!(error.message().contains("1 to 256 parts"), "{error}");
    }
    let stop = std::sync::atomic::AtomicBool::new(true);
    let own = folder.file("stopped");
    std::fs::create_dir(&own).unwrap();
    let error = whole.save_parts(&own, 3, &tessella_train::CancelFlag(&stop)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    assert_eq!(std::fs::read_dir(&own).unwrap().count(), 0, "something was left behind");
}

#[test]
fn threads_do_not_change_the_counts() {
    let folder = Folder::new();
    let mut random = Random::from_seed(3);
    let texts: Vec<String> = (0..3000)
        .map(|_| {
            let words: Vec<String> = (0..300).map(|_| (random.next_u64() % 30_000).to_string()).collect();
            words.join(" ")
        })
        .collect();
    let mut files = Vec::new();
    for (threads, memory) in [(1, None), (2, None), (5, None), (1, Some(3 << 20)), (3, Some(8 << 20))] {
        let options = CountOptions {
            threads,
            memory,
            spill_folder: Some(folder.0.clone()),
            name: "test".to_string(),
            language: "num".to_string(),
            weight: 2,
            ..CountOptions::default()
        };
        let counts = count_texts(texts.iter().map(Ok), &spell, &options, &Silent).unwrap();
        assert_eq!(counts.total(), 3000 * 300 * 2);
        assert_eq!(counts.language(), Some("num"));
        let bytes = texts.iter().map(|text| text.len() as u64).sum();
        assert_eq!((counts.sources()[0].texts, counts.sources()[0].bytes), (3000, bytes));
        let file = folder.file("counts");
        counts.save(&file, &Silent).unwrap();
        files.push(std::fs::read(file).unwrap());
    }
    assert!(files.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn errors_end_the_count() {
    let texts = || (0..50_000).map(|number| Ok(format!("text {number}")));
    for threads in [1, 3] {
        let options = CountOptions { threads, ..CountOptions::default() };
        let split = |text: &str, _: &mut dyn FnMut(&str)| match text {
            "text 777" => Err(tessella_core::Error::value("no sevens")),
            _ => Ok(()),
        };
        let error = count_texts(texts(), &split, &options, &Silent).unwrap_err();
        assert_eq!(error.message(), "no sevens");
        let broken = texts().chain([Err(tessella_core::Error::format("broken file"))]);
        let error = count_texts(broken, &spell, &options, &Silent).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Format, "broken file"));
        let stop = std::sync::atomic::AtomicBool::new(true);
        let error = count_texts(texts(), &spell, &options, &tessella_train::CancelFlag(&stop)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Interrupted);
    }
}

#[test]
fn large_counts_and_overflow() {
    let mut counts = PieceCounts::from_pairs([("ab", 3u64)]).unwrap();
    for _ in 0..45 {
        let copy = counts.clone();
        counts.merge(&copy).unwrap();
    }
    assert_eq!(counts.get("ab").unwrap(), Some(3 << 45));
    let error = counts.merge_weighted(&counts.clone(), 1 << 20).unwrap_err();
    assert!(error.message().contains("`ab`"), "{error}");
    assert!(counts.merge_weighted(&PieceCounts::new(), 0).is_err());
}

#[test]
fn sources_are_noted_in_any_order() {
    let shard = |name: &str, texts| {
        let mut counts = PieceCounts::from_pairs([("x", 1u64)]).unwrap();
        let language = "xx".to_string();
        counts
            .note_source(Source { name: name.into(), language, weight: 1, texts, bytes: texts * 10 })
            .unwrap();
        counts
    };
    let merge = |shards: [PieceCounts; 3]| {
        let mut counts = PieceCounts::new();
        shards.iter().for_each(|shard| counts.merge(shard).unwrap());
        counts.sources().to_vec()
    };
    let one = merge([shard("b", 1), shard("a", 2), shard("b", 5)]);
    assert_eq!(one, merge([shard("b", 5), shard("b", 1), shard("a", 2)]));
    assert_eq!(
        one.iter().map(|source| (source.name.as_str(), source.texts)).collect::<Vec<_>>(),
        [("a", 2), ("b", 6)]
    );
}

#[test]
fn tab_separated_lines() {
    let folder = Folder::new();
    let file = folder.file("counts.tsv");
    let counts = PieceCounts::from_pairs([("▁the", 5u64), ("a\tb", 2), ("", 1)]).unwrap();
    counts.write_tsv(&file, &Silent).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "\t1\na\tb\t2\n▁the\t5\n");
    assert_eq!(all(&PieceCounts::read_tsv(&file).unwrap()), all(&counts));
    assert!(PieceCounts::from_pairs([("a\nb", 1u64)]).unwrap().write_tsv(&file, &Silent).is_err());
    for (content, what) in [("a\t1\nb\n", "line 2"), ("a\tx\n", "`x`"), ("a\t-1", "`-1`")] {
        std::fs::write(&file, content).unwrap();
        let error = PieceCounts::read_tsv(&file).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
    std::fs::write(&file, b"ok\t1\n\xFFa\t1\n").unwrap();
    assert!(PieceCounts::read_tsv(&file).unwrap_err().to_string().contains("line 2"));
    assert_eq!(PieceCounts::read_tsv(&folder.file("missing")).unwrap_err().kind(), ErrorKind::Io);
}

/// Every changed byte is noticed, and nothing panics.
#[test]
fn damaged_files() {
    let folder = Folder::new();
    let file = folder.file("counts");
    let mut random = Random::from_seed(4);
    let counts = PieceCounts::from_pairs(random_pieces(&mut random, 200)).unwrap();
    counts.save(&file, &Silent).unwrap();
    let good = std::fs::read(&file).unwrap();
    let read = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        PieceCounts::open(&file).and_then(|counts| counts.verify(&Silent))
    };
    read(&good).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        let error = read(&bad).expect_err(&format!("byte {at} changed"));
        assert!(matches!(error.kind(), ErrorKind::Format | ErrorKind::Io), "{error}");
        assert_eq!((8..16).contains(&at), error.to_string().contains("a newer Tessella"), "{at}: {error}");
    }
    for len in 0..good.len() {
        assert!(read(&good[..len]).is_err(), "cut to {len} bytes");
    }
    read(b"").unwrap_err();
}

/// So many runs that they are joined tier by tier, some of them weighted, shared and loaded from files.
#[test]
fn many_runs_and_weights() {
    let folder = Folder::new();
    let mut random = Random::from_seed(5);
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    let mut merged = PieceCounts::new();
    for shard in 0..80u64 {
        let pieces = random_pieces(&mut random, 300);
        let weight = 1 + shard % 3;
        for (piece, count) in &pieces {
            *expected.entry(piece.clone()).or_default() += count * weight;
        }
        let file = folder.file("shard");
        // The same name again and again: what was opened stays readable.
        PieceCounts::from_pairs(pieces).unwrap().save(&file, &Silent).unwrap();
        merged.merge_weighted(&PieceCounts::open(&file).unwrap(), weight).unwrap();
    }
    assert_eq!(all(&merged), expected.clone().into_iter().collect::<Vec<_>>());
    assert_eq!(merged.distinct().unwrap(), expected.len() as u64);
    merged.verify(&Silent).unwrap();
    for (piece, count) in expected.iter().step_by(97) {
        assert_eq!(merged.get(piece).unwrap(), Some(*count));
    }
    merged.add("one more", 1).unwrap();
    assert_eq!(merged.distinct().unwrap(), expected.len() as u64 + 1);

    // What is on disk in both directions.
    let mut twice = PieceCounts::with_budget(1 << 20, Some(&folder.0)).unwrap();
    twice.merge_weighted(&merged, 2).unwrap();
    twice.merge(&merged).unwrap();
    assert_eq!(twice.total(), merged.total() * 3);
    twice.verify(&Silent).unwrap();
    let frequencies = twice.frequencies(&Silent).unwrap();
    assert!(frequencies.windows(2).all(|pair| pair[0].0 > pair[1].0));
    assert_eq!(frequencies.iter().map(|(count, n)| u128::from(count * n)).sum::<u128>(), twice.total());

    // Overflow of what is on disk is noticed when it is walked.
    let file = folder.file("heavy");
    PieceCounts::from_pairs([("ab", u64::MAX)]).unwrap().save(&file, &Silent).unwrap();
    let mut heavy = PieceCounts::open(&file).unwrap();
    heavy.merge(&PieceCounts::open(&file).unwrap()).unwrap();
    assert!(heavy.get("ab").unwrap_err().message().contains("`ab`"));
    assert!(heavy.top(1).unwrap_err().message().contains("`ab`"));
    let error = heavy.merge_weighted(&heavy.clone(), u64::MAX).unwrap_err();
    assert!(error.message().contains("64 bits"), "{error}");
}

#[test]
fn walking_can_be_stopped_and_a_small_budget_is_named() {
    let folder = Folder::new();
    let counts = PieceCounts::from_pairs((0..1000).map(|n| (n.to_string(), 1))).unwrap();
    let stop = std::sync::atomic::AtomicBool::new(true);
    let stop = tessella_train::CancelFlag(&stop);
    assert_eq!(counts.save(&folder.file("out"), &stop).unwrap_err().kind(), ErrorKind::Interrupted);
    assert_eq!(counts.top_with(3, &stop).unwrap_err().kind(), ErrorKind::Interrupted);
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0, "something was left behind");
    let options = CountOptions { threads: 30, memory: Some(4 << 20), ..CountOptions::default() };
    let error = count_texts([Ok("a")], &spell, &options, &Silent).unwrap_err();
    assert!(error.message().contains("threads is 30"), "{error}");
}

//! Corpus files: lines, JSON lines, packed files, damage.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use tessella_core::random::Random;
use tessella_core::{ErrorKind, Portion, Result};
use tessella_formats::corpus::{Corpus, CorpusOptions, Cut, Form, Input, Invalid, Share, Spot};

struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let name = format!("tessella-corpus-{:016x}", Random::from_entropy().next_u64());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(content).unwrap();
    out.finish().unwrap()
}

fn zstd(content: &[u8]) -> Vec<u8> {
    let mut out = ::zstd::Encoder::new(Vec::new(), 1).unwrap();
    out.include_checksum(true).unwrap();
    out.write_all(content).unwrap();
    out.finish().unwrap()
}

fn texts(path: PathBuf, options: CorpusOptions) -> Result<Vec<String>> {
    Corpus::new(vec![path], options).collect()
}

fn lines() -> Vec<String> {
    let mut random = Random::from_seed(1);
    (0..20_000)
        .map(|number| format!("{number} día 東京 {:x}\n", random.next_u64()))
        .chain(["\r\n".to_string(), "no end".to_string()])
        .collect()
}

#[test]
fn packing_changes_nothing() {
    let folder = Folder::new();
    let expected = lines();
    let content = expected.concat();
    let content = content.as_bytes();
    let middle = content.len() / 2;
    let skipped = [&[0x53, 0x2A, 0x4D, 0x18, 5, 0, 0, 0], &b"extra"[..]].concat();
    let files = [
        ("plain.txt", content.to_vec()),
        ("one.gz", gzip(content)),
        ("padded.txt.gz", [gzip(content), vec![0; 300_000]].concat()),
        ("members.txt.gz", [gzip(&content[..middle]), gzip(&[]), gzip(&content[middle..])].concat()),
        ("one.zst", zstd(content)),
        ("frames", [&skipped[..], &zstd(&content[..middle]), &skipped, &zstd(&content[middle..])].concat()),
    ];
    for (name, packed) in files {
        let size = packed.len() as u64;
        let mut corpus = Corpus::new(vec![folder.write(name, packed)], CorpusOptions::default());
        let found: Vec<String> = corpus.by_ref().map(|text| text.unwrap()).collect();
        assert!(found == expected, "{name}");
        assert_eq!(corpus.position().load(Ordering::Relaxed), size, "{name}");
    }
}

#[test]
fn files_follow_each_other() {
    let folder = Folder::new();
    let paths = vec![folder.write("a", "1\n2"), folder.write("b", ""), folder.write("c.gz", gzip(b"3\n"))];
    let found: Result<Vec<String>> = Corpus::new(paths, CorpusOptions::default()).collect();
    assert_eq!(found.unwrap(), ["1\n", "2", "3\n"]);
}

/// What ends a text concerns files that are text, packed or not; lines of JSON are cut by their lines alone.
#[test]
fn texts_end_where_the_caller_says() {
    let folder = Folder::new();
    let content = "a\r\nbb\n\nab\ncab";
    let at = |separator: &str| Cut::At(separator.to_string());
    let cases = [
        (Cut::Lines, vec!["a\r\n", "bb\n", "\n", "ab\n", "cab"]),
        (Cut::BareLines, vec!["a", "bb", "", "ab", "cab"]),
        (Cut::Never, vec![content]),
        (at("\n"), vec!["a\r", "bb", "", "ab", "cab"]),
        (at("bb"), vec!["a\r\n", "\n\nab\ncab"]),
        (at("ab"), vec!["a\r\nbb\n\n", "\nc"]),
        (at("nowhere"), vec![content]),
    ];
    for (cut, expected) in cases {
        let options = CorpusOptions { cut: cut.clone(), ..CorpusOptions::default() };
        for packed in [content.as_bytes().to_vec(), gzip(content.as_bytes()), zstd(content.as_bytes())] {
            assert_eq!(texts(folder.write("t.txt", packed), options.clone()).unwrap(), expected, "{cut:?}");
        }
        let rows = folder.write("t.jsonl", "{\"text\": \"x\\nab\"}\n{\"text\": \"y\"}\n");
        assert_eq!(texts(rows, options.clone()).unwrap(), ["x\nab", "y"]);
        let empty: &[&str] = if cut == Cut::Never { &[""] } else { &[] };
        assert_eq!(texts(folder.write("empty.txt", ""), options.clone()).unwrap(), empty);
        // Where a byte is wrong does not depend on the cut.
        let bad = texts(folder.write("bad.txt", b"a\nbb\nc\xFFd\n"), options).unwrap_err();
        assert!(bad.message().contains("0xff at byte 6, line 3"), "{cut:?}: {bad}");
    }
    let overlapping = CorpusOptions { cut: at("aa"), ..CorpusOptions::default() };
    assert_eq!(texts(folder.write("t.txt", "xaaay"), overlapping).unwrap(), ["x", "ay"]);
    let cut_off = texts(folder.write("t.txt", b"ab\xC3"), CorpusOptions::default()).unwrap_err();
    assert!(cut_off.message().contains("its end is missing, 0xc3 at byte 2, line 1"), "{cut_off}");
}

/// Gives a few bytes at a time, so that hardly a line lies whole in what was read.
struct Slow(std::io::Cursor<Vec<u8>>);

impl std::io::Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let few = buffer.len().min(7);
        self.0.read(&mut buffer[..few])
    }
}

/// A line that lies whole in what was read is taken from there. Texts, places and errors are those of other lines.
#[test]
fn lines_are_the_same_wherever_they_lie() {
    let mut random = Random::from_seed(7);
    let mut below = |end: usize| (random.next_u64() % end as u64) as usize;
    let parts: &[&[u8]] = &[
        b"{\"text\": \"",
        b"\"}\n",
        b"\n",
        b"\r\n",
        b"\"",
        b"\\",
        b"\\n",
        b"\\ud83e\\udde9",
        b"\\ud83e",
        b"plain words, ",
        "東京 día".as_bytes(),
        b"\xFF",
        b"\xC3",
        b"\x01",
        b"\", \"text\": \"",
        b"\", \"id\": [1, {\"text\": 2}], \"",
        b"{",
        b"}",
        b"\", \"n\": NaN}\n",
        b"null",
        b" ",
        b"\t",
        b"\xEF\xBB\xBF",
        b"\", \"n\": 1e999}\n",
        b",",
        b"\"}\r\n{\"text\": \"",
    ];
    let fitting: &[usize] = &[0, 9, 6, 7, 10, 1];
    for round in 0..300 {
        let mut content = Vec::new();
        for _ in 0..below(60) {
            if below(3) > 0 {
                fitting.iter().for_each(|&part| content.extend_from_slice(parts[part]));
            }
            if below(4) == 0 {
                content.extend_from_slice(parts[below(parts.len())]);
            }
        }
        for (form, cut) in [
            (Form::JsonLines, Cut::Lines),
            (Form::Text, Cut::Lines),
            (Form::Text, Cut::BareLines),
            (Form::Text, Cut::At("\n".to_string())),
        ] {
            for skips in [0, 1000] {
                let longest = (round % 3 == 0).then_some(60);
                let read = |reader: Box<dyn std::io::Read + Send>| {
                    let options =
                        CorpusOptions { form, cut: cut.clone(), skips, longest, ..CorpusOptions::default() };
                    let mut corpus =
                        Corpus::new(vec![Input::Stream { name: "it".to_string(), reader }], options);
                    let mut found = Vec::new();
                    while let Some(text) = corpus.next() {
                        found.push((text.map_err(|error| error.to_string()), corpus.spot()));
                    }
                    (found, corpus.skipped())
                };
                let whole = read(Box::new(std::io::Cursor::new(content.clone())));
                assert_eq!(whole, read(Box::new(Slow(std::io::Cursor::new(content.clone())))), "{content:?}");
            }
        }
    }
}

/// What is no file is unpacked and cut like one, and messages call it by its name.
#[test]
fn streams_are_read_like_files() {
    let stream = |content: Vec<u8>| Input::Stream {
        name: "standard input".to_string(),
        reader: Box::new(std::io::Cursor::new(content)),
    };
    let found: Result<Vec<String>> =
        Corpus::new(vec![stream(gzip(b"1\n2")), stream(b"3\n".to_vec())], CorpusOptions::default()).collect();
    assert_eq!(found.unwrap(), ["1\n", "2", "3\n"]);
    let mut bad = Corpus::new(vec![stream(b"a\n\xFF\n".to_vec())], CorpusOptions::default());
    assert_eq!(bad.next().unwrap().unwrap(), "a\n");
    let error = bad.next().unwrap().unwrap_err();
    assert!(error.message().starts_with("standard input is not UTF-8: 0xff at byte 2, line 2"), "{error}");
}

#[test]
fn broken_texts_are_passed_over_and_told_with_their_places() {
    let folder = Folder::new();
    let content =
        b"{\"text\": \"a\"}\n{\"text\": \n{\"text\": \"\xFF\"}\n{\"no\": 1}\n{\"text\": \"0123456789 0123456789\"}\n{\"text\": \"b\"}\n";
    for packed in [content.to_vec(), gzip(content), zstd(content)] {
        let path = folder.write("broken.jsonl", packed);
        let options = CorpusOptions { skips: 4, longest: Some(24), ..CorpusOptions::default() };
        let mut corpus = Corpus::new(vec![path.clone()], options.clone());
        let found: Vec<String> = corpus.by_ref().collect::<Result<_>>().unwrap();
        assert_eq!(found, ["a", "b"]);
        assert_eq!(corpus.spot(), Spot { line: 6, byte: 82 });
        let skipped = corpus.skipped();
        let spots: Vec<(u64, u64)> = skipped.iter().map(|one| (one.spot.line, one.spot.byte)).collect();
        assert_eq!(spots, [(2, 14), (3, 24), (4, 38), (5, 48)]);
        for (one, what) in
            skipped.iter().zip(["invalid JSON", "0xff at byte 10 of it", "no `text`", "more than 24 bytes"])
        {
            assert!(one.reason.contains(what), "{}", one.reason);
        }
        assert!(corpus.skipped().is_empty());
        // One more than may be passed over is an error.
        let mut corpus = Corpus::new(vec![path], CorpusOptions { skips: 3, ..options });
        let error = corpus.by_ref().collect::<Result<Vec<String>>>().unwrap_err();
        assert!(error.message().contains("too long"), "{error}");
    }
    // A long text up to another end, or up to that of the file.
    let path = folder.write("long.txt", "a--0123-45678--b\n--c");
    let options = CorpusOptions {
        skips: 1,
        longest: Some(6),
        cut: Cut::At("--".to_string()),
        ..CorpusOptions::default()
    };
    assert_eq!(texts(path.clone(), options.clone()).unwrap(), ["a", "b\n", "c"]);
    assert!(texts(path, CorpusOptions { cut: Cut::Never, ..options }).unwrap().is_empty());
}

/// What helps depends on what would have ended the text.
#[test]
fn what_to_do_about_a_text_that_is_too_long() {
    let folder = Folder::new();
    let path = folder.write("long.txt", "0123456789");
    for (cut, advice) in [
        (Cut::Lines, "see whether the file has line ends"),
        (Cut::BareLines, "see whether the file has line ends"),
        (Cut::At("--".to_string()), "see whether the separator stands in the file"),
        (Cut::Never, "all of a file is one text: name one (separator='\\n')"),
    ] {
        let options = CorpusOptions { cut, longest: Some(6), ..CorpusOptions::default() };
        let error = texts(path.clone(), options).unwrap_err();
        assert!(error.message().contains("has more than 6 bytes"), "{error}");
        assert!(error.message().contains(advice), "{error}");
    }
}

#[test]
fn json_lines() {
    let folder = Folder::new();
    let content = "\u{feff}{\"text\": \"a\\n\u{e9}\\ud83e\\udde9\", \"x\": [1, {\"text\": 2}]}\r\n\n\
                   {\"id\": 7, \"text\": null}\n{\"text\": \"no\", \"text\": \"last\"}\n{\"text\":\"\"}";
    for name in ["a.jsonl", "a.NDJSON", "a.json.gz", "a.jsonl.zst"] {
        let packed = match name {
            "a.json.gz" => gzip(content.as_bytes()),
            "a.jsonl.zst" => zstd(content.as_bytes()),
            _ => content.as_bytes().to_vec(),
        };
        let found = texts(folder.write(name, packed), CorpusOptions::default()).unwrap();
        assert_eq!(found, ["a\né🧩", "last", ""], "{name}");
    }
    // The caller may know better than the name.
    let as_json = CorpusOptions { form: Form::JsonLines, field: "x".into(), ..CorpusOptions::default() };
    assert_eq!(texts(folder.write("b.txt", "{\"x\": \"y\"}"), as_json).unwrap(), ["y"]);
    let as_text = CorpusOptions { form: Form::Text, ..CorpusOptions::default() };
    assert_eq!(texts(folder.write("b.jsonl", "{}\n"), as_text).unwrap(), ["{}\n"]);
    let wrong = [
        ("{\"a\": 1, \"b\": 2}", "no `text`, it has `a`, `b`"),
        ("{}", "no keys"),
        ("{\"text\": 5}", "a number, expected a string"),
        ("[1]", "holds an array"),
        ("{\"text\": \"a\"} x", "invalid JSON"),
        ("{\"text\": ", "invalid JSON"),
    ];
    for (line, what) in wrong {
        let path = folder.write("wrong.jsonl", format!("{{\"text\": \"ok\"}}\n{line}\n"));
        let error = texts(path, CorpusOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format);
        assert!(error.to_string().contains(what), "{line}: {error}");
        assert!(error.to_string().contains("wrong.jsonl, line 2"), "{error}");
    }
}

#[test]
fn bytes_that_are_not_utf8() {
    let folder = Folder::new();
    let content = b"good\nb\xC3\xA9d \xFF\xFE\n";
    for (name, packed) in [("bad.txt", content.to_vec()), ("bad.txt.gz", gzip(content))] {
        let path = folder.write(name, packed);
        let error = texts(path.clone(), CorpusOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format);
        assert!(error.message().contains("0xff at byte 10"), "{error}");
        assert!(error.message().contains("line 2"), "{error}");
        assert!(error.message().contains(name), "{error}");
        let replace = CorpusOptions { invalid: Invalid::Replace, ..CorpusOptions::default() };
        assert_eq!(texts(path, replace).unwrap(), ["good\n", "béd \u{FFFD}\u{FFFD}\n"]);
    }
}

/// Cutting or changing a packed file anywhere is an error or gives what was packed; nothing panics.
#[test]
fn damaged_files() {
    let folder = Folder::new();
    let expected = lines()[..40].to_vec();
    let content = expected.concat();
    for packed in [gzip(content.as_bytes()), zstd(content.as_bytes())] {
        for len in (4..packed.len()).step_by(5) {
            let error = texts(folder.write("cut", &packed[..len]), CorpusOptions::default()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Format, "{len}: {error}");
            assert!(error.message().contains("damaged or cut off"), "{error}");
        }
        for at in (4..packed.len()).step_by(5) {
            let mut changed = packed.clone();
            changed[at] ^= 1 << (at % 8);
            if let Ok(found) = texts(folder.write("changed", changed), CorpusOptions::default()) {
                assert_eq!(found, expected, "byte {at}");
            }
        }
    }
    let parquet = texts(folder.write("table", b"PAR1xxxxPAR1"), CorpusOptions::default()).unwrap_err();
    assert_eq!(parquet.kind(), ErrorKind::Unsupported);
    let missing = texts(folder.0.join("missing"), CorpusOptions::default()).unwrap_err();
    assert_eq!((missing.kind(), missing.location().is_some()), (ErrorKind::Io, true));
    assert_eq!(texts(folder.0.clone(), CorpusOptions::default()).unwrap_err().kind(), ErrorKind::Io);
}

#[test]
fn a_slice_is_kept_aside() {
    let folder = Folder::new();
    let path = folder.write("text", "1\n2\n3\n4\n5\n6\n7");
    let share = |share| texts(path.clone(), CorpusOptions { share, ..CorpusOptions::default() }).unwrap();
    assert_eq!(share(Share::Only(3)), ["3\n", "6\n"]);
    assert_eq!(share(Share::Without(3)), ["1\n", "2\n", "4\n", "5\n", "7"]);
    assert_eq!((share(Share::Without(0)).len(), share(Share::Only(0)).len()), (7, 0));
}

/// Lines that come together are those that come one by one, with broken ones and ends of all kinds between them; spots and
/// errors are the same.
#[test]
fn lines_at_hand_are_lines() {
    const LINES: &[&[u8]] =
        &[b"\n", b"\r\n", b"one\n", b"d\xc3\xada two\r\n", b"\xff\n", b"\xe6\x9d\n", b"a\rb\0\n", b"no end"];
    let folder = Folder::new();
    let mut random = Random::from_seed(4);
    let mut below = |bound: usize| random.next_u64() as usize % bound;
    for round in 0..120 {
        let (most, kinds) = ([5, 300, 60_000][round % 3], [4, 4, LINES.len()][below(3)]);
        let content: Vec<u8> = (0..below(most))
            .flat_map(|_| match below(400) {
                0 => [b"x".repeat(below(200_000)), b"\n".to_vec()].concat(),
                _ => LINES[below(kinds)].to_vec(),
            })
            .collect();
        let path = folder.write("lines", if below(2) == 0 { content.clone() } else { zstd(&content) });
        let options = CorpusOptions {
            cut: [Cut::Lines, Cut::Lines, Cut::BareLines][below(3)].clone(),
            invalid: [Invalid::Refuse, Invalid::Replace][below(2)],
            share: [Share::All, Share::All, Share::Without(3)][below(3)],
            skips: [0, 3, usize::MAX][below(3)],
            longest: [None, Some(1000), Some(1 << 17)][below(3)],
            ..CorpusOptions::default()
        };
        let one_by_one = &mut Corpus::new(vec![path.clone(), path.clone()], options.clone());
        let mut expected: Vec<(std::result::Result<String, String>, Spot)> = Vec::new();
        while let Some(text) = one_by_one.next() {
            expected.push((text.map_err(|error| error.to_string()), one_by_one.spot()));
        }
        let corpus = &mut Corpus::new(vec![path.clone(), path], options);
        let (mut at, mut texts) = (0, Portion::default());
        loop {
            texts.clear();
            corpus.at_hand(&mut texts).unwrap();
            let found: Vec<_> = if texts.is_empty() {
                corpus.next().into_iter().map(|text| text.map_err(|error| error.to_string())).collect()
            } else {
                texts.iter().map(|text| Ok(text.to_string())).collect()
            };
            let Some(last) = found.len().checked_sub(1) else { break };
            assert!(found.iter().eq(expected[at..][..=last].iter().map(|(text, _)| text)), "{round}");
            assert_eq!(corpus.spot(), expected[at + last].1, "{round}");
            at += found.len();
        }
        assert_eq!(at, expected.len(), "{round}");
        assert_eq!(corpus.skipped(), one_by_one.skipped());
    }
}

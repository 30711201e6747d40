//! Names, contents, and what a file cannot hold.

use super::*;
use tessella_core::spec::AddedToken;

#[test]
fn content_decides() {
    let cases: [(&[u8], Format); 6] = [
        (b"GGUF\x03\0\0\0", Format::Gguf),
        (b"\xef\xbb\xbf {\"x\": [1], \"model\": {}}", Format::TokenizerJson),
        (br#"{"config": {}, "vocab": []}"#, Format::Tekken),
        (b"IQ== 0\nIg== 1\n", Format::Tiktoken),
        (b"\x0a\x0e\x0a\x05<unk>\x15\0\0\0\0\x18\x02", Format::SentencePiece),
        ("[UNK]\nwörd\n".as_bytes(), Format::VocabTxt),
    ];
    for (bytes, format) in cases {
        assert_eq!(sniff(bytes).unwrap(), format);
    }
    for nothing in [&b""[..], b"\xff\xfe\0", br#"{"a": 0}"#, b"{", br#"{"vocab": {}}"#] {
        assert!(sniff(nothing).is_err());
    }
    let keras = [
        r#"{"class_name": "Tokenizer", "config": {"num_words": null}}"#,
        r#""{\"class_name\": \"Tokenizer\"}""#,
    ];
    for bytes in keras {
        assert!(sniff(bytes.as_bytes()).unwrap_err().to_string().contains("Keras"));
    }
}

#[test]
fn names_promise() {
    for (name, format) in [
        ("x/tokenizer.json", Format::TokenizerJson),
        ("x/Tokenizer.JSON", Format::TokenizerJson),
        ("x/name", Format::TokenizerJson),
        ("x/model-2024.05", Format::TokenizerJson),
        ("x/.hidden", Format::TokenizerJson),
        ("x/a.model", Format::SentencePiece),
        ("x/a.tiktoken", Format::Tiktoken),
        ("x/vocab.txt", Format::VocabTxt),
        ("x/tekken.json", Format::Tekken),
        ("x/l2.gguf", Format::Gguf),
        ("x/", Format::Folder),
    ] {
        assert_eq!(to_write(Path::new(name), None).unwrap(), format, "{name}");
    }
    for name in ["x.onnx", "x.json.tmp", "x.MODELS"] {
        let error = to_write(Path::new(name), None).unwrap_err();
        for ending in [".json", ".model", ".tiktoken", ".txt", "folder"] {
            assert!(error.message().contains(ending), "{name}: {error}");
        }
    }
    // What is said wins over a name that promises nothing, but never makes a name a lie.
    assert_eq!(to_write(Path::new("x.tmp"), Some("json")).unwrap(), Format::TokenizerJson);
    assert_eq!(to_write(Path::new("x.model"), Some("folder")).unwrap(), Format::Folder);
    for (name, format) in [
        ("x.gguf", "json"),
        ("x.model", "json"),
        ("x.json", "tiktoken"),
        ("tekken.json", "json0"),
        ("x", "zip"),
    ] {
        assert!(to_write(Path::new(name), Some(format)).is_err(), "{name} {format}");
    }
}

#[test]
fn ranks_refuse_what_they_lose() {
    let ranks = || (0..=255u8).map(|byte| ([byte], u32::from(byte))).collect::<tiktoken::Ranks>();
    let encoding = tiktoken::encoding("gpt2", Some(&[("<e>".into(), 300)]), 256).unwrap();
    let spec = tiktoken::from_ranks(ranks(), &encoding).unwrap();
    let again = tiktoken::read_ranks(rank_lines(&spec).unwrap().as_bytes()).unwrap();
    assert!(again.iter().eq(ranks().iter()));
    let mut plain = spec.clone();
    plain.added_tokens.push(AddedToken { id: Some(301), ..AddedToken::new("word", false) });
    assert!(rank_lines(&plain).unwrap_err().message().contains("`word`"));
    let mut bare = spec.clone();
    bare.decoder = None;
    assert!(rank_lines(&bare).unwrap_err().message().contains("decoder"));
    assert!(model_bytes(&spec).is_err());
}

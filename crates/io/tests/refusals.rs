//! Every refusal the readers can give, each with the smallest file that earns it: its code,
//! its place, and no value of the data in any of its words.
//!
//! Every value in these files is, or holds, the marker `Zq`; no header does.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression as Level;
use flate2::write::GzEncoder;
use marginswap_core::diagnostic::{Diagnostic, Kind};
use marginswap_io::refusal::Code;
use marginswap_io::{Compression, Delimiter, Format, ReadOptions, Source, Table};

fn read_path(path: &Path, options: &ReadOptions) -> Result<Table, Diagnostic> {
    let source = Source::open(path, options)?;
    let wanted = vec![true; source.columns().len()];
    source.read(&wanted)
}

fn with_file<T>(bytes: &[u8], work: impl FnOnce(&Path) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.csv");
    fs::write(&path, bytes).unwrap();
    work(&path)
}

/// Reads a file that must be refused, and checks what holds for every refusal.
fn refusal(bytes: &[u8]) -> Diagnostic {
    with_file(bytes, |path| {
        let refusal = read_path(path, &ReadOptions::default()).unwrap_err();
        assert_eq!(refusal.place.file.as_deref(), Some(path));
        // The name of the folder is drawn at random and may hold the marker by chance.
        let said = format!("{refusal} {refusal:?}").replace(path.to_str().unwrap(), "FILE");
        assert!(!said.contains("Zq"), "a value is shown: {said}");
        refusal
    })
}

#[track_caller]
fn refused(bytes: &[u8], code: Kind, line: u64, byte: u64, column: Option<&str>) -> String {
    let refusal = refusal(bytes);
    assert_eq!(refusal.code, code);
    assert_eq!((refusal.place.line, refusal.place.byte), (Some(line), Some(byte)));
    assert_eq!(refusal.place.column.as_deref(), column);
    refusal.detail
}

fn records(bytes: &[u8]) -> usize {
    with_file(bytes, |path| read_path(path, &ReadOptions::default()).unwrap().records)
}

#[test]
fn a_line_with_too_many_fields() {
    let detail = refused(b"a,b\nZq,Zq\nZq,Zq,Zq\n", Code::TooManyFields, 3, 16, None);
    assert_eq!(
        detail,
        "the header has 2 columns, this line has 3; the extra field follows column 2 `b`"
    );
    // The line and the byte are those of the extra field, after a line break in quotes.
    refused(b"a,b\nZq,\"Zq\nZq\",Zq\n", Code::TooManyFields, 3, 15, None);
    refused(b"a\nZq,Zq\n", Code::TooManyFields, 2, 5, None);
}

#[test]
fn a_line_with_too_few_fields() {
    let detail = refused(b"a,b,c\nZq,Zq,Zq\nZq,Zq\n", Code::TooFewFields, 3, 15, None);
    assert_eq!(detail, "the header has 3 columns, this line has 2; it ends in column 2 `b`");
    refused(b"a,b\nZq,\"Zq\n\"\nZq", Code::TooFewFields, 4, 13, None);
    refused(b"a,b\nZq,Zq\n\"\"\n", Code::TooFewFields, 3, 10, None);
}

#[test]
fn an_empty_line_inside_a_file_of_several_columns() {
    refused(b"a,b\nZq,Zq\n\nZq,Zq\n", Code::TooFewFields, 3, 10, None);
    refused(b"a,b\nZq,Zq\n\r\n\n\nZq,Zq\n", Code::TooFewFields, 3, 10, None);
    refused(b"a,b\nZq,Zq\n\n\"Zq", Code::TooFewFields, 3, 10, None);
    assert_eq!(records(b"a,b\nZq,Zq\n\n\r\n\n"), 1);
}

#[test]
fn an_empty_line_of_one_column_is_an_empty_field() {
    assert_eq!(records(b"a\nZq\n"), 1);
    assert_eq!(records(b"a\nZq"), 1);
    assert_eq!(records(b"a\nZq\n\nZq\n"), 3);
    assert_eq!(records(b"a\nZq\n\n"), 2);
    assert_eq!(records(b"a\n\n"), 1);
}

#[test]
fn a_quote_that_is_never_closed() {
    refused(b"a,b\nZq,Zq\nZq,\"Zq\nZq,Zq\n", Code::UnclosedQuote, 3, 13, Some("2 `b`"));
    refused(b"a,b\nZq,\"Zq\"\"", Code::UnclosedQuote, 2, 7, Some("2 `b`"));
    refused(b"a,\"b\nZq,Zq\n", Code::UnclosedQuote, 1, 2, Some("2"));
}

#[test]
fn text_behind_a_closing_quote() {
    refused(b"a,b\n\"Zq\"Zq,Zq\n", Code::TextAfterQuote, 2, 8, Some("1 `a`"));
    refused(b"a,b\nZq,\"Zq\n\"Zq\n", Code::TextAfterQuote, 3, 12, Some("2 `b`"));
    // The field has no column of the header.
    refused(b"a\nZq,\"Zq\" \n", Code::TextAfterQuote, 2, 9, Some("2"));
}

#[test]
fn a_carriage_return_that_ends_no_line() {
    refused(b"a,b\nZq,Zq\rZq,Zq\n", Code::BareReturn, 2, 9, Some("2 `b`"));
    refused(b"a,b\r\nZq,Zq\r", Code::BareReturn, 2, 10, Some("2 `b`"));
    refused(b"a,b\rZq,Zq\r", Code::BareReturn, 1, 3, Some("2"));
    assert_eq!(records(b"a,b\r\nZq,\"Zq\rZq\"\nZq,Zq\r\n"), 2);
}

#[test]
fn a_nul_byte() {
    refused(b"a,b\nZq,Z\0q\n", Code::NulByte, 2, 8, Some("2 `b`"));
    refused(b"a,b\nZq,\"\n\0Zq\"\n", Code::NulByte, 3, 9, Some("2 `b`"));
    refused(b"a,b\n\"Zq\"\0,Zq\n", Code::NulByte, 2, 8, Some("1 `a`"));
    refused(b"a\0,b\nZq,Zq\n", Code::NulByte, 1, 1, Some("1"));
    let little = refused(b"\xff\xfea\0\n\0Z\0", Code::Utf16, 1, 0, None);
    let big = refused(b"\xfe\xff\0a\0\n\0Z", Code::Utf16, 1, 0, None);
    assert!(little.contains("UTF-16") && little == big);
}

#[test]
fn names_that_cannot_be_used() {
    let detail = refused(b"a,b,\"a\"\nZq,Zq,Zq\n", Code::DuplicateName, 1, 4, Some("3"));
    // Without a header line the name is somebody's value.
    assert_eq!(detail, "columns 1 and 3 have the same name");
    refused(b"\"\",b\nZq,Zq\n", Code::EmptyName, 1, 0, Some("1"));
    refused(b"a,\nZq,Zq\n", Code::EmptyName, 1, 2, Some("2"));
    refused(b"\nZq\n", Code::EmptyName, 1, 0, Some("1"));
    refused(b"\xef\xbb\xbfa,\"\nb\xe9\"\nZq,Zq\n", Code::HeaderNotUtf8, 2, 8, Some("2"));
}

#[test]
fn no_records() {
    let files: [&[u8]; 8] =
        [b"", b"\xef\xbb\xbf", b"a,b", b"a,b\n", b"a,b\r\n", b"a,b\n\n\r\n", b"a\n", b"PAR1"];
    for file in files {
        assert_eq!(refusal(file).code, Code::NoRecords);
    }
}

#[test]
fn files_that_cannot_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let code = |path: PathBuf| {
        let refusal = read_path(&path, &ReadOptions::default()).unwrap_err();
        assert_eq!(refusal.place.file, Some(path));
        refusal.code
    };
    assert_eq!(code(folder.path().join("missing.csv")), Code::FileMissing);
    assert_eq!(code(folder.path().to_owned()), Code::IsDirectory);
    fs::write(folder.path().join("file"), "a").unwrap();
    assert_eq!(code(folder.path().join("file").join("below")), Code::Unreadable);
}

#[test]
fn the_delimiter_is_found_or_given() {
    let delimiter = |bytes: &[u8], given: Option<&str>| {
        with_file(bytes, |path| {
            let given = given.map(|given| Delimiter::parse(given).unwrap());
            let source = Source::open(path, &ReadOptions { delimiter: given }).unwrap();
            (source.format(), source.columns().len())
        })
    };
    let csv = |delimiter| Format::Csv { delimiter, compression: Compression::Plain };
    assert_eq!(delimiter(b"a;b,c;d\n", None), (csv(Delimiter::SEMICOLON), 3));
    assert_eq!(delimiter(b"a;b,c;d\n", Some("comma")), (csv(Delimiter::COMMA), 2));
    assert_eq!(delimiter(b"PAR1,PAR2\nZq,Zq\n", None), (csv(Delimiter::COMMA), 2));
    // The magic at both ends means Parquet, whatever byte follows the first one.
    #[cfg(feature = "parquet")]
    assert_eq!(refusal(b"PAR1,PAR2\nZq,ZqPAR1").code, Code::BadParquet);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Level::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn gzip_is_known_by_its_bytes_and_read_whole_or_not_at_all() {
    let plain = b"a,b\nZq,Zq\nZq,Zq\n";
    let packed = gzip(plain);
    with_file(&packed, |path| {
        let source = Source::open(path, &ReadOptions::default()).unwrap();
        assert_eq!(
            source.format(),
            Format::Csv { delimiter: Delimiter::COMMA, compression: Compression::Gzip }
        );
    });
    assert_eq!(records(&packed), 2);
    assert_eq!(records(&[gzip(b"a,b\nZq,"), gzip(b"Zq\nZq,Zq\n")].concat()), 2);
    for length in 2..packed.len() {
        assert_eq!(refusal(&packed[..length]).code, Code::BadGzip, "cut at {length}");
    }
    let checksum = packed.len() - 8;
    let mut damaged = packed.clone();
    damaged[checksum] ^= 1;
    assert_eq!(refusal(&damaged).code, Code::BadGzip);
    for junk in [&b"j"[..], b"junk", b"\x1f\x8b", &[0; 600]] {
        let trailed = refusal(&[&packed[..], junk].concat());
        assert_eq!(trailed.code, Code::BadGzip);
        assert_eq!(trailed.detail, "bytes follow the end of the compressed data");
        assert_eq!(trailed.place.byte, Some(16), "all of it was decompressed");
    }
    let cut = refusal(&packed[..packed.len() - 3]);
    assert!(!cut.detail.contains("follow") && cut.place.byte == Some(16), "{cut}");
    refused(&gzip(b"a,b\nZq,Zq\nZq\n"), Code::TooFewFields, 3, 10, None);
}

#[test]
fn a_gz_name_alone_means_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.csv.gz");
    fs::write(&path, "a\nZq\n").unwrap();
    assert_eq!(read_path(&path, &ReadOptions::default()).unwrap().records, 1);
}

#[test]
fn quotes_do_not_make_a_category() {
    let table = with_file(b"a,b\n\"x\",\"p\"\"q\"\nx,\np\"q,\"\"\n", |path| {
        read_path(path, &ReadOptions::default()).unwrap()
    });
    let column = |position: usize| table.columns[position].as_ref().unwrap();
    assert_eq!([0, 1, 2].map(|record| column(0).code(record)), [0, 0, 1]);
    assert_eq!(column(0).dictionary().category(1), Some(&b"p\"q"[..]));
    assert_eq!(column(1).dictionary().category(0), Some(&b"p\"q"[..]));
    assert_eq!([0, 1, 2].map(|record| column(1).code(record)), [0, 1, 1]);
}

#[test]
fn a_column_that_is_not_wanted_is_counted_all_the_same() {
    let read = |bytes: &[u8]| {
        with_file(bytes, |path| {
            Source::open(path, &ReadOptions::default()).unwrap().read(&[false, true])
        })
    };
    let table = read(b"a,b\nZq,Zq\nZq,Zq\n").unwrap();
    assert!(table.columns[0].is_none());
    assert_eq!(table.columns[1].as_ref().unwrap().len(), 2);
    assert_eq!(read(b"a,b\nZ\0q,Zq\n").unwrap_err().code, Code::NulByte);
}

#[test]
fn files_of_other_programs_are_named() {
    let database = b"SQLite format 3\0Zq";
    for bytes in [database.to_vec(), gzip(database)] {
        let refusal = refusal(&bytes);
        assert_eq!(refusal.code, Code::ForeignFile);
        assert_eq!(refusal.detail, "this is an SQLite database");
        assert!(refusal.remedy.contains("CSV or Parquet"), "{refusal}");
    }
    // What is read as it is, and not packed.
    let spss = refusal(&gzip(b"$FL2@(#) SPSS DATA FILE Zq"));
    assert_eq!((spss.code, &*spss.detail), (Code::ForeignFile, "this is an SPSS file"));
    assert!(spss.remedy.contains("unpack it first"), "{spss}");
}

/// Real files of SPSS and SAS that are not read, where they are at hand.
#[test]
#[allow(clippy::print_stderr, reason = "a test says what it skips")]
fn real_files_of_other_programs_are_named() {
    let Some(data) = std::env::var_os("MARGINSWAP_REAL_DATA") else {
        eprintln!("skipped: MARGINSWAP_REAL_DATA is not set");
        return;
    };
    let mut named = 0;
    for entry in fs::read_dir(Path::new(&data).join("formats")).unwrap() {
        let path = entry.unwrap().path();
        let program = match path.extension().and_then(|ending| ending.to_str()) {
            Some("por") => "SPSS",
            Some("sas7bdat" | "sas7bcat") => "SAS",
            _ => continue,
        };
        let refusal = read_path(&path, &ReadOptions::default()).unwrap_err();
        assert_eq!(refusal.code, Code::ForeignFile, "{}: {refusal}", path.display());
        assert!(refusal.detail.contains(program), "{}: {refusal}", path.display());
        named += 1;
    }
    assert!(named >= 10, "the folder holds files of each kind");
}

#[test]
fn the_line_of_excel_gives_the_delimiter() {
    let read = |bytes: &[u8], given: Option<Delimiter>| {
        with_file(bytes, |path| {
            let source = Source::open(path, &ReadOptions { delimiter: given }).unwrap();
            let columns = source.columns().to_vec();
            (columns, source.read(&[true, true]).unwrap().records)
        })
    };
    let columns = ["a", "b,c"].map(str::to_owned).to_vec();
    for line in ["sep=;\n", "SEP=;\r\n", "\"sep=;\"\r\n", "\u{feff}sep=;\n"] {
        let file = format!("{line}a;b,c\nZq;Zq\n");
        assert_eq!(read(file.as_bytes(), None), (columns.clone(), 1), "{line:?}");
    }
    // What the user says goes before it; the line is none of the header all the same.
    let given = read(b"sep=;\na|b,c\nZq|Zq\n", Some(Delimiter::parse("|").unwrap()));
    assert_eq!(given, (columns, 1));
    refused(b"sep=;\na;b\nZq\n", Code::TooFewFields, 3, 10, None);
}

#[test]
fn a_delimiter_that_is_not_the_files() {
    let open = |bytes: &[u8], given: Option<&str>| {
        with_file(bytes, |path| {
            let delimiter = given.map(|given| Delimiter::parse(given).unwrap());
            Source::open(path, &ReadOptions { delimiter }).map(|_| ())
        })
    };
    let refusal = open(b"a,b,c\nZq,Zq,Zq\nZq,\"Zq,\",\n", Some(";")).unwrap_err();
    assert_eq!(refusal.code, Code::OtherDelimiter);
    assert_eq!(
        refusal.detail,
        "with the delimiter semicolon the file has one column; its header and the records below \
         contain 2 commas each"
    );
    assert!(refusal.remedy.contains("comma as the delimiter"), "{refusal}");
    let piped = open(b"a|b\nZq|Zq\n", None).unwrap_err();
    assert_eq!(
        (piped.code, piped.remedy.contains("pipe as the delimiter")),
        (Code::OtherDelimiter, true)
    );
    // A column whose values hold the sign now and then is a column.
    open(b"town, county\nZq\nZq, Zq\n", Some(";")).unwrap();
    open(b"a;b,c\nZq;Zq\n", Some(";")).unwrap();
}

/// Without a header line the names are a person's values.
#[test]
fn a_header_that_looks_like_a_record_is_not_shown() {
    for (bytes, line, byte, column) in [
        // A name that is a value below, and a header of numbers.
        (&b"Zq,Zr\nZq,Zs\nZq,\"Zq\"Zq\n"[..], 3, 19, Some("2")),
        (b"1978,31\n1979,30\n1980,\"Zq\"Zq\n", 3, 25, Some("2")),
    ] {
        let detail = refused(bytes, Code::TextAfterQuote, line, byte, column);
        assert!(!detail.contains("1978"), "{detail}");
    }
    let detail = refused(b"Zq,Zr\nZq,Zs\nZq\n", Code::TooFewFields, 3, 12, None);
    assert_eq!(detail, "the header has 2 columns, this line has 1; it ends in column 1");
    let looks = |bytes: &[u8]| {
        with_file(bytes, |path| {
            let source = Source::open(path, &ReadOptions::default()).unwrap();
            let wanted = vec![true; source.columns().len()];
            (source.looks_like_a_record(), source.read(&wanted).unwrap().looks_like_a_record)
        })
    };
    assert_eq!(looks(b"x,y\n1,x\n2,z\n"), (false, false));
    // One name among the values of its column is not shown, and no record yet; two are.
    assert_eq!(looks(b"x,y\n1,z\n2,y\n"), (true, false));
    assert_eq!(looks(b"x,y\n1,y\nx,z\n"), (true, true));
    assert_eq!(looks(b"1,2\n3,4\n"), (true, true));
    // The values come after what is looked at before the records are read.
    let late = [b"x,y\n".to_vec(), b"1,z\n".repeat(100_000), b"x,y\n".to_vec()].concat();
    assert_eq!(looks(&late), (false, true));
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_build_without_parquet_says_so() {
    let refusal = refusal(b"PAR1\x15\x00Zq");
    assert_eq!(refusal.code, Code::NoParquet);
    assert!(refusal.detail.contains("built without Parquet"));
}

//! SPSS files: plain, packed in both styles, and packed with zlib, in both byte orders.

use std::io::Write;
use std::ops::Range;

use flate2::write::ZlibEncoder;
use marginswap_io::ReleaseOptions;
use marginswap_io::refusal::Code;

use super::{
    Made, check_hostile, check_releases, differences, lie_within, read, real_files, released, said,
};

/// How the records of a made file are packed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Packing {
    Plain,
    /// With a group of codes for every eight elements.
    Dense,
    /// With a new group for every record.
    Aligned,
    Zlib,
}

const PACKINGS: [Packing; 4] = [Packing::Plain, Packing::Dense, Packing::Aligned, Packing::Zlib];

/// A number, another one, a text of six bytes, one of twenty, one of three hundred.
const LENGTHS: [usize; 5] = [0, 0, 6, 20, 300];
const NAMES: [&str; 5] = ["AGE", "INCOME", "SEX", "TOWN", "NOTE"];

struct Writer {
    big: bool,
    bytes: Vec<u8>,
}

impl Writer {
    fn number(&mut self, number: i64, length: usize) {
        let mut bytes = number.to_be_bytes()[8 - length..].to_vec();
        if !self.big {
            bytes.reverse();
        }
        self.bytes.extend(bytes);
    }

    fn double(&mut self, number: f64) {
        self.number(number.to_bits().cast_signed(), 8);
    }

    fn text(&mut self, text: &str, width: usize) {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(width, b' ');
        self.bytes.extend(bytes);
    }

    fn variable(&mut self, name: &str, length: usize, missing: &[f64], label: Option<&str>) {
        self.number(2, 4);
        self.number(i64::try_from(length).unwrap(), 4);
        self.number(label.is_some().into(), 4);
        self.number(i64::try_from(missing.len()).unwrap(), 4);
        self.number(0x0005_0800, 4);
        self.number(0x0005_0800, 4);
        self.text(name, 8);
        if let Some(label) = label {
            self.number(i64::try_from(label.len()).unwrap(), 4);
            self.text(label, label.len().next_multiple_of(4));
        }
        missing.iter().for_each(|&one| self.double(one));
        for _ in 1..length.div_ceil(8) {
            self.number(2, 4);
            self.number(-1, 4);
            self.bytes.extend([0; 16]);
            self.text("", 8);
        }
    }

    fn extension(&mut self, kind: i64, size: usize, contents: &[u8]) {
        self.number(7, 4);
        self.number(kind, 4);
        self.number(i64::try_from(size).unwrap(), 4);
        self.number(i64::try_from(contents.len() / size).unwrap(), 4);
        self.bytes.extend_from_slice(contents);
    }

    fn record(&mut self, record: usize) {
        self.double([30.0, f64::MIN, 150.5, 99.0][record]);
        self.double([1.0, 2.0, 99.0, -99.0][record]);
        self.text(["m", "f", "", "f"][record], 8);
        self.text(["Northfield", "a town of twenty byt", "", "Northfield"][record], 24);
        let long = "x".repeat(record * 90);
        let (first, rest) = long.split_at(long.len().min(255));
        self.text(first, 256);
        self.text(rest, 48);
    }
}

struct Sav {
    bytes: Vec<u8>,
    rows: usize,
}

const WIDTH: usize = 8 + 8 + 8 + 24 + 256 + 48;
const SPANS: [Range<usize>; 5] = [0..8, 8..16, 16..24, 24..48, 48..352];

fn made(packing: Packing, big: bool) -> Sav {
    let mut file = Writer { big, bytes: Vec::new() };
    let magic = if packing == Packing::Zlib { "$FL3" } else { "$FL2" };
    file.text(&format!("{magic}@(#) SPSS DATA FILE made for a test"), 64);
    file.number(2, 4);
    file.number((WIDTH / 8).try_into().unwrap(), 4);
    let code = match packing {
        Packing::Plain => 0,
        Packing::Dense | Packing::Aligned => 1,
        Packing::Zlib => 2,
    };
    file.number(code, 4);
    file.number(2, 4);
    file.number(4, 4);
    file.double(100.0);
    file.text("19 Nov 2612:00:00a file", 9 + 8 + 64 + 3);
    file.variable("AGE", 0, &[], Some("Age in years"));
    file.variable("V2", 0, &[99.0, -99.0], None);
    file.variable("SEX", 6, &[], None);
    file.variable("TOWN", 20, &[], None);
    file.variable("NOTE", 255, &[], Some("Notes"));
    file.variable("NOTE0", 48, &[], None);
    file.number(3, 4);
    file.number(2, 4);
    for (value, label) in [(99.0, "refused"), (1.0, "one")] {
        file.double(value);
        file.bytes.push(label.len().try_into().unwrap());
        file.text(label, (label.len() + 1).next_multiple_of(8) - 1);
    }
    file.number(4, 4);
    file.number(2, 4);
    file.number(1, 4);
    file.number(2, 4);
    file.extension(13, 1, b"AGE=AGE\tV2=INCOME\tSEX=SEX\tTOWN=TOWN\tNOTE=NOTE");
    file.extension(14, 1, b"NOTE=00300\0\t");
    file.extension(20, 1, b"UTF-8");
    let mut display = Writer { big, bytes: Vec::new() };
    (0..18).for_each(|one| display.number(one, 4));
    file.extension(11, 4, &display.bytes);
    let mut labels = Writer { big, bytes: Vec::new() };
    labels.number(4, 4);
    labels.text("TOWN", 4);
    for number in [20, 1, 10] {
        labels.number(number, 4);
    }
    labels.text("Northfield", 10);
    labels.number(9, 4);
    labels.text("the north", 9);
    file.extension(21, 1, &labels.bytes);
    file.extension(18, 1, b"SEX:$@Role('0'\n)/TOWN:Source('register'\n)");
    file.number(999, 4);
    file.number(0, 4);
    let rows = file.bytes.len();
    let mut records = Writer { big, bytes: Vec::new() };
    (0..4).for_each(|record| records.record(record));
    match packing {
        Packing::Plain => file.bytes.extend(records.bytes),
        Packing::Dense | Packing::Aligned => file.bytes.extend(packed(&records, packing)),
        Packing::Zlib => {
            let unpacked = packed(&records, packing);
            let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(&unpacked).unwrap();
            let block = encoder.finish().unwrap();
            let whole = |number: usize| i64::try_from(number).unwrap();
            file.number(whole(rows), 8);
            file.number(whole(rows + 24 + block.len()), 8);
            file.number(48, 8);
            file.bytes.extend_from_slice(&block);
            file.number(-100, 8);
            file.number(0, 8);
            file.number(0x003f_f000, 4);
            file.number(1, 4);
            file.number(whole(rows), 8);
            file.number(whole(rows + 24), 8);
            file.number(whole(unpacked.len()), 4);
            file.number(whole(block.len()), 4);
        }
    }
    Sav { bytes: file.bytes, rows }
}

/// The slow twin of packing.
fn packed(records: &Writer, packing: Packing) -> Vec<u8> {
    let (mut codes, mut literals, mut out) = (Vec::new(), Vec::new(), Vec::new());
    let elements = records.bytes.chunks(8);
    for (nth, element) in elements.enumerate() {
        let bytes: [u8; 8] = element.try_into().unwrap();
        let number =
            if records.big { f64::from_be_bytes(bytes) } else { f64::from_le_bytes(bytes) };
        let is_number = nth % (WIDTH / 8) < 2;
        let small = (1..=251).find(|&code| f64::from(code) - 100.0 == number && is_number);
        codes.push(match small {
            Some(code) => u8::try_from(code).unwrap(),
            None if is_number && number == f64::MIN => 255,
            None if !is_number && element == b"        " => 254,
            None => {
                literals.extend_from_slice(element);
                253
            }
        });
        let ends = packing == Packing::Aligned && (nth + 1) % (WIDTH / 8) == 0;
        if codes.len() == 8 || ends || nth + 1 == records.bytes.len() / 8 {
            codes.resize(8, 0);
            out.append(&mut codes);
            out.append(&mut literals);
        }
    }
    out
}

#[test]
fn every_packing_says_the_same() {
    for packing in PACKINGS {
        for big in [false, true] {
            let said = said(&made(packing, big).bytes);
            assert_eq!(said.names, NAMES);
            assert_eq!(said.names.len(), LENGTHS.len());
            assert_eq!(said.columns[0], ["30", ".", "150.5", "99"], "{packing:?} {big}");
            assert_eq!(said.columns[1], ["1", "2", "99", "-99"]);
            assert_eq!(said.columns[2], ["m", "f", "", "f"]);
            assert_eq!(said.columns[3], ["Northfield", "a town of twenty byt", "", "Northfield"]);
            let long: Vec<usize> = said.columns[4].iter().map(String::len).collect();
            assert_eq!(long, [0, 90, 180, 270]);
            assert!(said.columns[4][3].bytes().all(|byte| byte == b'x'));
            let [age, income, _, town, note] = &said.labels.columns[..] else { panic!() };
            assert_eq!(age.label.as_deref(), Some("Age in years"));
            assert_eq!(age.values[&b"99"[..]], "refused");
            assert_eq!(income.values[&b"1"[..]], "one");
            assert_eq!(income.missing, [b"99".to_vec(), b"-99".to_vec()]);
            assert_eq!(town.values[&b"Northfield"[..]], "the north");
            assert_eq!(note.label.as_deref(), Some("Notes"));
        }
    }
}

#[test]
fn cells_are_moved_and_every_other_byte_is_copied() {
    for big in [false, true] {
        let file = made(Packing::Plain, big);
        let swaps: &[(u32, u32, &[usize])] = &[(0, 3, &[0, 3, 4])];
        let (written, _) =
            released(&Made::new(&file.bytes).path(), swaps, &ReleaseOptions::default());
        let cell = |record: usize, column: usize| {
            let row = file.rows + record * WIDTH;
            row + SPANS[column].start..row + SPANS[column].end
        };
        let moved: Vec<Range<usize>> =
            [0, 3].iter().flat_map(|&one| [0, 3, 4].map(|column| cell(one, column))).collect();
        assert!(lie_within(&differences(&file.bytes, &written), &moved));
        assert_eq!(written[cell(0, 4)], file.bytes[cell(3, 4)]);
    }
}

#[test]
fn every_packing_is_released_in_every_way() {
    for packing in PACKINGS {
        for big in [false, true] {
            check_releases(&Made::new(&made(packing, big).bytes).path());
        }
    }
}

/// What names a column goes with it.
#[test]
fn a_column_takes_its_names_along() {
    let made = Made::new(&made(Packing::Dense, false).bytes);
    let release = ReleaseOptions { drop: vec![1, 3, 4], ..ReleaseOptions::default() };
    let (written, _) = released(&made.path(), &[], &release);
    let holds = |text: &[u8]| written.windows(text.len()).any(|window| window == text);
    for name in ["INCOME", "TOWN", "NOTE", "Notes", "register", "the north"] {
        assert!(!holds(name.as_bytes()), "{name}");
    }
    assert!(holds(b"AGE=AGE\tSEX=SEX") && holds(b"SEX:$@Role") && holds(b"refused"));
    // The weight was the second variable, and is none now.
    assert_eq!(written[76..80], [0; 4]);
}

#[test]
fn hostile_files_are_refused() {
    check_hostile(&made(Packing::Plain, false).bytes);
    check_hostile(&made(Packing::Dense, true).bytes);
    check_hostile(&made(Packing::Zlib, false).bytes);
}

#[test]
fn claims_are_weighed() {
    let mut file = made(Packing::Plain, true);
    file.bytes[80] = 0x7f;
    let refusal = read(&Made::new(&file.bytes).path()).unwrap_err();
    assert_eq!((refusal.code, refusal.place.byte), (Code::BadSpss, Some(file.rows as u64)));
    // A block that claims to unpack to more than zlib can.
    let mut file = made(Packing::Zlib, true);
    let at = file.bytes.len() - 8;
    file.bytes[at + 1] = 0x7f;
    let refusal = read(&Made::new(&file.bytes).path()).unwrap_err();
    assert_eq!(refusal.code, Code::BadSpss);
}

#[test]
fn real_files_are_released_in_every_way() {
    let files = [real_files("sav"), real_files("zsav")].concat();
    let read = files.iter().filter(|path| {
        check_releases(path);
        true
    });
    let read = read.count();
    assert!(read == 0 || read >= 14, "{read}");
}

//! SAS transport files of versions 5 and 8.

use marginswap_io::ReleaseOptions;
use marginswap_io::refusal::Code;

use super::{
    Made, check_hostile, check_releases, differences, lie_within, read, real_files, released, said,
};

struct Xpt {
    bytes: Vec<u8>,
    rows: usize,
}

fn record(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(80, b' ');
    bytes
}

fn header(name: &str, numbers: &str) -> Vec<u8> {
    record(&format!("HEADER RECORD*******{name:<8}HEADER RECORD!!!!!!!{numbers}"))
}

fn filled(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(80), b' ');
    bytes
}

/// A number of eight bytes, one of three, a text of five; `records` observations.
fn made(is_long: bool, records: usize) -> Xpt {
    let of = |old, new| if is_long { new } else { old };
    let mut bytes = header(of("LIBRARY", "LIBV8"), "000000000000000000000000000000");
    bytes.extend(record("SAS     SAS     SASLIB  9.4     test"));
    bytes.extend(record("19NOV26:12:00:00"));
    bytes.extend(header(of("MEMBER", "MEMBV8"), "000000000000000001600000000140"));
    bytes.extend(header(of("DSCRPTR", "DSCPTV8"), "000000000000000000000000000000"));
    bytes.extend(record("SAS     DATA    SASDATA 9.4     test"));
    bytes.extend(record("19NOV26:12:00:00"));
    bytes.extend(header(of("NAMESTR", "NAMSTV8"), "000000000300000000000000000000"));
    let mut names = Vec::new();
    let variables = [("AGE", 1u16, 8u16, 0u32), ("SIZE", 1, 3, 8), ("TOWN", 2, 5, 11)];
    for (number, (name, kind, length, at)) in (1u16..).zip(variables) {
        let mut one = Vec::new();
        one.extend(kind.to_be_bytes());
        one.extend([0, 0]);
        one.extend(length.to_be_bytes());
        one.extend(number.to_be_bytes());
        one.extend(format!("{name:<8}{:<40}{:<8}", format!("Label of {name}"), "").as_bytes());
        one.extend([0; 8]);
        one.extend(format!("{:<8}", "").as_bytes());
        one.extend([0; 4]);
        one.extend(at.to_be_bytes());
        let long = if is_long { format!("{name}_of_the_household") } else { String::new() };
        one.extend(format!("{long:<32}").as_bytes());
        one.resize(140, 0);
        names.extend(one);
    }
    bytes.extend(filled(names));
    if is_long {
        bytes.extend(header("LABELV8", "00001"));
        let mut label = Vec::new();
        for number in [3u16, 21, 60] {
            label.extend(number.to_be_bytes());
        }
        label.extend(format!("{:<21}{}", "TOWN_of_the_household", "y".repeat(60)).as_bytes());
        bytes.extend(filled(label));
    }
    bytes.extend(header(of("OBS", "OBSV8"), "000000000000000000000000000000"));
    let rows = bytes.len();
    let mut data = Vec::new();
    for record in 0..records {
        data.extend([[0x41, 0x10, 0, 0, 0, 0, 0, 0], *b"A\0\0\0\0\0\0\0", [0; 8]][record % 3]);
        data.extend([[0x42, 0x64, 0], [0xc0, 0x80, 0], *b".\0\0"][record % 3]);
        data.extend([b"north", b"a    ", b"     "][record % 3]);
    }
    bytes.extend(filled(data));
    Xpt { bytes, rows }
}

#[test]
fn both_versions_say_the_same() {
    for is_long in [false, true] {
        let said = said(&made(is_long, 3).bytes);
        let names = ["AGE", "SIZE", "TOWN"];
        let long = if is_long { "_of_the_household" } else { "" };
        assert_eq!(said.names, names.map(|name| format!("{name}{long}")));
        assert_eq!(said.columns[0], ["1", ".A", "0"]);
        assert_eq!(said.columns[1], ["100", "-0.5", "."]);
        assert_eq!(said.columns[2], ["north", "a", ""]);
        assert_eq!(said.labels.columns[0].label.as_deref(), Some("Label of AGE"));
        let town = said.labels.columns[2].label.as_deref().unwrap();
        assert_eq!(town, if is_long { "y".repeat(60) } else { "Label of TOWN".to_owned() });
    }
}

/// Records of 16 bytes fill records of 80 at every fifth; what fills up is no record.
#[test]
fn what_fills_up_is_no_record() {
    for records in 1..=12 {
        let said = said(&made(false, records).bytes);
        assert_eq!(said.columns[0].len(), records);
    }
}

#[test]
fn cells_are_moved_and_every_other_byte_is_copied() {
    for is_long in [false, true] {
        let file = made(is_long, 4);
        let made = Made::new(&file.bytes);
        let (written, _) = released(&made.path(), &[(0, 1, &[1])], &ReleaseOptions::default());
        let cells = [0, 1].map(|one| file.rows + 16 * one + 8..file.rows + 16 * one + 11);
        assert!(lie_within(&differences(&file.bytes, &written), &cells));
        assert_eq!(written[cells[0].clone()], file.bytes[cells[1].clone()]);
    }
}

#[test]
fn both_versions_are_released_in_every_way() {
    for is_long in [false, true] {
        for records in [1, 4, 5] {
            check_releases(&Made::new(&made(is_long, records).bytes).path());
        }
    }
}

#[test]
fn hostile_files_are_refused() {
    check_hostile(&made(false, 4).bytes);
    check_hostile(&made(true, 4).bytes);
}

#[test]
fn a_second_data_set_is_refused() {
    let one = made(false, 5).bytes;
    let both = [&one[..], &one[240..]].concat();
    let refusal = read(&Made::new(&both).path()).unwrap_err();
    assert_eq!((refusal.code, refusal.place.byte), (Code::OldStatistics, Some(one.len() as u64)));
}

#[test]
fn real_files_are_released_in_every_way() {
    real_files("xpt").iter().for_each(|path| check_releases(path));
}

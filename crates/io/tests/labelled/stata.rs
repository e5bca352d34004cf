//! Stata files of every format and byte order.

use std::fs;
use std::ops::Range;

use marginswap_io::ReleaseOptions;
use marginswap_io::refusal::Code;

use super::{
    Made, check_hostile, check_releases, differences, lie_within, read, real_files, released, said,
};

/// A file of six variables and four observations, sorted by the first two, with a value label, a
/// characteristic of a variable and a note on the data; from 117 on a seventh of long texts.
pub(super) struct Dta {
    pub(super) bytes: Vec<u8>,
    rows: usize,
    width: usize,
    sorted: Range<usize>,
}

const SPANS: [Range<usize>; 7] = [0..1, 1..3, 3..7, 7..11, 11..19, 19..24, 24..32];

struct Writer {
    version: u16,
    big: bool,
    bytes: Vec<u8>,
}

impl Writer {
    fn number(&mut self, number: u64, length: usize) {
        let mut bytes = number.to_be_bytes()[8 - length..].to_vec();
        if !self.big {
            bytes.reverse();
        }
        self.bytes.extend(bytes);
    }

    fn text(&mut self, text: &str, width: usize) {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(width, 0);
        self.bytes.extend(bytes);
    }

    fn tag(&mut self, tag: &str) {
        if self.version >= 117 {
            self.bytes.extend(format!("<{tag}>").as_bytes());
        }
    }

    fn rows(&mut self, long: bool) {
        for record in 0..4usize {
            self.number([1, 2, 101, 127][record], 1);
            self.number([300, 300, 32_741, 65_535][record], 2);
            self.number(70_000 + record as u64, 4);
            self.number(f32::to_bits([0.5, 0.1, -3.0, 0.5][record]).into(), 4);
            self.number(f64::to_bits([1e9, 0.1, 2.0, 7.0][record]), 8);
            self.text(["ann", "bob", "", "carol"][record], 5);
            if long {
                // Two texts; the third observation has the empty one.
                let (v, o) = [(7, 1), (7, 2), (0, 0), (7, 1)][record];
                let variable = [4, 2, 3][usize::from(self.version - 117)];
                self.number(v, variable);
                self.number(o, 8 - variable);
            }
        }
    }

    fn value_label(&mut self) {
        let name = if self.version >= 118 { 129 } else { 33 };
        self.tag("lbl");
        self.number(8 + 16 + 9, 4);
        self.text("yesno", name + 3);
        self.number(2, 4);
        self.number(9, 4);
        self.number(0, 4);
        self.number(4, 4);
        self.number(1, 4);
        self.number(2_147_483_621, 4);
        self.text("yes\0none", 9);
        self.tag("/lbl");
    }
}

pub(super) fn made(version: u16, big: bool) -> Dta {
    let mut file = Writer { version, big, bytes: Vec::new() };
    let tagged = version >= 117;
    let variables = if tagged { 7u64 } else { 6 };
    let wide = version >= 118;
    let mut places = vec![0u64];
    if tagged {
        file.bytes.extend(format!("<stata_dta><header><release>{version}</release>").as_bytes());
        file.bytes.extend(if big {
            b"<byteorder>MSF</byteorder>"
        } else {
            b"<byteorder>LSF</byteorder>"
        });
        file.tag("K");
        file.number(variables, if version == 119 { 4 } else { 2 });
        file.tag("/K><N");
        file.number(4, if wide { 8 } else { 4 });
        file.tag("/N><label");
        file.number(4, if wide { 2 } else { 1 });
        file.text("test", 4);
        file.tag("/label><timestamp");
        file.number(17, 1);
        file.text("19 Nov 2026 12:00", 17);
        file.tag("/timestamp></header");
        places.push(file.bytes.len() as u64);
        file.tag("map");
        file.bytes.extend([0; 112]);
        file.tag("/map");
    } else {
        file.bytes.extend([u8::try_from(version).unwrap(), if big { 1 } else { 2 }, 1, 0]);
        file.number(variables, 2);
        file.number(4, 4);
        file.text("test", 81);
        file.text("19 Nov 2026 12:00", 18);
    }
    let types: [u64; 7] = match tagged {
        true => [65_530, 65_529, 65_528, 65_527, 65_526, 5, 32_768],
        false => [251, 252, 253, 254, 255, 5, 0],
    };
    let names = ["b", "i", "l", "f", "d", "s", "long"];
    let own = 0..usize::try_from(variables).unwrap();
    let mut list = |file: &mut Writer, tag: &str, each: &dyn Fn(&mut Writer, usize)| {
        places.push(file.bytes.len() as u64);
        file.tag(tag);
        own.clone().for_each(|one| each(file, one));
        let begun = file.bytes.len();
        if tag == "sortlist" {
            file.number(0, if version == 119 { 4 } else { 2 });
        }
        file.tag(&format!("/{tag}"));
        begun
    };
    list(&mut file, "variable_types", &|file, one| {
        file.number(types[one], if tagged { 2 } else { 1 })
    });
    let long = if wide { 129 } else { 33 };
    list(&mut file, "varnames", &|file, one| file.text(names[one], long));
    let width = if version == 119 { 4 } else { 2 };
    let sorted = list(&mut file, "sortlist", &|file, one| {
        file.number([1, 2, 0, 0, 0, 0, 0][one], width);
    });
    let sorted = sorted - width * own.len()..sorted;
    let format = if version == 113 {
        12
    } else if wide {
        57
    } else {
        49
    };
    list(&mut file, "formats", &|file, _| file.text("%9.0g", format));
    list(&mut file, "value_label_names", &|file, one| {
        file.text(if one == 0 { "yesno" } else { "" }, long);
    });
    list(&mut file, "variable_labels", &|file, one| {
        file.text(&format!("label {one}"), if wide { 321 } else { 81 });
    });
    places.push(file.bytes.len() as u64);
    file.tag("characteristics");
    for variable in ["_dta", "i"] {
        file.tag("ch");
        if !tagged {
            file.bytes.push(1);
        }
        file.number(2 * long as u64 + 5, 4);
        file.text(variable, long);
        file.text("note1", long);
        file.text("text", 5);
        file.tag("/ch");
    }
    if !tagged {
        file.bytes.extend([0; 5]);
    }
    file.tag("/characteristics");
    places.push(file.bytes.len() as u64);
    file.tag("data");
    let rows = file.bytes.len();
    file.rows(tagged);
    file.tag("/data");
    places.push(file.bytes.len() as u64);
    if tagged {
        file.tag("strls");
        for (observation, text) in [(1, "a long text\0"), (2, "another\0")] {
            file.text("GSO", 3);
            file.number(7, 4);
            file.number(observation, if wide { 8 } else { 4 });
            file.bytes.push(130);
            file.number(text.len() as u64, 4);
            file.text(text, text.len());
        }
        file.tag("/strls");
    }
    places.push(file.bytes.len() as u64);
    file.tag("value_labels");
    file.value_label();
    file.tag("/value_labels");
    places.push(file.bytes.len() as u64);
    file.tag("/stata_dta");
    places.push(file.bytes.len() as u64);
    if tagged {
        let map = usize::try_from(places[1]).unwrap() + 5;
        let mut written = Writer { version, big, bytes: Vec::new() };
        places.iter().for_each(|&place| written.number(place, 8));
        file.bytes[map..map + 112].copy_from_slice(&written.bytes);
    }
    Dta { bytes: file.bytes, rows, width: if tagged { 32 } else { 24 }, sorted }
}

fn every() -> impl Iterator<Item = (u16, bool, Dta)> {
    let versions = [113, 114, 115, 117, 118, 119].into_iter();
    versions.flat_map(|version| [false, true].map(|big| (version, big, made(version, big))))
}

#[test]
fn every_format_says_the_same() {
    for (version, big, file) in every() {
        let said = said(&file.bytes);
        let columns = if version >= 117 { 7 } else { 6 };
        assert_eq!(said.names, ["b", "i", "l", "f", "d", "s", "long"][..columns]);
        let expected: [&[&str]; 7] = [
            &["1", "2", ".", ".z"],
            &["300", "300", ".", "-1"],
            &["70000", "70001", "70002", "70003"],
            &["0.5", "0.1", "-3", "0.5"],
            &["1000000000", "0.1", "2", "7"],
            &["ann", "bob", "", "carol"],
            &["a long text", "another", "", "a long text"],
        ];
        assert_eq!(said.columns, expected[..columns], "{version} {big}");
        assert_eq!(said.labels.notes, 2);
        let first = &said.labels.columns[0];
        assert_eq!(first.label.as_deref(), Some("label 0"));
        let values: Vec<(&[u8], &str)> =
            first.values.iter().map(|(value, label)| (&value[..], &label[..])).collect();
        assert_eq!(values, [(&b"."[..], "none"), (b"1", "yes")]);
        assert!(said.labels.columns[1].values.is_empty());
    }
}

/// Law: `moved-cells-and-no-other-byte`.
#[test]
fn law_moved_cells_and_no_other_byte() {
    for (version, _, file) in every() {
        let made = Made::new(&file.bytes);
        let (written, counts) =
            released(&made.path(), &[(0, 3, &[1, 2, 5])], &ReleaseOptions::default());
        let cell = |record: usize, column: usize| {
            let row = file.rows + record * file.width;
            row + SPANS[column].start..row + SPANS[column].end
        };
        let mut moved: Vec<Range<usize>> =
            [0, 3].iter().flat_map(|&one| [1, 2, 5].map(|column| cell(one, column))).collect();
        for column in [1, 2, 5] {
            assert_eq!(written[cell(0, column)], file.bytes[cell(3, column)], "{version}");
            assert_eq!(written[cell(3, column)], file.bytes[cell(0, column)], "{version}");
        }
        // It is still sorted by the first variable, and no longer by the second.
        moved.push(file.sorted.clone());
        assert!(lie_within(&differences(&file.bytes, &written), &moved), "{version}");
        assert_eq!(differences(&file.bytes[file.sorted.clone()], &written[file.sorted]).len(), 1);
        assert_eq!((counts.records_changed, counts.cells_changed), (2, 6));
    }
}

#[test]
fn every_format_is_released_in_every_way() {
    for (_, _, file) in every() {
        check_releases(&Made::new(&file.bytes).path());
    }
}

/// In a new order a list of sorted variables, and places of long texts, would be false or tell.
#[test]
fn a_new_order_leaves_no_trace_of_the_old_one() {
    for (version, big, file) in every() {
        let made = Made::new(&file.bytes);
        let order = Some(vec![2, 3, 1, 0]);
        let release = ReleaseOptions { order, ..ReleaseOptions::default() };
        let (written, _) = released(&made.path(), &[], &release);
        assert!(written[file.sorted.clone()].iter().all(|&byte| byte == 0), "{version}");
        if version < 117 {
            continue;
        }
        // The second record of the new file is the first with a long text, the third the next.
        let reference = |record: usize| {
            let mut cell = written[file.rows + 32 * record + 24..][..8].to_vec();
            if !big {
                cell.reverse();
            }
            cell.iter().fold(0u64, |number, &byte| number << 8 | u64::from(byte))
        };
        let bits = 64 - 8 * [4, 2, 3][usize::from(version - 117)];
        let expected = |variable: u64, observation: u64| match big {
            true => variable << bits | observation,
            false => observation << (64 - bits) | variable,
        };
        assert_eq!(reference(0), 0);
        assert_eq!([reference(1), reference(3)], [expected(7, 2); 2], "{version} {big}");
        assert_eq!(reference(2), expected(7, 3), "{version} {big}");
    }
}

/// What belongs to a column that is left out goes with it.
#[test]
fn a_column_takes_its_labels_and_notes_along() {
    for (version, _, file) in every() {
        let made = Made::new(&file.bytes);
        let release = ReleaseOptions { drop: vec![0, 1], ..ReleaseOptions::default() };
        let (written, _) = released(&made.path(), &[], &release);
        let holds = |text: &[u8]| written.windows(text.len()).any(|window| window == text);
        assert!(!holds(b"yesno") && !holds(b"label 1") && holds(b"label 2"), "{version}");
        assert_eq!(said(&written).labels.notes, 1);
    }
}

#[test]
fn hostile_files_are_refused() {
    for version in [114, 117, 119] {
        check_hostile(&made(version, version % 2 == 0).bytes);
    }
}

/// What is wrong is told with its place, before memory is taken for it.
#[test]
fn claims_are_weighed() {
    let place = |bytes: &[u8]| {
        let refusal = read(&Made::new(bytes).path()).unwrap_err();
        assert_eq!(refusal.code, Code::BadStata);
        (refusal.place.byte.unwrap(), refusal.detail)
    };
    let file = made(114, true);
    let mut records = file.bytes.clone();
    records[6] = 0x7f;
    let (byte, detail) = place(&records);
    assert_eq!(byte, file.rows as u64);
    assert!(detail.ends_with("records of 24 bytes were expected here"), "{detail}");
    let file = made(118, false);
    let mut variables = file.bytes.clone();
    let at = variables.windows(3).position(|tag| tag == b"<K>").unwrap() + 3;
    variables[at + 1] = 0xff;
    let (_, detail) = place(&variables);
    assert!(detail.contains("`variable_types` was expected here"), "{detail}");
    let cut = &file.bytes[..file.rows + 40];
    assert_eq!(place(cut).0, file.rows as u64);
}

#[test]
fn real_files_are_released_in_every_way() {
    let mut read_ones = 0;
    for path in real_files("dta") {
        let first = fs::read(&path).unwrap()[0];
        match read(&path) {
            Ok(_) => {
                check_releases(&path);
                read_ones += 1;
            }
            Err(refusal) if refusal.code == Code::NoRecords => {}
            Err(refusal) => {
                let is_old = (102..113).contains(&first);
                assert_eq!((refusal.code, is_old), (Code::ForeignFile, true), "{}", path.display());
            }
        }
    }
    assert!(read_ones == 0 || read_ones >= 5, "{read_ones}");
}

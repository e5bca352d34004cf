//! The description of a Stata file: one list after the other, each with an entry of fixed width
//! for every variable.
//!
//! Formats 113 to 115 are lists without marks; from 117 on every list is between two tags, and a
//! map says where each begins. The map is not followed (it may claim anything): the lists come in
//! a fixed order. Where it contradicts them, the file is refused.

use marginswap_core::diagnostic::Diagnostic;

use crate::input_file::InputFile;
use crate::refusal::Code;
use crate::rows::cursor::{Cursor, Order, until_nul};
use crate::rows::damaged;
use crate::rows::kind::{Encoding, Kind, Text};

/// No format of Stata has more variables.
const MOST_VARIABLES: u64 = 120_000;

/// The lists of a description, in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    Types,
    Names,
    Sorted,
    Formats,
    LabelNames,
    Labels,
}

pub(super) const LISTS: [List; 6] =
    [List::Types, List::Names, List::Sorted, List::Formats, List::LabelNames, List::Labels];

impl List {
    /// The tag of the list, from 117 on.
    pub(super) fn tag(self) -> &'static str {
        match self {
            Self::Types => "variable_types",
            Self::Names => "varnames",
            Self::Sorted => "sortlist",
            Self::Formats => "formats",
            Self::LabelNames => "value_label_names",
            Self::Labels => "variable_labels",
        }
    }

    /// The bytes of an entry.
    pub(super) fn width(self, version: u16) -> usize {
        let [old, middle, new] = match self {
            Self::Types => return if version < 117 { 1 } else { 2 },
            Self::Sorted => return if version == 119 { 4 } else { 2 },
            Self::Names | Self::LabelNames => [33, 33, 129],
            Self::Formats => [if version == 113 { 12 } else { 49 }, 49, 57],
            Self::Labels => [81, 81, 321],
        };
        match version {
            ..117 => old,
            117 => middle,
            _ => new,
        }
    }
}

/// What a Stata file says before its records.
pub(super) struct Header {
    pub(super) version: u16,
    pub(super) order: Order,
    pub(super) variables: usize,
    pub(super) records: u64,
    /// All bytes before the first list; from 117 on before the map.
    pub(super) head: Vec<u8>,
    /// Where the number of variables is in these.
    pub(super) variables_at: usize,
    /// The map, from 117 on.
    pub(super) map: Vec<u64>,
    /// The entries of each list, without tags.
    pub(super) lists: [Vec<u8>; 6],
    /// The characteristics, each with its name of a variable (or `_dta`) and all its bytes.
    pub(super) characteristics: Vec<Characteristic>,
    /// What ends the characteristics before 117.
    pub(super) end_of_characteristics: Vec<u8>,
    pub(super) rows_start: u64,
}

pub(super) struct Characteristic {
    pub(super) variable: Vec<u8>,
    pub(super) bytes: Vec<u8>,
}

/// What comes after the records.
pub(super) struct Sections {
    /// Long texts, from 117 on: first byte and length, without tags.
    pub(super) strls: (u64, u64),
    /// Value labels: each with its name, first byte and length.
    pub(super) labels: Vec<(Vec<u8>, u64, u64)>,
}

impl Header {
    pub(super) fn entry(&self, list: List, position: usize) -> &[u8] {
        let width = list.width(self.version);
        &self.lists[list as usize][position * width..(position + 1) * width]
    }

    pub(super) fn names(&self) -> Vec<&[u8]> {
        (0..self.variables).map(|one| until_nul(self.entry(List::Names, one))).collect()
    }

    pub(super) fn encoding(&self) -> Encoding {
        if self.version >= 118 { Encoding::Bytes } else { Encoding::Windows1252 }
    }

    /// The width of a variable's cells, and what they are.
    pub(super) fn kind(&self, position: usize) -> Result<(usize, Kind), Diagnostic> {
        let order = self.order;
        let kind = self.order.unsigned(self.entry(List::Types, position));
        let text = |width: u64| {
            let (parts, padding, encoding) = (Vec::new(), 0, self.encoding());
            (to_usize(width), Kind::Text(Text { parts, padding, encoding }))
        };
        Ok(match (self.version, kind) {
            (..117, 251) | (117.., 65_530) => (1, Kind::StataInteger(order)),
            (..117, 252) | (117.., 65_529) => (2, Kind::StataInteger(order)),
            (..117, 253) | (117.., 65_528) => (4, Kind::StataInteger(order)),
            (..117, 254) | (117.., 65_527) => (4, Kind::StataFloat(order)),
            (..117, 255) | (117.., 65_526) => (8, Kind::StataDouble(order)),
            (117.., 32_768) => (8, Kind::StataReference),
            (..117, 1..=244) | (117.., 1..=2045) => text(kind),
            _ => {
                let expected = format!("the storage type of variable {} is unknown", position + 1);
                return Err(damaged(Code::BadStata, self.head.len() as u64, &expected));
            }
        })
    }

    /// The variable and the observation that a cell refers to.
    pub(super) fn reference(&self, cell: &[u8]) -> (u64, u64) {
        let variable = self.bytes_of_variable();
        let (low, high) = cell.split_at(variable);
        (self.order.unsigned(low), self.order.unsigned(high))
    }

    /// A cell that refers to these.
    pub(super) fn referring(&self, (variable, observation): (u64, u64)) -> Vec<u8> {
        let length = self.bytes_of_variable();
        let mut cell = self.order.bytes(variable, length);
        cell.extend(self.order.bytes(observation, 8 - length));
        cell
    }

    fn bytes_of_variable(&self) -> usize {
        match self.version {
            117 => 4,
            118 => 2,
            _ => 3,
        }
    }

    /// How long the name of a variable is in characteristics and value labels.
    pub(super) fn long_name(&self) -> usize {
        if self.version >= 118 { 129 } else { 33 }
    }
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).expect("a width is small")
}

/// Reads all that comes before the records.
pub(super) fn read(file: &InputFile) -> Result<Header, Diagnostic> {
    let mut cursor = Cursor { file, at: 0, order: Order::Big, code: Code::BadStata };
    let first = cursor.take(1, "the format of the file")?;
    match first[0] {
        b'<' => read_tagged(file),
        version => read_plain(cursor, u16::from(version)),
    }
}

fn read_plain(mut cursor: Cursor<'_>, version: u16) -> Result<Header, Diagnostic> {
    let order = cursor.take(1, "the byte order")?;
    cursor.order = if order[0] == 1 { Order::Big } else { Order::Little };
    cursor.skip(2, "the kind of file")?;
    let variables = cursor.unsigned(2, "the number of variables")?;
    let records = cursor.unsigned(4, "the number of observations")?;
    cursor.skip(81 + 18, "the label of the file and the time")?;
    let head =
        cursor.file.piece(0, cursor.at).map_err(|error| crate::input_file::not_read(&error))?;
    let variables = to_usize(variables);
    let mut lists: [Vec<u8>; 6] = Default::default();
    for list in LISTS {
        lists[list as usize] = entries(&mut cursor, list, version, variables)?;
    }
    let mut characteristics = Vec::new();
    let end_of_characteristics = loop {
        let start = cursor.take(5, "a characteristic or their end")?;
        let length = cursor.order.unsigned(&start[1..]);
        if start[0] == 0 && length == 0 {
            break start;
        }
        let contents = cursor.take(length, "a characteristic")?;
        let variable = until_nul(&contents[..contents.len().min(33)]).to_vec();
        let bytes = [start, contents].concat();
        characteristics.push(Characteristic { variable, bytes });
    };
    Ok(Header {
        version,
        order: cursor.order,
        variables,
        records,
        head,
        variables_at: 4,
        map: Vec::new(),
        lists,
        characteristics,
        end_of_characteristics,
        rows_start: cursor.at,
    })
}

/// The entries of a list; the one of sorted variables has one more, which ends it.
fn entries(
    cursor: &mut Cursor<'_>,
    list: List,
    version: u16,
    variables: usize,
) -> Result<Vec<u8>, Diagnostic> {
    let entries = variables + usize::from(list == List::Sorted);
    cursor.take((entries * list.width(version)) as u64, &format!("the list `{}`", list.tag()))
}

fn read_tagged(file: &InputFile) -> Result<Header, Diagnostic> {
    let mut cursor = Cursor { file, at: 0, order: Order::Big, code: Code::BadStata };
    cursor.expect(b"<stata_dta><header><release>")?;
    let version = match &cursor.take(3, "the format of the file")?[..] {
        b"117" => 117,
        b"118" => 118,
        b"119" => 119,
        _ => {
            return Err(Diagnostic::new(
                Code::OldStatistics,
                "this Stata file is of a format that is not known here; 113 to 119 are read",
                "save it from Stata with `saveold`, or export the data as CSV or Parquet",
            ));
        }
    };
    cursor.expect(b"</release><byteorder>")?;
    cursor.order = match &cursor.take(3, "the byte order")?[..] {
        b"MSF" => Order::Big,
        b"LSF" => Order::Little,
        _ => {
            cursor.at -= 3;
            return Err(cursor.bad("the byte order `MSF` or `LSF` was expected here"));
        }
    };
    cursor.expect(b"</byteorder><K>")?;
    let variables_at = to_usize(cursor.at);
    let variables =
        cursor.unsigned(if version == 119 { 4 } else { 2 }, "the number of variables")?;
    if variables > MOST_VARIABLES {
        return Err(cursor.bad("a number of variables that Stata can have was expected here"));
    }
    let variables = to_usize(variables);
    cursor.expect(b"</K><N>")?;
    let records =
        cursor.unsigned(if version == 117 { 4 } else { 8 }, "the number of observations")?;
    cursor.expect(b"</N><label>")?;
    let length = cursor.unsigned(if version == 117 { 1 } else { 2 }, "the length of a label")?;
    cursor.skip(length, "the label of the file")?;
    cursor.expect(b"</label><timestamp>")?;
    let length = cursor.unsigned(1, "the length of a time")?;
    cursor.skip(length, "the time")?;
    cursor.expect(b"</timestamp></header>")?;
    let head = file.piece(0, cursor.at).map_err(|error| crate::input_file::not_read(&error))?;
    let map_at = cursor.at;
    cursor.expect(b"<map>")?;
    let map = cursor.take(8 * 14, "the map")?;
    let map: Vec<u64> = map.chunks_exact(8).map(|place| cursor.order.unsigned(place)).collect();
    cursor.expect(b"</map>")?;
    let mut places = vec![0, map_at];
    let mut lists: [Vec<u8>; 6] = Default::default();
    for list in LISTS {
        places.push(cursor.at);
        cursor.expect(format!("<{}>", list.tag()).as_bytes())?;
        lists[list as usize] = entries(&mut cursor, list, version, variables)?;
        cursor.expect(format!("</{}>", list.tag()).as_bytes())?;
    }
    places.push(cursor.at);
    let characteristics = tagged_characteristics(&mut cursor, version)?;
    places.push(cursor.at);
    // Stata 13 leaves the place of the labels out.
    if map.iter().zip(&places).any(|(told, place)| told != place && *told != 0) {
        return Err(damaged(Code::BadStata, map_at + 5, "a map of the lists was expected here"));
    }
    cursor.expect(b"<data>")?;
    Ok(Header {
        version,
        order: cursor.order,
        variables,
        records,
        head,
        variables_at,
        map,
        lists,
        characteristics,
        end_of_characteristics: Vec::new(),
        rows_start: cursor.at,
    })
}

fn tagged_characteristics(
    cursor: &mut Cursor<'_>,
    version: u16,
) -> Result<Vec<Characteristic>, Diagnostic> {
    let name = if version >= 118 { 129 } else { 33 };
    let mut found = Vec::new();
    cursor.expect(b"<characteristics>")?;
    loop {
        let at = cursor.at;
        match &cursor.take(4, "a characteristic")?[..] {
            b"<ch>" => {}
            _ => {
                cursor.at = at;
                break;
            }
        }
        let start = cursor.take(4, "the length of a characteristic")?;
        let contents = cursor.take(cursor.order.unsigned(&start), "a characteristic")?;
        cursor.expect(b"</ch>")?;
        let variable = until_nul(&contents[..contents.len().min(name)]).to_vec();
        let bytes = [b"<ch>", &start[..], &contents, b"</ch>"].concat();
        found.push(Characteristic { variable, bytes });
    }
    cursor.expect(b"</characteristics>")?;
    Ok(found)
}

/// Reads what comes after the records: where each part is.
pub(super) fn sections(
    file: &InputFile,
    header: &Header,
    rows_end: u64,
) -> Result<Sections, Diagnostic> {
    let mut cursor = Cursor { file, at: rows_end, order: header.order, code: Code::BadStata };
    let mut strls = (rows_end, 0);
    let tagged = header.version >= 117;
    if tagged {
        cursor.expect(b"</data>")?;
        let start = cursor.at;
        cursor.expect(b"<strls>")?;
        let texts = cursor.at;
        // Their end is known from the map alone; the tags there must be right.
        let labels = header.map[11];
        let end = labels.checked_sub(b"</strls>".len() as u64).filter(|&end| end >= texts);
        let Some(end) = end.filter(|_| header.map[10] == start) else {
            return Err(cursor.bad("the map does not say where the long texts are"));
        };
        strls = (texts, end - texts);
        cursor.skip(end - texts, "the long texts")?;
        cursor.expect(b"</strls><value_labels>")?;
    }
    let mut labels = Vec::new();
    loop {
        let at = cursor.at;
        if tagged {
            if cursor.take(5, "a value label")? != b"<lbl>" {
                cursor.at = at;
                break;
            }
        } else if cursor.at == file.length() {
            break;
        }
        let length = cursor.unsigned(4, "the length of a value label")?;
        let name = cursor.take(header.long_name() as u64, "the name of a value label")?;
        cursor.skip(3 + length, "a value label")?;
        if tagged {
            cursor.expect(b"</lbl>")?;
        }
        labels.push((until_nul(&name).to_vec(), at, cursor.at - at));
    }
    if tagged {
        cursor.expect(b"</value_labels>")?;
        let place = cursor.at;
        cursor.expect(b"</stata_dta>")?;
        if header.map[12] != place || header.map[13] != cursor.at || cursor.at != file.length() {
            return Err(cursor.bad("the end of the file, as its map says, was expected here"));
        }
    }
    Ok(Sections { strls, labels })
}

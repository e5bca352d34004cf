//! A small file of odd bytes.
//!
//! Few values, so that coincidences are common; among them empty ones, quotes, delimiters, line
//! ends inside quotes, bytes that are no UTF-8, and long ones.

use marginswap_core::random::Random;

/// A file as rows of raw fields.
#[derive(Debug, Clone)]
pub struct World {
    /// The names of the columns; the first is an id.
    pub names: Vec<String>,
    /// The raw bytes of each field, quotes included.
    pub rows: Vec<Vec<Vec<u8>>>,
    /// The byte between two fields.
    pub delimiter: u8,
    /// What ends a line.
    pub end: &'static str,
    /// Does it begin with a byte order mark?
    pub mark: bool,
    /// Does the last line end?
    pub last_ends: bool,
    /// Where the lines are persons in households: the columns that all members have in common.
    pub common: Option<Vec<String>>,
}

/// The column that names the households, where there are some.
pub const HOUSE: &str = "house";

/// A word that no message may show.
pub const CANARY: &str = "CANARY";

/// The names of columns.
const NAMES: [&str; 8] = ["town", "sex", "age band", "x*y", "größe", "7", "in`come", "a,b"];

impl World {
    /// A random one.
    #[must_use]
    pub fn draw(random: &mut Random) -> Self {
        let delimiter = *pick(b",;\t|", random);
        let columns = 2 + random.below(5);
        let mut names: Vec<&str> = NAMES.to_vec();
        random.shuffle(&mut names);
        let mut names: Vec<String> = names[..columns].iter().map(|&name| name.to_owned()).collect();
        names.insert(0, "person".to_owned());
        let pools: Vec<Vec<Vec<u8>>> = (0..columns)
            .map(|_| {
                let mut pool = values();
                random.shuffle(&mut pool);
                pool.truncate(1 + random.below(4));
                pool
            })
            .collect();
        let most = if random.below(4) == 0 { 60 } else { 20 };
        let records = 3 + random.below(most);
        let always = random.below(5) == 0;
        let in_households = random.below(4) == 0;
        let common = (1..=columns).filter(|_| in_households && random.below(2) == 0).collect();
        let common: Vec<usize> = if in_households && columns > 1 { common } else { vec![] };
        let houses = 2 + records / 2;
        let mut homes: Vec<Option<Vec<Vec<u8>>>> = vec![None; houses];
        let mut rows: Vec<Vec<Vec<u8>>> = Vec::new();
        for record in 0..records {
            let id = format!("p{}", record * 7 % 1000 + record);
            let mut fields: Vec<Vec<u8>> = vec![id.into_bytes()];
            fields.extend(pools.iter().map(|pool| pick(pool, random).clone()));
            if in_households {
                let house = random.below(houses);
                let home = homes[house].get_or_insert_with(|| fields.clone());
                common.iter().for_each(|&column| fields[column].clone_from(&home[column]));
                fields.insert(1, format!("h{house}").into_bytes());
            }
            rows.push(fields.iter().map(|value| raw(value, delimiter, always)).collect());
        }
        let common = in_households.then(|| common.iter().map(|&at| names[at].clone()).collect());
        if in_households {
            names.insert(1, HOUSE.to_owned());
        }
        Self {
            common,
            names,
            rows,
            delimiter,
            end: if random.below(3) == 0 { "\r\n" } else { "\n" },
            mark: random.below(4) == 0,
            last_ends: random.below(4) != 0,
        }
    }

    /// The bytes of the file.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = if self.mark { "\u{feff}".as_bytes().to_vec() } else { Vec::new() };
        let header: Vec<Vec<u8>> =
            self.names.iter().map(|name| raw(name.as_bytes(), self.delimiter, false)).collect();
        let lines: Vec<Vec<u8>> = std::iter::once(&header)
            .chain(&self.rows)
            .map(|fields| fields.join(&self.delimiter))
            .collect();
        bytes.extend(lines.join(self.end.as_bytes()));
        if self.last_ends {
            bytes.extend(self.end.as_bytes());
        }
        bytes
    }
}

/// One of several, at random.
pub fn pick<'p, T>(pool: &'p [T], random: &mut Random) -> &'p T {
    &pool[random.below(pool.len())]
}

fn values() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = [
        "a",
        "b",
        "c",
        "",
        "0",
        "007",
        "7",
        "7.0",
        "NA",
        " lead",
        "é",
        "x,y",
        "x;y",
        "q\"q",
        "two\nlines",
        "two\r\nlines",
        "-",
        "=1+1",
        "\u{200b}",
        CANARY,
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    all.push(vec![b'z'; 3000]);
    all.push(vec![0xff, b'x']);
    all.push(vec![0xc3]);
    all
}

/// A field as it is written.
fn raw(value: &[u8], delimiter: u8, always: bool) -> Vec<u8> {
    let special = |byte: &u8| [delimiter, b'"', b'\n', b'\r'].contains(byte);
    if !always && !value.iter().any(special) {
        return value.to_vec();
    }
    let mut field = vec![b'"'];
    for &byte in value {
        field.push(byte);
        if byte == b'"' {
            field.push(byte);
        }
    }
    field.push(b'"');
    field
}

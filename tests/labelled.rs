//! The whole job on files of Stata, SPSS and SAS: the same answers and the same released values as
//! for CSV, and a file of the same kind.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use marginswap_io::{ReadOptions, Source};

use crate::support::{Desk, answered, err, json, marginswap, out, rows};

const REGIONS: [&str; 4] = ["harbour", "hills", "north", "south"];

/// The town with numbers for its regions, which are a byte in files of Stata.
fn town() -> Vec<Vec<String>> {
    let mut town = rows("examples/town.csv");
    for record in &mut town[1..] {
        let region = REGIONS.iter().position(|region| *region == record[0]).unwrap();
        record[0] = (region + 1).to_string();
    }
    town
}

fn csv(rows: &[Vec<String>]) -> String {
    rows.iter().map(|row| row.join(",") + "\n").collect()
}

fn put(bytes: &mut Vec<u8>, text: &str, width: usize, fill: u8) {
    let end = bytes.len() + width;
    bytes.extend_from_slice(text.as_bytes());
    bytes.resize(end, fill);
}

fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let columns = 0..rows[0].len();
    columns.map(|one| rows[1..].iter().map(|row| row[one].len()).max().unwrap()).collect()
}

/// A file of Stata 12 (format 115) with labels for the regions, sorted by nothing.
fn stata(rows: &[Vec<String>]) -> Vec<u8> {
    let names = &rows[0];
    let widths = widths(rows);
    let mut bytes = vec![115, 2, 1, 0];
    bytes.extend(u16::try_from(names.len()).unwrap().to_le_bytes());
    bytes.extend(u32::try_from(rows.len() - 1).unwrap().to_le_bytes());
    put(&mut bytes, "a town", 81, 0);
    put(&mut bytes, "19 Nov 2026 12:00", 18, 0);
    bytes.push(251);
    bytes.extend(widths[1..].iter().map(|&width| u8::try_from(width).unwrap()));
    names.iter().for_each(|name| put(&mut bytes, name, 33, 0));
    put(&mut bytes, "", 2 * (names.len() + 1), 0);
    names.iter().for_each(|_| put(&mut bytes, "%9.0g", 49, 0));
    let label = |one| if one == 0 { "regions" } else { "" };
    (0..names.len()).for_each(|one| put(&mut bytes, label(one), 33, 0));
    names.iter().for_each(|name| put(&mut bytes, &format!("the {name} of a person"), 81, 0));
    bytes.extend([0; 5]);
    for row in &rows[1..] {
        bytes.push(row[0].parse().unwrap());
        row.iter().zip(&widths).skip(1).for_each(|(text, &width)| put(&mut bytes, text, width, 0));
    }
    let texts: String = REGIONS.iter().map(|region| format!("{region}\0")).collect();
    bytes.extend(u32::try_from(8 + 8 * 4 + texts.len()).unwrap().to_le_bytes());
    put(&mut bytes, "regions", 36, 0);
    bytes.extend(4u32.to_le_bytes());
    bytes.extend(u32::try_from(texts.len()).unwrap().to_le_bytes());
    for region in REGIONS {
        bytes.extend(u32::try_from(texts.find(region).unwrap()).unwrap().to_le_bytes());
    }
    (1..=4u32).for_each(|region| bytes.extend(region.to_le_bytes()));
    bytes.extend(texts.as_bytes());
    bytes
}

/// A plain SPSS file of texts.
fn spss(rows: &[Vec<String>]) -> Vec<u8> {
    let widths: Vec<usize> = widths(rows).iter().map(|width| width.next_multiple_of(8)).collect();
    let elements = widths.iter().sum::<usize>() / 8;
    let number = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    let mut bytes = Vec::new();
    put(&mut bytes, "$FL2@(#) SPSS DATA FILE a town", 64, b' ');
    for one in [2, elements, 0, 0, rows.len() - 1] {
        bytes.extend(number(one));
    }
    bytes.extend(100f64.to_le_bytes());
    put(&mut bytes, "19 Nov 2612:00:00", 84, b' ');
    for (name, &width) in rows[0].iter().zip(&widths) {
        for element in 0..width / 8 {
            let kind = if element == 0 { width.try_into().unwrap() } else { -1i32 };
            bytes.extend(number(2));
            bytes.extend(kind.to_le_bytes());
            bytes.extend([0; 16]);
            put(&mut bytes, &name.to_uppercase()[..name.len().min(8)], 8, b' ');
        }
    }
    let long: Vec<String> = rows[0]
        .iter()
        .map(|name| format!("{}={name}", &name.to_uppercase()[..name.len().min(8)]))
        .collect();
    let long = long.join("\t");
    for one in [7, 13, 1, long.len()] {
        bytes.extend(number(one));
    }
    bytes.extend(long.as_bytes());
    bytes.extend(number(999));
    bytes.extend([0; 4]);
    for row in &rows[1..] {
        row.iter().zip(&widths).for_each(|(text, &width)| put(&mut bytes, text, width, b' '));
    }
    bytes
}

/// A transport file of version 8.
fn transport(rows: &[Vec<String>]) -> Vec<u8> {
    let widths = widths(rows);
    let mut bytes = Vec::new();
    let head = |bytes: &mut Vec<u8>, name: &str, numbers: &str| {
        put(
            bytes,
            &format!("HEADER RECORD*******{name:<8}HEADER RECORD!!!!!!!{numbers}"),
            80,
            b' ',
        );
    };
    head(&mut bytes, "LIBV8", "000000000000000000000000000000");
    put(&mut bytes, "SAS     SAS     SASLIB", 160, b' ');
    head(&mut bytes, "MEMBV8", "000000000000000001600000000140");
    head(&mut bytes, "DSCPTV8", "000000000000000000000000000000");
    put(&mut bytes, "SAS     TOWN", 160, b' ');
    head(&mut bytes, "NAMSTV8", &format!("00000{:05}", widths.len()));
    let start = bytes.len();
    let mut at = 0;
    for ((number, name), &width) in (1u16..).zip(&rows[0]).zip(&widths) {
        for half in [2, 0, u16::try_from(width).unwrap(), number] {
            bytes.extend(half.to_be_bytes());
        }
        put(&mut bytes, &name[..name.len().min(8)], 76, b' ');
        bytes.extend(u32::try_from(at).unwrap().to_be_bytes());
        put(&mut bytes, name, 32, b' ');
        put(&mut bytes, "", 20, 0);
        at += width;
    }
    let fill = |bytes: &mut Vec<u8>, start: usize| {
        let length = (bytes.len() - start).next_multiple_of(80);
        bytes.resize(start + length, b' ');
    };
    fill(&mut bytes, start);
    head(&mut bytes, "OBSV8", "000000000000000000000000000000");
    let start = bytes.len();
    for row in &rows[1..] {
        row.iter().zip(&widths).for_each(|(text, &width)| put(&mut bytes, text, width, b' '));
    }
    fill(&mut bytes, start);
    bytes
}

/// What a file says, line by line.
fn said(path: &str) -> Vec<Vec<String>> {
    let source = Source::open(path.as_ref(), &ReadOptions::default()).unwrap();
    let names = source.columns().to_vec();
    let table = source.read(&vec![true; names.len()]).unwrap();
    let mut rows = vec![names];
    for record in 0..table.records {
        let category = |column: &Option<marginswap_core::columns::Column>| {
            let column = column.as_ref().unwrap();
            let bytes = column.dictionary().category(column.code(record)).unwrap();
            String::from_utf8(bytes.to_vec()).unwrap()
        };
        rows.push(table.columns.iter().map(category).collect());
    }
    rows
}

const KEEP: &str = "region*sex*age + age*marital*education";
const KEYS: &str = "region,sex,age,marital";

/// The same town in every format: the name of the file, and what it holds.
fn files() -> [(&'static str, Vec<u8>, &'static str); 3] {
    let town = town();
    [
        ("town.dta", stata(&town), "Stata"),
        ("town.sav", spss(&town), "SPSS"),
        ("town.xpt", transport(&town), "SAS transport"),
    ]
}

#[test]
fn a_labelled_file_is_protected_as_its_csv_twin() {
    let desk = Desk::new();
    let plain = desk.write("town.csv", &csv(&town()));
    let protect = |data: &str, released: &str, more: &[&str]| {
        let seed = "examples/town.seed";
        let words =
            ["protect", data, "--keep", KEEP, "--keys", KEYS, "--seed-file", seed, "-o", released];
        answered(&[&words[..], more].concat())
    };
    for more in
        [&[][..], &["--order", "input"], &["--ignore", "occupation", "--drop", "occupation"]]
    {
        let expected = desk.path("released.csv");
        let twin = protect(&plain, &expected, &[more, &["--force"]].concat());
        for (name, bytes, format) in files() {
            let data = desk.path(name);
            fs::write(&data, &bytes).unwrap();
            let released = desk.path(&format!("released-{name}"));
            let answer = protect(&data, &released, &[more, &["--force"]].concat());
            assert_eq!(said(&released), rows(&expected), "{format} {more:?}");
            assert_eq!(answer["verdict"], twin["verdict"]);
            assert_eq!(answer["hidden"], twin["hidden"]);
            if more == ["--order", "input"] {
                let written = fs::read(&released).unwrap();
                let differing = bytes.iter().zip(&written).filter(|(one, other)| one != other);
                assert_eq!(written.len(), bytes.len());
                // Some thirty cells of at most ten bytes, whatever is around them.
                assert!((1..=600).contains(&differing.count()), "{format}");
            }
        }
    }
}

/// Every step from a new file to a page.
#[test]
fn a_labelled_file_goes_through_the_whole_job() {
    for (name, bytes, format) in files() {
        let desk = Desk::new();
        let (data, project) = (desk.path(name), desk.path("marginswap.toml"));
        fs::write(&data, &bytes).unwrap();
        let inspected = json(&["inspect", &data, "--json"]);
        assert_eq!(inspected["format"], format);
        assert_eq!(inspected["records"], 400);
        let shown = out(&marginswap(&["inspect", &data, "--reveal"]));
        if format == "Stata" {
            assert_eq!(inspected["columns"][0]["value_labels"], 4);
            assert_eq!(inspected["columns"][1]["label"], "the sex of a person");
            assert!(shown.contains("4 value labels, the region of a person"), "{shown}");
            assert!(shown.contains("north"), "{shown}");
        }
        assert!(!out(&marginswap(&["inspect", &data])).contains("north"));
        let run = |words: &[&str]| {
            let output = marginswap(words);
            let code = output.status.code();
            assert!(matches!(code, Some(0 | 1)), "{words:?}: {}", err(&output));
        };
        run(&["init", &data, "-o", &project]);
        let drafted = desk.read("marginswap.toml");
        let ending = name.rsplit('.').next().unwrap();
        assert!(drafted.contains(&format!("released.{ending}")), "{drafted}");
        let (plan, released) = (desk.path("swap.plan"), desk.path(&format!("out.{ending}")));
        let own = ["--keep", KEEP, "--keys", KEYS];
        let seed = ["--seed-file", "examples/town.seed"];
        run(&[&["plan", &data, "-o", &plan][..], &own, &seed].concat());
        run(&["apply", &data, &plan, "-o", &released]);
        run(&[&["verify", &data, &released][..], &own].concat());
        let page = desk.path("page.html");
        run(&[&["report", &data, &released, "-o", &page][..], &own].concat());
        assert!(desk.read("page.html").contains("region"));
        // A name that says otherwise is refused.
        let output = marginswap(&["apply", &data, &plan, "-o", &desk.path("out.csv")]);
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains(&format!("is {format} like the data")), "{}", err(&output));
    }
}

/// Missing codes are missing numbers in bands and conditions, without being named.
#[test]
fn missing_codes_are_missing_numbers() {
    let desk = Desk::new();
    let mut town = town();
    town[5][0] = "102".to_owned();
    fs::write(desk.path("town.dta"), stata(&town)).unwrap();
    let data = desk.path("town.dta");
    let answer =
        json(&["inspect", &data, "--derive", "half = band(region, 2)", "--reveal", "--json"]);
    let columns = answer["revealed"]["columns"].as_array().unwrap();
    let half = columns.iter().find(|column| column["name"] == "half").unwrap();
    let values: Vec<&str> = half["levels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["value"].as_str().unwrap())
        .collect();
    assert!(values.contains(&"missing"), "{values:?}");
}

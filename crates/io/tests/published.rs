//! Published tables in the forms that offices really give them out, and what is refused.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::Write;

use marginswap_core::diagnostic::{Diagnostic, Kind};
use marginswap_io::refusal::Code;
use marginswap_io::{PublishedFile, PublishedFormat, PublishedOptions, read_published};

fn read_with(bytes: &[u8], options: &PublishedOptions) -> Result<PublishedFile, Diagnostic> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    fs::write(&path, bytes).unwrap();
    read_published(&path, options)
}

fn read(text: &str) -> PublishedFile {
    read_with(text.as_bytes(), &PublishedOptions::default()).unwrap()
}

/// Every line as text: the categories of these columns, and the number or `-`.
fn lines(file: &PublishedFile, columns: &[&str]) -> Vec<String> {
    let columns: Vec<_> = columns
        .iter()
        .map(|name| &file.columns.iter().find(|(other, _)| other == name).unwrap().1)
        .collect();
    (0..file.numbers.len())
        .map(|line| {
            let category = |column: &&marginswap_core::columns::Column| {
                let category = column.dictionary().category(column.code(line)).unwrap();
                String::from_utf8(category.to_vec()).unwrap()
            };
            let mut words: Vec<String> = columns.iter().map(category).collect();
            words.push(file.numbers[line].map_or("-".to_owned(), |number| number.to_string()));
            words.join(" ")
        })
        .collect()
}

fn names(file: &PublishedFile) -> Vec<&str> {
    file.columns.iter().map(|(name, _)| name.as_str()).collect()
}

/// As Eurostat's dissemination API answers `format=SDMX-CSV`.
#[test]
fn eurostat() {
    let file = read(
        "DATAFLOW,LAST UPDATE,freq,unit,sex,age,geo,TIME_PERIOD,OBS_VALUE,OBS_FLAG,CONF_STATUS\n\
         ESTAT:DEMO_PJAN(1.0),12/02/24 23:00:00,A,NR,F,TOTAL,LU,2023,328493,,\n\
         ESTAT:DEMO_PJAN(1.0),12/02/24 23:00:00,A,NR,M,TOTAL,LU,2023,332316,p,\n\
         ESTAT:DEMO_PJAN(1.0),12/02/24 23:00:00,A,NR,M,Y_LT5,LU,2023,:,,\n\
         ESTAT:DEMO_PJAN(1.0),12/02/24 23:00:00,A,NR,F,Y_LT5,LU,2023,,c,\n\
         ESTAT:DEMO_PJAN(1.0),12/02/24 23:00:00,A,NR,T,Y_LT5,LU,2023,0,,C\n",
    );
    assert_eq!(file.format, PublishedFormat::Sdmx);
    assert_eq!(names(&file), ["freq", "unit", "sex", "age", "geo", "TIME_PERIOD"]);
    assert_eq!(
        lines(&file, &["sex", "age"]),
        ["F TOTAL 328493", "M TOTAL 332316", "M Y_LT5 -", "F Y_LT5 -", "T Y_LT5 -"]
    );
}

/// As the OECD's data explorer gives SDMX-CSV 2: codes and labels in columns of their own, and
/// in another download both in one field.
#[test]
fn oecd() {
    let apart = read(
        "\u{feff}STRUCTURE,STRUCTURE_ID,STRUCTURE_NAME,ACTION,REF_AREA,Reference area,SEX,Sex,\
         TIME_PERIOD,Time period,OBS_VALUE,Observation value,OBS_STATUS,Observation status,\
         UNIT_MULT,Unit multiplier\r\n\
         DATAFLOW,OECD.X:DF(1.0),\"Population, by sex\",I,AUT,Austria,F,Female,2022,,4562,,A,Normal value,0,Units\r\n\
         DATAFLOW,OECD.X:DF(1.0),\"Population, by sex\",I,AUT,Austria,_T,Total,2022,,,,Q,Missing value; suppressed,0,Units\r\n",
    );
    assert_eq!(apart.format, PublishedFormat::Sdmx);
    assert_eq!(lines(&apart, &["REF_AREA", "SEX"]), ["AUT F 4562", "AUT _T -"]);
    let both = read(
        "STRUCTURE[;],STRUCTURE_ID,ACTION,REF_AREA: Reference area,SEX: Sex,OBS_VALUE: Value\n\
         dataflow,OECD.X:DF(1.0): Population,I,AUT: Austria,F: Female,4562\n",
    );
    assert_eq!(lines(&both, &["REF_AREA", "SEX"]), ["AUT F 4562"]);
}

/// As Statistics Norway answers in JSON-stat 2: categories by place, a size of one, a status.
#[test]
fn statistics_norway() {
    let file = read(
        r#"{"version":"2.0","class":"dataset","label":"Population","source":"Statistics Norway",
            "updated":"2024-02-21T07:00:00Z",
            "id":["Region","Kjonn","ContentsCode","Tid"],"size":[2,2,1,1],
            "dimension":{
              "Region":{"label":"region","category":{"index":{"0301":0,"1103":1},
                "label":{"0301":"Oslo","1103":"Stavanger"}},"link":{"describedby":[]}},
              "Kjonn":{"category":{"index":{"2":0,"1":1},"label":{"1":"Males","2":"Females"}}},
              "ContentsCode":{"category":{"index":{"Personer1":0},"unit":{"Personer1":{"decimals":0}}}},
              "Tid":{"category":{"label":{"2024":"2024"}}}},
            "value":[361,356,null,73.0],"status":{"2":":"},"role":{"time":["Tid"]}}"#,
    );
    assert_eq!(file.format, PublishedFormat::JsonStat);
    assert_eq!(
        lines(&file, &["Region", "Kjonn", "Tid"]),
        ["0301 2 2024 361", "0301 1 2024 356", "1103 2 2024 -", "1103 1 2024 73"]
    );
}

/// As Eurostat answers in JSON-stat 2: values and flags by place, places left out.
#[test]
fn a_sparse_cube_lists_what_it_has() {
    let file = read(
        r#"{"version":"2.0","class":"dataset","id":["sex","geo"],"size":[2,3],
            "dimension":{"sex":{"category":{"index":{"F":0,"M":1}}},
                         "geo":{"category":{"index":["AT","BE","CY"]}}},
            "value":{"5":7,"0":1,"3":0},"status":{"0":"p","1":"c","3":"c"}}"#,
    );
    assert_eq!(lines(&file, &["sex", "geo"]), ["F AT 1", "F BE -", "M AT -", "M CY 7"]);
}

#[test]
fn tidy_tables_and_their_signs() {
    let options =
        PublishedOptions { count: Some("persons".to_owned()), suppressed: vec!["-".to_owned()] };
    let text = "area;persons;sex\nA; 12 ;f\nA;-;m\nB;..;f\n\"B;C\";3.50;m\nC;:c;m\n";
    let file = read_with(text.as_bytes(), &options).unwrap();
    assert_eq!(file.format, PublishedFormat::Tidy);
    assert_eq!(lines(&file, &["area", "sex"]), ["A f 12", "A m -", "B f -", "B;C m 3.5", "C m -"]);
    // A dash is zero in some offices: it is not taken for a suppressed number unasked.
    let options = PublishedOptions { count: Some("persons".to_owned()), ..options };
    let options = PublishedOptions { suppressed: vec![], ..options };
    let refusal = read_with(text.as_bytes(), &options).unwrap_err();
    assert_eq!((refusal.code, refusal.place.line), (Code::BadNumber, Some(3)));
}

#[test]
fn a_packed_file_is_unpacked() {
    for text in [
        "sex,count\nf,1\n",
        r#"{"version":"2.0","class":"dataset","id":["sex"],"size":[1],
            "dimension":{"sex":{"category":{"index":["f"]}}},"value":[1]}"#,
    ] {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        let file = read_with(&packed, &PublishedOptions::default()).unwrap();
        assert_eq!(lines(&file, &["sex"]), ["f 1"]);
        let cut = read_with(&packed[..packed.len() - 4], &PublishedOptions::default());
        assert_eq!(cut.unwrap_err().code, Code::BadGzip);
    }
}

#[test]
fn what_is_no_table_is_refused_without_a_value() {
    let dataset = |rest: &str| {
        format!(
            r#"{{"version":"2.0","class":"dataset","id":["CANARY","b"],"size":[2,1],
                "dimension":{{"CANARY":{{"category":{{"index":["CANARY1","CANARY2"]}}}},
                "b":{{"category":{{"index":["x"]}}}}}},{rest}}}"#
        )
    };
    let cases: Vec<(String, Kind)> = vec![
        ("{".into(), Code::NotJsonStat),
        ("[]".into(), Code::NotJsonStat),
        ("{}".into(), Code::NotJsonStat),
        (r#"{"dataset":{"value":["CANARY"]}}"#.into(), Code::NotJsonStat),
        (r#"{"version":"1.3","class":"dataset"}"#.into(), Code::NotJsonStat),
        (r#"{"version":"2.0","class":"CANARY"}"#.into(), Code::NotJsonStat),
        (r#"{"version":"2.0","class":"dataset","id":"CANARY"}"#.into(), Code::NotJsonStat),
        (dataset(r#""status":{}"#), Code::NotJsonStat),
        (dataset(r#""value":[1]"#), Code::SizesDisagree),
        (dataset(r#""value":{"2":1}"#), Code::SizesDisagree),
        (dataset(r#""value":{"CANARY":1}"#), Code::SizesDisagree),
        (dataset(r#""value":{"+1":1}"#), Code::SizesDisagree),
        (dataset(r#""value":[1,2],"status":["c","c","c"]"#), Code::SizesDisagree),
        (dataset(r#""value":{"0":1,"0":1}"#), Code::RepeatedCell),
        (dataset(r#""value":{"0":1,"00":1}"#), Code::RepeatedCell),
        (dataset(r#""value":[1,-2]"#), Code::BadNumber),
        (dataset(r#""value":[1,"CANARY"]"#), Code::BadNumber),
        (dataset(r#""value":[1,[2]]"#), Code::BadNumber),
        (dataset(r#""value":[1,1e300]"#), Code::BadNumber),
        (dataset(r#""value":{}"#), Code::NoRecords),
        (dataset(r#""value":[1,2]"#).replace("CANARY2", "CANARY1"), Code::SizesDisagree),
        (dataset(r#""value":[1,2]"#).replace("[2,1]", "[2]"), Code::SizesDisagree),
        (dataset(r#""value":[1,2]"#).replace("[2,1]", "[3,1]"), Code::SizesDisagree),
        (
            dataset(r#""value":{"0":1}"#).replace("[2,1]", "[18446744073709551615,2]"),
            Code::SizesDisagree,
        ),
        (dataset(r#""value":[1,2]"#).replace(r#"["x"]"#, r#"{"x":1}"#), Code::SizesDisagree),
        (
            dataset(r#""value":[1,2]"#).replace(r#""b":{"category":{"index":["x"]}}"#, r#""b":{}"#),
            Code::NotJsonStat,
        ),
        ("sex,count\n".into(), Code::NoRecords),
        ("sex,count\nCANARY,CANARY\n".into(), Code::BadNumber),
        ("sex,count\nCANARY,1.234.567\n".into(), Code::BadNumber),
        ("sex,count\nCANARY,\"1,234\"\n".into(), Code::BadNumber),
        ("sex,number\nCANARY,1\n".into(), Code::NoNumbers),
        ("DATAFLOW,sex,VALUE\nX,CANARY,1\n".into(), Code::NoNumbers),
        ("DATAFLOW,sex,UNIT_MULT,OBS_VALUE\nX,CANARY,6,1\n".into(), Code::BadNumber),
        (
            "DATAFLOW,SEX: Sex,SEX: Gender,OBS_VALUE\nX,CANARY,CANARY,1\n".into(),
            Code::DuplicateName,
        ),
        ("sex,count\nCANARY\n".into(), Code::TooFewFields),
        ("".into(), Code::NoRecords),
    ];
    for (text, code) in cases {
        let refusal = read_with(text.as_bytes(), &PublishedOptions::default()).unwrap_err();
        assert_eq!(refusal.code, code, "{text}: {refusal}");
        // The name of a dimension may be shown, as that of a column.
        let said = refusal.to_string().replace("`CANARY`", "");
        assert!(!said.contains("CANARY"), "{text}: {said}");
    }
    assert_eq!(
        format!("{:?}", read("sex,count\nCANARY,1\n")),
        "PublishedFile(CSV, 1 columns, 1 lines)"
    );
}

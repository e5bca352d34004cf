//! Plan files: they come back, their format is the golden one, damage is refused.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::support;

use std::fs;
use std::io::{Seek, Write};
use std::path::Path;
use std::sync::Arc;

use marginswap_core::encode::RecordId;
use marginswap_core::plan::{PlannedGroup, PlannedSwap};
use marginswap_io::refusal::Code;
use marginswap_io::{
    Overwrite, PlanFile, PlanHeader, Seal, SealKey, ThenPersons, plan_bytes, plan_bytes_sealed,
    read_plan, read_plan_sealed, sha256_hex, write_plan,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{plan_of, swap};

fn plan(swaps: Vec<PlannedSwap>) -> PlanFile {
    let header = PlanHeader {
        version: "0.1.0".to_owned(),
        input_sha256: sha256_hex(b"input"),
        input_bytes: 5,
        records: 40,
        columns: ["region", "sex", "age band", "größe"].map(String::from).to_vec(),
        parameters: json!({"keys": ["sex"], "keep": ["region*sex"], "share": 0.1}),
        not_for_release: true,
        summary: json!({"swaps": swaps.len(), "risky": 7}),
    };
    PlanFile { header, plan: plan_of(&swaps, &[]), then: None }
}

fn golden() -> PlanFile {
    let mut golden = golden_of_pairs();
    let group = PlannedGroup {
        records: [4, 9, 11, 38].map(RecordId).to_vec(),
        columns: vec![1, 2],
        from: vec![vec![1, 0, 3, 2], vec![0, 2, 3, 1]],
    };
    golden.plan = plan_of(golden.plan.swaps(), &[group]);
    golden
}

/// A plan in two steps.
fn golden_of_persons() -> PlanFile {
    let then = plan_of(&[swap(61, 3, &[2]), swap(1, 0, &[1, 3])], &[]);
    PlanFile { then: Some(ThenPersons { lines: 62, plan: then }), ..golden() }
}

/// The second step comes after its line, with the same sets of columns, and may speak of more
/// records than there are households, but of no more than there are lines.
#[test]
fn a_plan_in_two_steps_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan");
    let text = String::from_utf8(written(&golden_of_persons(), &path)).unwrap();
    assert!(text.contains("\"format\":4") && text.contains("\"lines\":62"));
    assert!(text.contains("\nthen persons\n62 4 2\n2 1 1\nend 7 "), "{text}");
    assert_eq!(read_plan(&path).unwrap(), golden_of_persons());
    let key = SealKey::new([7; 32]);
    fs::write(&path, plan_bytes_sealed(&golden_of_persons(), Some(&key))).unwrap();
    let (plan, seal) = read_plan_sealed(&path, Some(&key)).unwrap();
    assert_eq!((plan, seal), (golden_of_persons(), Seal::Right));
    for (from, to) in [
        ("then persons\n", ""),
        ("then persons\n", "then persons\nthen persons\n"),
        ("\"lines\":62,", ""),
        ("\"lines\":62", "\"lines\":61"),
        ("\"format\":4", "\"format\":2"),
    ] {
        fs::write(&path, sealed(&text.replacen(from, to, 1))).unwrap();
        assert_eq!(read_plan(&path).unwrap_err().code, Code::NoPlan, "{from:?}");
    }
}

/// What format 1 could hold.
fn golden_of_pairs() -> PlanFile {
    plan(vec![swap(16, 39, &[1, 3]), swap(0, 7, &[2]), swap(22, 8, &[1, 3])])
}

fn written(plan: &PlanFile, path: &Path) -> Vec<u8> {
    write_plan(path, Overwrite::Force, plan).unwrap();
    fs::read(path).unwrap()
}

/// The text with a sum that is right for it.
fn sealed(text: &str) -> String {
    let body = text.rsplit_once("end ").unwrap().0;
    format!("{body}end {} {}\n", body.lines().count() - 2, sha256_hex(body.as_bytes()))
}

#[test]
fn the_format_is_the_golden_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan");
    let golden_path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden.plan");
    assert_eq!(
        String::from_utf8(written(&golden(), &path)).unwrap(),
        fs::read_to_string(&golden_path).unwrap()
    );
    assert_eq!(read_plan(&golden_path).unwrap(), golden());
}

#[test]
fn the_older_format_is_read() {
    let older = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden-format-1.plan");
    assert_eq!(read_plan(&older).unwrap(), golden_of_pairs());
    // There is no group in a plan of that format.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan");
    let text = fs::read_to_string(&older).unwrap();
    let forged = text.replacen("23 9 1\n", "23 9 1\ngroup 2 3 1:2,1\n", 1);
    fs::write(&path, sealed(&forged)).unwrap();
    assert_eq!(read_plan(&path).unwrap_err().code, Code::NoPlan);
    fs::write(&path, sealed(&forged.replacen("\"format\":1", "\"format\":2", 1))).unwrap();
    assert_eq!(read_plan(&path).unwrap().plan.groups().len(), 1);
}

#[cfg(unix)]
#[test]
fn a_plan_is_the_owners_alone_and_replaces_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan");
    write_plan(&path, Overwrite::Refuse, &golden()).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let refusal = write_plan(&path, Overwrite::Refuse, &golden()).unwrap_err();
    assert_eq!(refusal.code, Code::OutputExists);
}

fn plans() -> impl Strategy<Value = PlanFile> {
    let columns = 1usize..6;
    let text = prop::sample::select(&["", "a", "\n", "\"", "ß", "end 0 ", "\u{0}"][..]);
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    let values = value.prop_recursive(3, 12, 3, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[a-z\"]{0,2}", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    let records = prop::sample::subsequence((0u32..40).collect::<Vec<_>>(), 0..20).prop_shuffle();
    (columns, records, values.clone(), values, text, any::<u32>(), any::<bool>()).prop_map(
        |(columns, records, parameters, summary, text, seed, demo)| {
            let swaps = records.chunks_exact(2).zip(0u32..).map(|(pair, number)| {
                let mut exchanged: Vec<usize> = (0..columns)
                    .filter(|column| seed >> ((column + number as usize) % 32) & 1 == 1)
                    .collect();
                if exchanged.is_empty() {
                    exchanged.push(0);
                }
                swap(pair[0], pair[1], &exchanged)
            });
            let mut plan = plan(swaps.collect());
            // The records that are in no swap are one group.
            let paired: Vec<u32> = plan.plan.records().map(|record| record.0).collect();
            let rest: Vec<RecordId> =
                (0..40).filter(|record| !paired.contains(record)).map(RecordId).collect();
            let turned =
                |by: usize| (0..rest.len()).map(|place| (place + by) % rest.len()).collect();
            if seed % 3 > 0 {
                let group = PlannedGroup {
                    columns: (0..columns).collect(),
                    from: (0..columns).map(|column| turned(column + 1)).collect(),
                    records: rest,
                };
                plan.plan = plan_of(plan.plan.swaps(), &[group]);
            }
            plan.header.columns = (0..columns).map(|column| format!("{text}{column}")).collect();
            plan.header.parameters = parameters;
            plan.header.summary = summary;
            plan.header.not_for_release = demo;
            plan
        },
    )
}

proptest! {
    #[test]
    fn law_plan_files_come_back(plan in plans()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan");
        let bytes = written(&plan, &path);
        let back = read_plan(&path).unwrap();
        prop_assert_eq!(&back, &plan);
        let header = &back.header;
        prop_assert!(back.check_input(&header.input_sha256, header.records, &header.columns).is_ok());
        prop_assert!(back.check_parameters(&plan.header.parameters).is_ok());
        prop_assert_eq!(written(&back, &path), bytes);
        // Swaps of one set of columns share it.
        for (one, other) in back.plan.swaps().iter().zip(back.plan.swaps().iter().skip(1)) {
            prop_assert_eq!(one.exchanged == other.exchanged, Arc::ptr_eq(&one.exchanged, &other.exchanged));
        }
    }
}

#[test]
fn law_damaged_plans_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan");
    for plan in [golden(), plan(Vec::new())] {
        let sound = written(&plan, &path);
        // Emptying the file each time would have some file systems wait for the disk.
        let mut file = fs::File::options().write(true).open(&path).unwrap();
        let mut refused = |bytes: &[u8]| {
            file.rewind().unwrap();
            file.write_all(bytes).unwrap();
            file.set_len(bytes.len() as u64).unwrap();
            let refusal = read_plan(&path).unwrap_err();
            assert!([Code::NoPlan, Code::NewerPlan].contains(&refusal.code), "{refusal}");
            assert_eq!(refusal.place.file.as_deref(), Some(path.as_path()));
        };
        for place in 0..=sound.len() {
            refused(&sound[..place.min(sound.len() - 1)]);
            for byte in *b" \n0159ae{\",]\0\xff" {
                refused(&[&sound[..place], &[byte], &sound[place..]].concat());
                if place < sound.len() && sound[place] != byte {
                    refused(&[&sound[..place], &[byte], &sound[place + 1..]].concat());
                }
            }
            if place < sound.len() {
                refused(&[&sound[..place], &sound[place + 1..]].concat());
                for bit in 0..8 {
                    let flipped = [sound[place] ^ 1 << bit];
                    refused(&[&sound[..place], &flipped, &sound[place + 1..]].concat());
                }
            }
        }
    }
}

/// An edited plan whose sum is right is still checked line by line.
#[test]
fn a_forged_plan_is_still_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan");
    let text = String::from_utf8(written(&golden(), &path)).unwrap();
    assert_eq!(sealed(&text), text);
    for (from, to) in [
        ("17 40 1", "17 41 1"),
        ("17 40 1", "0 40 1"),
        ("17 40 1", "17 17 1"),
        ("17 40 1", "17 1 1"),
        ("17 40 1", "17 40 0"),
        ("17 40 1", "17 40 3"),
        ("17 40 1", "17 40"),
        ("17 40 1", "17 40 1 1"),
        ("17 40 1", "17  40 1"),
        ("17 40 1", "17 4294967297 1"),
        ("17 40 1", ""),
        ("[2,4]", "[2,5]"),
        ("[2,4]", "[4,2]"),
        ("[2,4]", "[2,2]"),
        ("[2,4]", "[0,2]"),
        ("[2,4]", "[]"),
        ("\"tool\":\"marginswap\"", "\"tool\":\"other\""),
        ("\"records\":40", "\"records\":39"),
        ("\"records\":40", "\"records\":-40"),
        ("\"share\":0.1", "\"share\":0.2"),
        ("\"not_for_release\":true", "\"not_for_release\":true,\"more\":1"),
        ("\"not_for_release\":true,", ""),
        ("\"format\":2", "\"format\":0"),
        ("\"format\":2", "\"format\":\"2\""),
        ("group 5 10 12 39", "group 5 10 12 41"),
        ("group 5 10 12 39", "group 5 10 12 40"),
        ("group 5 10 12 39", "group 5 12 10 39"),
        ("group 5 10 12 39", "group 05 10 12 39"),
        ("group 5 10 12 39", "group 5 10 12"),
        ("group 5 10 12 39", "group"),
        ("2:2,1,4,3", "2:1,2,3,4"),
        ("2:2,1,4,3", "2:2,2,4,3"),
        ("2:2,1,4,3", "2:2,1,4,5"),
        ("2:2,1,4,3", "2:2,1,4,0"),
        ("2:2,1,4,3", "2:2,1,4"),
        ("2:2,1,4,3", "3:2,1,4,3"),
        ("2:2,1,4,3 3:1,3,4,2", "2:2,1,4,3 5:1,3,4,2"),
        ("2:2,1,4,3 3:1,3,4,2", "2:2,1,4,3  3:1,3,4,2"),
        ("2:2,1,4,3 3:1,3,4,2", "2:2,1,4,3 3:1,3,4,2 "),
        (" 2:2,1,4,3 3:1,3,4,2", ""),
        ("2:2,1,4,3 3", "2:2,1,4,3 7 3"),
        ("do not release", "do release"),
    ] {
        let forged = text.replacen(from, to, 1);
        assert_ne!(forged, text, "{from}");
        fs::write(&path, sealed(&forged)).unwrap();
        assert_eq!(read_plan(&path).unwrap_err().code, Code::NoPlan, "{from} → {to}");
    }
    // A newer format may end as it likes.
    fs::write(&path, text.replacen("\"format\":2", "\"format\":6,\"new\":[]", 1) + "more\n")
        .unwrap();
    assert_eq!(read_plan(&path).unwrap_err().code, Code::NewerPlan);
}

/// A sealed plan is read by anyone; with the key no byte of it can be another one, and a plan
/// without a seal or with that of another key is refused.
#[test]
fn a_seal_needs_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan");
    let (key, other) = (SealKey::new([3; 32]), SealKey::new([4; 32]));
    let sealed = plan_bytes_sealed(&golden(), Some(&key));
    let read = |bytes: &[u8], key: Option<&SealKey>| {
        fs::write(&path, bytes).unwrap();
        read_plan_sealed(&path, key)
    };
    assert_eq!(read(&sealed, Some(&key)).unwrap(), (golden(), Seal::Right));
    assert_eq!(read(&sealed, None).unwrap(), (golden(), Seal::Unchecked));
    assert_eq!(read(&sealed, Some(&other)).unwrap_err().code, Code::WrongSeal);
    let plain = plan_bytes(&golden());
    assert_eq!(read(&plain, None).unwrap(), (golden(), Seal::Missing));
    assert_eq!(read(&plain, Some(&key)).unwrap_err().code, Code::WrongSeal);
    for place in 0..sealed.len() {
        let mut changed = sealed.clone();
        changed[place] = if changed[place] == b'1' { b'2' } else { b'1' };
        let code = read(&changed, Some(&key)).unwrap_err().code;
        assert!([Code::WrongSeal, Code::NoPlan, Code::NewerPlan].contains(&code), "{place}");
        assert!(read(&sealed[..place], Some(&key)).is_err(), "{place}");
    }
    // A seal that is taken off leaves no plan.
    let text = String::from_utf8(sealed).unwrap();
    let without = text.rsplit_once("seal ").unwrap().0;
    assert_eq!(read(without.as_bytes(), None).unwrap_err().code, Code::NoPlan);
    let renamed = without.replacen("\"format\":3", "\"format\":2", 1);
    assert_eq!(read(renamed.as_bytes(), None).unwrap_err().code, Code::NoPlan);
    assert_eq!(read(format!("{text}more\n").as_bytes(), None).unwrap_err().code, Code::NoPlan);
    assert_eq!(read(text.to_uppercase().as_bytes(), None).unwrap_err().code, Code::NoPlan);
}

#[test]
fn what_is_no_plan_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan");
    for bytes in [&b""[..], b"a,b\n1,2\n", b"SECRET: marginswap plan.", b"\n\n\n"] {
        fs::write(&path, bytes).unwrap();
        assert_eq!(read_plan(&path).unwrap_err().code, Code::NoPlan);
    }
    assert_eq!(read_plan(folder.path()).unwrap_err().code, Code::IsDirectory);
    assert_eq!(read_plan(&folder.path().join("none")).unwrap_err().code, Code::FileMissing);
}

#[test]
fn a_plan_for_another_input_is_refused() {
    let plan = golden();
    let header = &plan.header;
    let mut columns = header.columns.clone();
    assert!(plan.check_input(&header.input_sha256, 40, &columns).is_ok());
    let said = |sha256: &str, records, columns: &[String]| {
        let refusal = plan.check_input(sha256, records, columns).unwrap_err();
        assert_eq!(refusal.code, Code::StalePlan);
        refusal.detail
    };
    assert!(said(&sha256_hex(b"other"), 40, &columns).contains("SHA-256"));
    assert!(said(&header.input_sha256, 41, &columns).contains("41"));
    assert!(said(&header.input_sha256, 40, &columns[..3]).contains("has 3"));
    columns[1] = "gender".to_owned();
    assert!(said(&header.input_sha256, 40, &columns).contains("`gender`"));
}

#[test]
fn a_plan_with_other_parameters_is_refused() {
    let plan = golden();
    let said = |parameters: Value| {
        let refusal = plan.check_parameters(&parameters).unwrap_err();
        assert_eq!(refusal.code, Code::OtherParameters);
        refusal.detail
    };
    let same = json!({"share": 0.1, "keep": ["region*sex"], "keys": ["sex"]});
    assert!(plan.check_parameters(&same).is_ok());
    let other = said(json!({"share": 0.1, "keep": ["region*age"], "more": 1}));
    assert!(other.ends_with("`keep`, `keys`, `more`"), "{other}");
    said(Value::Null);
    said(json!({"share": 0.1, "keep": ["region*sex"], "keys": ["sex"], "more": null}));
}

#[test]
#[should_panic(expected = "a plan is sound")]
fn a_plan_beyond_its_input_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let beyond = plan(vec![swap(1, 40, &[0])]);
    let _ = write_plan(&folder.path().join("plan"), Overwrite::Refuse, &beyond);
}

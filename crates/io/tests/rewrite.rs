//! The released file: what is swapped, what keeps its bytes, in CSV and in Parquet.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::support;

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use marginswap_core::columns::{Column, Columns, Households, Roles};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::encode::{RecordId, Records, Schema};
use marginswap_core::plan::{Plan, PlannedGroup, PlannedSwap};
use marginswap_core::swap::apply;
use marginswap_io::refusal::Code;
use marginswap_io::{
    Compression, Held, InputFile, Overwrite, ReadOptions, ReleaseOptions, Renamed, RewriteCounts,
    Secrecy, Source, Staged, rewrite, rewrite_held,
};
use proptest::prelude::*;
use support::{plan_of, swap};

/// A file of the test's own.
struct Input {
    folder: tempfile::TempDir,
}

impl Input {
    fn new(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("data"), bytes).unwrap();
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn rewrite(
        &self,
        swaps: &[PlannedSwap],
        release: &ReleaseOptions,
    ) -> Result<(Vec<u8>, RewriteCounts), Diagnostic> {
        let mut out = Vec::new();
        let counts = rewrite(&self.path(), &COMMA, &plan_of(swaps, &[]), release, &mut out)?;
        Ok((out, counts))
    }
}

impl Input {
    /// The same from the columns in memory, and whether these alone are enough. The packed
    /// records may hold their codes or not.
    fn rewrite_held(
        &self,
        swaps: &[PlannedSwap],
        release: &ReleaseOptions,
        packed: bool,
    ) -> Result<(Vec<u8>, RewriteCounts, bool), Diagnostic> {
        self.rewrite_held_into(swaps, release, packed, || {})
    }

    /// The same, where something happens before it is written.
    fn rewrite_held_into(
        &self,
        swaps: &[PlannedSwap],
        release: &ReleaseOptions,
        packed: bool,
        meddle: impl FnOnce(),
    ) -> Result<(Vec<u8>, RewriteCounts, bool), Diagnostic> {
        let file = InputFile::open(&self.path())?;
        let source = Source::of(&file, &COMMA)?;
        let names = source.columns().to_vec();
        let width = names.len();
        let table = source.read(&vec![true; width])?;
        let columns = Columns::new(names.clone(), Roles::all_variables(width), table.columns);
        let schema = Schema::of_columns(&names, &(0..width).collect());
        let records = Records::of(&schema, &columns);
        let held = Held {
            columns: columns.as_read(),
            records: &records,
            variables: &vec![None; width],
            written: &table.written.unwrap(),
        };
        let variables: Vec<Option<usize>> =
            (0..width).map(|column| schema.variable_of(column).filter(|_| packed)).collect();
        let held = Held { variables: &variables, ..held };
        meddle();
        let (plan, mut out) = (plan_of(swaps, &[]), Vec::new());
        let how = (release, &held);
        let counts =
            rewrite_held(&file, table.digest.as_ref().unwrap(), &COMMA, &plan, how, &mut out)?;
        Ok((out, counts, held.tells(release)))
    }
}

const COMMA: ReadOptions = ReadOptions { delimiter: Some(marginswap_io::Delimiter::COMMA) };

fn rewritten(bytes: &[u8], swaps: &[PlannedSwap], release: &ReleaseOptions) -> Vec<u8> {
    Input::new(bytes).rewrite(swaps, release).unwrap().0
}

fn text(bytes: &str, swaps: &[PlannedSwap], release: &ReleaseOptions) -> String {
    String::from_utf8(rewritten(bytes.as_bytes(), swaps, release)).unwrap()
}

/// The categories, record by record, with the names of the columns first.
type Categories = Vec<Vec<Option<Vec<u8>>>>;

fn categories_at(path: &Path) -> Result<Categories, Diagnostic> {
    let source = Source::open(path, &COMMA)?;
    let names = source.columns().iter().map(|name| Some(name.clone().into_bytes())).collect();
    let wanted = vec![true; source.columns().len()];
    let table = source.read(&wanted)?;
    let mut records: Categories = vec![names];
    for record in 0..table.records {
        let fields = table.columns.iter().flatten().map(|column| {
            let category = column.dictionary().category(column.code(record));
            category.map(<[u8]>::to_vec)
        });
        records.push(fields.collect());
    }
    Ok(records)
}

fn categories(bytes: &[u8]) -> Categories {
    categories_at(&Input::new(bytes).path()).unwrap()
}

/// The release by its definition, on categories.
fn by_definition(
    mut records: Categories,
    swaps: &[PlannedSwap],
    release: &ReleaseOptions,
) -> (Categories, RewriteCounts) {
    let before = records.clone();
    for swap in swaps {
        for &column in swap.exchanged.iter() {
            let (left, right) = (swap.left.position() + 1, swap.right.position() + 1);
            let cell = records[left][column].clone();
            records[left][column] = records[right][column].clone();
            records[right][column] = cell;
        }
    }
    let is_changed = |record: usize, column: &usize| {
        !release.drop.contains(column) && records[record][*column] != before[record][*column]
    };
    let changed = |record: usize| {
        (0..before[0].len()).filter(|column| is_changed(record, column)).count() as u64
    };
    let changed: Vec<u64> = (1..before.len()).map(changed).collect();
    let counts = RewriteCounts {
        records: changed.len() as u64,
        records_changed: changed.iter().filter(|&&cells| cells > 0).count() as u64,
        cells_changed: changed.iter().sum(),
    };
    if let Some(order) = &release.order {
        let header = records[0].clone();
        let ordered = order.iter().map(|&record| records[record as usize + 1].clone());
        records = std::iter::once(header).chain(ordered).collect();
    }
    let kept = |fields: Vec<Option<Vec<u8>>>| {
        let fields = fields.into_iter().enumerate();
        fields
            .filter(|(column, _)| !release.drop.contains(column))
            .map(|(_, field)| field)
            .collect()
    };
    (records.into_iter().map(kept).collect(), counts)
}

/// A CSV file as its raw parts.
#[derive(Debug, Clone)]
struct World {
    mark: &'static str,
    header_end: &'static str,
    lines: Vec<(Vec<&'static str>, &'static str)>,
    blank: &'static str,
}

impl World {
    fn columns(&self) -> usize {
        self.lines[0].0.len()
    }

    fn bytes(&self) -> Vec<u8> {
        let names = ["\"h,\n\"", "i", "j\"", "k"];
        let mut text =
            format!("{}{}{}", self.mark, names[..self.columns()].join(","), self.header_end);
        for (fields, end) in &self.lines {
            text += &fields.join(",");
            text += end;
        }
        text += self.blank;
        text.into_bytes()
    }
}

const FIELDS: &[&str] = &[
    "",
    "a",
    "b;",
    "a\"b",
    " ",
    "\"\"",
    "\"a\"",
    "\",\"",
    "\"\n\"\"\"",
    "\"\r\nb\"",
    "ß",
    "007",
    "7",
];

fn worlds() -> impl Strategy<Value = World> {
    let end = || prop::sample::select(&["\n", "\r\n"][..]);
    let line =
        move |columns| (proptest::collection::vec(prop::sample::select(FIELDS), columns), end());
    let mark = prop::sample::select(&["", "\u{feff}"][..]);
    let blank = prop::sample::select(&["", "", "\n", "\r\n\n"][..]);
    let lines =
        (1usize..5).prop_flat_map(move |columns| proptest::collection::vec(line(columns), 1..12));
    (mark, end(), lines, blank, any::<bool>()).prop_map(
        |(mark, header_end, mut lines, blank, ended)| {
            let last = lines.last_mut().unwrap();
            let is_blank = last.0 == [""];
            if !ended && !is_blank {
                last.1 = "";
            }
            let blank = if ended && last.0.len() > 1 { blank } else { "" };
            World { mark, header_end, lines, blank }
        },
    )
}

/// What a raw field says.
fn said(raw: &str) -> String {
    match raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => raw.to_owned(),
    }
}

/// Must a field that says this have quotes? If not, what its quotes may follow from.
fn kind(said: &str) -> Option<usize> {
    if said.starts_with('"') || said.contains([',', '\n', '\r']) {
        return None;
    }
    Some(match said {
        "" => 0,
        _ if said.parse::<f64>().is_ok() => 1,
        _ if said.contains('"') => 2,
        _ if said.trim() != said => 3,
        _ => 4,
    })
}

/// By definition: a field with quotes and one without, of the same kind; but for one text that
/// never has them where all others have.
fn quotes_differ(column: &[&str]) -> bool {
    let kinds: Vec<Option<usize>> = column.iter().map(|raw| kind(&said(raw))).collect();
    let texts = |quoted: bool| -> std::collections::BTreeSet<String> {
        let fields = column.iter().zip(&kinds);
        let texts =
            fields.filter(|(raw, kind)| **kind == Some(4) && raw.starts_with('"') == quoted);
        texts.map(|(raw, _)| said(raw)).collect()
    };
    let spared = texts(false).len() == 1 && texts(false).is_disjoint(&texts(true));
    (0..column.len()).any(|one| {
        (0..column.len()).any(|other| {
            let differ = column[one].starts_with('"') != column[other].starts_with('"');
            let same = kinds[one].is_some() && kinds[one] == kinds[other];
            differ && same && !(kinds[one] == Some(4) && spared)
        })
    })
}

/// What a release makes of the fields of a file, which others may have exchanged: where the quotes
/// of a column differ, they stand where they are needed.
fn as_released(before: &World, mut released: World) -> World {
    for column in 0..before.columns() {
        let fields: Vec<&str> = before.lines.iter().map(|line| line.0[column]).collect();
        if !quotes_differ(&fields) {
            continue;
        }
        for (fields, _) in &mut released.lines {
            let said = said(fields[column]);
            let needed =
                said.contains([',', '\n', '\r', '"']) || (before.columns() == 1 && said.is_empty());
            fields[column] = match needed {
                true => format!("\"{}\"", said.replace('"', "\"\"")).leak(),
                false => said.leak(),
            };
        }
    }
    released
}

/// What a number decides: swaps, an order, columns to leave out.
fn swaps_of(world: &World, mut seed: u64) -> Vec<PlannedSwap> {
    let mut records: Vec<u32> = (0..u32::try_from(world.lines.len()).unwrap()).collect();
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    shuffle(&mut records, &mut next);
    let pairs = next(records.len() / 2 + 1);
    let mut swaps = Vec::new();
    for pair in records.chunks_exact(2).take(pairs) {
        let bits = 1 + next((1 << world.columns()) - 1);
        let exchanged: Vec<usize> = (0..world.columns()).filter(|c| bits >> c & 1 == 1).collect();
        swaps.push(swap(pair[0], pair[1], &exchanged));
    }
    swaps
}

fn shuffle(records: &mut [u32], next: &mut impl FnMut(usize) -> usize) {
    for last in (1..records.len()).rev() {
        records.swap(last, next(last + 1));
    }
}

fn release_of(world: &World, seed: u64) -> ReleaseOptions {
    let mut order: Vec<u32> = (0..u32::try_from(world.lines.len()).unwrap()).collect();
    let mut state = seed;
    shuffle(&mut order, &mut |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
        usize::try_from(state >> 33).unwrap() % below
    });
    let bits = seed >> 7;
    let mut drop: Vec<usize> = (0..world.columns()).filter(|c| bits >> c & 1 == 1).collect();
    if drop.len() == world.columns() {
        drop.pop();
    }
    ReleaseOptions {
        order: (seed & 1 == 1).then_some(order),
        drop: if seed & 2 == 2 { drop } else { Vec::new() },
        packing: Compression::Plain,
        ..ReleaseOptions::default()
    }
}

/// The columns of a file.
fn columns(path: &Path) -> Columns {
    let source = Source::open(path, &COMMA).unwrap();
    let names = source.columns().to_vec();
    let roles = Roles::all_variables(names.len());
    let read = source.read(&vec![true; names.len()]).unwrap().columns;
    Columns::new(names, roles, read)
}

/// Reads the rewritten file back and compares it with the applied plan.
fn assert_rewriting_is_applying(plan: &Plan, before: &Path, rewritten: &[u8]) {
    let expected = apply(plan, &columns(before));
    let found = Input::new(rewritten);
    let found = columns(&found.path());
    assert_eq!(expected.names(), found.names());
    assert_eq!(expected.records(), found.records());
    for ((_, _, expected), (_, _, found)) in expected.iter().zip(found.iter()) {
        for record in 0..expected.len() {
            let category = |column: &Column| {
                column.dictionary().category(column.code(record)).map(<[u8]>::to_vec)
            };
            assert_eq!(category(expected), category(found));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn law_no_swaps_no_change(world in worlds()) {
        let bytes = world.bytes();
        let expected = as_released(&world, world.clone()).bytes();
        prop_assert_eq!(rewritten(&bytes, &[], &ReleaseOptions::default()), expected.clone());
        let records = u32::try_from(world.lines.len()).unwrap();
        let order = Some((0..records).collect());
        let in_order = ReleaseOptions { order, ..ReleaseOptions::default() };
        prop_assert_eq!(rewritten(&bytes, &[], &in_order), expected);
    }

    #[test]
    fn law_a_swap_undoes_itself(world in worlds(), seed in any::<u64>()) {
        let bytes = world.bytes();
        let swaps = swaps_of(&world, seed);
        let once = rewritten(&bytes, &swaps, &ReleaseOptions::default());
        let twice = rewritten(&once, &swaps, &ReleaseOptions::default());
        // An empty line that comes to the end of a file without a last line end needs
        // quotes there, and keeps them.
        let is_mended = world.columns() == 1
            && world.lines.last().unwrap().1.is_empty()
            && once.ends_with(b"\n\"\"");
        if is_mended {
            prop_assert_eq!(categories(&twice), categories(&bytes));
        } else {
            prop_assert_eq!(twice, as_released(&world, world.clone()).bytes());
        }
    }

    /// A released file shows by its quotes nothing that its values do not show.
    #[test]
    fn law_quotes_betray_nothing(world in worlds(), seed in any::<u64>()) {
        // In one column an empty field at the end needs quotes that others do not.
        prop_assume!(world.columns() > 1);
        let release = ReleaseOptions { drop: Vec::new(), ..release_of(&world, seed) };
        let found = rewritten(&world.bytes(), &swaps_of(&world, seed), &release);
        let again = rewritten(&found, &[], &ReleaseOptions::default());
        prop_assert_eq!(again, found);
    }

    /// The bytes by their definition: raw cells exchanged, all else as it was.
    #[test]
    fn raw_cells_are_exchanged_and_all_else_stays(world in worlds(), seed in any::<u64>()) {
        let swaps = swaps_of(&world, seed);
        let mut expected = world.clone();
        for swap in &swaps {
            for &column in swap.exchanged.iter() {
                let (left, right) = (swap.left.position(), swap.right.position());
                expected.lines[left].0[column] = world.lines[right].0[column];
                expected.lines[right].0[column] = world.lines[left].0[column];
            }
        }
        let mut expected = as_released(&world, expected);
        let last = expected.lines.last_mut().unwrap();
        if last.0 == [""] && last.1.is_empty() {
            last.0[0] = "\"\"";
        }
        let found = rewritten(&world.bytes(), &swaps, &ReleaseOptions::default());
        prop_assert_eq!(found, expected.bytes());
    }

    /// Rewriting a file is applying the plan to its columns.
    #[test]
    fn law_rewriting_is_applying(world in worlds(), seed in any::<u64>()) {
        let plan = plan_of(&swaps_of(&world, seed), &[]);
        let input = Input::new(&world.bytes());
        let mut found = Vec::new();
        rewrite(&input.path(), &COMMA, &plan, &ReleaseOptions::default(), &mut found).unwrap();
        assert_rewriting_is_applying(&plan, &input.path(), &found);
    }

    /// Groups too: each cell has the raw bytes of the record it comes from.
    #[test]
    fn law_a_group_permutes_raw_cells(world in worlds(), seed in any::<u64>()) {
        let swaps = swaps_of(&world, seed);
        let taken: Vec<u32> = swaps.iter().flat_map(|swap| [swap.left.0, swap.right.0]).collect();
        let rest: Vec<RecordId> = (0..u32::try_from(world.lines.len()).unwrap())
            .filter(|record| !taken.contains(record))
            .map(RecordId)
            .collect();
        let turned = |by: usize| -> Vec<usize> {
            (0..rest.len()).map(|place| (place + by) % rest.len()).collect()
        };
        let groups: Vec<PlannedGroup> = if rest.is_empty() { Vec::new() } else {
            vec![PlannedGroup {
                columns: (0..world.columns()).collect(),
                from: (0..world.columns()).map(|column| turned(column + 1)).collect(),
                records: rest.clone(),
            }]
        };
        let mut expected = world.clone();
        for swap in &swaps {
            for &column in swap.exchanged.iter() {
                let (left, right) = (swap.left.position(), swap.right.position());
                expected.lines[left].0[column] = world.lines[right].0[column];
                expected.lines[right].0[column] = world.lines[left].0[column];
            }
        }
        for group in &groups {
            for (&column, from) in group.columns.iter().zip(&group.from) {
                for (&record, &from) in group.records.iter().zip(from) {
                    expected.lines[record.position()].0[column] =
                        world.lines[group.records[from].position()].0[column];
                }
            }
        }
        let mut expected = as_released(&world, expected);
        let last = expected.lines.last_mut().unwrap();
        if last.0 == [""] && last.1.is_empty() {
            last.0[0] = "\"\"";
        }
        let input = Input::new(&world.bytes());
        let mut found = Vec::new();
        let plan = plan_of(&swaps, &groups);
        let counts =
            rewrite(&input.path(), &COMMA, &plan, &ReleaseOptions::default(), &mut found).unwrap();
        // Rewriting a file is applying the plan to its columns.
        assert_rewriting_is_applying(&plan, &input.path(), &found);
        prop_assert_eq!(&found, &expected.bytes());
        let (before, after) = (categories(&world.bytes()), categories(&found));
        let changed = |record: usize| (0..world.columns()).filter(|&c| before[record][c] != after[record][c]).count() as u64;
        let changed: Vec<u64> = (1..=world.lines.len()).map(changed).collect();
        prop_assert_eq!(counts.cells_changed, changed.iter().sum::<u64>());
        prop_assert_eq!(counts.records_changed, changed.iter().filter(|cells| **cells > 0).count() as u64);
    }

    /// From memory or from the file: columns with one form each, and columns with both.
    #[test]
    fn law_held_columns_release_the_same_bytes(
        world in worlds(),
        forms in proptest::collection::vec(0usize..6, 4),
        seed in any::<u64>(),
    ) {
        const BARE: &[&str] = &["", "a", "a\"b", "007", "a text of more than sixteen bytes", "ß"];
        const QUOTED: &[&str] = &[
            "\"\"", "\"a\"", "\",\"", "\"\n\"\"\"", "\"a text of\r\nmore than sixteen bytes\"",
        ];
        let mut world = world;
        for (line, (fields, _)) in world.lines.iter_mut().enumerate() {
            for (field, form) in fields.iter_mut().zip(&forms) {
                let place = line + field.len();
                match form {
                    0 => {}
                    1..=3 => *field = BARE[place % BARE.len()],
                    _ => *field = QUOTED[place % QUOTED.len()],
                }
            }
        }
        let last = world.lines.last_mut().unwrap();
        if last.0 == [""] && last.1.is_empty() {
            last.0[0] = "a";
        }
        let swaps = swaps_of(&world, seed);
        let release = release_of(&world, seed | 1);
        let input = Input::new(&world.bytes());
        let (found, counts, tells) = input.rewrite_held(&swaps, &release, seed & 4 == 4).unwrap();
        let (expected, expected_counts) = input.rewrite(&swaps, &release).unwrap();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(counts, expected_counts);
        let kept = (0..world.columns()).filter(|column| !release.drop.contains(column));
        prop_assert!(tells || kept.into_iter().any(|column| forms[column] == 0));
    }

    #[test]
    fn law_the_swapped_file_has_the_swapped_codes(world in worlds(), seed in any::<u64>()) {
        let bytes = world.bytes();
        let swaps = swaps_of(&world, seed);
        let release = release_of(&world, seed);
        let (expected, expected_counts) = by_definition(categories(&bytes), &swaps, &release);
        let (found, counts) = Input::new(&bytes).rewrite(&swaps, &release).unwrap();
        prop_assert_eq!(categories(&found), expected);
        prop_assert_eq!(counts, expected_counts);
    }
}

#[test]
fn a_swap_takes_its_quotes_along() {
    let file = "\u{feff}id,x,y\r\n1,\"a\nb\",p\n2,c,\"q,\"\r\n3,d,r";
    assert_eq!(
        text(file, &[swap(0, 1, &[1]),], &ReleaseOptions::default()),
        "\u{feff}id,x,y\r\n1,c,p\n2,\"a\nb\",\"q,\"\r\n3,d,r"
    );
}

/// Two files joined, of which one quotes: in both orders, with and without a column left out, a
/// column whose quotes differ has them where they are needed; the others keep their bytes.
#[test]
fn quotes_tell_no_line_from_another() {
    let file =
        "id,\"x\",y,z\n1,\"a\",\"p\",\"u\"\n2,\"b,\",\"q\",NA\n3,c,\"p\",\"v\"\n4,a,\"q\",NA\n";
    let swaps = [swap(0, 2, &[1]), swap(1, 3, &[2, 3])];
    let released =
        ["1,c,\"p\",\"u\"\n", "2,\"b,\",\"q\",NA\n", "3,a,\"p\",\"v\"\n", "4,a,\"q\",NA\n"];
    let header = "id,\"x\",y,z\n";
    assert_eq!(
        text(file, &swaps, &ReleaseOptions::default()),
        format!("{header}{}", released.concat())
    );
    let order = ReleaseOptions { order: Some(vec![3, 0, 1, 2]), ..Default::default() };
    let [one, two, three, four] = released;
    assert_eq!(text(file, &swaps, &order), [header, four, one, two, three].concat());
    let drop = ReleaseOptions { drop: vec![0, 2, 3], ..Default::default() };
    assert_eq!(text(file, &swaps, &drop), "\"x\"\nc\n\"b,\"\na\na\n");
    // Of one column, an empty field that loses its quotes would be no record.
    assert_eq!(text("x\n\"\"\n\na\n", &[], &ReleaseOptions::default()), "x\n\"\"\n\"\"\na\n");
}

/// Which columns are said to be quoted in two ways: those of which a release quotes fields
/// otherwise, and those that a release leaves alone because one text may do without.
#[test]
fn columns_of_two_ways_of_quoting_are_known() {
    for (file, mixed) in [
        ("x,y\na,\"b\"\nc,\"d\"\n", [false, false]),
        ("x,y\na,\"b,\"\nc,d\n", [false, false]),
        ("x,y\n\"a\",\"b\"\nc,d\n", [true, true]),
        ("x,y\na\"b,\"a\"\"b\"\nc,d\n", [false, false]),
        ("x,y\na\"b,a\"b\n\"a\"\"b\",\"c,\"\n", [true, true]),
        ("x,y\nNA,1\n\"a\",2\n", [true, false]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.csv");
        fs::write(&path, file).unwrap();
        for wanted in [[true, true], [false, false]] {
            let source = Source::open(&path, &COMMA).unwrap();
            let written = source.read(&wanted).unwrap().written.unwrap();
            assert_eq!([0, 1].map(|column| written.is_mixed(column)), mixed, "{file}");
        }
    }
}

/// Line ends belong to places: mixed ones stay where they are, and a missing last one is
/// still missing.
#[test]
fn a_new_order_keeps_the_line_ends_in_place() {
    let order = |order: &[u32]| ReleaseOptions { order: Some(order.into()), ..Default::default() };
    assert_eq!(text("a,b\n1,x\r\n2,y\n3,z", &[], &order(&[2, 0, 1])), "a,b\n3,z\r\n1,x\n2,y");
    assert_eq!(text("a,b\n1,x\n2,y\n\n", &[], &order(&[1, 0])), "a,b\n2,y\n1,x\n\n");
    assert_eq!(text("a\n\nx\ny", &[], &order(&[2, 1, 0])), "a\ny\nx\n\"\"");
    assert_eq!(text("a\n\nx\n", &[], &order(&[1, 0])), "a\nx\n\n");
}

#[test]
fn a_column_left_out_takes_its_delimiter_along() {
    let drop = |drop: &[usize]| ReleaseOptions { drop: drop.into(), ..Default::default() };
    let file = "\u{feff}a,b,c\r\n1,2,3\n,\"5,\",\n\n";
    assert_eq!(text(file, &[], &drop(&[0])), "\u{feff}b,c\r\n2,3\n\"5,\",\n\n");
    assert_eq!(text(file, &[], &drop(&[1])), "\u{feff}a,c\r\n1,3\n,\n\n");
    assert_eq!(text(file, &[], &drop(&[2])), "\u{feff}a,b\r\n1,2\n,\"5,\"\n\n");
    // One column remains: its empty cell must not look like an empty line, and the empty
    // line must not look like a record.
    assert_eq!(text(file, &[], &drop(&[0, 1])), "\u{feff}c\r\n3\n\"\"\n");
    assert_eq!(text(file, &[swap(0, 1, &[0, 1])], &drop(&[1, 2])), "\u{feff}a\r\n\"\"\n1\n");
    let (_, counts) =
        Input::new(file.as_bytes()).rewrite(&[swap(0, 1, &[0, 1])], &drop(&[1])).unwrap();
    assert_eq!(counts, RewriteCounts { records: 2, records_changed: 2, cells_changed: 2 });
}

/// Witness for the quotes: without them the swap would lose a record.
#[test]
fn the_line_of_excel_stays() {
    let input = Input::new("\u{feff}sep=;\r\na;b;c\r\n1;x;p\r\n2;y;q\r\n".as_bytes());
    let text = |swaps: &[PlannedSwap], release: &ReleaseOptions| {
        let mut out = Vec::new();
        let plan = plan_of(swaps, &[]);
        rewrite(&input.path(), &ReadOptions::default(), &plan, release, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let swapped = text(&[swap(0, 1, &[1])], &ReleaseOptions::default());
    assert_eq!(swapped, "\u{feff}sep=;\r\na;b;c\r\n1;y;p\r\n2;x;q\r\n");
    let release = ReleaseOptions { drop: vec![0], ..Default::default() };
    assert_eq!(text(&[], &release), "\u{feff}sep=;\r\nb;c\r\nx;p\r\ny;q\r\n");
}

#[test]
fn an_empty_line_at_the_end_stays_a_record() {
    assert_eq!(text("a\n\ny", &[swap(0, 1, &[0])], &ReleaseOptions::default()), "a\ny\n\"\"");
    assert_eq!(text("a\n\ny\n", &[swap(0, 1, &[0])], &ReleaseOptions::default()), "a\ny\n\n");
}

/// A file of many windows and batches, with long fields, against the definition.
#[test]
fn a_long_file_is_rewritten() {
    let records: u32 = 40_000;
    let mut file = String::from("id,word,text\n");
    for record in 0..records {
        let long = if record % 9_973 == 5 { "x".repeat(300_000) } else { String::new() };
        file += &format!("{record},w{},\"{long}\n{}\"\n", record % 7, record % 11);
    }
    let swaps: Vec<PlannedSwap> = (0..records / 2)
        .filter(|record| record % 13 == 5 || record % 9_973 == 5)
        .map(|record| swap(record, records - 1 - record, &[[1, 2], [0, 2]][record as usize % 2]))
        .collect();
    let before = categories(file.as_bytes());
    let order: Vec<u32> = (0..records).map(|record| record * 7 % records).collect();
    for release in [
        ReleaseOptions::default(),
        ReleaseOptions { drop: vec![1], ..Default::default() },
        ReleaseOptions { order: Some(order), ..Default::default() },
    ] {
        let (expected, expected_counts) = by_definition(before.clone(), &swaps, &release);
        let (found, counts) = Input::new(file.as_bytes()).rewrite(&swaps, &release).unwrap();
        assert!(categories(&found) == expected);
        assert_eq!(counts, expected_counts);
    }
}

#[test]
fn gzip_is_unpacked_and_packed_as_asked() {
    let file = "a,b\n1,x\n2,y\n";
    let pack = |bytes: &[u8]| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    };
    let swaps = [swap(0, 1, &[1])];
    let plain = rewritten(&pack(file.as_bytes()), &swaps, &ReleaseOptions::default());
    assert_eq!(plain, b"a,b\n1,y\n2,x\n");
    let gzip = ReleaseOptions { packing: Compression::Gzip, ..Default::default() };
    let packed = rewritten(file.as_bytes(), &swaps, &gzip);
    assert_eq!(packed, rewritten(&pack(file.as_bytes()), &swaps, &gzip));
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain);
    for (name, packing) in [
        ("out.csv", Compression::Plain),
        ("out.csv.gz", Compression::Gzip),
        ("OUT.GZ", Compression::Gzip),
        ("gz", Compression::Plain),
    ] {
        assert_eq!(Compression::for_target(Path::new(name)), packing);
    }
}

/// An output that does something to the input when it is first written to.
struct Meddler<F: FnMut()>(Option<F>);

impl<F: FnMut()> Write for Meddler<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(mut meddle) = self.0.take() {
            meddle();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_file_that_changes_meanwhile_is_refused() {
    let line = "1,some words that fill the line\n";
    let file = format!("a,b\n{}", line.repeat(20_000));
    for meddling in 0..4 {
        let input = Input::new(file.as_bytes());
        let path = input.path();
        let meddle = || {
            let mut handle = File::options().append(meddling == 0).write(true).open(&path).unwrap();
            match meddling {
                0 => handle.write_all(line.as_bytes()).unwrap(),
                1 => handle.set_len((file.len() - line.len()) as u64).unwrap(),
                2 => {
                    use io::Seek;
                    handle.seek(io::SeekFrom::End(-5)).unwrap();
                    handle.write_all(b"X").unwrap();
                }
                _ => {}
            }
        };
        let options = ReadOptions::default();
        let plan = plan_of(&[swap(3, 19_999, &[1])], &[]);
        let mut out = Meddler(Some(meddle));
        let done = rewrite(&path, &options, &plan, &ReleaseOptions::default(), &mut out);
        match meddling {
            3 => assert_eq!(done.unwrap().records, 20_000),
            _ => {
                let refusal = done.unwrap_err();
                assert_eq!(refusal.code, Code::InputChanged, "{meddling}");
                assert_eq!(refusal.place.file.as_deref(), Some(path.as_path()));
            }
        }
    }
}

/// Witnesses for what columns in memory tell of a file, and for its sum.
#[test]
fn columns_in_memory_tell_what_is_written_in_one_form() {
    let order = ReleaseOptions { order: Some(vec![2, 0, 1]), ..Default::default() };
    let one_form = "a,b\r\n1,\"x,\"\n2,\"\"\"y\"\r\n3,\"\"";
    for packed in [false, true] {
        let input = Input::new(one_form.as_bytes());
        let (found, counts, tells) =
            input.rewrite_held(&[swap(0, 1, &[1])], &order, packed).unwrap();
        assert!(tells);
        assert_eq!(found, "a,b\r\n3,\"\"\n1,\"\"\"y\"\r\n2,\"x,\"".as_bytes());
        assert_eq!(counts, RewriteCounts { records: 3, records_changed: 2, cells_changed: 2 });
        let meddle = || fs::write(input.path(), one_form.replace('2', "4")).unwrap();
        let refusal = input.rewrite_held_into(&[], &order, packed, meddle).unwrap_err();
        assert_eq!(refusal.code, Code::InputChanged);
    }
    let both_forms = Input::new(b"a,b\n1,\"x\"\n2,y\n3,z\n");
    let (found, _, tells) = both_forms.rewrite_held(&[], &order, true).unwrap();
    assert_eq!((found, tells), (b"a,b\n3,z\n1,x\n2,y\n".to_vec(), false));
    let drop = ReleaseOptions { drop: vec![1], ..order };
    let (found, _, tells) = both_forms.rewrite_held(&[], &drop, true).unwrap();
    assert_eq!((found, tells), (b"a\n3\n1\n2\n".to_vec(), true));
}

#[test]
fn swaps_for_another_file_are_refused() {
    let input = Input::new(b"a,b\n1,x\n2,y\n");
    let order = ReleaseOptions { order: Some(vec![0, 1, 2]), ..Default::default() };
    for (swaps, release) in [
        (vec![swap(0, 2, &[1])], &ReleaseOptions::default()),
        (vec![swap(0, 1, &[2])], &ReleaseOptions::default()),
        (vec![], &order),
    ] {
        assert_eq!(input.rewrite(&swaps, release).unwrap_err().code, Code::StalePlan);
    }
}

#[test]
fn a_failing_output_is_named_and_a_failing_input_too() {
    let input = Input::new(b"a,b\n1,x\n2,y\n");
    let target = input.folder.path().join("out");
    let mut staged = Staged::create(&target, Overwrite::Refuse, Secrecy::Plain).unwrap();
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from_raw_os_error(28))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let release = ReleaseOptions::default();
    let refusal =
        staged.fill(|_| rewrite(&input.path(), &COMMA, &Plan::default(), &release, &mut Full));
    let refusal = refusal.unwrap_err();
    assert_eq!((refusal.code, refusal.place.file), (Code::Unwritable, Some(target.clone())));
    let bad = Input::new(b"a,b\n1\n");
    let refusal = staged
        .fill(|out| rewrite(&bad.path(), &COMMA, &Plan::default(), &release, out))
        .unwrap_err();
    assert_eq!((refusal.code, refusal.place.file), (Code::TooFewFields, Some(bad.path())));
    drop(staged);
    assert!(!target.exists());
}

/// All lines of a household take what another household has, whatever their numbers; nothing
/// else changes, and the names go with the places where that is asked for.
#[test]
fn law_all_members_move_together() {
    let bytes = "hid,region,tenure,age\n\
                 7,N,own,31\n\
                 3,S,rent,8\n\
                 7,\"N\",own,64\n\
                 9,W,free,40\n\
                 3,S,rent,35\n\
                 7,N,own,5\n";
    let hid: Column = ["7", "3", "7", "9", "3", "7"].iter().map(|one| one.as_bytes()).collect();
    let households = Arc::new(Households::by(&hid));
    let plain = ReleaseOptions { households: Some(Arc::clone(&households)), ..Default::default() };
    let moved = text(bytes, &[swap(0, 1, &[1])], &plain);
    assert_eq!(
        moved,
        "hid,region,tenure,age\n\
         7,S,own,31\n\
         3,N,rent,8\n\
         7,S,own,64\n\
         9,W,free,40\n\
         3,N,rent,35\n\
         7,S,own,5\n"
    );
    // Three households, each column by its own permutation.
    let group = PlannedGroup {
        records: [0, 1, 2].map(RecordId::at).to_vec(),
        columns: vec![1, 2],
        from: vec![vec![1, 2, 0], vec![2, 0, 1]],
    };
    let input = Input::new(bytes.as_bytes());
    let mut out = Vec::new();
    let plan = Plan::new(vec![], vec![group]).unwrap();
    rewrite(&input.path(), &COMMA, &plan, &plain, &mut out).unwrap();
    let permuted = "hid,region,tenure,age\n\
                    7,S,free,31\n\
                    3,W,own,8\n\
                    7,S,free,64\n\
                    9,N,rent,40\n\
                    3,W,own,35\n\
                    7,S,free,5\n";
    assert_eq!(String::from_utf8(out).unwrap(), permuted);
    // In a new order, household by household, the first one gets the first name.
    let order = [2u32, 0, 1];
    let lines = order.iter().flat_map(|&one| households.members(one as usize)).copied().collect();
    let renamed = Renamed { column: 0, from: vec![1, 2, 0] };
    let release = ReleaseOptions { order: Some(lines), renamed: Some(renamed), ..plain.clone() };
    let named = text(bytes, &[swap(0, 1, &[1])], &release);
    assert_eq!(
        named,
        "hid,region,tenure,age\n\
         7,W,free,40\n\
         3,S,own,31\n\
         3,S,own,64\n\
         3,S,own,5\n\
         9,N,rent,8\n\
         9,N,rent,35\n"
    );
    // After the households two persons exchange their ages, whatever order the lines come in.
    let then = Plan::new(vec![swap(0, 4, &[3])], vec![]).unwrap();
    let then = Some(then);
    let both =
        text(bytes, &[swap(0, 1, &[1])], &ReleaseOptions { then: then.clone(), ..plain.clone() });
    let mut expected =
        moved.replace("7,S,own,31", "7,S,own,AGE").replace("3,N,rent,35", "3,N,rent,31");
    expected = expected.replace("AGE", "35");
    assert_eq!(both, expected);
    let both = text(bytes, &[swap(0, 1, &[1])], &ReleaseOptions { then, ..release });
    let expected = named.replace("3,S,own,31", "3,S,own,AGE").replace("9,N,rent,35", "9,N,rent,31");
    assert_eq!(both, expected.replace("AGE", "35"));
    // A plan that speaks of more households than there are is not for this file.
    let beyond = Input::new(bytes.as_bytes()).rewrite(&[swap(0, 3, &[1])], &plain);
    assert_eq!(beyond.unwrap_err().code, Code::StalePlan);
}

//! The column that names the records is read exactly where somebody asks for it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use marginswap_pipeline::compare::Evidence;
use marginswap_pipeline::job::compare;
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::project::{Project, Risky};
use marginswap_pipeline::study::Study;

const DATA: &str = "who,town,sex,age\n1,A,f,1\n2,A,m,2\n3,B,f,2\n4,B,m,1\n5,A,f,2\n6,B,m,2\n";

fn project(data: &Path) -> Project {
    let mut project = Project { data: Some(data.to_owned()), ..Project::default() };
    project.columns.id = Some("who".to_owned());
    project.keep.tables = vec!["town*sex".to_owned()];
    project.risk.keys = vec!["sex".to_owned(), "age".to_owned()];
    project
}

#[test]
fn ids_are_read_for_a_list_and_for_a_release_of_them_alone() {
    let folder = tempfile::tempdir().unwrap();
    let [data, list] = ["data.csv", "list"].map(|name| folder.path().join(name));
    fs::write(&data, DATA).unwrap();
    fs::write(&list, "4\n").unwrap();
    let reads = |project: Project| {
        let original = Study::read(&project, &mut Run::silent()).unwrap();
        assert_eq!(original.units.loaded.records_read(), 6);
        (original.units.loaded.id_column().is_some(), original.units.at_risk())
    };
    assert!(!reads(project(&data)).0);
    let mut listed = project(&data);
    listed.risk.risky = Some(Risky::Records(list));
    assert_eq!(reads(listed), (true, vec![false, false, false, true, false, false]));
    let mut released = project(&data);
    released.release.release_id = Some(true);
    assert!(reads(released).0);
}

/// Two files are linked by ids where both have them, and line by line where one lacks them.
#[test]
fn files_are_linked_by_ids_that_both_have() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("data.csv"), DATA).unwrap();
    let mut turned: Vec<&str> = DATA.lines().collect();
    turned[1..].reverse();
    fs::write(path("turned.csv"), turned.join("\n")).unwrap();
    let nameless: Vec<&str> = DATA.lines().map(|line| line.split_once(',').unwrap().1).collect();
    fs::write(path("nameless.csv"), nameless.join("\n")).unwrap();
    let changed = |released: &Path| {
        let project = project(&path("data.csv"));
        let found = compare(&project, released, &Evidence::default(), &mut Run::silent()).unwrap();
        assert!(found.is_exact());
        (
            found.original.units.loaded.id_column().is_some(),
            found.verification.changes.unwrap().records,
        )
    };
    assert_eq!(changed(&path("turned.csv")), (true, 0));
    assert_eq!(changed(&path("nameless.csv")), (false, 0));
}

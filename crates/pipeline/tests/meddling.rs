//! Another program changes or replaces files while a job runs.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(feature = "parquet")]
#[path = "support/parquet_texts.rs"]
mod parquet_texts;

use std::fs;
use std::path::Path;

use marginswap_io::{Overwrite, digest_file, read_plan, write_plan};
use marginswap_pipeline::job::{Release, apply, plan, protect};
use marginswap_pipeline::notes::{Event, Flow, Phase, Run};
use marginswap_pipeline::outputs::Outputs;
use marginswap_pipeline::project::{Project, ReleaseOrder};
use marginswap_pipeline::refusal::Code;
use marginswap_pipeline::seed::SeedFrom;
#[cfg(feature = "parquet")]
use parquet_texts::write_parquet;

/// Sixty people of a town; `shift` makes them others.
fn survey(shift: usize) -> String {
    // In no order that could be seen.
    let mut state = 7u64 + shift as u64;
    let mut draw = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let line = |_| format!("{},{},{}\n", draw(4), draw(5), draw(3));
    "town,age,job\n".to_owned() + &(0..60).map(line).collect::<String>()
}

fn project(data: &Path) -> Project {
    let mut project = Project { data: Some(data.to_owned()), ..Project::default() };
    project.keep.tables = vec!["town*age".into()];
    project.risk.keys = vec!["town".into(), "age".into(), "job".into()];
    project
}

/// The phases of a job, each of which is a moment to meddle at.
const PHASES: [Phase; 4] = [Phase::Screening, Phase::Planning, Phase::Writing, Phase::Comparing];

/// A run in which something happens once a phase begins.
fn meddled(at: Phase, meddle: impl FnMut() + Send + 'static) -> Run<'static> {
    let mut meddle = meddle;
    Run::watched(move |event| {
        if matches!(event, Event::Phase { phase, .. } if phase == at) {
            meddle();
        }
        Flow::Continue
    })
}

fn job(
    data: &Path,
    out: &Path,
    run: &mut Run<'_>,
) -> Result<Release, marginswap_core::diagnostic::Diagnostic> {
    let outputs = Outputs::released(out, ReleaseOrder::Input);
    protect(&project(data), &SeedFrom::Demo(1), &outputs, run)
}

/// A file that is moved over the input is not heard of: the release and the plan are those of
/// the file that was opened.
#[test]
fn a_replaced_input_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("data.csv"), survey(0)).unwrap();
    let mut calm = job(&path("data.csv"), &path("calm.csv"), &mut Run::silent()).unwrap();
    calm.publish(&mut Run::silent()).unwrap();
    let expected = fs::read(path("calm.csv")).unwrap();
    for at in PHASES {
        fs::write(path("data.csv"), survey(0)).unwrap();
        fs::write(path("other.csv"), survey(1)).unwrap();
        let sha256 = digest_file(&path("data.csv")).unwrap().sha256;
        let (other, data) = (path("other.csv"), path("data.csv"));
        let run = &mut meddled(at, move || {
            let _ = fs::rename(&other, &data);
        });
        let mut done = job(&path("data.csv"), &path("out.csv"), run).unwrap();
        assert_eq!(done.plan.header.input_sha256, sha256, "{at:?}");
        done.publish(&mut Run::silent()).unwrap();
        assert!(!path("other.csv").exists(), "{at:?}: the file was replaced");
        assert_eq!(fs::read(path("out.csv")).unwrap(), expected, "{at:?}");
        fs::remove_file(path("out.csv")).unwrap();
    }
}

/// A file that is written into is refused as what it is, and nothing is released.
#[test]
fn an_input_that_is_written_into_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for at in [Phase::Screening, Phase::Planning, Phase::Writing] {
        fs::write(path("data.csv"), survey(0)).unwrap();
        let data = path("data.csv");
        let run = &mut meddled(at, move || fs::write(&data, survey(1)).unwrap());
        let refusal = job(&path("data.csv"), &path("out.csv"), run).map(|_| ()).unwrap_err();
        assert_eq!(refusal.code, Code::InputChanged, "{at:?}: {refusal}");
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 1, "{at:?}: the input alone is there");
    }
}

#[test]
fn a_plan_is_applied_to_the_file_that_was_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("data.csv"), survey(0)).unwrap();
    let (_, planned, _) =
        plan(&project(&path("data.csv")), &SeedFrom::Demo(1), &mut Run::silent()).unwrap();
    write_plan(&path("a.plan"), Overwrite::Refuse, &planned).unwrap();
    let planned = read_plan(&path("a.plan")).unwrap();
    let out = path("out.csv");
    let outputs = Outputs::released(&out, ReleaseOrder::Input);
    let follow = |run: &mut Run<'_>| {
        let plan = (None, planned.clone());
        apply(&project(&path("data.csv")), plan, &SeedFrom::System, &outputs, run)
    };
    follow(&mut Run::silent()).unwrap().publish(&mut Run::silent()).unwrap();
    let expected = fs::read(&out).unwrap();
    fs::remove_file(&out).unwrap();
    for at in [Phase::Writing, Phase::Comparing] {
        fs::write(path("data.csv"), survey(0)).unwrap();
        fs::write(path("other.csv"), survey(1)).unwrap();
        let (other, data) = (path("other.csv"), path("data.csv"));
        let run = &mut meddled(at, move || {
            let _ = fs::rename(&other, &data);
        });
        follow(run).unwrap().publish(&mut Run::silent()).unwrap();
        assert_eq!(fs::read(&out).unwrap(), expected, "{at:?}");
        fs::remove_file(&out).unwrap();
    }
    let data = path("data.csv");
    fs::write(&data, survey(0)).unwrap();
    let run = &mut meddled(Phase::Writing, move || fs::write(&data, survey(1)).unwrap());
    assert_eq!(follow(run).map(|_| ()).unwrap_err().code, Code::InputChanged);
    assert!(!out.exists());
}

/// A Parquet file that is damaged while it is read back is not released, also where the damage
/// changes no value.
#[cfg(feature = "parquet")]
#[test]
fn a_release_that_is_written_into_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [data, out] = ["data.parquet", "out.parquet"].map(|name| folder.path().join(name));
    let survey = survey(0);
    let values = |column: usize| {
        let value = |line: &str| line.split(',').nth(column).unwrap().to_owned();
        survey.lines().skip(1).map(value).collect()
    };
    write_parquet(&data, &[("town", values(0)), ("age", values(1)), ("job", values(2))]);
    // Who wrote the file is written at its end, and no reader minds.
    let damage = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        let is_name = |some: &[u8]| some == b"parquet-rs" || some == b"marginswap";
        let name = bytes.windows(10).rposition(is_name).unwrap();
        bytes[name] = b'q';
        fs::write(path, bytes).unwrap();
    };
    let watched = folder.path().to_owned();
    let mut readings = 0;
    let meddle = move || {
        readings += 1;
        let files = fs::read_dir(&watched).unwrap().map(|file| file.unwrap().path());
        let files: Vec<_> = files.filter(|path| !path.ends_with("data.parquet")).collect();
        assert_eq!(files.len(), readings - 1, "the second reading is that of the release");
        files.iter().for_each(|file| damage(file));
    };
    let refusal = job(&data, &out, &mut meddled(Phase::Reading, meddle)).map(|_| ()).unwrap_err();
    assert_eq!(refusal.code, Code::NotKept, "{refusal}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the input alone is there");
    // The same damage to the input, before it is read, does no harm.
    damage(&data);
    assert!(job(&data, &out, &mut Run::silent()).is_ok());
}

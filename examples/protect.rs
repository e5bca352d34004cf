//! The whole job from a program of your own: plan, release, verdict.
//!
//! `cargo run --example protect -- examples/town.csv released.csv`

use std::path::PathBuf;

use marginswap_pipeline::job::protect;
use marginswap_pipeline::notes::{Event, Flow, Run};
use marginswap_pipeline::outputs::Outputs;
use marginswap_pipeline::project::{Project, ReleaseOrder};
use marginswap_pipeline::seed::SeedFrom;
use marginswap_report::Answer;

#[allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows its answer")]
fn main() -> Result<(), String> {
    let mut files = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(data), Some(out)) = (files.next(), files.next()) else {
        return Err("name the data and the released file".to_owned());
    };
    let mut project = Project { data: Some(data), ..Project::default() };
    project.keep.tables = vec!["region*sex*age + age*marital".to_owned()];
    project.risk.keys = ["region", "sex", "age", "marital"].map(str::to_owned).to_vec();
    let outputs = Outputs::released(&out, ReleaseOrder::Random);
    let mut run = Run::watched(|event| {
        match event {
            Event::Note(note) => eprintln!("{note}"),
            Event::Phase { phase, done, of } => eprintln!("{phase} ({done} of {of} steps done)"),
        }
        Flow::Continue
    });
    let release = protect(&project, &SeedFrom::System, &outputs, &mut run);
    let mut release = release.map_err(|why| why.to_string())?;
    release.publish(&mut run).map_err(|why| why.to_string())?;
    print!("{}", release.answer().expect("the job has planned").text());
    Ok(())
}

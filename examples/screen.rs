//! Who can be swapped, and whose keys can be parted, from a program of your own.
//!
//! `cargo run --example screen -- examples/town.csv`

use marginswap_pipeline::notes::Run;
use marginswap_pipeline::project::Project;
use marginswap_pipeline::questions::screen::screen;
use marginswap_report::Answer;

fn main() -> Result<(), String> {
    let data = std::env::args_os().nth(1).ok_or("name a data file")?;
    let mut project = Project { data: Some(data.into()), ..Project::default() };
    project.keep.tables = vec!["region*sex*age + age*marital".to_owned()];
    project.risk.keys = ["region", "sex", "age", "marital"].map(str::to_owned).to_vec();
    let screened = screen(&project, &mut Run::silent()).map_err(|error| error.to_string())?;
    #[allow(clippy::print_stdout, reason = "an example shows its answer")]
    {
        print!("{}", screened.report.text());
    }
    Ok(())
}

//! `demo`: the survey of an invented town, and the whole job on it.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::Overwrite;
use marginswap_pipeline::demo::{Survey, write_demo};
use marginswap_pipeline::seal::SealFrom;
use marginswap_pipeline::seed::SeedFrom;

use crate::args::DemoArgs;
use crate::cmd::protect::{Request, protect_as_asked};
use crate::output::{self, Outcome, talk, typed_path};
use crate::setup::{Setup, on_threads};

/// Writes the town and protects it as its project file says.
pub fn run(args: &DemoArgs) -> Result<Outcome, Diagnostic> {
    on_threads(args.threads, || {
        let run = &mut output::run();
        let overwrite = Overwrite::from_force(args.force.force);
        let seed = SeedFrom::Demo(args.demo_seed);
        let records = usize::try_from(args.records).expect("32 bits fit an address");
        let asks = if args.households { Survey::Households } else { Survey::Persons };
        let drawn = seed.choose(run)?.seed;
        let files = write_demo(&args.folder, (asks, records), drawn, overwrite)?;
        talk(&format!("{} is the survey of an invented town", files.data.display()));
        talk(&format!("{} says what to do with it", files.project.display()));
        let setup = Setup::of_file(&files.project)?;
        let request = Request {
            seed,
            seal: SealFrom::default(),
            overwrite,
            svg: None,
            json: args.answer.json,
            next: Some(format!(
                "cd {} && marginswap report --demo-seed {} -o report.html",
                typed_path(&args.folder),
                args.demo_seed
            )),
        };
        protect_as_asked(&setup, &request, run)
    })?
}

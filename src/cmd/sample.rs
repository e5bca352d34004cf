//! `sample`: draws files from all files with the same tables.

use std::path::Path;

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::Overwrite;
use marginswap_pipeline::sample::{Draws, NoTree, PublishedTables, from_data, from_tables};
use marginswap_pipeline::seed::SeedFrom;

use crate::args::SampleArgs;
use crate::output::{Outcome, ends_once_named, give, next};

/// Draws as many files as were asked for.
pub fn run(args: &SampleArgs) -> Result<Outcome, Diagnostic> {
    let seed = SeedFrom::flags(args.seed_file.as_deref(), args.demo_seed);
    let overwrite = Overwrite::from_force(args.force.force);
    let draws = Draws { out: args.out.clone(), count: args.count, overwrite };
    args.settings.run(|setup, run| {
        let paths = draws.paths();
        let outputs: Vec<Option<&Path>> = paths.iter().map(|path| Some(path.as_path())).collect();
        let tables = args.from_tables.iter().map(|path| Some(path.as_path()));
        let inputs: Vec<Option<&Path>> = tables.chain([seed.file()]).collect();
        setup.guard(&outputs, &[], &inputs, overwrite, run)?;
        let sampled = if args.from_tables.is_empty() {
            let no_tree = if args.cover { NoTree::Cover } else { NoTree::Refuse };
            from_data(&setup.project, no_tree, &seed, &draws, run)?
        } else {
            let published = PublishedTables {
                files: args.from_tables.clone(),
                count: args.counts.clone(),
                ignore: args.no_variables.clone(),
                totals: args.total.clone(),
            };
            from_tables(&published, &seed, &draws, run)?
        };
        ends_once_named(Outcome::Done);
        let report = sampled.publish()?;
        give(&report, args.answer.json)?;
        next("tell users of the file that its records are drawn, and which tables are exact");
        Ok(Outcome::Done)
    })
}

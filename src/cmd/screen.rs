//! `screen`: which records can be swapped.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::Overwrite;
use marginswap_pipeline::questions::screen::screen;

use crate::args::{ForExplain, ScreenArgs};
use crate::output::{Listing, Outcome, give, next};
use crate::setup::Takes;

/// Screens every record; writes a line for each when asked.
pub fn run(args: &ScreenArgs) -> Result<Outcome, Diagnostic> {
    args.settings.run(|setup, run| {
        setup.tables_are_named()?;
        let overwrite = Overwrite::from_force(args.force.force);
        setup.guard(&[args.out.as_deref()], &[], &[], overwrite, run)?;
        let mut listing = Listing::new(args.out.as_ref(), &args.force);
        let screened = screen(&setup.project, run)?;
        listing.stage(|out| screened.write_records(out))?;
        listing.commit(Outcome::Done)?;
        give(&screened.report, args.answer.json)?;
        let mut line = setup.line_for("explain", ForExplain::TOPICS, &setup.by_number());
        next(&line.option("--record", "1").to_string());
        Ok(Outcome::Done)
    })
}

//! `screen`: which records can be swapped.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_pipeline::questions::screen::screen;

use crate::args::{ForExplain, ScreenArgs};
use crate::output::{Listing, Outcome, give, next};
use crate::setup::Takes;

/// Screens every record; writes a line for each when asked.
pub fn run(args: &ScreenArgs) -> Result<Outcome, Diagnostic> {
    args.settings.run(|setup, run| {
        setup.tables_are_named()?;
        let listing = Listing::new(args.out.as_ref(), &args.force, &setup.inputs(None))?;
        let screened = screen(&setup.project, run)?;
        listing.write(|out| screened.write_records(out))?;
        give(&screened.report, args.answer.json)?;
        let mut line = setup.line_for("explain", ForExplain::TOPICS, &setup.by_number());
        next(&line.option("--record", "1").to_string());
        Ok(Outcome::Done)
    })
}

//! `screen`: which records can be swapped.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::Overwrite;
use marginswap_pipeline::answer::Reveal;
use marginswap_pipeline::questions::screen::{Further, screen_further};
use marginswap_report::pictures::disclosed;

use crate::args::{ForExplain, ScreenArgs};
use crate::cmd::explain::HOUSEHOLD;
use crate::output::{Listing, Outcome, Sketch, give, next};
use crate::setup::Takes;

/// Screens every record; writes a line for each when asked.
pub fn run(args: &ScreenArgs) -> Result<Outcome, Diagnostic> {
    args.settings.run(|setup, run| {
        setup.tables_are_named()?;
        let overwrite = Overwrite::from_force(args.force.force);
        setup.guard(&[args.out.as_deref(), args.svg.as_deref()], &[], &[], overwrite, run)?;
        let mut listing = Listing::new(args.out.as_ref(), &args.force);
        let reveal = if args.reveal { Reveal::Everything } else { Reveal::Counts };
        let (what_if, by) = (args.what_if.clone(), args.by.clone());
        let screened = screen_further(&setup.project, &Further { what_if, by, reveal }, run)?;
        listing.stage(|out| screened.write_records(out))?;
        listing.commit(Outcome::Done)?;
        let sketch = Sketch::new(args.svg.as_ref(), &args.force);
        sketch.draw(Outcome::Done, || disclosed::draw("", &screened.report))?;
        give(&screened.report, args.answer.json)?;
        let mut line = setup.line_for("explain", ForExplain::TOPICS, &setup.by_number());
        // Households are looked up by name.
        let record = if setup.project.unit.household.is_some() { HOUSEHOLD } else { "1" };
        next(&line.option("--record", record).to_string());
        Ok(Outcome::Done)
    })
}

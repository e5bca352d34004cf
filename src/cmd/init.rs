//! `init`: a project file to start from.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Overwrite, Secrecy, check_not_input, check_target};
use marginswap_pipeline::init::draft;
use marginswap_pipeline::outputs::stage;
use marginswap_pipeline::resolve::data_of;

use crate::args::InitArgs;
use crate::output::{Outcome, commit, next, talk, typed_path};

/// Looks at the data and writes a project file with what is known of it.
pub fn run(args: &InitArgs) -> Result<(), Diagnostic> {
    let overwrite = Overwrite::from_force(args.force.force);
    check_target(&args.out, overwrite)?;
    let known = args.settings.typed()?;
    let data = data_of(&known)?;
    check_not_input(&args.out, &data)?;
    let text = draft(&data, &args.out, &known)?.text();
    commit(vec![stage(&args.out, overwrite, Secrecy::Plain, text.as_bytes())?], Outcome::Done)?;
    talk(&format!(
        "{} is the project file; remove the # in front of its examples, or change them",
        args.out.display()
    ));
    next(&format!("name the tables to keep and the keys in {}", typed_path(&args.out)));
    Ok(())
}

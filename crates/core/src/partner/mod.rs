//! Who can be swapped with whom, and why not.
//!
//! [`pair`] holds the paper's conditions for two records; [`screen`] answers for all
//! records at once; [`Surroundings`] answers everything about one record;
//! [`parting`] and [`screen_keys`] ask the same of a person's keys; [`screen_restricted`]
//! respects strata, match lists and rules too;
//! [`disclosed`] finds the records whose cell the kept tables give away; [`swap`] is the
//! exchange itself and its move on the table.

pub mod disclosed;
mod keys;
pub mod pair;
pub mod parting;
mod restricted;
mod rule;
mod screen;
mod search;
pub(crate) mod seen;
pub(crate) mod slices;
pub mod swap;

pub use keys::{
    DetachingPartners, KeyPartners, KeyScreening, PartingPartners, Unpartable, partable_among,
    screen_keys, screen_keys_announced,
};
pub use restricted::{Restricted, Restriction, Restrictions, screen_restricted};
pub use rule::{Exempt, Forbidden, NeverNew, Rules, Term, has_few_levels, is_absent_by_rarity};
pub use screen::{Screening, screen, screen_announced};
pub use search::{Choice, Diagonal, Surroundings, ThroughSeparator};

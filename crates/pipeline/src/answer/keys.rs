//! What `screen` and `explain` answer about keys.

use marginswap_core::encode::Schema;
use marginswap_core::partner::{KeyPartners, KeyScreening, Unpartable};
use marginswap_core::table::{CellId, Located, MarginTable};
use marginswap_core::varset::VarSet;
use marginswap_report::keys::{
    KeyScreening as KeyScreeningReport, RecordKeys, ReplacingWay, SeparatingWay, WhyNot,
};

use super::names;

/// Adds up whose keys can be parted: by the tables, and where all settings allow it.
#[must_use]
pub fn key_screening(
    schema: &Schema,
    name: Option<&str>,
    joint: &Located,
    screening: &KeyScreening,
    allowed: &[bool],
) -> KeyScreeningReport {
    let alike = MarginTable::count(joint, screening.keys());
    let mut report = KeyScreeningReport {
        name: name.map(str::to_owned),
        keys: names(schema, screening.keys()),
        separable: 0,
        not_separable: 0,
        published: 0,
        proved: 0,
        no_partner: 0,
        restricted: 0,
        unique_on_keys: 0,
        separable_uniques: 0,
    };
    for cell in (0..joint.len()).map(CellId::at) {
        let records = joint.n(cell);
        let unique = u64::from(alike.n(cell) == 1);
        report.unique_on_keys += unique;
        match screening.why_not(cell) {
            None if allowed[cell.position()] => {
                report.separable += records;
                report.separable_uniques += unique;
                continue;
            }
            None => report.restricted += records,
            Some(Unpartable::Published(_)) => report.published += records,
            Some(Unpartable::Proved(_)) => report.proved += records,
            Some(Unpartable::NoPartner) => report.no_partner += records,
        }
        report.not_separable += records;
    }
    report
}

/// What can be done about the keys of one record.
#[must_use]
pub fn record_keys(
    schema: &Schema,
    (name, keys): (Option<&str>, VarSet),
    why_not: Option<Unpartable>,
    partners: &KeyPartners,
) -> RecordKeys {
    let set = |set| names(schema, set);
    let mut parting: Vec<_> = partners.parting.iter().collect();
    parting.sort_by_key(|way| way.differing.len());
    let mut detaching: Vec<_> = partners.detaching.iter().collect();
    detaching.sort_by_key(|way| std::cmp::Reverse(way.made_false.len()));
    RecordKeys {
        name: name.map(str::to_owned),
        keys: set(keys),
        separable: why_not.is_none(),
        why_not: why_not.map(|why| match why {
            Unpartable::Published(table) => WhyNot::Published { table: set(table) },
            Unpartable::Proved(people) => WhyNot::Proved { people },
            Unpartable::NoPartner => WhyNot::NoPartner,
        }),
        separating: partners.parting_records(),
        replacing: partners.detaching_records(),
        separating_ways: parting
            .into_iter()
            .map(|way| SeparatingWay {
                differing: set(way.differing),
                records: way.records,
                key_parts: way.key_parts.iter().map(|&part| set(part)).collect(),
            })
            .collect(),
        replacing_ways: detaching
            .into_iter()
            .map(|way| ReplacingWay {
                differing: set(way.differing),
                records: way.records,
                exchanged: set(way.exchanged),
                made_false: set(way.made_false),
                left_true: set(way.left_true),
            })
            .collect(),
    }
}

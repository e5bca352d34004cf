//! Targeted record swapping, as other programs know it, in the words of this one.
//!
//! There the geography of a record and what is carried along change places with those of
//! another that agrees with it on a profile of similar variables. In the paper's terms that
//! is one fixed separator: S is the profile, one side the geography and what is carried
//! along, the other side everything else.
//!
//! What differs: `docs/project-file.md`.

use super::{Amount, Columns, Keep, Knows, Project, Risk, Risky, Share, Swapping, Unit};
use marginswap_core::graph::quoted;

/// The parameters of targeted record swapping, under the names known from `recordSwap`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trs {
    /// The geography, the largest areas first; this is what is swapped.
    pub hierarchy: Vec<String>,
    /// Profiles of columns on which partners agree, tried in order.
    pub similar: Vec<Vec<String>>,
    /// Columns that travel with the geography.
    pub carry_along: Vec<String>,
    /// A record is risky when fewer than this many have its risk variables and geography; 3
    /// unless set, and with 0 nobody is.
    pub k_anonymity: Option<u32>,
    /// What an intruder may know besides the geography.
    pub risk_variables: Vec<String>,
    /// Random swaps are added until at least this many records are changed; `5 %` unless set.
    pub swaprate: Option<Amount>,
    /// The column of households: whole households are swapped.
    pub hid: Option<String>,
}

impl Trs {
    /// The project that these parameters expand to.
    #[must_use]
    pub fn expand(&self) -> Project {
        let union = |lists: [&[String]; 2]| {
            let mut names: Vec<String> = Vec::new();
            for name in lists.concat() {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            names
        };
        let moved = union([&self.hierarchy, &self.carry_along]);
        let kept = union([&moved, &self.in_every_profile()]);
        let kept: Vec<String> = kept.iter().map(|name| quoted(name)).collect();
        let table = if kept.is_empty() { vec![] } else { vec![kept.join("*")] };
        // Where households are swapped, households are counted.
        let (tables, households) = match self.hid {
            Some(_) => (vec![], table),
            None => (table, vec![]),
        };
        Project {
            // What `vars` leaves out stays.
            columns: Columns { vars: moved.clone(), ..Columns::default() },
            unit: Unit { household: self.hid.clone(), ..Unit::default() },
            keep: Keep { tables, households, ..Keep::default() },
            risk: Risk {
                keys: union([&self.risk_variables, &self.hierarchy]),
                // Fewer than one is nobody, which is written in one way.
                risky: Some(Risky::BelowK(match self.k_anonymity.unwrap_or(3) {
                    1 => 0,
                    k => k,
                })),
                // These programs look at all risk variables together.
                knows: Some(Knows::All),
                ..Risk::default()
            },
            swap: Swapping {
                linked: if moved.len() > 1 { vec![moved] } else { vec![] },
                matched: self.similar.clone(),
                rate: Some(self.swaprate.unwrap_or(Amount::Share(Share::percent(5)))),
                ..Swapping::default()
            },
            ..Project::default()
        }
    }

    /// The columns on which partners agree whatever profile was used.
    fn in_every_profile(&self) -> Vec<String> {
        let Some((first, others)) = self.similar.split_first() else { return vec![] };
        let everywhere = |name: &&String| others.iter().all(|profile| profile.contains(name));
        first.iter().filter(everywhere).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plan that was made with the preset can be applied: its parameters are read again.
    #[test]
    fn the_parameters_of_every_threshold_come_back() {
        for k in [0, 1, 2, 3, 99] {
            let trs =
                Trs { hierarchy: vec!["region".into()], k_anonymity: Some(k), ..Trs::default() };
            let parameters = Project { trs: Some(trs), ..Project::default() }.parameters();
            let again = Project::from_parameters(&parameters).expect("they are parameters");
            assert_eq!(again.parameters(), parameters, "{k}");
        }
    }
}

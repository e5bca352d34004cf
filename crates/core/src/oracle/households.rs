//! Slow twins for households: a small file in which every table of persons and of households is
//! counted line by line, after every exchange.

use std::collections::BTreeMap;

/// A household as it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlainHousehold {
    /// What all members have in common.
    pub own: Vec<u32>,
    /// What each of them has.
    pub members: Vec<Vec<u32>>,
}

/// A small file of households.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HouseholdWorld {
    /// The households.
    pub households: Vec<PlainHousehold>,
}

impl HouseholdWorld {
    /// The file after two households exchanged some of what their members have in common.
    #[must_use]
    pub fn swapped(&self, left: usize, right: usize, exchanged: &[usize]) -> Self {
        let mut after = self.clone();
        for &column in exchanged {
            after.households[left].own[column] = self.households[right].own[column];
            after.households[right].own[column] = self.households[left].own[column];
        }
        after
    }

    /// The file after two persons, each a household and a place in it, exchanged some of what is
    /// theirs.
    #[must_use]
    pub fn persons_swapped(
        &self,
        left: [usize; 2],
        right: [usize; 2],
        exchanged: &[usize],
    ) -> Self {
        let mut after = self.clone();
        let has = |[household, member]: [usize; 2]| &self.households[household].members[member];
        for (to, from) in [(left, right), (right, left)] {
            for &column in exchanged {
                after.households[to[0]].members[to[1]][column] = has(from)[column];
            }
        }
        after
    }

    /// How many households have each combination of their own columns with the members' values on
    /// these, each as often as there are any.
    #[must_use]
    pub fn compositions(
        &self,
        own: &[usize],
        of_persons: &[usize],
    ) -> BTreeMap<(Vec<u32>, Vec<Vec<u32>>), u64> {
        let mut counts = BTreeMap::new();
        for (number, household) in self.households.iter().enumerate() {
            let common = own.iter().map(|&column| household.own[column]).collect();
            *counts.entry((common, self.multiset(number, of_persons))).or_default() += 1;
        }
        counts
    }

    /// How many persons have each combination of these columns of households and of persons.
    #[must_use]
    pub fn persons(&self, own: &[usize], of_persons: &[usize]) -> BTreeMap<Vec<u32>, u64> {
        let mut counts = BTreeMap::new();
        for household in &self.households {
            for member in &household.members {
                let common = own.iter().map(|&column| household.own[column]);
                let theirs = of_persons.iter().map(|&column| member[column]);
                *counts.entry(common.chain(theirs).collect()).or_default() += 1;
            }
        }
        counts
    }

    /// The members of a household on some of their columns, each as often as there are any.
    #[must_use]
    pub fn multiset(&self, household: usize, of_persons: &[usize]) -> Vec<Vec<u32>> {
        let members = self.households[household].members.iter();
        let mut all: Vec<Vec<u32>> = members
            .map(|member| of_persons.iter().map(|&column| member[column]).collect())
            .collect();
        all.sort();
        all
    }
}

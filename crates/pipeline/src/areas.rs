//! Areas with their places: which are near each other, and how far it is between two.
//!
//! A file of areas is a CSV whose first column holds the codes of the areas and is called like
//! the column of the data that has them. Coordinates say where they are, `x` and `y` in any
//! unit or `lat` and `lon` in degrees, or by pairs of neighbours: a column `neighbour`, with a row
//! for each pair.
//!
//! Near areas are groups that lie in each other, of at most 2, 4, 16, 64, … areas. By coordinates
//! the map is cut in halves along its longer side, again and again; by neighbours each group takes
//! in the smallest of its neighbours, again and again. So partners in the smallest common group are
//! near, though two areas on both sides of a cut may be nearer still; the answer says how far
//! people moved.
//!
//! Whole numbers decide the groups, so that a plan is the same on every machine; distances are
//! measured only.
//!
//! Way in: [`Areas::read`], [`Areas::groups`], [`Areas::distances`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use marginswap_core::columns::Column;
use marginswap_core::diagnostic::{Diagnostic, grouped};
use marginswap_core::hash::{Map, STATE};
use marginswap_io::{ReadOptions, Source};

use crate::refusal::Code;

/// Areas, in the order of their file.
pub struct Areas {
    /// The column of the data that has their codes.
    pub column: String,
    codes: Vec<Vec<u8>>,
    number: Map<Vec<u8>, usize>,
    places: Places,
}

/// Where areas are.
enum Places {
    /// Coordinates in millionths, and what they are.
    Coordinates(Vec<[i64; 2]>, Unit),
    /// The neighbours of each.
    Neighbours(Vec<BTreeSet<usize>>),
}

/// What coordinates are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// Distances in the unit of the file.
    Plane,
    /// Latitude and longitude.
    Degrees,
}

/// The virtual columns of a file of areas begin so.
const NEAR: &str = "near ";

/// How many areas the groups have at most of a virtual column of a file of areas.
pub(crate) fn group_size(column: &str) -> Option<usize> {
    column.strip_prefix(NEAR)?.parse().ok().filter(|&size| size > 1)
}

/// The virtual column of groups of at most `size` areas.
pub(crate) fn group_column(size: usize) -> String {
    format!("{NEAR}{size}")
}

/// The sizes of groups, for this many areas.
pub(crate) fn group_sizes(areas: usize) -> Vec<usize> {
    let sizes =
        std::iter::once(2).chain(std::iter::successors(Some(4usize), |size| size.checked_mul(4)));
    sizes.take_while(|&size| size < areas).collect()
}

impl Areas {
    /// Reads a file of areas.
    ///
    /// # Errors
    /// When it cannot be read, or does not say where areas are.
    pub fn read(path: &Path) -> Result<Self, Diagnostic> {
        let source = Source::open(path, &ReadOptions { delimiter: None })?;
        let names = source.columns().to_vec();
        let find = |name: &str| names.iter().position(|column| column.eq_ignore_ascii_case(name));
        let refuse = |detail: String, remedy: &str| {
            Diagnostic::new(Code::BadLookup, detail, remedy).in_file(path)
        };
        let both = |one: &str, other: &str| Some((find(one)?, find(other)?));
        let (wanted, unit) = match (both("x", "y"), both("lon", "lat"), find("neighbour")) {
            (Some((x, y)), ..) => (vec![x, y], Some(Unit::Plane)),
            (_, Some((lon, lat)), _) => (vec![lon, lat], Some(Unit::Degrees)),
            (.., Some(neighbour)) => (vec![neighbour], None),
            _ => {
                return Err(refuse(
                    "the file of areas has neither coordinates nor neighbours".to_owned(),
                    "add the columns x and y, lat and lon, or neighbour",
                ));
            }
        };
        let column = names[0].clone();
        let read: Vec<bool> = (0..names.len()).map(|at| at == 0 || wanted.contains(&at)).collect();
        let table = source.read(&read)?;
        let bytes = |at: usize, row: usize| -> &[u8] {
            let column: &Column = table.columns[at].as_ref().expect("it was wanted");
            column.dictionary().category(column.code(row)).unwrap_or_default()
        };
        let mut found = Self {
            column,
            codes: Vec::new(),
            number: Map::with_hasher(STATE),
            places: Places::Neighbours(Vec::new()),
        };
        let mut coordinates: Vec<[i64; 2]> = Vec::new();
        let mut pairs: Vec<[usize; 2]> = Vec::new();
        for row in 0..table.records {
            let told = grouped(row as u64 + 1);
            let known = found.codes.len();
            let own = found.add(bytes(0, row));
            let Some(_) = unit else {
                let neighbour = found.add(bytes(wanted[0], row));
                pairs.push([own, neighbour]);
                continue;
            };
            if own < known {
                let detail = format!("row {told} has an area that an earlier row has");
                return Err(refuse(detail, "give every area one row"));
            }
            let mut place = [0; 2];
            for (one, &at) in place.iter_mut().zip(&wanted) {
                *one = millionths(bytes(at, row)).ok_or_else(|| {
                    let detail = format!("row {told} has no number in `{}`", names[at]);
                    refuse(detail, "write coordinates as decimal numbers")
                })?;
            }
            if unit == Some(Unit::Degrees) {
                let most = [("longitude", 360), ("latitude", 90)];
                let far = |(one, (_, most)): &(i64, (&str, i64))| one.abs() > most * 1_000_000;
                if let Some((_, (what, most))) = place.into_iter().zip(most).find(far) {
                    let detail = format!("row {told} has a {what} beyond {most} degrees");
                    return Err(refuse(detail, "write degrees, or call the columns x and y"));
                }
            }
            coordinates.push(place);
        }
        found.places = match unit {
            Some(unit) => Places::Coordinates(coordinates, unit),
            None => {
                let mut all = vec![BTreeSet::new(); found.codes.len()];
                for [one, other] in pairs.into_iter().filter(|[one, other]| one != other) {
                    all[one].insert(other);
                    all[other].insert(one);
                }
                Places::Neighbours(all)
            }
        };
        Ok(found)
    }

    fn add(&mut self, code: &[u8]) -> usize {
        let next = self.codes.len();
        let number = *self.number.entry(code.to_vec()).or_insert(next);
        if number == next {
            self.codes.push(code.to_vec());
        }
        number
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Is there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The number of an area.
    #[must_use]
    pub fn find(&self, code: &[u8]) -> Option<usize> {
        self.number.get(code).copied()
    }

    /// What distances are counted in.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        match self.places {
            Places::Coordinates(_, Unit::Plane) => "units of the map",
            Places::Coordinates(_, Unit::Degrees) => "km",
            Places::Neighbours(_) => "borders",
        }
    }

    /// For each area, the code of the first area of its group, where groups have at most `size`
    /// areas.
    ///
    /// Law: `near-groups-lie-in-each-other`.
    #[must_use]
    pub fn groups(&self, size: usize) -> BTreeMap<Vec<u8>, Vec<u8>> {
        let groups = match &self.places {
            Places::Coordinates(places, _) => by_halves(places, size),
            Places::Neighbours(neighbours) => by_neighbours(neighbours, size),
        };
        let mut found = BTreeMap::new();
        for group in groups {
            let first = group.iter().copied().min().expect("a group has an area");
            for area in group {
                found.insert(self.codes[area].clone(), self.codes[first].clone());
            }
        }
        found
    }

    /// How far it is from one area to others, by number; `None` where no way of neighbours leads
    /// there.
    #[must_use]
    pub fn distances(&self, from: usize) -> Vec<Option<f64>> {
        match &self.places {
            Places::Coordinates(places, unit) => {
                places.iter().map(|place| Some(distance(places[from], *place, *unit))).collect()
            }
            Places::Neighbours(neighbours) => {
                let mut found = vec![None; neighbours.len()];
                found[from] = Some(0.0);
                let mut next = VecDeque::from([(from, 0.0)]);
                while let Some((area, far)) = next.pop_front() {
                    for &other in &neighbours[area] {
                        if found[other].is_none() {
                            found[other] = Some(far + 1.0);
                            next.push_back((other, far + 1.0));
                        }
                    }
                }
                found
            }
        }
    }
}

/// A decimal number in millionths.
fn millionths(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && part.is_empty()) || !all_digits(whole) || !all_digits(part) {
        return None;
    }
    let part: String = part.chars().chain("000000".chars()).take(6).collect();
    let number: i64 = format!("{whole}{part}").parse().ok()?;
    Some(sign * number)
}

/// The map cut in halves along its longer side, until no group has more areas.
fn by_halves(places: &[[i64; 2]], size: usize) -> Vec<Vec<usize>> {
    let mut open: Vec<Vec<usize>> = vec![(0..places.len()).collect()];
    let mut found = Vec::new();
    while let Some(mut group) = open.pop() {
        if group.len() <= size {
            found.push(group);
            continue;
        }
        let width = |side: usize| {
            let all = group.iter().map(|&area| i128::from(places[area][side]));
            all.clone().max().unwrap_or(0) - all.min().unwrap_or(0)
        };
        let side = usize::from(width(1) > width(0));
        group.sort_by_key(|&area| (places[area][side], places[area][1 - side], area));
        let other = group.split_off(group.len().div_ceil(2));
        open.extend([group, other]);
    }
    found.retain(|group| !group.is_empty());
    found
}

/// Groups that take in the smallest of their neighbours, until no group may have more areas.
fn by_neighbours(neighbours: &[BTreeSet<usize>], size: usize) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = (0..neighbours.len()).map(|area| vec![area]).collect();
    let mut most = 2;
    while most <= size {
        let mut of = vec![0; neighbours.len()];
        for (number, group) in groups.iter().enumerate() {
            group.iter().for_each(|&area| of[area] = number);
        }
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by_key(|&group| (groups[group].len(), groups[group][0]));
        let mut taken = vec![false; groups.len()];
        let mut joined = Vec::new();
        for group in order {
            if std::mem::replace(&mut taken[group], true) {
                continue;
            }
            let around = groups[group].iter().flat_map(|&area| &neighbours[area]);
            let around = around.map(|&area| of[area]).filter(|&other| !taken[other]);
            let fits = |other: &usize| groups[group].len() + groups[*other].len() <= most;
            let partner = around.filter(fits).min_by_key(|&other| (groups[other].len(), other));
            let mut both = std::mem::take(&mut groups[group]);
            if let Some(partner) = partner {
                taken[partner] = true;
                both.append(&mut groups[partner]);
                both.sort_unstable();
            }
            joined.push(both);
        }
        joined.sort_by_key(|group| group[0]);
        groups = joined;
        most *= 2;
    }
    groups
}

#[allow(clippy::cast_precision_loss, reason = "a distance is measured, not counted")]
fn distance(one: [i64; 2], other: [i64; 2], unit: Unit) -> f64 {
    let side = |at: usize| (one[at] as f64 - other[at] as f64) / 1e6;
    match unit {
        Unit::Plane => side(0).hypot(side(1)),
        Unit::Degrees => {
            // The haversine formula, on a sphere of the earth's mean radius.
            const RADIUS: f64 = 6371.0088;
            let lat = |place: [i64; 2]| (place[1] as f64 / 1e6).to_radians();
            let half = |degrees: f64| (degrees.to_radians() / 2.0).sin().powi(2);
            let inner = half(side(1)) + lat(one).cos() * lat(other).cos() * half(side(0));
            2.0 * RADIUS * inner.sqrt().min(1.0).asin()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn areas(text: &str) -> Result<Areas, Diagnostic> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("areas.csv");
        std::fs::write(&path, text).unwrap();
        Areas::read(&path)
    }

    /// A map of eight by eight areas.
    fn map() -> String {
        let mut text = "town,x,y\n".to_owned();
        for number in 0..64 {
            text.push_str(&format!("t{number},{}.5,-{}\n", number % 8 * 3, number / 8));
        }
        text
    }

    /// Every area and its neighbours to the right and below, on a map of eight by eight.
    fn borders() -> String {
        let mut text = "town,neighbour\n".to_owned();
        for number in 0..64 {
            if number % 8 < 7 {
                text.push_str(&format!("t{number},t{}\n", number + 1));
            }
            if number < 56 {
                text.push_str(&format!("t{number},t{}\n", number + 8));
            }
        }
        text
    }

    #[test]
    fn law_near_groups_lie_in_each_other() {
        for text in [map(), borders()] {
            let areas = areas(&text).unwrap();
            assert_eq!((areas.len(), &*areas.column), (64, "town"));
            let mut inner: Option<BTreeMap<Vec<u8>, Vec<u8>>> = None;
            for size in group_sizes(64) {
                let groups = areas.groups(size);
                assert_eq!(groups.len(), 64, "every area is in a group");
                let mut counts: BTreeMap<&Vec<u8>, usize> = BTreeMap::new();
                groups.values().for_each(|group| *counts.entry(group).or_default() += 1);
                assert!(counts.values().all(|&count| count <= size), "{size}");
                assert!(counts.len() <= 64 * 2 / size, "{size}: {}", counts.len());
                for (area, group) in inner.iter().flatten() {
                    assert_eq!(groups[area], groups[group], "a smaller group lies in a larger one");
                }
                inner = Some(groups);
            }
        }
    }

    #[test]
    fn distances_are_those_of_the_map() {
        let plane = areas("a,x,y\none,0,0\nother,3,-4\n").unwrap();
        assert_eq!(plane.distances(0)[1], Some(5.0));
        let globe = areas("a,lat,lon\nBerlin,52.52,13.405\nParis,48.8566,2.3522\n").unwrap();
        assert!((globe.distances(0)[1].unwrap() - 877.5).abs() < 1.0);
        let graph = areas(&borders()).unwrap();
        let far = graph.distances(0);
        assert_eq!((far[graph.find(b"t63").unwrap()], graph.unit()), (Some(14.0), "borders"));
        let apart = areas("a,neighbour\none,two\nthree,four\n").unwrap();
        assert_eq!(apart.distances(0)[2], None);
    }

    #[test]
    fn what_says_no_place_is_refused() {
        for text in [
            "a,b\n1,2\n",
            "a,x,y\n1,2,north\n",
            "a,x,y\n1,2,3\n1,4,5\n",
            "a,x,y\n1,,3\n",
            "a,lat,lon\n1,90.1,2\n",
            "a,lat,lon\n1,9,-361\n",
        ] {
            assert_eq!(areas(text).err().map(|refusal| refusal.code), Some(Code::BadLookup));
        }
    }
}

//! JSON-stat 2: a cube of values with its dimensions.
//!
//! `id` names the dimensions, `size` says how many categories each has, and `value` holds a
//! number for every cell, the last dimension fastest: as a list with nulls, or as an object
//! from places to numbers. `status` flags cells. A dimension's categories are in
//! `category.index`, a list of codes or an object from codes to places; it may be missing
//! where there is one category, which `category.label` then names.
//!
//! Trap: an object may say one name twice, and most readers keep the last. Here it is refused.
//!
//! Edge case: a place that the object of values leaves out has no number; without a status it
//! is not published at all.
//!
//! Reference: the JSON-stat format, version 2.0 (json-stat.org).

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use marginswap_core::columns::ColumnBuilder;
use marginswap_core::decimal::Decimal;
use marginswap_core::diagnostic::{Diagnostic, grouped};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::{
    Places, PublishedFile, PublishedFormat, PublishedOptions, is_suppressed, number, unusable,
};
use crate::header::shown;
use crate::refusal::Code;

#[derive(Deserialize)]
struct Dataset {
    version: Option<Value>,
    class: Option<String>,
    id: Option<Vec<String>>,
    size: Option<Vec<u64>>,
    dimension: Option<Several<Dimension>>,
    value: Option<Several<Value>>,
    status: Option<Value>,
}

#[derive(Deserialize)]
struct Dimension {
    category: Option<Category>,
}

#[derive(Deserialize)]
struct Category {
    index: Option<Several<Value>>,
    label: Option<Several<Value>>,
}

/// A list, or an object whose names are kept in their order, repeated ones too.
enum Several<T> {
    List(Vec<T>),
    Named(Vec<(String, T)>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Several<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Both<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Both<T> {
            type Value = Several<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list or an object")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut all = Vec::new();
                while let Some(one) = list.next_element()? {
                    all.push(one);
                }
                Ok(Several::List(all))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
                let mut all = Vec::new();
                while let Some(one) = object.next_entry()? {
                    all.push(one);
                }
                Ok(Several::Named(all))
            }
        }

        deserializer.deserialize_any(Both(PhantomData))
    }
}

/// Reads a dataset.
pub(super) fn read(bytes: &[u8], options: &PublishedOptions) -> Result<PublishedFile, Diagnostic> {
    let dataset: Dataset = serde_json::from_slice(bytes).map_err(|error| not_json(&error))?;
    let missing = |what: &str| other(&format!("the dataset has no `{what}`"));
    check_class(&dataset)?;
    let id = dataset.id.ok_or_else(|| missing("id"))?;
    let size = dataset.size.ok_or_else(|| missing("size"))?;
    let Some(Several::Named(dimensions)) = dataset.dimension else {
        return Err(missing("dimension"));
    };
    let values = dataset.value.ok_or_else(|| missing("value"))?;
    if id.len() != size.len() {
        return Err(disagree(format!("{} ids and {} sizes", id.len(), size.len())));
    }
    let cells = size.iter().try_fold(1u64, |all, &one| all.checked_mul(one));
    let cells = cells.ok_or_else(|| disagree("the sizes make more cells than can be counted"))?;
    let mut columns = Vec::new();
    for (name, &size) in id.iter().zip(&size) {
        let mut same = dimensions.iter().filter(|(other, _)| other == name);
        let (Some((_, dimension)), None) = (same.next(), same.next()) else {
            return Err(other(&format!("`dimension` does not describe {} once", shown(name))));
        };
        columns.push(codes(name, dimension, size)?);
    }
    let found = cells_of(&values, dataset.status.as_ref(), cells, options)?;
    let mut builders: Vec<ColumnBuilder> = Vec::new();
    builders.resize_with(columns.len(), ColumnBuilder::default);
    for &place in found.keys() {
        let mut rest = place;
        for (column, codes) in builders.iter_mut().zip(&columns).rev() {
            let levels = codes.len() as u64;
            let code = usize::try_from(rest % levels).expect("a place among the categories");
            column.push(codes[code].as_bytes());
            rest /= levels;
        }
    }
    if found.is_empty() {
        return Err(Diagnostic::new(
            Code::NoRecords,
            "the dataset has no value",
            "name a file that has cells",
        ));
    }
    let columns = id.into_iter().zip(builders.into_iter().map(ColumnBuilder::finish)).collect();
    Ok(PublishedFile {
        format: PublishedFormat::JsonStat,
        columns,
        places: Places::Values(found.keys().copied().collect()),
        numbers: found.into_values().collect(),
    })
}

fn check_class(dataset: &Dataset) -> Result<(), Diagnostic> {
    match (&dataset.version, dataset.class.as_deref()) {
        (None, _) => Err(other("the JSON has no `version`, as every dataset of JSON-stat 2 does")),
        (Some(Value::String(version)), Some("dataset")) if version.starts_with('2') => Ok(()),
        (Some(Value::String(version)), _) if version.starts_with('2') => {
            Err(other("its `class` is not `dataset`"))
        }
        _ => Err(other("its `version` is not 2.0")),
    }
}

/// The codes of a dimension, in the order of their places.
fn codes(name: &str, dimension: &Dimension, size: u64) -> Result<Vec<String>, Diagnostic> {
    let name = shown(name);
    let none = || other(&format!("dimension {name} has no `category.index`"));
    let category = dimension.category.as_ref().ok_or_else(none)?;
    let codes: Vec<String> = match (&category.index, &category.label) {
        (Some(Several::List(list)), _) => {
            let texts = list.iter().map(|code| code.as_str().map(str::to_owned));
            texts.collect::<Option<_>>().ok_or_else(none)?
        }
        (Some(Several::Named(places)), _) => in_their_places(places).ok_or_else(|| {
            disagree(format!("the places of dimension {name} are not 0, 1, 2 and so on"))
        })?,
        (None, Some(Several::Named(labels))) if labels.len() == 1 => vec![labels[0].0.clone()],
        _ => return Err(none()),
    };
    if codes.len() as u64 != size {
        return Err(disagree(format!(
            "dimension {name} has {} categories and the size {}",
            grouped(codes.len() as u64),
            grouped(size)
        )));
    }
    let mut sorted: Vec<&String> = codes.iter().collect();
    sorted.sort_unstable();
    if sorted.windows(2).any(|two| two[0] == two[1]) {
        return Err(disagree(format!("dimension {name} has a category twice")));
    }
    Ok(codes)
}

/// The names in the order of their places; `None` unless each place has one.
fn in_their_places(places: &[(String, Value)]) -> Option<Vec<String>> {
    let mut codes: Vec<Option<String>> = vec![None; places.len()];
    for (code, place) in places {
        let slot = codes.get_mut(usize::try_from(place.as_u64()?).ok()?)?;
        if slot.replace(code.clone()).is_some() {
            return None;
        }
    }
    codes.into_iter().collect()
}

/// Every cell that has a number or a status, by its place.
fn cells_of(
    values: &Several<Value>,
    status: Option<&Value>,
    cells: u64,
    options: &PublishedOptions,
) -> Result<BTreeMap<u64, Option<Decimal>>, Diagnostic> {
    let mut found = BTreeMap::new();
    match values {
        Several::List(list) => {
            if list.len() as u64 != cells {
                return Err(disagree(format!(
                    "{} values, and sizes for {} cells",
                    grouped(list.len() as u64),
                    grouped(cells)
                )));
            }
            for (place, value) in (0..).zip(list) {
                found.insert(place, value_at(place, value, options)?);
            }
        }
        Several::Named(named) => {
            for (text, value) in named {
                let place = place_of(text, cells)?;
                if found.insert(place, value_at(place, value, options)?).is_some() {
                    return Err(Diagnostic::new(
                        Code::RepeatedCell,
                        "a cell has two numbers",
                        "remove one of them",
                    )
                    .in_column(format!("`value` at place {place}")));
                }
            }
        }
    }
    let mut hide = |place: u64, flag: &Value| {
        if flag.as_str().is_some_and(|flag| is_suppressed(flag.as_bytes())) {
            found.insert(place, None);
        }
    };
    match status {
        Some(Value::Array(flags)) if flags.len() as u64 == cells => {
            (0..).zip(flags).for_each(|(place, flag)| hide(place, flag));
        }
        Some(Value::Object(flags)) => {
            for (text, flag) in flags {
                hide(place_of(text, cells)?, flag);
            }
        }
        Some(one) => {
            let flag = if let Some([one]) = one.as_array().map(Vec::as_slice) { one } else { one };
            if one.is_array() && flag.is_array() {
                return Err(disagree("`status` does not have a flag for each cell"));
            }
            let all: Vec<u64> = found.keys().copied().collect();
            let hidden = flag.as_str().is_some_and(|flag| is_suppressed(flag.as_bytes()));
            if hidden {
                found.extend(all.into_iter().map(|place| (place, None)));
            }
        }
        None => {}
    }
    Ok(found)
}

fn value_at(
    place: u64,
    value: &Value,
    options: &PublishedOptions,
) -> Result<Option<Decimal>, Diagnostic> {
    let read = match value {
        Value::Null => Ok(None),
        Value::Number(digits) => number(digits.to_string().as_bytes(), &options.suppressed),
        Value::String(text) => number(text.as_bytes(), &options.suppressed),
        _ => Err(unusable("this is not a number")),
    };
    read.map_err(|refusal| refusal.in_column(format!("`value` at place {place}")))
}

fn place_of(text: &str, cells: u64) -> Result<u64, Diagnostic> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let place = text.parse().ok().filter(|&place: &u64| digits && place < cells);
    place.ok_or_else(|| disagree("a place among the values or flags is not one of the cells"))
}

/// Text that is no JSON, or has a part of another kind. The words of the parser may hold a value.
fn not_json(error: &serde_json::Error) -> Diagnostic {
    let detail = if error.is_data() {
        "the JSON is not a dataset of JSON-stat 2: a part has another kind"
    } else {
        "the file begins like JSON but cannot be read as JSON"
    };
    let mut refusal = other(detail);
    refusal.place.line = Some(error.line() as u64);
    refusal.place.column = Some(error.column().to_string());
    refusal
}

fn other(detail: &str) -> Diagnostic {
    Diagnostic::new(
        Code::NotJsonStat,
        detail,
        "ask for a dataset in JSON-stat 2, or store the table as CSV",
    )
}

fn disagree(detail: impl Into<String>) -> Diagnostic {
    Diagnostic::new(
        Code::SizesDisagree,
        detail,
        "download the table again; a part of the file does not belong to the rest",
    )
}

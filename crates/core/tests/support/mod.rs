//! What the tests with vectors share: reading small worlds and classes from JSON.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod setting;

use marginswap_core::graph::GeneratingClass;
use marginswap_core::oracle::World;
use marginswap_core::varset::VarSet;
use serde_json::Value;

/// A whole number.
pub fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// A list.
pub fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

/// A set of variables.
pub fn set(value: &Value) -> VarSet {
    list(value).iter().map(number).collect()
}

/// The codes of a cell.
pub fn codes(value: &Value) -> Vec<u32> {
    list(value).iter().map(|code| u32::try_from(number(code)).unwrap()).collect()
}

/// The world of a case with these records, and its class.
pub fn world_of(
    case: &Value,
    generators: &str,
    records: Vec<Vec<u32>>,
) -> (World, GeneratingClass) {
    let levels: Vec<usize> = list(&case["levels"]).iter().map(number).collect();
    let class =
        GeneratingClass::new(VarSet::first(levels.len()), list(&case[generators]).iter().map(set));
    (World { levels, records }, class)
}

//! Hash tables with a fixed state.
//!
//! The same input meets the same table layout on every machine and in every run. Their
//! order still never reaches an output: what is listed is sorted or kept in file order.

use foldhash::fast::FixedState;

/// A map whose hashing does not differ from run to run.
pub type Map<K, V> = hashbrown::HashMap<K, V, FixedState>;

/// A set whose hashing does not differ from run to run.
pub type Set<K> = hashbrown::HashSet<K, FixedState>;

/// The state behind both.
pub const STATE: FixedState = FixedState::with_seed(0x6d61_7267_696e);

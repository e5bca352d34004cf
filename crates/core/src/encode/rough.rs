//! A key that may be known only roughly: the classes of its codes.

/// A key that may be known in classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rough {
    /// The key.
    pub key: usize,
    /// Each way to class it: for each code its class.
    pub classes: Vec<Vec<u32>>,
}

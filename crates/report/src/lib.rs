//! What marginswap shows.

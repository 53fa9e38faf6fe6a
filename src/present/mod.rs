//! Answers as text for people: tables, alternatives, ages of prices.

pub mod ages;
pub mod bill;
pub mod chart;
pub mod commitments;
pub mod groups;
pub mod items;
pub mod markets;
pub mod memory;
pub mod nearest;
pub mod offers;
pub mod precision;
pub mod prices;
pub mod start;
pub mod stock;
pub mod terms;

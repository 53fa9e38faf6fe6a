//! Answers for people: tables, alternatives, the ages of prices.

pub mod ages;
pub mod chart;
pub mod offers;
pub mod terms;

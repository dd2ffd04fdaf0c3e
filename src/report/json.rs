//! JSON form of a report.

//! The columns that a parts list can have.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rows::{Row, Sums};
use super::table::{Cell, Head, amount};
use crate::units::{plain, thousands};

macro_rules! columns {
    ($($(#[$doc:meta])* $variant:ident = $key:literal, $title:literal;)+) => {
        /// One column of a parts list.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        pub enum Column { $($(#[$doc])* #[serde(rename = $key)] $variant,)+ }

        impl Column {
            /// Every column, in the order in which people look for them.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// As in files and on the command line.
            pub const fn key(self) -> &'static str {
                match self { $(Self::$variant => $key,)+ }
            }
            /// As heads of tables show it.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)+ }
            }
        }
    };
}

columns! {
    /// Labels of the places.
    Position = "position", "Position";
    Kind = "kind", "Kind";
    Quantity = "quantity", "Qty";
    /// Full name and part number, linked to a page about it.
    Part = "part", "Part";
    Maker = "maker", "Maker";
    /// The name without the maker.
    Model = "model", "Model";
    PartNumber = "part_number", "Part number";
    Interface = "interface", "Interface";
    /// "350 W, limit 400 W"
    Power = "power", "Power";
    /// Of one piece.
    Typical = "typical_w", "Typical W";
    /// Of one piece.
    Limit = "limit_w", "Limit W";
    /// Of one piece, as asked, and what it counts.
    Price = "price", "Unit price";
    /// Of one piece, as asked.
    UnitPrice = "unit_price", "Price asked";
    Currency = "currency", "Currency";
    /// Of one piece, in the rig's currency.
    Counted = "counted_price", "Price counted";
    /// Of all pieces, in the rig's currency.
    Total = "total", "Total";
    TotalCurrency = "total_currency", "Total in";
    /// Date, kind and source of the price.
    PriceOf = "price_of", "Price of";
    PriceDate = "price_date", "Price date";
    PriceKind = "price_kind", "Price kind";
    PriceSource = "price_source", "Price source";
    /// Now and in two years.
    Availability = "availability", "Availability";
    AvailableNow = "available_now", "Available now";
    AvailableLater = "available_in_two_years", "In two years";
    /// What the findings say about the row.
    Warnings = "warnings", "Warnings";
    Notes = "notes", "Notes";
    /// Where the part's facts are from.
    DataSource = "data_source", "Data source";
}

impl Column {
    /// # Errors
    /// A sentence that names the columns there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        let plain = text.trim().to_lowercase().replace([' ', '-'], "_");
        Self::ALL.iter().copied().find(|c| c.key() == plain).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|c| c.key()).collect();
            format!("No column is named \"{}\". Columns are: {}.", text.trim(), known.join(", "))
        })
    }

    pub const fn is_number(self) -> bool {
        matches!(self, Self::Quantity | Self::Typical | Self::Limit | Self::Price | Self::UnitPrice | Self::Counted | Self::Total)
    }

    pub const fn head(self) -> Head {
        Head {
            key: self.key(),
            title: self.title(),
            right: self.is_number(),
            strong: matches!(self, Self::Kind),
            each: matches!(self, Self::Typical | Self::Limit),
        }
    }

    /// What the row holds here.
    pub fn cell(self, row: &Row) -> Cell {
        match self {
            Self::Position => Cell::text(&row.position),
            Self::Kind => Cell::text(&row.kind),
            Self::Quantity => Cell::Count(row.quantity),
            Self::Part => part(row),
            Self::Maker => Cell::text(&row.maker),
            Self::Model => Cell::text(&row.model),
            Self::PartNumber => Cell::text(&row.part_number),
            Self::Interface => Cell::text(&row.interface),
            Self::Power => Cell::text(power(row)),
            Self::Typical => Cell::watts(row.typical_w),
            Self::Limit => Cell::watts(row.limit_w),
            Self::Price => price(row),
            Self::UnitPrice => Cell::money(row.unit_price),
            Self::Currency => Cell::text(row.unit_price.map(|p| p.currency.to_string()).unwrap_or_default()),
            Self::Counted => Cell::money(row.counted),
            Self::Total => Cell::money(row.total()),
            Self::TotalCurrency => Cell::text(row.counted.map(|p| p.currency.to_string()).unwrap_or_default()),
            Self::PriceOf => Cell::text(joined(&[&row.price_date, &row.price_kind, &row.price_source], ", ")),
            Self::PriceDate => Cell::text(&row.price_date),
            Self::PriceKind => Cell::text(&row.price_kind),
            Self::PriceSource => Cell::text(&row.price_source),
            Self::Availability => {
                let later = if row.available_later.is_empty() { String::new() } else { format!("in two years: {}", row.available_later) };
                Cell::text(joined(&[&row.available_now, &later], "; "))
            }
            Self::AvailableNow => Cell::text(&row.available_now),
            Self::AvailableLater => Cell::text(&row.available_later),
            Self::Warnings => Cell::text(row.warnings.join("; ")),
            Self::Notes => Cell::text(&row.notes),
            Self::DataSource => Cell::text(row.data_sources.join("; ")),
        }
    }

    /// What stands here below the rows.
    pub fn sum(self, sums: &Sums) -> Cell {
        let priced = sums.unpriced > 0;
        match self {
            Self::Quantity => Cell::Count(sums.pieces),
            Self::Total => Cell::Money(sums.total).at_least(priced),
            Self::TotalCurrency => Cell::text(sums.total.currency.to_string()),
            Self::Typical => Cell::watts(Some(sums.typical_w)).at_least(sums.undrawn > 0),
            Self::Limit => Cell::watts(Some(sums.limit_w)).at_least(sums.undrawn > 0),
            Self::Power => {
                let least = if sums.undrawn > 0 { "at least " } else { "" };
                Cell::text(format!("{least}{} W, limit {} W", thousands(sums.typical_w, 0), thousands(sums.limit_w, 0)))
            }
            Self::Position
            | Self::Kind
            | Self::Part
            | Self::Maker
            | Self::Model
            | Self::PartNumber
            | Self::Interface
            | Self::Price
            | Self::UnitPrice
            | Self::Currency
            | Self::Counted
            | Self::PriceOf
            | Self::PriceDate
            | Self::PriceKind
            | Self::PriceSource
            | Self::Availability
            | Self::AvailableNow
            | Self::AvailableLater
            | Self::Warnings
            | Self::Notes
            | Self::DataSource => Cell::Empty,
        }
    }
}

fn part(row: &Row) -> Cell {
    let text = if row.part_number.is_empty() || row.part.contains(&row.part_number) {
        row.part.clone()
    } else {
        format!("{} ({})", row.part, row.part_number)
    };
    match &row.link {
        Some(url) => Cell::Link { text, url: url.clone() },
        None => Cell::Text(text),
    }
}

fn price(row: &Row) -> Cell {
    match (row.unit_price, row.counted) {
        (Some(asked), Some(counted)) if asked.currency != counted.currency => {
            Cell::Text(format!("{}, counts {}", amount(asked), amount(counted)))
        }
        (Some(asked), Some(_)) => Cell::Money(asked),
        (Some(asked), None) => Cell::Text(format!("{}, not counted", amount(asked))),
        (None, _) => Cell::Text("unknown".to_owned()),
    }
}

fn power(row: &Row) -> String {
    let watts = |w: f64| plain(w, 1);
    match (row.typical_w, row.limit_w) {
        (Some(typical), Some(limit)) if limit > typical => format!("{} W, limit {} W", watts(typical), watts(limit)),
        (Some(typical), _) => format!("{} W", watts(typical)),
        (None, Some(limit)) => format!("unknown, limit {} W", watts(limit)),
        (None, None) if row.draws => "unknown".to_owned(),
        (None, None) => String::new(),
    }
}

/// Those that are not empty.
pub(super) fn joined(parts: &[&str], with: &str) -> String {
    parts.iter().filter(|p| !p.is_empty()).copied().collect::<Vec<_>>().join(with)
}

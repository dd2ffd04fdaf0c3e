//! Our own table from PCI ids to parts of the catalog, with its source at its head.

/// What a row of the table is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Gpu,
    Drive,
    Nic,
}

/// A chip and the products that may carry it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub kind: Kind,
    /// Of cards names of products, of drives and network cards beginnings of catalog names.
    pub names: Vec<&'static str>,
}

static TABLE: &str = include_str!("pci-ids.csv");

/// The row of a chip, if the catalog knows a part with it.
pub fn entry(vendor: u16, device: u16) -> Option<Entry> {
    let key = format!(",{vendor:04x},{device:04x},");
    let row = TABLE.lines().find(|l| !l.starts_with('#') && l.contains(&key))?;
    let mut cells = row.split(',');
    let kind = match cells.next()? {
        "gpu" => Kind::Gpu,
        "drive" => Kind::Drive,
        "nic" => Kind::Nic,
        _ => return None,
    };
    Some(Entry { kind, names: cells.nth(2)?.split('|').collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_row_is_found_by_its_ids_and_no_chip_has_two() {
        let rows: Vec<&str> = TABLE.lines().filter(|l| !l.starts_with('#')).skip(1).collect();
        let mut seen = BTreeSet::new();
        for row in &rows {
            let cells: Vec<&str> = row.split(',').collect();
            assert_eq!(cells.len(), 4, "{row}");
            let id = |t: &str| u16::from_str_radix(t, 16).unwrap();
            assert!(seen.insert((id(cells[1]), id(cells[2]))), "{row}: the chip has two rows");
            assert!(!entry(id(cells[1]), id(cells[2])).unwrap().names.is_empty(), "{row}");
        }
        assert!(rows.len() > 200, "{}", rows.len());
    }
}

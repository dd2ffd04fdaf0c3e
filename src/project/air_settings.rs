//! Settings of placed parts that the airflow model reads: their keys, and what they can be.

/// Of a case fan: per cent of full speed.
pub const FAN_SPEED: &str = "speed_pct";
/// Of a card: its own fan held at this per cent of full speed.
pub const CARD_FAN: &str = "fan_pct";
/// Of the case: 0 clean filters, 1 thick with dust.
pub const DUST: &str = "dust";
/// Of the case: "off".
pub const SIDE_PANEL: &str = "side_panel";
/// Of the case: "closed", "removed"; else as the case comes.
pub const SLOT_COVERS: &str = "slot_covers";
/// Of the case: "sealed" where the front beside the fans is closed with foam or tape.
pub const FRONT_GAPS: &str = "front_gaps";
/// Of a card: what the user read, with the rig as it is: °C, watts, and per cent of full fan speed.
pub const READING_C: &str = "reading_c";
pub const READING_W: &str = "reading_w";
pub const READING_FAN: &str = "reading_fan_pct";

/// Numbers by key, with the range that makes sense.
pub const NUMBERS: &[(&str, f64, f64)] = &[
    (FAN_SPEED, 0.0, 100.0),
    (CARD_FAN, 5.0, 100.0),
    (DUST, 0.0, 1.0),
    (READING_C, 20.0, 130.0),
    (READING_W, 5.0, 1500.0),
    (READING_FAN, 5.0, 100.0),
];

/// Words by key.
pub const WORDS: &[(&str, &[&str])] = &[(SIDE_PANEL, &["off", "on"]), (SLOT_COVERS, &["closed", "removed"]), (FRONT_GAPS, &["sealed"])];

/// What is wrong with a value, if the key is one of these.
pub fn fault(key: &str, value: &str) -> Option<(&'static str, String)> {
    if let Some((name, low, high)) = NUMBERS.iter().find(|n| n.0 == key) {
        let number = value.parse::<f64>().ok().filter(|v| v.is_finite() && (*low..=*high).contains(v));
        return number.is_none().then(|| (*name, format!("{value} is no number from {low} to {high}")));
    }
    let (name, words) = WORDS.iter().find(|w| w.0 == key)?;
    (!words.contains(&value)).then(|| (*name, format!("{value} is none of {}", words.join(", "))))
}

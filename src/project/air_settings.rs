//! Settings of placed parts that the airflow model reads: their keys, and what they can be.

/// Of a case fan: per cent of full speed.
pub const FAN_SPEED: &str = "speed_pct";
/// Of a card: its own fan held at this per cent of full speed.
pub const CARD_FAN: &str = "fan_pct";
/// Of a card: a curve of its own fan, "45:30,80:85": 30 % up to 45 °C, straight to 85 % at 80 °C, and no more.
pub const CARD_CURVE: &str = "fan_curve";
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
/// Of a card: what that reading said of its cooler when it was taken, a factor on its resistance.
pub const READING_FACTOR: &str = "reading_factor";

/// Numbers by key, with the range that makes sense.
pub const NUMBERS: &[(&str, f64, f64)] = &[
    (FAN_SPEED, 0.0, 100.0),
    (CARD_FAN, 5.0, 100.0),
    (DUST, 0.0, 1.0),
    (READING_C, 20.0, 130.0),
    (READING_W, 5.0, 1500.0),
    (READING_FAN, 5.0, 100.0),
    (READING_FACTOR, 0.05, 20.0),
];

/// Words by key.
pub const WORDS: &[(&str, &[&str])] = &[(SIDE_PANEL, &["off", "on"]), (SLOT_COVERS, &["closed", "removed"]), (FRONT_GAPS, &["sealed"])];

/// The two points of a fan's curve: °C and per cent of the first, then of the second.
pub fn curve(text: &str) -> Option<[f64; 4]> {
    let point = |text: &str| {
        let (celsius, percent) = text.split_once(':')?;
        let (celsius, percent): (f64, f64) = (celsius.trim().parse().ok()?, percent.trim().parse().ok()?);
        ((0.0..=120.0).contains(&celsius) && (0.0..=100.0).contains(&percent)).then_some((celsius, percent))
    };
    let (first, second) = text.split_once(',')?;
    let ((from, low), (to, high)) = (point(first)?, point(second)?);
    (to > from && high >= low).then_some([from, low, to, high])
}

/// The same as text.
pub fn curve_text([from, low, to, high]: [f64; 4]) -> String {
    format!("{from:.0}:{low:.0},{to:.0}:{high:.0}")
}

/// What is wrong with a value, if the key is one of these.
pub fn fault(key: &str, value: &str) -> Option<(&'static str, String)> {
    if key == CARD_CURVE {
        let why = || (CARD_CURVE, format!("{value} is no fan curve such as 45:30,80:85, °C and per cent, rising"));
        return curve(value).is_none().then(why);
    }
    if let Some((name, low, high)) = NUMBERS.iter().find(|n| n.0 == key) {
        let number = value.parse::<f64>().ok().filter(|v| v.is_finite() && (*low..=*high).contains(v));
        return number.is_none().then(|| (*name, format!("{value} is no number from {low} to {high}")));
    }
    let (name, words) = WORDS.iter().find(|w| w.0 == key)?;
    (!words.contains(&value)).then(|| (*name, format!("{value} is none of {}", words.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_rise_and_come_back_as_they_were() {
        assert_eq!(curve("45:30,80:85"), Some([45.0, 30.0, 80.0, 85.0]));
        assert_eq!(curve_text([45.0, 30.0, 80.0, 85.0]), "45:30,80:85");
        for wrong in ["", "45:30", "80:30,45:85", "45:85,80:30", "45:30,80:101", "45:30,300:90", "a:b,c:d", "45:nan,80:85"] {
            assert_eq!(curve(wrong), None, "{wrong}");
            assert!(fault(CARD_CURVE, wrong).is_some(), "{wrong}");
        }
    }
}

//! Settings of placed parts that power and its rules read: their keys, and what they can be.

/// Of the board: what all parts draw together that are not placed one by one, in watts.
pub const DRAW: &str = "draw_w";
/// Of a card: separate leads of the supply that feed it.
pub const LEADS: &str = "leads";
/// Of a card: 8-pin plugs that its 16-pin adapter takes.
pub const ADAPTER_PLUGS: &str = "adapter_plugs";
/// Of a card: "no" where it is given to a virtual machine, or no screen hangs on it.
pub const HOST_DISPLAY: &str = "host_display";
/// Of the board: "yes" where an older processor is at hand that starts it.
pub const OLDER_CPU: &str = "older_cpu";

/// Numbers by key, with the range that makes sense.
const NUMBERS: [(&str, f64, f64); 3] = [(DRAW, 0.0, 20_000.0), (LEADS, 1.0, 8.0), (ADAPTER_PLUGS, 1.0, 8.0)];
const YES_OR_NO: [&str; 2] = [HOST_DISPLAY, OLDER_CPU];

/// What is wrong with a value, if the key is one of these.
pub fn fault(key: &str, value: &str) -> Option<(&'static str, String)> {
    if let Some((name, low, high)) = NUMBERS.iter().find(|n| n.0 == key) {
        let number = value.parse::<f64>().ok().filter(|v| v.is_finite() && (*low..=*high).contains(v));
        return number.is_none().then(|| (*name, format!("{value} is no number from {low} to {high}")));
    }
    let name = YES_OR_NO.iter().find(|w| **w == key)?;
    (!matches!(value, "yes" | "no")).then(|| (*name, format!("{value} is neither yes nor no")))
}

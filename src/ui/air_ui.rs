//! Air and heat in the inspector: what a card, a fan or the case comes to, and what the user can set on it.

use eframe::egui::{CollapsingHeader, ComboBox, Label, RichText, Ui};

use super::Cx;
use super::action::{Action, Screen};
use super::charts::origin_text;
use super::widgets::{bounded_drag, key_value, meter, offer_button, row, strong, sub};
use crate::analysis::airflow::field::Through;
use crate::analysis::airflow::work::Class;
use crate::analysis::airflow::{CardAir, CardState, CoolerBasis, Cut, Held, reading_factor};
use crate::build::PlacementId;
use crate::catalog::part::{Part, PartKind};
use crate::catalog::vocab::GpuCooler;
use crate::drawing::air::gap_text;
use crate::drawing::air::panel::{pressure_text, sureness};
use crate::project::air_settings as keys;
use crate::project::edit::Edit;
use crate::units::{cfm, m3_h, plain, watts};

/// A reading that is being typed: of which card, °C, W, fan in per cent.
#[derive(Clone, Copy, Debug, Default)]
pub struct AirDraft {
    of: Option<PlacementId>,
    celsius: f64,
    watts: f64,
    fan: f64,
}

fn celsius(value: f64) -> String {
    format!("{} °C", plain(value, 0))
}

fn percent(share: f64) -> String {
    format!("{} %", plain(share * 100.0, 0))
}

fn setting<'a>(cx: &Cx<'a>, id: PlacementId, key: &str) -> Option<&'a str> {
    cx.session.project().rig.placement(id)?.settings.get(key).map(String::as_str)
}

fn number(cx: &Cx<'_>, id: PlacementId, key: &str) -> Option<f64> {
    setting(cx, id, key)?.parse().ok()
}

fn set(id: PlacementId, key: &str, value: Option<String>) -> Edit {
    Edit::Set { what: id, key: key.to_owned(), value }
}

/// Everything of the air about one placed part.
pub(super) fn air_ui(ui: &mut Ui, cx: &Cx<'_>, draft: &mut AirDraft, id: PlacementId, part: &Part, out: &mut Vec<Action>) {
    match &part.kind {
        PartKind::Gpu(gpu) => {
            let has_fan = !matches!(gpu.cooler, Some(GpuCooler::Passive | GpuCooler::Water | GpuCooler::Hybrid));
            if let Some(card) = cx.session.report().facts.airflow.card(id) {
                card_ui(ui, cx, card, out);
            }
            CollapsingHeader::new("Fan and own reading").id_salt(("air", id)).show(ui, |ui| {
                if has_fan {
                    fan_rule_ui(ui, cx, id, out);
                }
                reading_ui(ui, cx, draft, id, gpu.tdp_w, has_fan, out);
            });
        }
        PartKind::Fan(_) => case_fan_ui(ui, cx, id, out),
        PartKind::Case(_) => case_ui(ui, cx, id, out),
        PartKind::Cpu(_)
        | PartKind::Board(_)
        | PartKind::Ram(_)
        | PartKind::Drive(_)
        | PartKind::Psu(_)
        | PartKind::Cooler(_)
        | PartKind::Nic(_)
        | PartKind::Riser(_)
        | PartKind::Carrier(_)
        | PartKind::Bridge(_) => {}
    }
}

/// Temperature, power, clock, work, and where the heat goes.
fn card_ui(ui: &mut Ui, cx: &Cx<'_>, card: &CardAir, out: &mut Vec<Action>) {
    let t = cx.tokens;
    let air = &cx.session.report().facts.airflow;
    ui.add_space(4.0);
    let Some(s) = &card.state else {
        let what = card.missing.as_ref().map_or_else(|| "a fact".to_owned(), |(_, field)| field.replace('_', " "));
        key_value(ui, t, "Die", "unknown").on_hover_text(format!("{what} is not recorded"));
        ui.add(Label::new(sub(t, format!("How hot it gets is unknown: {what} is not recorded."))).wrap());
        return;
    };
    let about = if air.cut == Cut::Zones { "about " } else { "" };
    let (die, color) = (s.die, if s.held == Held::Free { t.text } else { t.problem });
    let text = format!("{about}{} ({} to {})", celsius(die.value), plain(die.low, 0), plain(die.high, 0));
    key_value(ui, t, "Die", RichText::new(text).color(color)).on_hover_text(origin_text(&card.origin));
    let share = (die.value - air.field.ambient_c) / (s.limit_c - air.field.ambient_c).max(1.0);
    meter(
        ui,
        t,
        share,
        if s.held == Held::Free { t.accent } else { t.problem },
        &format!("{} of a limit of {}", celsius(die.value), celsius(s.limit_c)),
    );
    ui.add(Label::new(sub(t, limit_text(s))).wrap());
    key_value(ui, t, "Power", format!("{} of {}", watts(s.power_w), watts(s.allowed_w)));
    key_value(ui, t, "Clock", format!("{} of that at {}", percent(s.clock), watts(s.rated_w)));
    let fan = s.fan.map_or_else(|| "no fan of its own".to_owned(), |f| format!("{} at {}", cfm(s.flow), percent(f)));
    key_value(ui, t, "Air", format!("breathes {}, {fan}", celsius(air.field.ambient_c + s.intake_k)));
    if let Some(memory) = s.memory_c {
        let limit = s.memory_limit_c.map(|l| format!(", limit {}", celsius(l))).unwrap_or_default();
        key_value(ui, t, "Memory", format!("{}{limit}", celsius(memory)));
    }
    for (at, (class, (lost, high))) in Class::ALL.iter().zip(s.lost.iter().zip(&s.lost_high)).enumerate() {
        let up_to = if high - lost > 0.005 { format!(", at most {}", percent(*high)) } else { String::new() };
        let text = if *lost < 0.005 { "nothing".to_owned() } else { percent(*lost) };
        let name = if at == 0 { "Work lost" } else { "" };
        let shown = key_value(ui, t, name, format!("{text} of {} work{up_to}", class.text()));
        shown.on_hover_text("Lost to heat, beside the work at the power it may draw; at most: at the hot end of the band");
    }
    if let Some(gap) = gap_text(&cx.session.report().facts.space, card.placement, s) {
        key_value(ui, t, "Gap below", gap).on_hover_text("Beside the same card with nothing below it that breathes the same air");
    }
    key_value(ui, t, "Its heat", heat_path(s));
    if let Some(nearest) = &card.nearest {
        ui.add(Label::new(sub(t, nearest)).wrap());
    }
    let basis = match card.basis {
        CoolerBasis::Reading => "Set by your own reading.",
        CoolerBasis::Measured => "Its cooler is known from a published reading of the product.",
        CoolerBasis::Class => "Its cooler is taken as usual for its class: a reading of your own makes this surer.",
    };
    ui.add(Label::new(sub(t, format!("{basis} {}", sureness(air)))).wrap());
    if offer_button(ui, t, "Advise cooling…").clicked() {
        out.push(Action::Show(Screen::Cooling));
    }
}

fn limit_text(s: &CardState) -> String {
    match s.held {
        Held::Free => format!("Its limit is {}; nothing is lost to heat.", celsius(s.limit_c)),
        Held::Die => format!("It holds its limit of {} by drawing less power.", celsius(s.limit_c)),
        Held::Memory => {
            format!("Its memory holds the power down at its limit of {}.", celsius(s.memory_limit_c.unwrap_or(s.limit_c)))
        }
    }
}

/// "85 % leaves the case at once, 4 % is breathed by other cards".
fn heat_path(s: &CardState) -> String {
    let out = if s.straight_out > 0.0 {
        format!("{} leaves the case at once", percent(s.straight_out))
    } else {
        "all goes into the case".to_owned()
    };
    match s.to_neighbours {
        Some(share) if share >= 0.005 => format!("{out}, {} is breathed by other coolers", percent(share)),
        Some(_) => format!("{out}, none of it is breathed by other coolers"),
        None => out,
    }
}

/// How the card's own fan runs.
fn fan_rule_ui(ui: &mut Ui, cx: &Cx<'_>, id: PlacementId, out: &mut Vec<Action>) {
    let t = cx.tokens;
    let held = number(cx, id, keys::CARD_FAN);
    let curve = setting(cx, id, keys::CARD_CURVE).and_then(keys::curve);
    let now = match (held, curve) {
        (Some(_), _) => "held",
        (None, Some(_)) => "own curve",
        (None, None) => "as delivered",
    };
    row(ui, t, "Its fan", |ui| {
        ComboBox::from_id_salt("card fan").selected_text(now).show_ui(ui, |ui| {
            let both = |fan: Option<&str>, curve: Option<&str>| Edit::Many {
                label: "Change a card's fan".to_owned(),
                edits: vec![set(id, keys::CARD_FAN, fan.map(str::to_owned)), set(id, keys::CARD_CURVE, curve.map(str::to_owned))],
            };
            for (name, edit) in
                [("as delivered", both(None, None)), ("held", both(Some("70"), None)), ("own curve", both(None, Some("45:30,80:85")))]
            {
                if ui.selectable_label(now == name, name).clicked() {
                    out.push(Action::Edit(edit));
                }
            }
        });
    });
    if let Some(held) = held {
        let mut value = held;
        row(ui, t, "Held at", |ui| bounded_drag(ui, &mut value, 5.0..=100.0, |d| d.speed(0.5).max_decimals(0).suffix(" %")));
        if (value - held).abs() > 0.4 {
            out.push(Action::EditMerged(set(id, keys::CARD_FAN, Some(format!("{value:.0}")))));
        }
    } else if let Some(points) = curve {
        let [mut from, mut low, mut to, mut high] = points;
        row(ui, t, "Curve from", |ui| {
            bounded_drag(ui, &mut from, 0.0..=110.0, |d| d.speed(0.3).max_decimals(0).suffix(" °C"));
            bounded_drag(ui, &mut low, 0.0..=100.0, |d| d.speed(0.5).max_decimals(0).suffix(" %"));
        });
        row(ui, t, "Curve to", |ui| {
            bounded_drag(ui, &mut to, 1.0..=120.0, |d| d.speed(0.3).max_decimals(0).suffix(" °C"));
            bounded_drag(ui, &mut high, 0.0..=100.0, |d| d.speed(0.5).max_decimals(0).suffix(" %"));
        });
        if [from, low, to, high] != points {
            let text = keys::curve_text([from, low, to.max(from + 1.0), high.max(low)]);
            out.push(Action::EditMerged(set(id, keys::CARD_CURVE, Some(text))));
        }
    }
}

/// One reading of the real card makes the model this card's own.
fn reading_ui(ui: &mut Ui, cx: &Cx<'_>, draft: &mut AirDraft, id: PlacementId, rated: Option<f64>, has_fan: bool, out: &mut Vec<Action>) {
    let t = cx.tokens;
    ui.add_space(4.0);
    ui.label(strong("Your own reading"));
    let hint = "Under full load for ten minutes, with the rig as it is here: what nvidia-smi says.";
    ui.add(Label::new(sub(t, hint)).wrap());
    let kept = number(cx, id, keys::READING_C);
    if draft.of != Some(id) {
        let state = cx.session.report().facts.airflow.card(id).and_then(|c| c.state.as_ref());
        *draft = AirDraft {
            of: Some(id),
            celsius: kept.or(state.map(|s| s.die.value.round())).unwrap_or(70.0),
            watts: number(cx, id, keys::READING_W).or(state.map(|s| s.power_w.round())).or(rated).unwrap_or(250.0),
            fan: number(cx, id, keys::READING_FAN).or(state.and_then(|s| s.fan).map(|f| (f * 100.0).round())).unwrap_or(60.0),
        };
    }
    row(ui, t, "It reads", |ui| {
        bounded_drag(ui, &mut draft.celsius, 20.0..=130.0, |d| d.speed(0.2).max_decimals(0).suffix(" °C"));
        bounded_drag(ui, &mut draft.watts, 5.0..=1500.0, |d| d.speed(1.0).max_decimals(0).suffix(" W"));
        if has_fan {
            bounded_drag(ui, &mut draft.fan, 5.0..=100.0, |d| d.speed(0.5).max_decimals(0).suffix(" % fan"));
        }
    });
    let text = |value: f64| Some(format!("{value:.0}"));
    ui.horizontal_wrapped(|ui| {
        if ui.button("Use this reading").clicked() {
            let mut edits = vec![set(id, keys::READING_C, text(draft.celsius)), set(id, keys::READING_W, text(draft.watts))];
            edits.push(set(id, keys::READING_FAN, if has_fan { text(draft.fan) } else { None }));
            // Without an older factor in the way.
            let bare = set(id, keys::READING_FACTOR, None).apply(cx.session.catalog(), cx.session.project());
            let reading = (draft.celsius.round(), draft.watts.round(), has_fan.then_some(draft.fan.round() / 100.0));
            let factor = bare.ok().and_then(|project| reading_factor(cx.session.catalog(), &project, id, reading));
            edits.push(set(id, keys::READING_FACTOR, factor.map(|f| format!("{f:.4}"))));
            out.push(Action::Edit(Edit::Many { label: "Use a reading of a card".to_owned(), edits }));
        }
        if kept.is_some() && ui.button("Forget it").clicked() {
            let edits = [keys::READING_C, keys::READING_W, keys::READING_FAN, keys::READING_FACTOR].map(|key| set(id, key, None)).to_vec();
            out.push(Action::Edit(Edit::Many { label: "Forget a reading of a card".to_owned(), edits }));
            draft.of = None;
        }
    });
}

/// Speed and way of a case fan, and what it moves.
fn case_fan_ui(ui: &mut Ui, cx: &Cx<'_>, id: PlacementId, out: &mut Vec<Action>) {
    let t = cx.tokens;
    let air = &cx.session.report().facts.airflow;
    let found = air.fans.iter().find(|f| f.placement == id);
    let own = number(cx, id, keys::FAN_SPEED);
    let shown = own.or(found.map(|f| f.speed * 100.0)).unwrap_or(75.0);
    let mut value = shown;
    row(ui, t, "Speed", |ui| {
        bounded_drag(ui, &mut value, 0.0..=100.0, |d| d.speed(0.5).max_decimals(0).suffix(" %"));
        if own.is_some() && ui.button("As usual").on_hover_text("75 %, what boards' curves give under load").clicked() {
            out.push(Action::Edit(set(id, keys::FAN_SPEED, None)));
        }
    });
    if (value - shown).abs() > 0.4 {
        out.push(Action::EditMerged(set(id, keys::FAN_SPEED, Some(format!("{value:.0}")))));
    }
    let Some(fan) = found else {
        ui.add(Label::new(sub(t, "It moves no air through the case's walls from here.")).wrap());
        return;
    };
    if ui.button("Turn it around").clicked() {
        let way = if fan.inward { "exhaust" } else { "intake" };
        out.push(Action::Edit(set(id, "direction", Some(way.to_owned()))));
    }
    let way = if fan.flow >= 0.0 { "into the case" } else { "out of the case" };
    key_value(ui, t, "Moves", format!("{} ({}) {way}", cfm(fan.flow.abs()), m3_h(fan.flow.abs())));
    key_value(ui, t, "Noise", format!("{} dB(A) at 1 m", plain(fan.noise_dba, 0)));
}

const PANEL: [(&str, &str); 2] = [("on", "on"), ("off", "off")];
const COVERS: [(&str, &str); 2] = [("closed", "closed plates"), ("removed", "taken out")];
const GAPS: [(&str, &str); 1] = [("sealed", "sealed with foam or tape")];

/// The case: what of its air can be set, and what comes of it.
fn case_ui(ui: &mut Ui, cx: &Cx<'_>, id: PlacementId, out: &mut Vec<Action>) {
    let t = cx.tokens;
    let air = &cx.session.report().facts.airflow;
    let mut choice = |ui: &mut Ui, name: &str, key: &str, options: &[(&str, &str)], default: &str| {
        super::inspector::choice_ui(ui, cx, name, setting(cx, id, key), options, default, |v| out.push(Action::Edit(set(id, key, v))));
    };
    choice(ui, "Side panel", keys::SIDE_PANEL, &PANEL, "on");
    choice(ui, "Slot covers", keys::SLOT_COVERS, &COVERS, "as the case comes");
    choice(ui, "Front gaps", keys::FRONT_GAPS, &GAPS, "open beside the fans");
    let dust = number(cx, id, keys::DUST).unwrap_or(0.0) * 100.0;
    let mut value = dust;
    row(ui, t, "Dust", |ui| {
        bounded_drag(ui, &mut value, 0.0..=100.0, |d| d.speed(0.5).max_decimals(0).suffix(" % of a thick coat on the filters"))
    });
    if (value - dust).abs() > 0.4 {
        out.push(Action::EditMerged(set(id, keys::DUST, (value >= 0.5).then(|| format!("{:.2}", value / 100.0)))));
    }
    let mut room = cx.session.project().room.clone();
    row(ui, t, "Room", |ui| {
        bounded_drag(ui, &mut room.ambient_c, -20.0..=60.0, |d| d.speed(0.2).max_decimals(1).suffix(" °C"));
        bounded_drag(ui, &mut room.altitude_m, -500.0..=6000.0, |d| d.speed(10.0).max_decimals(0).suffix(" m above the sea"));
    });
    if room != cx.session.project().room {
        out.push(Action::EditMerged(Edit::Room(room)));
    }
    ui.add_space(4.0);
    key_value(ui, t, "Through it", format!("{} ({})", cfm(air.case.through), m3_h(air.case.through)));
    let (pressure, meaning) = pressure_text(air.case.pressure_pa);
    key_value(ui, t, "Pressure", pressure).on_hover_text(meaning);
    if let Some(noise) = air.case.noise_dba {
        let loudest = air.case.loudest.as_ref().map(|l| format!(", loudest: {l}")).unwrap_or_default();
        key_value(ui, t, "Noise", format!("{} dB(A) at 1 m{loudest}", plain(noise, 0)));
    }
    if let Some(quiet) = &air.case.quiet_c {
        let hottest = quiet.iter().map(|q| q.1).fold(f64::MIN, f64::max);
        key_value(ui, t, "At 40 dB(A)", format!("the hottest card at {}", celsius(hottest)))
            .on_hover_text("All fans slowed or sped up alike");
    }
    for vent in air.field.vents.iter().filter(|v| v.through == Through::Grille) {
        let way = if vent.flow >= 0.0 { "in" } else { "out" };
        key_value(ui, t, &vent.name, format!("{} {way}", cfm(vent.flow.abs())));
    }
    ui.add(Label::new(sub(t, sureness(air))).wrap());
    for text in &air.assumed {
        ui.add(Label::new(sub(t, text)).wrap());
    }
}

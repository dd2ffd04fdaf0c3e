//! Cost: purchase and energy over the months, or the purchase by part.

use eframe::egui::{self, Ui};
use egui_plot::{Bar, BarChart, GridMark, Line, LineStyle, PlotPoints};

use super::{
    Name, after, explain, head_ui, marks, most_marks, nothing_ui, origin_text, plain_plot, plot_height, round_step, x_axis, y_axis,
};
use crate::analysis::cost::{Cost, Line as PriceLine};
use crate::drawing::charts::cost::CostChart;
use crate::drawing::palette::Theme;
use crate::drawing::{Drawing, svg};
use crate::report::Report;
use crate::ui::Cx;
use crate::ui::action::{Action, Format};
use crate::ui::chassis::{paint, view::View};
use crate::ui::widgets::{chip, sub};
use crate::units::{Currency, Money, plain};

const NAME: Name = Name { title: "Cost", copied: "the cost ledger" };

#[derive(Debug, Default)]
pub(super) struct CostState {
    by_part: bool,
    /// One of the drawn charts instead.
    drawn: Option<CostChart>,
    held: String,
}

pub(super) fn cost_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut CostState, out: &mut Vec<Action>) {
    let room = &cx.session.project().room;
    let about = format!(
        "by months over {} years · {} h a day · {} {} per kWh",
        plain(room.life_years, 1),
        plain(room.hours_per_day, 1),
        plain(room.tariff_per_kwh, 3),
        room.currency
    );
    let report = cx.session.report();
    head_ui(ui, cx, NAME, &about, None, || all_text(cx, report), out);
    let cost = &report.facts.cost;
    if cost.lines.is_empty() && after(cx).is_none() {
        nothing_ui(ui, cx, "Place parts to see what they cost and what they draw.");
        return;
    }
    let drawn = |c: &Cost| !c.over_months.is_empty();
    if let Some(chart) = state.drawn {
        drawn_ui(ui, cx, chart, out);
    } else if state.by_part {
        by_part_ui(ui, cx, state, out);
    } else if !drawn(cost) && !after(cx).is_some_and(|r| drawn(&r.facts.cost)) {
        let height = plot_height(ui);
        ui.allocate_ui(egui::vec2(ui.available_width(), height), |ui| {
            ui.set_min_height(height);
            let why = &report.facts.power.wall_origin.formula;
            nothing_ui(
                ui,
                cx,
                &format!("What the energy costs is unknown, as the draw from the wall is: {}.", why.trim_start_matches("unknown: ")),
            );
        });
    } else {
        months_ui(ui, cx, state, out);
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for (by_part, name) in [(false, "over months"), (true, "by part")] {
            if chip(ui, cx.tokens, state.drawn.is_none() && state.by_part == by_part, name).clicked() {
                (state.by_part, state.drawn) = (by_part, None);
            }
        }
        let text = state.drawn.map_or("more", CostChart::text);
        let combo = egui::ComboBox::from_id_salt("cost-chart").selected_text(text).width(64.0);
        let shown = combo.show_ui(ui, |ui| {
            for chart in CostChart::ALL {
                ui.selectable_value(&mut state.drawn, Some(*chart), chart.text());
            }
        });
        let _ = shown.response.accessible_name("Other charts of the cost");
        ui.add(egui::Label::new(sub(cx.tokens, cost.total_text())).truncate()).on_hover_text(cost.total_text());
    });
}

/// A chart as SVG and PNG have it, with the buttons that write them.
fn drawn_ui(ui: &mut Ui, cx: &Cx<'_>, chart: CostChart, out: &mut Vec<Action>) {
    let cost = &cx.session.report().facts.cost;
    let height = plot_height(ui);
    let Some(drawing) = chart.draw(cx.session.catalog(), cost) else {
        ui.allocate_ui(egui::vec2(ui.available_width(), height), |ui| {
            ui.set_min_height(height);
            nothing_ui(ui, cx, chart.nothing());
        });
        return;
    };
    let (rect, response) = ui.allocate_exact_size(egui::vec2(ui.available_width(), height), egui::Sense::click());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Figure, true, format!("Cost {}. {}", chart.text(), summary(cost))));
    let mut view = View::default();
    view.update(&drawing.bounds, rect);
    paint::drawing(&ui.painter_at(rect), &drawing, &view, cx.tokens);
    response.context_menu(|ui| {
        for format in [Format::Svg, Format::Png] {
            if ui.button(format!("Save chart as {}…", format.name())).clicked() {
                out.push(saved(cx, &drawing, format));
                ui.close();
            }
        }
    });
}

/// Asks where to write a chart as SVG or PNG.
pub(in crate::ui) fn saved(cx: &Cx<'_>, drawing: &Drawing, format: Format) -> Action {
    let theme = if cx.tokens.is_dark() { Theme::Dark } else { Theme::Light };
    let svg = svg::svg(drawing, theme);
    match format {
        Format::Png => match svg::png(&svg, 1.0) {
            Ok(data) => Action::SaveData(format, data.into()),
            Err(text) => Action::Notice(text),
        },
        _ => Action::SaveData(format, svg.into_bytes().into()),
    }
}

fn short_money(value: f64, currency: Currency) -> String {
    let symbol = currency.symbol();
    if value.abs() >= 10_000.0 {
        format!("{symbol}{}k", plain(value / 1000.0, 0))
    } else if value.abs() >= 1000.0 {
        format!("{symbol}{}k", plain(value / 1000.0, 1))
    } else {
        format!("{symbol}{}", plain(value, 0))
    }
}

fn points(cost: &Cost) -> PlotPoints<'static> {
    PlotPoints::new(cost.over_months.iter().map(|&(x, y)| [x, y]).collect())
}

fn months_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut CostState, out: &mut Vec<Action>) {
    let t = cx.tokens;
    let report = cx.session.report();
    let cost = &report.facts.cost;
    let then = after(cx).map(|r| &r.facts.cost);
    let currency = cost.known_total.currency;
    let height = plot_height(ui);
    let last = cost.over_months.last().map_or(36.0, |p| p.0).max(1.0);
    let top = cost.over_months.iter().chain(then.iter().flat_map(|c| &c.over_months)).map(|p| p.1).fold(1.0, f64::max);
    let step = if last >= 48.0 {
        24.0
    } else if last >= 24.0 {
        12.0
    } else {
        3.0
    };
    let plot = plain_plot("cost", t, height)
        .include_y(0.0)
        .include_y(top * 1.05)
        .x_grid_spacer(marks(step))
        .y_grid_spacer(marks(round_step(top * 1.05, most_marks(height))))
        .custom_y_axes(vec![y_axis(t).formatter(move |mark, _| short_money(mark.value, currency))])
        .custom_x_axes(vec![x_axis(t).formatter(|mark, _| plain(mark.value, 0))]);
    let shown = plot.show(ui, |plot| {
        plot.line(Line::new("this rig", points(cost)).color(t.accent).width(2.0).fill(0.0).fill_alpha(0.08).allow_hover(false));
        if let Some(then) = then {
            plot.line(Line::new("after", points(then)).color(t.accent).width(1.5).style(LineStyle::dashed_dense()).allow_hover(false));
        }
    });
    let text = shown.response.hover_pos().map(|pos| {
        let month = shown.transform.value_from_position(pos).x.round().max(0.0);
        month_text(cost, month)
    });
    shown.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Figure, true, format!("Cost chart. {}", summary(cost))));
    explain(&shown.response, NAME, text, &mut state.held, || all_text(cx, report), out);
}

fn month_text(cost: &Cost, month: f64) -> String {
    let at = cost.over_months.iter().min_by(|a, b| (a.0 - month).abs().total_cmp(&(b.0 - month).abs()));
    let sum = at
        .map(|&(m, amount)| format!("After {} months: {}", plain(m, 0), Money::new(amount, cost.known_total.currency)))
        .unwrap_or_default();
    format!("{sum}\n{}\n\nEnergy\n{}", summary(cost), origin_text(&cost.energy_origin))
}

fn summary(cost: &Cost) -> String {
    let energy = cost.energy_per_month.map_or_else(|| "energy unknown".to_owned(), |m| format!("energy {m} a month"));
    format!("Purchase {}, {energy}", cost.total_text())
}

/// One bar a kind of part: equal parts together, dearest first.
fn grouped(cx: &Cx<'_>, cost: &Cost) -> Vec<(String, f64, String)> {
    let mut groups: Vec<(String, usize, f64, &PriceLine)> = Vec::new();
    for line in &cost.lines {
        let name = cx.session.catalog().part(&line.part).map_or_else(|| line.part.to_string(), |p| p.short_name().to_owned());
        let amount = line.counted.map_or(0.0, Money::amount);
        match groups.iter_mut().find(|g| g.3.part == line.part) {
            Some(group) => {
                group.1 += 1;
                group.2 += amount;
            }
            None => groups.push((name, 1, amount, line)),
        }
    }
    groups.sort_by(|a, b| b.2.total_cmp(&a.2));
    groups
        .into_iter()
        .map(|(name, n, sum, line)| {
            let name = if n > 1 { format!("{n} x {name}") } else { name };
            let text = line_text(&name, sum, line, cost.known_total.currency);
            (name, sum, text)
        })
        .collect()
}

fn line_text(name: &str, sum: f64, line: &PriceLine, currency: Currency) -> String {
    let Some(asked) = &line.asked else { return format!("{name}: price unknown") };
    let counted = if line.counted.is_some() { Money::new(sum, currency).to_string() } else { "not counted, no exchange rate".to_owned() };
    let converted = if line.converted { ", converted" } else { "" };
    format!("{name}: {counted}{converted}\n{} each, {}, {}\nSource: {}", asked.price, asked.kind, asked.date, asked.source)
}

fn by_part_ui(ui: &mut Ui, cx: &Cx<'_>, state: &mut CostState, out: &mut Vec<Action>) {
    let t = cx.tokens;
    let report = cx.session.report();
    let cost = &report.facts.cost;
    let groups = grouped(cx, cost);
    let currency = cost.known_total.currency;
    let count = groups.len();
    let dearest = groups.iter().map(|g| g.1).fold(1.0, f64::max);
    let names: Vec<String> = groups.iter().map(|g| g.0.chars().take(20).collect()).collect();
    let axis = move |mark: GridMark, _: &std::ops::RangeInclusive<f64>| {
        let at = -mark.value.round();
        if at >= 0.0 { names.get(at as usize).cloned().unwrap_or_default() } else { String::new() }
    };
    let plot = plain_plot("cost-parts", t, plot_height(ui))
        .include_x(0.0)
        .include_y(0.6)
        .include_y(0.4 - count as f64)
        .show_grid([true, false])
        .y_grid_spacer(move |_| (0..count).map(|n| GridMark { value: -(n as f64), step_size: 1.0 }).collect())
        .x_grid_spacer(marks(round_step(dearest * 1.05, 4.0)))
        .include_x(dearest * 1.05)
        .custom_y_axes(vec![y_axis(t).formatter(axis).min_thickness(90.0).label_spacing(egui::Rangef::new(8.0, 12.0))])
        .custom_x_axes(vec![x_axis(t).formatter(move |mark, _| short_money(mark.value, currency))]);
    let bars: Vec<Bar> = groups.iter().enumerate().map(|(n, g)| Bar::new(-(n as f64), g.1).width(0.62).fill(t.cold)).collect();
    let shown = plot.show(ui, |plot| plot.bar_chart(BarChart::new("purchase", bars).horizontal().allow_hover(false)));
    let text = shown.response.hover_pos().and_then(|pos| {
        let row = -shown.transform.value_from_position(pos).y.round();
        if row < 0.0 { None } else { groups.get(row as usize).map(|g| g.2.clone()) }
    });
    shown.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Figure, true, format!("Purchase by part. {}", summary(cost))));
    explain(&shown.response, NAME, text, &mut state.held, || all_text(cx, report), out);
}

/// Every figure of the chart as text.
fn all_text(cx: &Cx<'_>, report: &Report) -> String {
    let cost = &report.facts.cost;
    let mut lines = vec![summary(cost), origin_text(&cost.energy_origin)];
    lines.extend(grouped(cx, cost).into_iter().map(|g| g.2));
    lines.join("\n")
}

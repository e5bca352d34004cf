//! Risk against change of several plans: the frontier, the chosen plan, the floor.
//!
//! Up means that more of the people at risk are still matched, to the right that tables moved
//! farther. Plans that no other one beats are full and joined by steps; the beaten ones are
//! hollow. The dashed line is the share of people whose keys no plan can part, as far as it is
//! known; some of them may still be shared.
//!
//! A label is the budget of its plan, and the plan's number is in the text twin.
//!
//! Trap: plans may lie close together, so a label is drawn only where it meets no other one;
//! the chosen plan's comes first. The text twin has all of them.
//!
//! Way in: [`draw`].

use marginswap_core::text::grouped;

use super::bars::share;
use crate::answer::{distance, percent, sentence};
use crate::frontier::{FrontierPlan, FrontierReport};
use crate::lettering::width;
use crate::paint::{
    DASHED, DONE, Flow, INK, LINE, PAPER, QUIET, RULE, lettered, outlined, stroked,
};
use crate::sheet::{MARGIN, Picture, SMALL, Sheet, TextTable, Twin};
use crate::svg::{Element, number};

const TITLE: &str = "Risk and change of several plans";
const PLOT: [f64; 2] = [580.0, 320.0];
const POINT: f64 = 5.0;

/// Draws the plans.
#[must_use]
pub fn draw(id: &str, report: &FrontierReport) -> Picture {
    let most_risk = report.plans.iter().map(|plan| plan.matched).max().unwrap_or(0);
    let most_risk = most_risk.max(report.floor());
    let most_change = report.plans.iter().map(|plan| plan.change).fold(0.0, f64::max);
    let across = ticks(most_change * 100.0);
    let up = ticks(share(most_risk, report.at_risk) * 100.0);
    let up_labels: Vec<String> = up.iter().map(|tick| tick_words(*tick)).collect();
    let beside = up_labels.iter().map(|words| width(words, SMALL)).fold(0.0, f64::max) + 18.0;
    let mut sheet = Sheet::new((beside + PLOT[0] + 110.0).max(680.0).ceil());
    sheet.heading(TITLE);
    sheet.small_print("People at risk who are still matched, in percent");
    sheet.y += 10.0;
    let (left, top) = (MARGIN + beside, sheet.y);
    let bottom = top + PLOT[1];
    let top_x = across.last().copied().unwrap_or(1.0);
    let top_y = up.last().copied().unwrap_or(1.0);
    let place =
        |change: f64, risk: f64| [left + change / top_x * PLOT[0], bottom - risk / top_y * PLOT[1]];
    for (tick, words) in up.iter().zip(&up_labels) {
        let y = place(0.0, *tick)[1];
        let path = format!("M{} {}h{}", number(left), number(y), number(PLOT[0]));
        sheet.parts.push(stroked(Element::new("path").with("d", path), &RULE));
        let text = lettered(words, left - 14.0, y, SMALL, &QUIET);
        sheet.parts.push(text.with("text-anchor", "end"));
    }
    for tick in &across {
        let x = place(*tick, 0.0)[0];
        let path = format!("M{} {}v5", number(x), number(bottom));
        sheet.parts.push(stroked(Element::new("path").with("d", path), &LINE));
        let text = lettered(&tick_words(*tick), x, bottom + 22.0, SMALL, &QUIET);
        sheet.parts.push(text.with("text-anchor", "middle"));
    }
    let axis = format!("M{} {}h{}", number(left), number(bottom), number(PLOT[0]));
    sheet.parts.push(stroked(Element::new("path").with("d", axis), &LINE));

    let floor = place(0.0, share(report.floor(), report.at_risk) * 100.0)[1];
    if report.floor() > 0 {
        let path = format!("M{} {}h{}", number(left), number(floor), number(PLOT[0]));
        let line = stroked(Element::new("path").with("d", path), &DASHED);
        sheet.parts.push(line.with("stroke-width", 1.75).with("stroke-dasharray", "6 4"));
    }
    let at = |plan: &FrontierPlan| {
        place(plan.change * 100.0, share(plan.matched, report.at_risk) * 100.0)
    };
    put_steps(&mut sheet, report, at);
    let mut order: Vec<&FrontierPlan> = report.plans.iter().collect();
    // The chosen plan lies on top of the frontier, the frontier on top of the others.
    let is_chosen = |plan: &FrontierPlan| Some(plan.number) == report.chosen;
    order.sort_by_key(|plan| (is_chosen(plan), plan.undominated));
    for plan in &order {
        let [x, y] = at(plan);
        let circle = Element::new("circle").with("cx", x).with("cy", y);
        let point = circle.clone().with("r", POINT);
        let mut group = Element::new("g");
        group.push(Element::new("title").text(said(report, plan, is_chosen(plan))));
        if is_chosen(plan) {
            let ring = stroked(circle.with("r", POINT + 4.0), &INK);
            group.push(ring.with("stroke-width", 1.75));
        }
        let fill = if plan.undominated { &DONE } else { &PAPER };
        let stroke = if plan.undominated { &DONE } else { &LINE };
        group.push(outlined(point, fill, stroke).with("stroke-width", 1.75));
        sheet.parts.push(group);
    }
    order.reverse();
    put_labels(&mut sheet, report, &order, at, [left, top, left + PLOT[0], bottom]);
    sheet.y = bottom + 36.0;
    let words = format!("{}, in percent", sentence(report.axis_words()));
    let text = lettered(&words, left + PLOT[0], sheet.y + 9.0, SMALL, &QUIET);
    sheet.parts.push(text.with("text-anchor", "end"));
    sheet.y += 26.0;
    legend(&mut sheet, report);
    sheet.finish(id, "frontier", TITLE.to_owned(), twin(report))
}

/// Round numbers from 0 to the first that is no less than `most`, a handful of them.
fn ticks(most: f64) -> Vec<f64> {
    let most = if most > 0.0 { most } else { 1.0 };
    let power = 10f64.powf((most / 5.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = step.into_iter().find(|step| step * 5.0 >= most * 0.999).unwrap_or(10.0 * power);
    let count = (most / step - 1e-9).ceil().max(1.0);
    (0..).map(f64::from).take_while(|number| *number <= count).map(|number| number * step).collect()
}

fn tick_words(tick: f64) -> String {
    if tick >= 1000.0 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        return grouped(tick.round() as u64);
    }
    let words = format!("{tick:.4}");
    words.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn said(report: &FrontierReport, plan: &FrontierPlan, chosen: bool) -> String {
    format!(
        "plan {}{}: budget {}, seed {}, {} of {} people at risk matched, {} {}",
        plan.number,
        if chosen { " (chosen)" } else { "" },
        plan.cap(),
        plan.seed,
        grouped(plan.matched),
        grouped(report.at_risk),
        measure(report),
        distance(plan.change)
    )
}

fn measure(report: &FrontierReport) -> &'static str {
    if report.by_two_way { "mean total variation" } else { "share of records changed" }
}

/// The frontier as steps from plan to plan.
fn put_steps(sheet: &mut Sheet, report: &FrontierReport, at: impl Fn(&FrontierPlan) -> [f64; 2]) {
    let mut front: Vec<[f64; 2]> =
        report.plans.iter().filter(|plan| plan.undominated).map(at).collect();
    front.sort_by(|left, right| left[0].total_cmp(&right[0]).then(left[1].total_cmp(&right[1])));
    let Some((first, rest)) = front.split_first() else { return };
    let mut path = format!("M{} {}", number(first[0]), number(first[1]));
    for [x, y] in rest {
        path.push_str(&format!("H{}V{}", number(*x), number(*y)));
    }
    let steps = stroked(Element::new("path").with("d", path), &DONE);
    sheet.parts.push(steps.with("stroke-width", 1.5).with("stroke-opacity", 0.6));
}

/// Names the plans of the frontier where there is room.
fn put_labels(
    sheet: &mut Sheet,
    report: &FrontierReport,
    order: &[&FrontierPlan],
    at: impl Fn(&FrontierPlan) -> [f64; 2],
    [left, top, right, bottom]: [f64; 4],
) {
    const TALL: f64 = 18.0;
    // The points themselves, and what is labelled already.
    let around = |plan: &&FrontierPlan| {
        let chosen = Some(plan.number) == report.chosen;
        let reach = if chosen { POINT + 6.0 } else { POINT + 2.0 };
        let [x, y] = at(plan);
        [x - reach, y - reach, x + reach, y + reach]
    };
    let mut taken: Vec<[f64; 4]> = order.iter().map(around).collect();
    let meets = |one: &[f64; 4], other: &[f64; 4]| {
        one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
    };
    for plan in order.iter().filter(|plan| plan.undominated) {
        let words = match Some(plan.number) == report.chosen {
            true => format!("{}, chosen", label(plan)),
            false => label(plan),
        };
        let wide = width(&words, SMALL);
        let [x, y] = at(plan);
        // From near to far; above and to the right first, where the steps seldom are.
        let spots = [12.0, 24.0, 40.0].into_iter().flat_map(|far| {
            [
                (x + far, y - TALL - 2.0),
                (x - wide / 2.0, y - TALL - far),
                (x + far, y + 2.0),
                (x - wide / 2.0, y + far),
                (x - far - wide, y + 2.0),
                (x - far - wide, y - TALL - 2.0),
                (x - wide, y - TALL - far),
            ]
        });
        let free = spots.map(|(x, y)| [x, y, x + wide, y + TALL]).find(|spot| {
            spot[0] >= left
                && spot[2] <= right + 110.0
                && spot[1] >= top - 8.0
                && spot[3] <= bottom
                && !taken.iter().any(|other| meets(spot, other))
        });
        if let Some(spot) = free {
            taken.push(spot);
            sheet.parts.push(lettered(&words, spot[0], spot[1] + TALL / 2.0, SMALL, &INK));
        }
    }
}

/// A dot is known by the budget of its plan.
fn label(plan: &FrontierPlan) -> String {
    match plan.cap() {
        "no cap" => "no budget".to_owned(),
        cap => format!("budget {cap}"),
    }
}

fn legend(sheet: &mut Sheet, report: &FrontierReport) {
    let mut flow = Flow::new(MARGIN, sheet.right(), sheet.y, 22.0, 24.0);
    let circle =
        |x: f64, y: f64| Element::new("circle").with("cx", x + 10.0).with("cy", y).with("r", POINT);
    let mut entry = |sheet: &mut Sheet, words: &str, sign: &dyn Fn(f64, f64) -> Element| {
        let (x, middle) = flow.place(28.0 + width(words, SMALL));
        sheet.parts.push(sign(x, middle));
        sheet.parts.push(lettered(words, x + 28.0, middle, SMALL, &QUIET));
    };
    entry(sheet, "no other plan beats it", &|x, y| {
        outlined(circle(x, y), &DONE, &DONE).with("stroke-width", 1.75)
    });
    if report.plans.iter().any(|plan| !plan.undominated) {
        entry(sheet, "beaten by another plan", &|x, y| {
            outlined(circle(x, y), &PAPER, &LINE).with("stroke-width", 1.75)
        });
    }
    if report.floor() > 0 {
        let words = format!("{} people at risk {}", grouped(report.floor()), report.floor_words());
        entry(sheet, &words, &|x, y| {
            let path = format!("M{} {}h20", number(x), number(y));
            let line = stroked(Element::new("path").with("d", path), &DASHED);
            line.with("stroke-width", 1.75).with("stroke-dasharray", "6 4")
        });
    }
    sheet.y = flow.end();
}

fn twin(report: &FrontierReport) -> Twin {
    let front = report.plans.iter().filter(|plan| plan.undominated).count();
    let mut words = vec![format!(
        "{front} of {} plans are beaten by no other. People at risk {}: {}.",
        report.plans.len(),
        report.floor_words(),
        grouped(report.floor())
    )];
    words.push(match report.chosen_plan() {
        Some(plan) => format!("{}, {}.", sentence(&said(report, plan, true)), report.criterion),
        None => format!("No plan meets the criterion: {}.", report.criterion),
    });
    let rows = report.plans.iter().map(|plan| {
        vec![
            format!("plan {}", plan.number),
            plan.cap().to_owned(),
            plan.seed.to_string(),
            grouped(plan.records_changed),
            grouped(plan.gone),
            grouped(plan.shared),
            grouped(plan.matched),
            percent(plan.matched, report.at_risk),
            grouped(plan.matched_right),
            grouped(plan.newly_exposed),
            distance(plan.change),
            if plan.undominated { "yes" } else { "no" }.to_owned(),
        ]
    });
    let heads = [
        "plan",
        "budget",
        "seed",
        "records changed",
        "gone",
        "shared",
        "matched",
        "matched, of those at risk",
        "matched, every value true",
        "newly exposed",
        measure(report),
        "on the frontier",
    ];
    Twin { words, table: Some(TextTable::new(TITLE, &heads, rows.collect())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_reach_the_top() {
        for most in [0.0, 0.03, 0.2, 1.0, 4.9, 5.0, 7.3, 99.0, 12_345.0] {
            let ticks = ticks(most);
            assert!((2..=11).contains(&ticks.len()), "{most}: {ticks:?}");
            assert!(ticks[0] == 0.0 && *ticks.last().unwrap() >= most * 0.999, "{most}: {ticks:?}");
        }
        assert_eq!(tick_words(0.5), "0.5");
        assert_eq!(tick_words(20_000.0), "20,000");
        assert_eq!(tick_words(0.0), "0");
    }
}

//! The picture of the margin graph: nothing overlaps, nothing leaves the sheet, no name
//! breaks it, and small cases look byte for byte as they did.
//!
//! `MARGINSWAP_BLESS=1 cargo test -p marginswap-report` writes the golden files again.

#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use crate::support;

use marginswap_core::varset::VarSet;
use marginswap_report::margin_graph::{self, BANNER, GraphPicture, SeparatorPicture, describe};

use support::{
    Area, Node, assert_golden, complete, cycle, name, path, picture, read, sheet, text_area,
};

fn draw(picture: &GraphPicture<'_>) -> String {
    margin_graph::draw(picture).file()
}

/// Circles and squares: the marks of variables, in the drawing and in the legend.
fn mark_area(node: &Node) -> Option<Area> {
    match (node.name.as_str(), node.attribute("cx"), node.attribute("rx")) {
        ("circle", Some(_), _) => {
            let (x, y, r) = (node.number("cx"), node.number("cy"), node.number("r") + 1.0);
            Some(Area { left: x - r, right: x + r, top: y - r, bottom: y + r })
        }
        ("rect", _, None) if node.attribute("x").is_some() => Some(Area {
            left: node.number("x") - 1.0,
            right: node.number("x") + node.number("width") + 1.0,
            top: node.number("y") - 1.0,
            bottom: node.number("y") + node.number("height") + 1.0,
        }),
        _ => None,
    }
}

/// Chips have round corners and no neighbour may touch them.
fn chip_area(node: &Node) -> Option<Area> {
    (node.name == "rect" && node.attribute("rx") == Some("5")).then(|| Area {
        left: node.number("x"),
        right: node.number("x") + node.number("width"),
        top: node.number("y"),
        bottom: node.number("y") + node.number("height"),
    })
}

/// The ends and the control points of the edges.
fn path_points(node: &Node) -> Vec<(f64, f64)> {
    let Some(path) = node.attribute("d").filter(|path| path.contains('Q')) else {
        return Vec::new();
    };
    let numbers: Vec<f64> = path
        .split(['M', 'Q', ' '])
        .filter(|piece| !piece.is_empty())
        .map(|piece| piece.parse().unwrap())
        .collect();
    numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect()
}

/// Reads a picture and asserts that nothing overlaps and nothing leaves the sheet.
fn checked(svg: &str, what: &str) -> Node {
    let root = read(svg);
    let sheet = sheet(&root);
    let nodes = root.all();
    let texts: Vec<&Node> = nodes.iter().copied().filter(|node| node.name == "text").collect();
    let mut areas: Vec<Area> = texts.iter().map(|text| text_area(text)).collect();
    areas.extend(nodes.iter().filter_map(|node| mark_area(node)));
    for (index, area) in areas.iter().enumerate() {
        assert!(area.within(&sheet), "{what}: {area:?} leaves the sheet {sheet:?}");
        for other in &areas[..index] {
            assert!(!area.meets(other), "{what}: {area:?} meets {other:?}");
        }
    }
    let chips: Vec<Area> = nodes.iter().filter_map(|node| chip_area(node)).collect();
    for (index, chip) in chips.iter().enumerate() {
        assert!(chip.within(&sheet), "{what}: a chip leaves the sheet");
        assert!(chips[..index].iter().all(|other| !chip.meets(other)), "{what}: chips meet");
        for (area, text) in areas.iter().zip(&texts) {
            let centred = text.attribute("text-anchor") == Some("middle");
            let inside = area.left >= chip.left && area.right <= chip.right && centred;
            assert!(inside || !area.meets(chip), "{what}: a text cuts a chip");
        }
    }
    // An edge lies within the triangle of its three points, so its points tell.
    for (x, y) in nodes.iter().flat_map(|node| path_points(node)) {
        let point = Area { left: x, right: x, top: y, bottom: y };
        assert!(point.within(&sheet), "{what}: an edge leaves the sheet");
        assert!(
            areas[..texts.len()].iter().all(|label| !point.meets(label)),
            "{what}: edge, label"
        );
    }
    root
}

/// Pictures of 1 to 40 variables with names of 1 to 40 characters.
fn no_label_meets_another_or_leaves_the_sheet(alphabet: &str) {
    for count in 1..=40 {
        for length in 1..=40 {
            let names: Vec<String> =
                (0..count).map(|shift| name(alphabet, length, shift)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let edges = match (count + length) % 4 {
                0 => path(count),
                1 => cycle(count),
                2 => vec![],
                _ => complete(count.min(16)),
            };
            let mut picture = GraphPicture { names, edges, ..GraphPicture::default() };
            picture.stays = (0..count).filter(|variable| variable % 3 == 1).collect();
            let size = length % 5;
            picture.separators = (0..(count / 2).min(1 + length % 14))
                .map(|first| SeparatorPicture {
                    separator: (first..first + size).filter(|&member| member < count).collect(),
                    components: vec![(0..first).collect(), (first + size..count).collect()],
                })
                .collect();
            checked(&draw(&picture), &format!("{count} names of {length}"));
        }
    }
}

#[test]
fn latin_labels_never_meet() {
    no_label_meets_another_or_leaves_the_sheet("WmarItal-statusgjQ_%");
}

#[test]
fn chinese_and_japanese_labels_never_meet() {
    no_label_meets_another_or_leaves_the_sheet("婚姻状況年齢地域性別職業。");
}

#[test]
fn arabic_labels_never_meet() {
    no_label_meets_another_or_leaves_the_sheet("الحالةالاجتماعيةالعمرض");
}

#[test]
fn emoji_labels_never_meet() {
    no_label_meets_another_or_leaves_the_sheet("👩\u{200D}🌾🏠🇩🇰👍🏽❤\u{FE0F}");
}

#[test]
fn the_largest_graph_is_drawn() {
    let names: Vec<String> = (0..256).map(|number| format!("variable {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for edges in [path(256), complete(256), vec![]] {
        checked(&draw(&picture(&names, edges)), "256 variables");
    }
    checked(&draw(&GraphPicture::default()), "no variable");
}

#[test]
fn hostile_names_are_only_names() {
    let long = "a_very_long_name_".repeat(12);
    let names = [
        "<script>alert(1)</script>",
        "\"&'",
        "]]>",
        "\u{0}\u{1}\u{7f}\u{FFFE}",
        "شماره\u{202E}ملی",
        "",
        "two\nlines\tand a tab",
        "  blanks  ",
        &long,
        "Z\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}",
        "--><!--",
        "</desc></svg>",
    ];
    let mut picture = picture(&names, path(names.len()));
    picture.title = "<b>\u{8}".to_owned();
    picture.id = "a\"b";
    let svg = draw(&picture);
    let root = checked(&svg, "hostile names");

    let nodes = root.all();
    assert!(nodes.iter().all(|node| !["script", "b"].contains(&node.name.as_str())));
    let texts: Vec<&str> =
        nodes.iter().filter(|node| node.name == "text").map(|node| node.text.as_str()).collect();
    for exact in ["<script>alert(1)</script>", "\"&'", "]]>", "␣␣blanks␣␣", "(no name)"] {
        assert!(texts.contains(&exact), "{exact:?} is drawn");
    }
    assert!(!texts.contains(&long.as_str()));
    assert!(texts.iter().any(|text| text.starts_with("a_very") && text.contains('…')));
    let whole =
        |name: &str| nodes.iter().any(|node| node.name == name && node.text.contains(&long));
    assert!(whole("desc") && whole("title"), "the full name is in the text twin and the tip");
}

#[test]
fn the_file_refers_to_nothing_outside() {
    let svg = draw(&picture(&["age", "sex", "region"], path(3)));
    for outside in ["href", "url(", "@import", "<script", "<image", "<foreignObject", "http"] {
        let svg = svg.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        assert!(!svg.contains(outside), "no {outside}");
    }
    let root = read(&svg);
    assert_eq!(root.attribute("role"), Some("img"));
    for id in root.attribute("aria-labelledby").unwrap().split(' ') {
        assert!(root.all().iter().any(|node| node.attribute("id") == Some(id)), "{id} is there");
    }
}

fn words(svg: &str) -> String {
    let root = read(svg);
    let texts = root.all().into_iter().filter(|node| node.name == "text");
    texts.map(|node| node.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Two tied variables and many free ones: the oval stays small.
#[test]
fn many_lonely_variables_stand_in_lines() {
    let names: Vec<String> = (0..60).map(|number| format!("variable_{number}")).collect();
    let picture = |count: usize| GraphPicture {
        names: names[..count].iter().map(String::as_str).collect(),
        edges: vec![(3, 7)],
        separators_complete: true,
        stays: VarSet::single(0),
        ..GraphPicture::default()
    };
    let (few, many) = (draw(&picture(10)), draw(&picture(60)));
    assert!(!words(&few).contains("Tied to no other variable:"));
    assert!(words(&many).contains("Tied to no other variable:"));
    for name in &names {
        assert!(words(&many).contains(name.as_str()), "{name}");
    }
    let height = |svg: &str| sheet(&checked(svg, "lonely")).bottom;
    assert!(height(&many) < 700.0, "{}", height(&many));
    // With no tie at all there is no oval.
    checked(&draw(&GraphPicture { edges: Vec::new(), ..picture(60) }), "only lonely ones");
}

#[test]
fn only_a_complete_graph_has_the_banner() {
    let names = ["a", "b", "c", "d"];
    for count in 2..=4 {
        let complete = picture(&names[..count], complete(count));
        assert!(words(&draw(&complete)).contains(BANNER), "complete on {count}");
        assert!(describe(&complete).contains(BANNER));
    }
    for (what, other) in [
        ("one variable", picture(&["a"], vec![])),
        ("two apart", picture(&["a", "b"], vec![])),
        ("a loop is no edge", picture(&["a", "b"], vec![(0, 0), (1, 1)])),
        ("an edge twice is one edge", picture(&names[..3], vec![(0, 1), (1, 0), (1, 2)])),
    ] {
        assert!(!words(&draw(&other)).contains(BANNER), "{what}");
    }
}

#[test]
fn the_empty_separator_is_nothing() {
    let apart = picture(&["a", "b", "c"], vec![(0, 1)]);
    assert!(words(&draw(&apart)).contains("nothing (the graph is not connected)"));
    assert!(describe(&apart).contains("is not connected"));
}

#[test]
fn twelve_separators_are_listed_and_the_others_counted() {
    let names: Vec<String> = (0..8).map(|number| format!("v{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    // A k-cycle has k(k − 3)/2 minimal separators.
    let mut picture = picture(&names, cycle(8));
    assert_eq!(picture.separators.len(), 20);
    assert!(words(&draw(&picture)).ends_with("And 8 more."));
    picture.separators_complete = false;
    assert!(words(&draw(&picture)).contains("And at least 8 more"));
    picture.separators.truncate(12);
    assert!(words(&draw(&picture)).contains("there may be more"));
    picture.separators_complete = true;
    assert!(!words(&draw(&picture)).contains("more."));
}

#[test]
fn the_text_twin_has_a_sentence_per_table_and_separator() {
    let mut picture = picture(&["age", "sex", "marital status", "الجنس"], path(3));
    picture.tables = vec![VarSet::from([0, 1]), VarSet::from([1, 2]), VarSet::from([3])];
    picture.stays = VarSet::from([3]);
    assert_eq!(
        describe(&picture),
        "The margin graph has 4 variables: age, sex, “marital status” and \u{2068}الجنس\u{2069}.\n\
         A kept table ties age and sex together.\n\
         A kept table ties sex and “marital status” together.\n\
         A kept table counts \u{2068}الجنس\u{2069} alone.\n\
         \u{2068}الجنس\u{2069} is tied to no other variable.\n\
         \u{2068}الجنس\u{2069} stays in its record.\n\
         The graph is not connected: two records that differ in at least two of the \
         parts (age, sex and “marital status”), (\u{2068}الجنس\u{2069}) can exchange one of them.\n\
         Two records that agree on sex and differ in at least two of the parts (age), \
         (“marital status”), (\u{2068}الجنس\u{2069}) can exchange one of them."
    );
}

#[test]
fn golden_path_of_three() {
    let mut picture = picture(&["age", "occupation", "residence"], path(3));
    picture.tables = vec![VarSet::from([0, 1]), VarSet::from([1, 2])];
    assert_golden("path_of_three.svg", &draw(&picture));
}

#[test]
fn golden_complete_on_four() {
    let mut picture = picture(&["region", "sex", "age", "marital-status"], complete(4));
    picture.title = "All two-way tables".to_owned();
    picture.tables = complete(4).into_iter().map(|(from, to)| VarSet::from([from, to])).collect();
    assert_golden("complete_on_four.svg", &draw(&picture));
}

#[test]
fn golden_two_triangles_and_one_that_stays() {
    let names = ["region", "sex", "age", "income", "hours", "education", "weight"];
    let edges = vec![(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)];
    let mut picture = picture(&names, edges);
    picture.tables = vec![VarSet::from([0, 1, 2]), VarSet::from([2, 3, 4]), VarSet::from([5])];
    picture.stays = VarSet::from([6]);
    assert_golden("two_triangles_and_one_that_stays.svg", &draw(&picture));
}

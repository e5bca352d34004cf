//! How much room a text takes before a font is known.
//!
//! The reader's font is not ours to choose, so the estimate is generous: it follows the
//! widest of the common sans-serif fonts (DejaVu Sans, Verdana), and scripts we know
//! little about count as a full square per character. A label that is too short for its
//! room looks fine; one that is too long covers its neighbour.
//!
//! Trap: one character on the screen may be several `char`s (a letter with marks, a
//! family of emoji). A text is only ever cut between such clusters. Right-to-left text is
//! kept as it is; the reader's program orders it.
//!
//! Way in: [`width`], [`shorten`], [`wrap`].

/// A name as it can be shown: what no reader can see (controls, embeddings and overrides of
/// the writing direction) becomes U+FFFD, and no character carries more than four marks. A
/// blank at an end, after another one, or of another kind than a space becomes `␣`: names
/// may differ in nothing else.
///
/// An empty or blank name is shown as `(no name)`.
#[must_use]
pub fn shown(name: &str) -> String {
    let mut marks = 0;
    let mut shown = String::with_capacity(name.len());
    let inner = name.trim();
    let start = name.len() - name.trim_start().len();
    let mut after_blank = false;
    for (position, character) in name.char_indices() {
        let at_an_end = position < start || position >= start + inner.len();
        let is_seen = character == ' ' && !at_an_end && !after_blank;
        after_blank = character.is_whitespace();
        if after_blank && !is_seen {
            marks = 0;
            shown.push('␣');
            continue;
        }
        marks = if is_mark(character) { marks + 1 } else { 0 };
        if marks > 4 {
            continue;
        }
        shown.push(match character {
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
            other if other.is_control() => char::REPLACEMENT_CHARACTER,
            other => other,
        });
    }
    if inner.is_empty() { "(no name)".to_owned() } else { shown }
}

/// A name inside a sentence: quoted unless it is a plain word, and with a writing
/// direction of its own so that it cannot reorder the sentence.
#[must_use]
pub fn spoken(name: &str) -> String {
    let name = shown(name);
    let plain =
        name.chars().all(|character| character.is_alphanumeric() || "_-.".contains(character));
    let name = if plain { name } else { format!("“{name}”") };
    if has_right_to_left(&name) { format!("\u{2068}{name}\u{2069}") } else { name }
}

/// Names inside a sentence: `a, b and c`.
#[must_use]
pub fn spoken_list(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| spoken(name)).collect();
    match names.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// An upper estimate of the width of `text`, set in regular letters of `size` pixels.
#[must_use]
pub fn width(text: &str, size: f64) -> f64 {
    let mut ems = 0.0;
    for (position, character) in text.chars().enumerate() {
        let advance = advance(character);
        // A mark without a letter below it is shown on a dotted circle.
        ems += if position == 0 && advance == 0.0 { 0.8 } else { advance };
    }
    ems * size
}

/// How many columns of a terminal `text` takes: none for a mark, two for a wide character
/// or an emoji, one for any other.
#[must_use]
pub fn columns(text: &str) -> usize {
    clusters(text)
        .into_iter()
        .map(|cluster| {
            let emoji = cluster.contains('\u{FE0F}');
            let wide = cluster.chars().next().is_some_and(is_wide);
            match cluster.chars().all(is_mark) {
                true => 0,
                false if wide || emoji => 2,
                false => 1,
            }
        })
        .sum()
}

/// A character that a terminal shows in two columns.
fn is_wide(character: char) -> bool {
    matches!(character,
        '\u{1100}'..='\u{115F}'
        | '\u{231A}' | '\u{231B}' | '\u{23E9}'..='\u{23EC}' | '\u{23F0}' | '\u{23F3}'
        | '\u{2614}' | '\u{2615}' | '\u{2648}'..='\u{2653}' | '\u{26A1}' | '\u{2705}'
        | '\u{2728}' | '\u{274C}' | '\u{2753}'..='\u{2755}' | '\u{2757}' | '\u{2B50}'
        | '\u{2E80}'..='\u{303E}' | '\u{3041}'..='\u{A4CF}' | '\u{A960}'..='\u{A97F}'
        | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' | '\u{FE30}'..='\u{FE6F}'
        | '\u{FF00}'..='\u{FF60}' | '\u{FFE0}'..='\u{FFE6}'
        | '\u{1F1E6}'..='\u{1F1FF}' | '\u{1F300}'..='\u{1F64F}' | '\u{1F680}'..='\u{1F6FF}'
        | '\u{1F900}'..='\u{1FAFF}' | '\u{20000}'..='\u{3FFFD}')
}

/// `text` itself when it fits into `room` pixels, else its beginning and its end around an
/// ellipsis: names in a survey often differ only in their last characters.
#[must_use]
pub fn shorten(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let clusters = clusters(text);
    let (mut head, mut tail) = (0, 0);
    let mut left = room - width("…", size);
    // Two clusters from the front for each one from the back, while there is room.
    loop {
        let from_front = head < 2 * (tail + 1);
        let next = if from_front { head } else { clusters.len() - 1 - tail };
        let cost = width(clusters[next], size);
        if cost > left || head + tail + 1 == clusters.len() {
            break;
        }
        left -= cost;
        if from_front { head += 1 } else { tail += 1 }
    }
    let front = clusters[..head].concat();
    let back = clusters[clusters.len() - tail..].concat();
    format!("{}…{}", front.trim_end(), back.trim_start())
}

/// `text` in lines of at most `room` pixels, broken at blanks; a word that is longer than
/// a line is broken between two characters.
#[must_use]
pub fn wrap(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let joined = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if width(&joined, size) <= room {
            line = joined;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for cluster in clusters(word) {
            if !line.is_empty() && width(&line, size) + width(cluster, size) > room {
                lines.push(std::mem::take(&mut line));
            }
            line.push_str(cluster);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Does some character of `text` belong to a script written from right to left?
#[must_use]
pub fn has_right_to_left(text: &str) -> bool {
    text.chars().any(|character| {
        matches!(character,
            '\u{0590}'..='\u{08FF}'
            | '\u{200F}'
            | '\u{FB1D}'..='\u{FDFF}'
            | '\u{FE70}'..='\u{FEFE}'
            | '\u{10800}'..='\u{10FFF}'
            | '\u{1E800}'..='\u{1EFFF}')
    })
}

/// The pieces of `text` that must not be torn apart.
fn clusters(text: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = Vec::new();
    let mut flags = 0;
    let mut joined = false;
    for (position, character) in text.char_indices() {
        let is_flag = matches!(character, '\u{1F1E6}'..='\u{1F1FF}');
        let continues = is_mark(character)
            || matches!(character, '\u{1F3FB}'..='\u{1F3FF}')
            || (is_flag && flags % 2 == 1)
            || joined;
        if starts.is_empty() || !continues {
            starts.push(position);
        }
        flags = if is_flag { flags + 1 } else { 0 };
        joined = character == '\u{200D}';
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(&start, end)| &text[start..end]).collect()
}

/// A character that takes no room of its own: a combining mark, a joiner, a selector.
fn is_mark(character: char) -> bool {
    matches!(character,
        '\u{00AD}'
        | '\u{0300}'..='\u{036F}'
        | '\u{0483}'..='\u{0489}'
        | '\u{0591}'..='\u{05BD}' | '\u{05BF}' | '\u{05C1}' | '\u{05C2}'
        | '\u{05C4}' | '\u{05C5}' | '\u{05C7}'
        | '\u{0610}'..='\u{061A}'
        | '\u{061C}'
        | '\u{064B}'..='\u{065F}' | '\u{0670}'
        | '\u{06D6}'..='\u{06DC}' | '\u{06DF}'..='\u{06E4}'
        | '\u{06E7}' | '\u{06E8}' | '\u{06EA}'..='\u{06ED}'
        | '\u{0711}' | '\u{0730}'..='\u{074A}'
        | '\u{08D3}'..='\u{08E1}' | '\u{08E3}'..='\u{08FF}'
        | '\u{093C}' | '\u{0941}'..='\u{0948}' | '\u{094D}'
        | '\u{0E31}' | '\u{0E34}'..='\u{0E3A}' | '\u{0E47}'..='\u{0E4E}'
        | '\u{1160}'..='\u{11FF}'
        | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{20D0}'..='\u{20FF}'
        | '\u{302A}'..='\u{302F}' | '\u{3099}' | '\u{309A}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FE20}'..='\u{FE2F}' | '\u{FEFF}'
        | '\u{E0000}'..='\u{E01EF}')
}

/// The width of one character in ems, rounded up.
fn advance(character: char) -> f64 {
    if is_mark(character) {
        // The selector for emoji turns a narrow sign into a wide one.
        return if character == '\u{FE0F}' { 0.7 } else { 0.0 };
    }
    match character {
        ' ' | 'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '·' => 0.36,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '-' | '/' | '\\' | '!' => 0.44,
        'm' | 'M' | 'W' | '@' | '%' => 1.02,
        'w' | '#' | '+' | '=' | '<' | '>' | '~' | '^' | '&' => 0.88,
        '!'..='@' | '['..='`' | 'a'..='z' | '{'..='~' => 0.66,
        'J' => 0.54,
        'A'..='Z' => 0.8,
        // Latin letters with accents, ligatures, digraphs.
        'À'..='Å' | 'Ç'..='å' | 'ç'..='ı' => 0.92,
        '\u{01C4}'..='\u{01CC}' | '\u{01F1}'..='\u{01F3}' => 1.45,
        '\u{00A0}'..='\u{02FF}' => 1.08,
        // Greek, Cyrillic, Hebrew.
        '\u{0370}'..='\u{03FF}' => 0.95,
        'Љ' | 'Њ' | 'љ' | 'њ' | 'Ж' | 'М' | 'Ф' | 'Ш' | 'Щ' | 'Ы' | 'Ю' => 1.14,
        'ж' | 'ф' | 'ш' | 'щ' | 'ы' | 'ю' => 1.14,
        '\u{0400}'..='\u{045F}' => 0.86,
        '\u{05D0}'..='\u{05EA}' => 0.8,
        // Arabic letters in their widest, isolated shape.
        '\u{0621}'..='\u{0625}' | 'ا' | 'ة' | 'د' | 'ذ' | 'ر' | 'ز' | 'ه' | 'و' => 0.62,
        'س' | 'ش' | 'ص' | 'ض' => 1.26,
        '\u{0626}'..='\u{064A}' => 1.06,
        // The wide letters of southern India, Sri Lanka and Burma.
        '\u{0B80}'..='\u{0DFF}' | '\u{1000}'..='\u{109F}' => 2.0,
        // Dashes and quotation marks, then signs and pictures.
        '\u{2010}'..='\u{2027}' => 1.02,
        '\u{2E3A}' | '\u{2E3B}' => 2.9,
        '\u{2000}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}' => 1.5,
        // East Asian wide and full-width characters.
        '\u{2E80}'..='\u{A4CF}' | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' => 1.04,
        '\u{FE30}'..='\u{FE4F}' | '\u{FF00}'..='\u{FF60}' | '\u{FFA0}'..='\u{FFE6}' => 1.04,
        '\u{FF61}'..='\u{FF9F}' => 0.6,
        '\u{20000}'..='\u{3FFFD}' => 1.04,
        // Arabic ligatures; the last few are whole sentences.
        '\u{FDFA}'..='\u{FDFD}' => 12.0,
        '\u{FB50}'..='\u{FDFF}' => 2.6,
        // Ancient scripts.
        '\u{12000}'..='\u{1254F}' => 8.0,
        '\u{10000}'..='\u{1EFFF}' => 2.1,
        _ => 1.4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_take_no_room_and_wide_characters_take_two() {
        assert_eq!(width("e\u{301}", 10.0), width("e", 10.0));
        assert!(width("年齢", 10.0) >= 20.0);
        assert!(width("\u{301}", 10.0) > 0.0);
    }

    #[test]
    fn columns_of_a_terminal() {
        for (text, expected) in [
            ("", 0),
            ("age", 3),
            ("e\u{301}", 1),
            ("年齢", 4),
            ("👨\u{200D}👩\u{200D}👧", 2),
            ("🇩🇰x", 3),
        ] {
            assert_eq!(columns(text), expected, "{text}");
        }
    }

    #[test]
    fn a_short_text_is_not_shortened() {
        assert_eq!(shorten("region", 10.0, 100.0), "region");
    }

    #[test]
    fn a_long_text_keeps_both_ends_and_fits() {
        for (text, room) in
            [("a_question_about_income_2011".repeat(7), 120.0), ("齢".repeat(200), 90.0)]
        {
            let short = shorten(&text, 10.0, room);
            assert!(width(&short, 10.0) <= room, "{short}");
            assert!(short.contains('…'));
            assert!(short.ends_with(&text[text.len() - 3..]));
        }
    }

    #[test]
    fn clusters_stay_whole() {
        let family = "👨\u{200D}👩\u{200D}👧";
        assert_eq!(
            clusters(&format!("e\u{301}{family}🇩🇰🇫🇷👍🏽x")),
            ["e\u{301}", family, "🇩🇰", "🇫🇷", "👍🏽", "x"]
        );
        assert!(shorten(&"e\u{301}".repeat(50), 10.0, 60.0).starts_with("e\u{301}e\u{301}"));
    }

    #[test]
    fn no_room_at_all_leaves_the_ellipsis() {
        assert_eq!(shorten("abcdef", 10.0, 0.0), "…");
    }

    #[test]
    fn lines_keep_to_their_room_and_lose_no_word() {
        let text = "These tables tie every variable to every other, Donaudampfschifffahrt included";
        let lines = wrap(text, 10.0, 90.0);
        assert!(lines.iter().all(|line| width(line, 10.0) <= 90.0), "{lines:?}");
        assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
    }

    #[test]
    fn what_cannot_be_seen_is_made_visible() {
        assert_eq!(shown("a\nb\u{0}\u{202E}c"), "a␣b\u{FFFD}\u{FFFD}c");
        let names = ["a b", "a  b", " a b", "a b ", "a\tb", "a\u{A0}b "];
        assert_eq!(names.map(shown), ["a b", "a ␣b", "␣a b", "a b␣", "a␣b", "a␣b␣"]);
        assert_eq!(shown(" \t"), "(no name)");
        assert_eq!(shown("الجنس"), "الجنس");
    }
}

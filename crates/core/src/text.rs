//! How counts and names are written, wherever they are shown.
//!
//! Trap: a name comes from a file and may hold anything. [`escaped`] makes it fit for a
//! terminal; [`quoted`] makes it fit for a formula, and escapes nothing.

/// A text that may hold a name from a file, fit for a terminal: characters that control it,
/// break a line or turn the direction of writing are escaped.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_control(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Does a character control the terminal, break a line or turn the direction of writing?
#[must_use]
pub fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// A count with its thousands set apart: 5,912,884.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A name as it must be written in a formula.
#[must_use]
pub fn quoted(name: &str) -> String {
    let plain =
        !name.is_empty() && name.trim() == name && !name.contains(['*', '+', '`', ' ', '\t', '\n']);
    if plain { name.to_owned() } else { format!("`{}`", name.replace('`', "``")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (5_912_884, "5,912,884")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn what_controls_a_terminal_is_escaped() {
        assert_eq!(escaped("a\x1b[2J\u{202e}"), "a\\u{1b}[2J\\u{202e}");
        assert_eq!(escaped("Größe, 年齢"), "Größe, 年齢");
    }

    #[test]
    fn names_with_signs_of_a_formula_are_quoted() {
        for (name, written) in [
            ("age", "age"),
            ("age group", "`age group`"),
            ("a*b", "`a*b`"),
            ("", "``"),
            ("`", "````"),
        ] {
            assert_eq!(quoted(name), written);
        }
    }
}

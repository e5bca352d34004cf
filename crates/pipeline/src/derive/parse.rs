//! From text to an [`Expression`].
//!
//! ```text
//! band(age, 10)                          band(age, 5, bottom = 15, top = 85)
//! band(income, 0, 10000, 20000)          band(age, 18, 65, "young", "middle", "old")
//! map(municipality, "geo.csv", "region") prefix(nuts3, 4)
//! if(age >= 18, occupation, "none")      age >= 18 and sex = "f"
//! size()  count(age < 18)                any(sex = "f" and age >= 65)  members(age10, sex)
//! ```
//!
//! A name goes between backticks when it holds a sign or a space or begins with a digit, a text
//! between double or single quotes; a quote inside is doubled. A refusal gives the character at
//! which the trouble begins and shows no text: an expression holds categories.

use std::path::PathBuf;
use std::str::FromStr;

use super::bands::Bands;
use super::expression::{
    Comparison, Expression, Part, Together, What, begins_name, continues_name,
};
use crate::project::{BadValue, between};
use marginswap_core::decimal::Decimal;

/// How deep parts may lie in each other, and how many derived variables may follow from one
/// another: whatever walks through them needs no more of the stack than that.
pub(super) const DEEPEST: usize = 50;

impl FromStr for Expression {
    type Err = BadValue;

    /// Law: `expressions-come-back`.
    fn from_str(text: &str) -> Result<Self, BadValue> {
        let expression = Self { root: read(text)? };
        // Written again, as into a plan, it has parentheses that may be left out.
        match read(&expression.to_string()) {
            Ok(_) => Ok(expression),
            Err(_) => Err(Reader { text, rest: text, depth: 0 }.too_deep()),
        }
    }
}

/// The whole of a text.
fn read(text: &str) -> Result<Part, BadValue> {
    let mut reader = Reader { text, rest: text.trim_start(), depth: 0 };
    let root = match reader.together()? {
        Some(root) => root,
        None => reader.any()?,
    };
    if !reader.rest.is_empty() {
        let remedy = match reader.rest.chars().next() {
            Some('&' | '|') => "join conditions with `and` and `or`",
            Some('+' | '*' | '/') => {
                "there is no arithmetic; put a name with a sign between backticks"
            }
            _ => "put a name with spaces or signs between backticks, and a text between quotes",
        };
        return Err(reader.refuse("text follows the expression", remedy));
    }
    Ok(root)
}

/// A name and the expression after it: `age10 = band(age, 10)`.
///
/// # Errors
/// When there is no name, no `=`, or the expression cannot be read.
pub fn named(text: &str) -> Result<(String, Expression), BadValue> {
    let mut reader = Reader { text, rest: text.trim_start(), depth: 0 };
    let remedy = "write a derived variable as `age10 = band(age, 10)`";
    let name = match reader.name()? {
        Some(name) if !name.is_empty() => name,
        _ => return Err(reader.refuse("the name of the derived variable is expected", remedy)),
    };
    if reader.rest.starts_with("==") || !reader.take("=") {
        return Err(reader.refuse("behind the name a `=` is expected", remedy));
    }
    Ok((name, reader.rest.parse()?))
}

/// What is left of the text; never begins with a space.
struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
    depth: usize,
}

impl<'a> Reader<'a> {
    /// What the members of a household are together, where the expression begins with it.
    fn together(&mut self) -> Result<Option<Part>, BadValue> {
        let (at, back) = (self.place(), self.rest);
        let begins = |reader: &mut Self, how: &Together| {
            let found = reader.take_word(how.function()) && reader.take("(");
            if !found {
                reader.rest = back;
            }
            found
        };
        let Some(how) = Together::ALL.into_iter().find(|how| begins(self, how)) else {
            return Ok(None);
        };
        let mut of = Vec::new();
        if !self.take(")") {
            of.push(self.any()?);
            while self.next_argument(at)? {
                of.push(self.any()?);
            }
        }
        let fits = match how {
            Together::Size => of.is_empty(),
            Together::Count | Together::Any => of.len() == 1,
            Together::Members => !of.is_empty(),
        };
        if !fits {
            let (detail, remedy) = match how {
                Together::Size => ("`size` takes nothing", "write `size()`"),
                Together::Members => ("`members` takes columns", "write `members(age, sex)`"),
                Together::Count => ("`count` takes a condition", "write `count(age < 18)`"),
                Together::Any => ("`any` takes a condition", "write `any(age >= 65)`"),
            };
            return Err(self.refuse_at(at, detail, remedy));
        }
        if matches!(how, Together::Count | Together::Any) {
            self.must_be_condition(&of[0])?;
        }
        Ok(Some(Part { what: What::Together { how, of }, at }))
    }

    /// Conditions joined with `or`, or a value.
    fn any(&mut self) -> Result<Part, BadValue> {
        self.deeper()?;
        let found = self.joined("or", |reader| reader.joined("and", Self::negation));
        self.depth -= 1;
        found
    }

    /// One level deeper, if there is room.
    fn deeper(&mut self) -> Result<(), BadValue> {
        if self.depth == DEEPEST {
            return Err(self.too_deep());
        }
        self.depth += 1;
        Ok(())
    }

    fn too_deep(&self) -> BadValue {
        self.refuse(
            "too many parts lie in each other",
            "give a part of the expression a name of its own",
        )
    }

    /// Conditions that a word joins, or the one thing there is.
    fn joined(
        &mut self,
        word: &str,
        next: impl Fn(&mut Self) -> Result<Part, BadValue>,
    ) -> Result<Part, BadValue> {
        let at = self.place();
        let first = next(self)?;
        let mut all = vec![first];
        while self.take_word(word) {
            all.push(next(self)?);
        }
        if all.len() == 1 {
            return Ok(all.remove(0));
        }
        for part in &all {
            self.must_be_condition(part)?;
        }
        let what = if word == "or" { What::Or(all) } else { What::And(all) };
        Ok(Part { what, at })
    }

    fn negation(&mut self) -> Result<Part, BadValue> {
        let (at, before) = (self.place(), self.depth);
        while self.take_word("not") {
            self.deeper()?;
        }
        let mut part = self.comparison()?;
        if self.depth > before {
            self.must_be_condition(&part)?;
        }
        for _ in before..std::mem::replace(&mut self.depth, before) {
            part = Part { what: What::Not(Box::new(part)), at };
        }
        Ok(part)
    }

    /// A value, or a comparison of two, or of three as in `18 <= age < 65`.
    fn comparison(&mut self) -> Result<Part, BadValue> {
        let at = self.place();
        let left = self.value()?;
        let back = self.rest;
        let negated = self.take_word("not");
        if self.take_word("in") {
            let values = self.set()?;
            return Ok(Part { what: What::Among { of: Box::new(left), values, negated }, at });
        }
        self.rest = back;
        let Some(how) = self.sign() else { return Ok(left) };
        let right = self.value()?;
        self.must_compare(&left, how, &right)?;
        let first = |right: Part| Part {
            what: What::Compare { left: Box::new(left), how, right: Box::new(right) },
            at,
        };
        let Some(then) = self.sign() else { return Ok(first(right)) };
        let last = self.value()?;
        self.must_compare(&right, then, &last)?;
        if !how.orders() || !then.orders() {
            return Err(self.refuse_at(at, "two comparisons in a row", "join them with `and`"));
        }
        let middle = Box::new(right.clone());
        let second = What::Compare { left: middle, how: then, right: Box::new(last) };
        let second = Part { at: right.at, what: second };
        Ok(Part { what: What::And(vec![first(right), second]), at })
    }

    fn sign(&mut self) -> Option<Comparison> {
        const SIGNS: [(&str, Comparison); 8] = [
            ("==", Comparison::Equal),
            ("=", Comparison::Equal),
            ("!=", Comparison::Unequal),
            ("<>", Comparison::Unequal),
            ("<=", Comparison::AtMost),
            ("<", Comparison::Below),
            (">=", Comparison::AtLeast),
            (">", Comparison::Above),
        ];
        SIGNS.into_iter().find(|(sign, _)| self.take(sign)).map(|(_, how)| how)
    }

    fn value(&mut self) -> Result<Part, BadValue> {
        let at = self.place();
        match self.rest.chars().next() {
            Some('(') => {
                self.skip(1);
                let inner = self.any()?;
                self.close(")", at)?;
                Ok(inner)
            }
            Some('"' | '\'') => Ok(Part { what: What::Text(self.quoted()?), at }),
            Some(sign) if sign.is_ascii_digit() || matches!(sign, '-' | '+' | '.') => {
                Ok(Part { what: What::Number(self.number()?), at })
            }
            _ => {
                let plain = !self.rest.starts_with('`');
                let name = match self.name()? {
                    Some(name) if plain && ["and", "or", "not", "in"].contains(&&*name) => None,
                    found => found,
                };
                let Some(name) = name else {
                    return Err(self.refuse_at(
                        at,
                        "a column, a number or a text is expected",
                        "put a name with spaces or signs between backticks, and a text between quotes",
                    ));
                };
                if plain && self.rest.starts_with('(') {
                    self.skip(1);
                    return self.call(&name, at);
                }
                Ok(Part { what: What::Name(name), at })
            }
        }
    }

    /// What follows `name(`.
    fn call(&mut self, function: &str, at: usize) -> Result<Part, BadValue> {
        let what = match function {
            "band" => self.band(at)?,
            "map" => self.map(at)?,
            "prefix" => self.prefix(at)?,
            "if" => self.choice(at)?,
            "size" | "count" | "any" | "members" => {
                return Err(self.refuse_at(
                    at,
                    "what is taken of a whole household is an expression by itself",
                    "give it a name of its own, as in `kids = count(age < 18)`",
                ));
            }
            _ => {
                return Err(self.refuse_at(
                    at,
                    "this function is unknown",
                    "the functions are `band`, `map`, `prefix` and `if`",
                ));
            }
        };
        Ok(Part { what, at })
    }

    fn band(&mut self, at: usize) -> Result<What, BadValue> {
        const HOW: &str = "write `band(age, 10)`, `band(age, 10, bottom = 20, top = 80)` or \
                           `band(income, 0, 10000, 20000)`";
        let of = self.value_of("band", at)?;
        let (mut numbers, mut names) = (Vec::new(), Vec::new());
        let (mut bottom, mut top, mut missing) = (None, None, None);
        while self.next_argument(at)? {
            let place = self.place();
            let option = |reader: &mut Self, word: &str| {
                let back = reader.rest;
                let found = reader.take_word_before(word, "=");
                if !found {
                    reader.rest = back;
                }
                found
            };
            if option(self, "bottom") {
                bottom = Some(self.number()?);
            } else if option(self, "top") {
                top = Some(self.number()?);
            } else if option(self, "missing") {
                missing = Some(self.codes()?);
            } else if self.rest.starts_with(['"', '\'']) {
                names.push(self.quoted()?);
            } else if names.is_empty() && !self.rest.starts_with(begins_name) {
                numbers.push(self.number()?);
            } else {
                return Err(self.refuse_at(place, "this is not a bound of a class", HOW));
            }
        }
        let refuse = |detail: &str| Err(self.refuse_at(at, detail, HOW));
        let bands = match &numbers[..] {
            [] => return refuse("`band` needs a width or bounds"),
            [width] if names.is_empty() => {
                if !width.is_positive() {
                    return refuse("the width of a class is above zero");
                }
                if bottom.zip(top).is_some_and(|(bottom, top)| bottom >= top) {
                    return refuse("`bottom` is below `top`");
                }
                Bands::Width { width: *width, bottom, top }
            }
            bounds => {
                if bottom.is_some() || top.is_some() {
                    return refuse("`bottom` and `top` go with a width; bounds have both already");
                }
                if !bounds.is_sorted_by(|one, next| one < next) {
                    return refuse("the bounds of classes rise");
                }
                if !names.is_empty() && names.len() != bounds.len() + 1 {
                    return refuse("there is one name more than there are bounds");
                }
                Bands::Bounds { bounds: numbers, names }
            }
        };
        Ok(What::Band { of, bands, missing })
    }

    fn map(&mut self, at: usize) -> Result<What, BadValue> {
        const HOW: &str = "write `map(municipality, \"geo.csv\", \"region\")`";
        let of = self.value_of("map", at)?;
        let (mut texts, mut key) = (Vec::new(), None);
        while self.next_argument(at)? {
            if self.take_word_before("key", "=") {
                key = Some(self.quoted()?);
            } else if self.rest.starts_with(['"', '\'']) {
                texts.push(self.quoted()?);
            } else {
                return Err(self.refuse("a text between quotes is expected", HOW));
            }
        }
        let Ok([written, column]) = <[String; 2]>::try_from(texts) else {
            return Err(self.refuse_at(at, "`map` takes a column, a file and a column of it", HOW));
        };
        Ok(What::Map { of, file: PathBuf::from(&written), written, column, key })
    }

    fn prefix(&mut self, at: usize) -> Result<What, BadValue> {
        const HOW: &str = "write `prefix(nuts3, 4)`";
        let of = self.value_of("prefix", at)?;
        let mut numbers = Vec::new();
        while self.next_argument(at)? {
            numbers.push(self.number()?);
        }
        let characters = match numbers[..] {
            [number] if number.is_whole() && number.is_positive() => number.to_string().parse(),
            _ => "".parse(),
        };
        match characters {
            Ok(characters) => Ok(What::Prefix { of, characters }),
            Err(_) => {
                Err(self.refuse_at(at, "`prefix` takes a column and a number of characters", HOW))
            }
        }
    }

    fn choice(&mut self, at: usize) -> Result<What, BadValue> {
        let mut parts = vec![self.any()?];
        while self.next_argument(at)? {
            parts.push(self.any()?);
        }
        let Ok([condition, then, otherwise]) = <[Part; 3]>::try_from(parts) else {
            return Err(self.refuse_at(
                at,
                "`if` takes a condition and two values",
                "write `if(age >= 18, occupation, \"none\")`",
            ));
        };
        self.must_be_condition(&condition)?;
        let [condition, then, otherwise] = [condition, then, otherwise].map(Box::new);
        Ok(What::If { condition, then, otherwise })
    }

    /// The first argument of a function: a value.
    fn value_of(&mut self, function: &str, at: usize) -> Result<Box<Part>, BadValue> {
        if self.rest.starts_with([')', ',']) {
            let detail = format!("`{function}` takes a column first");
            return Err(self.refuse_at(at, &detail, "name the column"));
        }
        self.any().map(Box::new)
    }

    /// Is there another argument? Otherwise the parenthesis is closed.
    fn next_argument(&mut self, opened: usize) -> Result<bool, BadValue> {
        if self.take(",") {
            return Ok(true);
        }
        self.close(")", opened).map(|()| false)
    }

    fn close(&mut self, sign: &str, opened: usize) -> Result<(), BadValue> {
        if self.take(sign) {
            return Ok(());
        }
        let detail = format!("the parenthesis of character {opened} is not closed here");
        Err(self.refuse(&detail, "close it, and put commas between arguments"))
    }

    /// Texts and numbers between braces.
    fn set(&mut self) -> Result<Vec<Part>, BadValue> {
        let (opened, closing) = (self.place(), self.opening()?);
        let mut values = Vec::new();
        loop {
            let at = self.place();
            let what = match self.rest.starts_with(['"', '\'']) {
                true => What::Text(self.quoted()?),
                false => What::Number(self.number()?),
            };
            values.push(Part { what, at });
            if !self.take(",") {
                self.close(closing, opened)?;
                return Ok(values);
            }
        }
    }

    /// Codes between brackets; a number is a code too.
    fn codes(&mut self) -> Result<Vec<String>, BadValue> {
        let (opened, closing) = (self.place(), self.opening()?);
        let mut codes = Vec::new();
        loop {
            codes.push(match self.rest.starts_with(['"', '\'']) {
                true => self.quoted()?,
                false => {
                    let begins = self.rest;
                    self.number()?;
                    begins[..begins.len() - self.rest.len()].trim_end().to_owned()
                }
            });
            if !self.take(",") {
                self.close(closing, opened)?;
                return Ok(codes);
            }
        }
    }

    fn opening(&mut self) -> Result<&'static str, BadValue> {
        for (opening, closing) in [("{", "}"), ("[", "]"), ("(", ")")] {
            if self.take(opening) {
                return Ok(closing);
            }
        }
        Err(self.refuse("a list of values is expected", "write them as {\"a\", \"b\"}"))
    }

    fn number(&mut self) -> Result<Decimal, BadValue> {
        let signs = |sign: char| sign.is_ascii_digit() || matches!(sign, '.' | '-' | '+');
        let end = self.rest.find(|sign| !signs(sign)).unwrap_or(self.rest.len());
        let behind = self.rest[end..].starts_with(begins_name);
        match Decimal::read(&self.rest.as_bytes()[..end]) {
            Some(number) if !behind => {
                self.skip(end);
                Ok(number)
            }
            _ => Err(self.refuse(
                "a number is expected",
                "write it with a decimal point, and at most 18 digits before and behind it",
            )),
        }
    }

    /// A name, with or without backticks; `None` where none begins.
    fn name(&mut self) -> Result<Option<String>, BadValue> {
        if self.rest.starts_with('`') {
            return self.between('`').map(Some);
        }
        if !self.rest.starts_with(begins_name) {
            return Ok(None);
        }
        let end = self.rest.find(|sign| !continues_name(sign)).unwrap_or(self.rest.len());
        let name = self.rest[..end].to_owned();
        self.skip(end);
        Ok(Some(name))
    }

    fn quoted(&mut self) -> Result<String, BadValue> {
        match self.rest.chars().next() {
            Some(sign @ ('"' | '\'')) => self.between(sign),
            _ => Err(self.refuse("a text between quotes is expected", "put it between quotes")),
        }
    }

    /// What is between two of these signs; a doubled one is the sign itself.
    fn between(&mut self, sign: char) -> Result<String, BadValue> {
        if let Some((inner, rest)) = between(self.rest, sign) {
            self.rest = rest.trim_start();
            return Ok(inner);
        }
        let what = if sign == '`' { "a backtick" } else { "a quote" };
        let remedy = "close it; one that belongs to the text is doubled";
        Err(self.refuse(&format!("{what} is not closed"), remedy))
    }

    fn must_be_condition(&self, part: &Part) -> Result<(), BadValue> {
        // A name may be that of a derived condition; whether it is, is decided later.
        match part.is_condition() || matches!(part.what, What::Name(_)) {
            true => Ok(()),
            false => Err(self.refuse_at(
                part.at,
                "a condition is expected",
                "compare a value, as in `age >= 18` or `sex = \"f\"`",
            )),
        }
    }

    fn must_compare(&self, left: &Part, how: Comparison, right: &Part) -> Result<(), BadValue> {
        let text = |part: &&Part| matches!(part.what, What::Text(_));
        if how.orders()
            && let Some(text) = [left, right].into_iter().find(text)
        {
            return Err(self.refuse_at(
                text.at,
                "text has no order",
                "write a number without quotes, or compare text with `=`, `!=` or `in`",
            ));
        }
        Ok(())
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = self.rest.starts_with(sign);
        if found {
            self.skip(sign.len());
        }
        found
    }

    /// Takes a word, if no longer name begins here.
    fn take_word(&mut self, word: &str) -> bool {
        let behind = self.rest.strip_prefix(word);
        behind.is_some_and(|behind| !behind.starts_with(continues_name)) && self.take(word)
    }

    /// Takes a word and the sign after it.
    fn take_word_before(&mut self, word: &str, sign: &str) -> bool {
        let back = self.rest;
        let found = self.take_word(word) && self.take(sign);
        if !found {
            self.rest = back;
        }
        found
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest[bytes..].trim_start();
    }

    /// The character at which the rest begins, from 1.
    fn place(&self) -> usize {
        self.text[..self.text.len() - self.rest.len()].chars().count() + 1
    }

    fn refuse(&self, detail: &str, remedy: &str) -> BadValue {
        self.refuse_at(self.place(), detail, remedy)
    }

    fn refuse_at(&self, place: usize, detail: &str, remedy: &str) -> BadValue {
        BadValue::new(format!("{detail}, at character {place} of the expression"), remedy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read can be written and read again.
    #[test]
    fn law_expressions_come_back() {
        for (text, again) in [
            ("band(age,10)", "band(age, 10)"),
            ("band( age , 10 , top=80 , bottom = 20)", "band(age, 10, bottom = 20, top = 80)"),
            ("band(income, 0, 10000, 20000)", "band(income, 0, 10000, 20000)"),
            ("band(age, 18, 65, 'y', 'm', 'o')", "band(age, 18, 65, \"y\", \"m\", \"o\")"),
            ("band(x, -1.50, 0)", "band(x, -1.5, 0)"),
            (
                "band(age, 10, missing = ['', \"NA\", 99])",
                "band(age, 10, missing = [\"\", \"NA\", \"99\"])",
            ),
            ("map(town, 'geo.csv', 'region')", "map(town, \"geo.csv\", \"region\")"),
            (
                "map(town, 'geo.csv', 'region', key='code')",
                "map(town, \"geo.csv\", \"region\", key = \"code\")",
            ),
            ("prefix(nuts3,4)", "prefix(nuts3, 4)"),
            ("if(age>=18,occupation,\"none\")", "if(age >= 18, occupation, \"none\")"),
            ("age >= 18 and sex = \"f\"", "age >= 18 and sex = \"f\""),
            ("a = 1 or b = 2 and not c = 3", "a = 1 or (b = 2 and not (c = 3))"),
            ("(a = 1 or b = 2) and c = 3", "(a = 1 or b = 2) and c = 3"),
            ("18 <= age < 65", "18 <= age and age < 65"),
            ("age == 7", "age = 7"),
            ("age <> 7", "age != 7"),
            ("sex in {'f','m'}", "sex in {\"f\", \"m\"}"),
            ("sex not in ['f', 3]", "sex not in {\"f\", 3}"),
            ("`born in` = 'it''s'", "`born in` = \"it's\""),
            ("`in` = \"a\"\"b\"", "`in` = \"a\"\"b\""),
            ("marital-status = \"x\"", "marital-status = \"x\""),
            ("größe >= 1.5", "größe >= 1.5"),
            ("`2010` = 1", "`2010` = 1"),
            ("adult", "adult"),
            ("not adult", "not adult"),
            ("`band`", "band"),
            ("notable = 1", "notable = 1"),
            ("if(adult, band(age, 10), 'child')", "if(adult, band(age, 10), \"child\")"),
            ("size( )", "size()"),
            ("count(age<18)", "count(age < 18)"),
            ("any(sex='f' and age>=65)", "any(sex = \"f\" and age >= 65)"),
            ("members(age10,sex)", "members(age10, sex)"),
            ("members(band(age, 10))", "members(band(age, 10))"),
            ("size = 3", "size = 3"),
        ] {
            let expression: Expression =
                text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(expression.to_string(), again);
            assert_eq!(again.parse::<Expression>().unwrap(), expression, "{again}");
        }
    }

    /// Whatever lies in each other is read up to a depth, and what is read comes back.
    #[test]
    fn depth_is_limited() {
        type Nested = fn(usize) -> String;
        let nested: [Nested; 5] = [
            |depth| format!("{}a = 1", "not ".repeat(depth)),
            |depth| format!("{}a = 1{}", "not (".repeat(depth), ")".repeat(depth)),
            |depth| format!("{}a = 1{}", "(".repeat(depth), ")".repeat(depth)),
            |depth| format!("{}a{}", "band(".repeat(depth), ", 1)".repeat(depth)),
            |depth| format!("{}a = 1{}", "a = 1 or a = 1 and (".repeat(depth), ")".repeat(depth)),
        ];
        for text in nested {
            let read = |depth| text(depth).parse::<Expression>();
            assert!(read(16).is_ok(), "{}", text(16));
            for depth in 1..2 * DEEPEST {
                let Ok(expression) = read(depth) else { continue };
                assert_eq!(expression.to_string().parse::<Expression>().unwrap(), expression);
            }
            for depth in [DEEPEST, 20_000] {
                let refusal = read(depth).unwrap_err();
                assert!(refusal.detail.contains("lie in each other"), "{}", refusal.detail);
            }
        }
    }

    #[test]
    fn a_flag_gives_the_name_first() {
        let (name, expression) = named("age10 = band(age, 10)").unwrap();
        assert_eq!((name.as_str(), expression.to_string().as_str()), ("age10", "band(age, 10)"));
        let (name, expression) = named("`five year`= age = 5").unwrap();
        assert_eq!((name.as_str(), expression.to_string().as_str()), ("five year", "age = 5"));
        for text in ["", "age10", "= band(age, 10)", "a == 3", "`` = age", "a b = age", "a ="] {
            assert!(named(text).is_err(), "{text}");
        }
    }

    #[test]
    fn slips_are_refused_with_their_place_and_without_a_value() {
        for (text, place, detail) in [
            ("", 1, "a column, a number or a text is expected"),
            ("band(age)", 1, "`band` needs a width or bounds"),
            ("band()", 1, "`band` takes a column first"),
            ("band(age, 0)", 1, "the width of a class is above zero"),
            ("band(age, -10)", 1, "the width of a class is above zero"),
            ("band(age, 20, 10)", 1, "the bounds of classes rise"),
            ("band(age, 10, 20, top = 30)", 1, "`bottom` and `top` go with a width"),
            ("band(age, 10, bottom = 30, top = 20)", 1, "`bottom` is below `top`"),
            ("band(age, 10, 20, \"CANARY\")", 1, "there is one name more than there are bounds"),
            ("band(age, ten)", 11, "this is not a bound of a class"),
            ("band(age, 1o)", 11, "a number is expected"),
            ("band(age 10)", 10, "the parenthesis of character 1 is not closed here"),
            ("x = \"CANARY", 5, "a quote is not closed"),
            ("`x = 1", 1, "a backtick is not closed"),
            ("map(town, \"CANARY\")", 1, "`map` takes a column, a file and a column of it"),
            ("map(town, geo.csv, region)", 11, "a text between quotes is expected"),
            ("prefix(nuts3)", 1, "`prefix` takes a column and a number of characters"),
            ("prefix(nuts3, 1.5)", 1, "`prefix` takes a column and a number of characters"),
            ("if(age >= 18, a)", 1, "`if` takes a condition and two values"),
            ("if(\"CANARY\", a, b)", 4, "a condition is expected"),
            ("age >= \"CANARY\"", 8, "text has no order"),
            ("age = 1 & sex = 2", 9, "text follows the expression"),
            ("age + 1", 5, "text follows the expression"),
            ("marital status = 1", 9, "text follows the expression"),
            ("age in 3", 8, "a list of values is expected"),
            ("age in {CANARY}", 9, "a number is expected"),
            ("log(age)", 1, "this function is unknown"),
            ("size(age)", 1, "`size` takes nothing"),
            ("count()", 1, "`count` takes a condition"),
            ("count(age < 18, age > 3)", 1, "`count` takes a condition"),
            ("any(\"CANARY\")", 5, "a condition is expected"),
            ("members()", 1, "`members` takes columns"),
            ("count(age < 18) = 2", 17, "text follows the expression"),
            ("if(count(age < 18) = 2, a, b)", 4, "what is taken of a whole household"),
            ("band(age, 10) and 3", 1, "a condition is expected"),
            ("a = 1 = 2", 1, "two comparisons in a row"),
            ("and", 1, "a column, a number or a text is expected"),
            ("größe = 5 and", 14, "a column, a number or a text is expected"),
        ] {
            let error = text.parse::<Expression>().expect_err(text).to_string();
            let place = format!(", at character {place} of the expression");
            assert!(error.starts_with(detail) && error.contains(&place), "{text}: {error}");
            assert!(!error.contains("CANARY"), "{error}");
        }
        let deep = format!("{}a{}", "(".repeat(5_000), ")".repeat(5_000));
        assert!(deep.parse::<Expression>().unwrap_err().to_string().contains("too many"));
    }
}

//! The settings as a page of the documentation.

use std::fmt::Write;

use super::{Heading, Kind, SETTINGS, Setting};

/// The sections in order, with what each is about.
pub(crate) const SECTIONS: [(&str, &str); 12] = [
    ("", "The data"),
    ("columns", "What each column is"),
    ("derive", "Variables that follow from columns"),
    ("unit", "What is swapped: records, or whole households"),
    ("keep", "The tables that must not change"),
    ("risk", "Who is to be protected"),
    ("swap", "How records are swapped"),
    ("verify", "What a released file is checked against beside the original"),
    ("gate", "What the gate tolerates; amounts are people, or shares of those at risk"),
    ("release", "What is written"),
    ("report", "Reports on the release"),
    ("trs", "Targeted record swapping, by the parameters of `recordSwap`"),
];

/// `docs/settings.md`.
#[must_use]
pub fn page() -> String {
    let mut page = String::from(
        "# Settings\n\n\
         Every setting of marginswap: its entry in the project file `marginswap.toml`, its flag, what it\n\
         takes and what holds without it, under the headings of `marginswap protect --help`; `-h` shows what a\n\
         first job needs. A flag overrides the entry. [project-file.md](project-file.md) explains the project\n\
         file, amounts and rules. This page is written from the table of settings in\n\
         `crates/pipeline/src/settings/table.rs`.\n",
    );
    for heading in Heading::ALL {
        let _ = write!(page, "\n## {heading}\n\n");
        page.push_str("| section | entry | flag | takes | default | what it does |\n|---|---|---|---|---|---|\n");
        for setting in SETTINGS.iter().filter(|setting| setting.heading() == heading) {
            let section = setting.page_section();
            let section = if section.is_empty() { String::new() } else { format!("`[{section}]`") };
            let _ = writeln!(
                page,
                "| {section} | `{}` | {} | {} | {} | {} |",
                if setting.kind == Kind::Derived { "NAME" } else { setting.name },
                flag(setting),
                takes(setting.kind),
                setting.default,
                setting.help.replace('|', "\\|")
            );
        }
    }
    page
}

fn flag(setting: &Setting) -> String {
    match (setting.name, setting.flag) {
        ("data", _) => "`DATA`".to_owned(),
        ("out", _) => "`-o`, `--out`".to_owned(),
        (_, "") => "—".to_owned(),
        (_, flag) => format!("`--{flag}`"),
    }
}

fn takes(kind: Kind) -> &'static str {
    match kind {
        Kind::Names => "list of columns",
        Kind::Name => "column",
        Kind::Groups => "lists of columns",
        Kind::Tables => "list of tables",
        Kind::NamedTables => "table for each name",
        Kind::Rules => "list of rules",
        Kind::Path => "path",
        Kind::Files => "list of files",
        Kind::Text(_) => "text or number",
        Kind::Switch => "true or false",
        Kind::Widths => "width for each column",
        Kind::Numbers => "number for each column",
        Kind::Scenarios => "keys, or keys and sensitive, for each name",
        Kind::Codes => "list of codes",
        Kind::Derived => "expression",
    }
}

//! The four statements by which an engine carries out a job that no machine can hold.
//!
//! | statement | what it does |
//! |---|---|
//! | *cells* | counts the records of every cell |
//! | *changes* | numbers the records of the cells that a plan takes from, by id, and gives each
//! chosen one its new values |
//! | *release* | the table with these values in place, in the order of what is released |
//! | *verify* | the cells of a table that two tables do not have equally often |
//!
//! The planner says "record 3 of this cell": its choice is a number within the cell, so that no
//! hash and no seed goes into a statement. The moves are a table next to the data, never literals:
//! a log of queries tells nothing. Engines differ in the sign between which names are quoted.
//!
//! Where households are swapped, three more: *homes* finds out how large they are, *kinds* counts
//! households by the cells of their members, and the changes are found by household and member.
//! The cells are numbered here and lie beside the data as a table, like the moves.
//!
//! Traps. The records of a released table are sorted by all that is released: an engine that
//! writes changed rows last, or leaves them in their files, would give the swaps away.
//! `a IS NOT DISTINCT FROM b AND c` is read in two ways by engines, so it is always in
//! parentheses; where a column has no NULL, `=` joins faster. Names that begin with `ms_` are ours.
//!
//! Way in: [`Statements::new`].

use std::collections::BTreeSet;
use std::fmt::Write;
use std::str::FromStr;

use marginswap_core::columns::{Role, Roles, did_you_mean};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::graph::Formula;

use crate::project::Project;
use crate::refusal::Code;

/// An engine's way to write SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// DuckDB.
    DuckDb,
    /// Apache Spark, and what speaks its Connect protocol.
    Spark,
    /// PostgreSQL.
    Postgres,
    /// Apache DataFusion.
    DataFusion,
}

impl Dialect {
    /// All of them, by name.
    pub const ALL: [(&'static str, Self); 4] = [
        ("duckdb", Self::DuckDb),
        ("spark", Self::Spark),
        ("postgres", Self::Postgres),
        ("datafusion", Self::DataFusion),
    ];

    /// A name between quotes, whatever signs it has.
    #[must_use]
    pub fn quoted(self, name: &str) -> String {
        let sign = if self == Self::Spark { '`' } else { '"' };
        let doubled = name.replace(sign, &format!("{sign}{sign}"));
        format!("{sign}{doubled}{sign}")
    }
}

impl FromStr for Dialect {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(name, _)| *name == text);
        found.map(|(_, dialect)| *dialect).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|(name, _)| *name).collect();
            format!("write one of {}", names.join(", "))
        })
    }
}

/// How names of ours begin; no column may.
pub const PREFIX: &str = "ms_";

/// The statements for one table.
#[derive(Debug, Clone)]
pub struct Statements {
    dialect: Dialect,
    /// All columns of the table.
    columns: Vec<String>,
    /// Those that make a cell.
    cell: Vec<String>,
    /// The column that names a record; counting needs none.
    id: Option<String>,
    /// The column that names its household.
    household: Option<String>,
    /// Do households keep their names?
    keeps_names: bool,
    /// Columns that are not released.
    dropped: BTreeSet<String>,
    /// Columns of the cell that have no NULL.
    not_null: BTreeSet<String>,
}

impl Statements {
    /// The statements for a table with these columns, one of which names the records: what changes
    /// them needs it. The roles
    /// that a project gives them decide which make a cell: all but the id and those ignored.
    ///
    /// # Errors
    /// When names differ only in capitals, begin with `ms_`, or are not columns.
    pub fn new(
        dialect: Dialect,
        columns: &[String],
        id: Option<&str>,
        project: &Project,
        not_null: &[String],
    ) -> Result<Self, Diagnostic> {
        check_names(columns)?;
        let told = &project.columns;
        let id_name = id.map(str::to_owned);
        let find = |name: &String| match columns.contains(name) {
            true => Ok(()),
            false => Err(Diagnostic::new(
                Code::UnknownColumn,
                format!("`{name}` is not a column of the table"),
                did_you_mean(name, columns),
            )),
        };
        let named = id_name.iter().chain(&told.ignore).chain(&project.release.drop);
        named.chain(not_null).try_for_each(&find)?;
        let household = project.unit.household.clone();
        household.iter().try_for_each(&find)?;
        // What names households is no property of theirs.
        let mut ignore = told.ignore.clone();
        ignore.extend(household.clone().filter(|name| !told.ignore.contains(name)));
        let roles = Roles::assign(columns, &told.vars, &told.stay, &ignore, id_name.as_ref())?;
        let part = |position: &usize| roles.of(*position) != Role::Ignored;
        let cell: Vec<String> =
            (0..columns.len()).filter(part).map(|position| columns[position].clone()).collect();
        let mut dropped: BTreeSet<String> = project.release.drop.iter().cloned().collect();
        if project.release.release_id != Some(true) {
            dropped.extend(id_name.clone());
        }
        let takes_part = |name: &&String| dropped.contains(*name);
        if let Some(name) = cell.iter().chain(&household).find(takes_part) {
            return Err(Diagnostic::new(
                Code::TwoRoles,
                format!("`drop` names `{name}`, which takes part in swapping"),
                "drop only the id and ignored columns",
            ));
        }
        Ok(Self {
            dialect,
            columns: columns.to_vec(),
            cell,
            id: id_name,
            household,
            keeps_names: project.release.release_id == Some(true),
            dropped,
            not_null: not_null.iter().cloned().collect(),
        })
    }

    /// The columns that make a cell.
    #[must_use]
    pub fn cell(&self) -> &[String] {
        &self.cell
    }

    /// The released columns.
    #[must_use]
    pub fn released(&self) -> Vec<String> {
        self.columns.iter().filter(|name| !self.dropped.contains(*name)).cloned().collect()
    }

    /// The columns of the table.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The column that names households, where they are swapped.
    #[must_use]
    pub fn household(&self) -> Option<&str> {
        self.household.as_deref()
    }

    /// All of a table.
    #[must_use]
    pub fn all(&self, table: &str) -> String {
        format!("SELECT * FROM {}", self.table(table))
    }

    /// Does the id name every record once? The records, those with an id, and the different ids.
    #[must_use]
    pub fn ids(&self, table: &str) -> String {
        let id = self.quoted(self.id());
        format!(
            "SELECT COUNT(*) AS {}, COUNT({id}) AS {}, COUNT(DISTINCT {id}) AS {}\nFROM {}",
            self.quoted("ms_records"),
            self.quoted("ms_named"),
            self.quoted("ms_different"),
            self.table(table),
        )
    }

    /// Does a column of text group `a`, `A` and `a ` apart? Three, as `ms_groups`, where it does.
    /// No record is read: the column lends its collation.
    #[must_use]
    pub fn collation(&self, table: &str, column: &str) -> String {
        let column = self.quoted(column);
        format!(
            "SELECT COUNT(*) AS {groups}\nFROM (\n  SELECT {column} FROM (\n    SELECT {column} FROM \
             {table} WHERE 1 = 0\n    UNION ALL SELECT 'a'\n    UNION ALL SELECT 'A'\n    UNION ALL \
             SELECT 'a '\n  ) AS p\n  GROUP BY {column}\n) AS q",
            groups = self.quoted("ms_groups"),
            table = self.table(table),
        )
    }

    /// *cells*: how many records each cell has, as `ms_count`.
    #[must_use]
    pub fn cells(&self, table: &str) -> String {
        let cell = self.list("", &self.cell);
        format!(
            "SELECT {cell}, COUNT(*) AS {count}\nFROM {table}\nGROUP BY {cell}",
            count = self.quoted("ms_count"),
            table = self.table(table),
        )
    }

    /// *changes*: for each record that a plan changes its id and its new values. The moves have
    /// the old values as `ms_old_1`, …, the number within the cell from 0 as `ms_number`, and the
    /// new values as `ms_new_1`, ….
    #[must_use]
    pub fn changes(&self, table: &str, moves: &str) -> String {
        let (table, moves) = (self.table(table), self.table(moves));
        let cell = self.list("t", &self.cell);
        let old = |alias: &str| self.numbered(alias, "ms_old_");
        let new = self.numbered("m", "ms_new_");
        let id = self.of("t", self.id());
        let mut text = String::new();
        writeln!(text, "SELECT {}, {new}", self.of("r", "ms_id")).expect(TAKES);
        writeln!(text, "FROM (").expect(TAKES);
        writeln!(text, "  SELECT {id} AS {}, {cell},", self.quoted("ms_id")).expect(TAKES);
        writeln!(
            text,
            "    ROW_NUMBER() OVER (PARTITION BY {cell} ORDER BY {id}) - 1 AS {}",
            self.quoted("ms_number")
        )
        .expect(TAKES);
        writeln!(text, "  FROM {table} AS t").expect(TAKES);
        writeln!(text, "  JOIN (SELECT DISTINCT {} FROM {moves} AS m) AS c", old("m"))
            .expect(TAKES);
        writeln!(text, "    ON {}", self.same_cell("t", "c")).expect(TAKES);
        writeln!(text, ") AS r").expect(TAKES);
        writeln!(text, "JOIN {moves} AS m").expect(TAKES);
        write!(
            text,
            "  ON {} = {} AND {}",
            self.of("r", "ms_number"),
            self.of("m", "ms_number"),
            self.same_cell("r", "m")
        )
        .expect(TAKES);
        text
    }

    /// *release*: the released columns with the changes in place, sorted by all of them. Households
    /// of at most `most` members stay together and get new names: their numbers in that order.
    #[must_use]
    pub fn release(&self, table: &str, changes: &str, most: usize) -> String {
        let released = self.released();
        let is_home = |name: &String| self.household.as_ref() == Some(name);
        let values: Vec<String> = released.iter().map(|name| self.released_value(name)).collect();
        let from = format!(
            "FROM {} AS t\nLEFT JOIN {} AS n ON {} = {}",
            self.table(table),
            self.table(changes),
            self.of("t", self.id()),
            self.of("n", "ms_id"),
        );
        let Some(home) = self.household.as_ref().filter(|_| !self.keeps_names) else {
            let (homes, others): (Vec<&String>, Vec<&String>) =
                released.iter().partition(|name| is_home(name));
            let order: Vec<String> =
                homes.into_iter().chain(others).map(|name| self.quoted(name)).collect();
            return format!(
                "SELECT\n{}\n{from}\nORDER BY {}",
                values.join(",\n"),
                order.join(", ")
            );
        };
        let name = |name: &str| self.quoted(name);
        let [own, rank, place, number] = ["ms_home", "ms_rank", "ms_place", "ms_name"].map(name);
        let order: Vec<String> = released
            .iter()
            .filter(|name| !is_home(name))
            .map(|name| format!("f.{}", self.quoted(name)))
            .collect();
        let members: Vec<String> = (1..=most).map(|at| self.quoted(&format!("ms_{at}"))).collect();
        let member = |(at, member): (usize, &String)| {
            format!("MAX(CASE WHEN {place} = {at} THEN {rank} END) AS {member}")
        };
        let pivot: Vec<String> = (1..).zip(&members).map(member).collect();
        let shown = released.iter().map(|name| match is_home(name) {
            true => format!("  n.{number} AS {}", self.quoted(name)),
            false => format!("  r.{0} AS {0}", self.quoted(name)),
        });
        format!(
            "SELECT\n{shown}\nFROM (\n  SELECT f.*, DENSE_RANK() OVER (ORDER BY {order}) AS {rank} FROM \
             (\nSELECT {home} AS {own},\n{values}\n{from}) AS f\n) AS r\nJOIN (\n  SELECT {own}, \
             ROW_NUMBER() OVER (ORDER BY {members}) AS {number} FROM (\n    SELECT {own}, {pivot} FROM \
             (\n      SELECT {own}, {rank}, ROW_NUMBER() OVER (PARTITION BY {own} ORDER BY {rank}) AS \
             {place} FROM (\n        SELECT f.{own}, DENSE_RANK() OVER (ORDER BY {order}) AS {rank} FROM \
             (\nSELECT {home} AS {own},\n{values}\n{from}) AS f\n      ) AS a\n    ) AS b GROUP BY \
             {own}\n  ) AS c\n) AS n ON r.{own} = n.{own}\nORDER BY n.{number}, r.{rank}",
            shown = shown.collect::<Vec<_>>().join(",\n"),
            order = order.join(", "),
            home = self.of("t", home),
            values = values.join(",\n"),
            members = members.join(", "),
            pivot = pivot.join(", "),
        )
    }

    /// The released value of a column of the table `t` with the changes `n`.
    fn released_value(&self, name: &str) -> String {
        let own = self.of("t", name);
        let value = match self.cell.iter().position(|other| other == name) {
            Some(place) => {
                let new = self.of("n", &format!("ms_new_{}", place + 1));
                format!("CASE WHEN {} IS NULL THEN {own} ELSE {new} END", self.of("n", "ms_id"))
            }
            None => own,
        };
        format!("  {value} AS {}", self.quoted(name))
    }

    /// *homes*: how many records have no household, as `ms_without`, and how many members the
    /// largest household has, as `ms_most`; of `texts`, an empty one names no household.
    ///
    /// # Panics
    /// When no column names households.
    #[must_use]
    pub fn homes(&self, table: &str, texts: bool) -> String {
        let home = self.quoted(self.household.as_deref().expect(HAS_HOMES));
        let blank = match texts {
            true => format!("{home} IS NULL OR {home} = ''"),
            false => format!("{home} IS NULL"),
        };
        let name = |name: &str| self.quoted(name);
        let [without, most, blanks, members] =
            ["ms_without", "ms_most", "ms_blanks", "ms_members"].map(name);
        format!(
            "SELECT SUM({blanks}) AS {without}, MAX({members}) AS {most}\nFROM (\n  SELECT SUM(CASE \
             WHEN {blank} THEN 1 ELSE 0 END) AS {blanks}, COUNT(*) AS {members}\n  FROM {}\n  GROUP BY \
             {home}\n) AS h",
            self.table(table),
        )
    }

    /// *kinds*: how many households have these cells of their members, as `ms_1`, … for at most `most`
    /// of them, with `ms_count`. `cells` has the cells as `ms_old_1`, … and their numbers as `ms_code`.
    ///
    /// # Panics
    /// When no column names households.
    #[must_use]
    pub fn kinds(&self, table: &str, cells: &str, most: usize) -> String {
        let members = self.members("", "ms_", most);
        format!(
            "SELECT {members}, COUNT(*) AS {count}\nFROM (\n{houses}\n) AS h\nGROUP BY {members}",
            count = self.quoted("ms_count"),
            houses = self.houses(&self.persons(table, cells, ""), most),
        )
    }

    /// *changes* of households: for each record that a plan changes its id and its new values. The
    /// moves have the cells of the household's members as `ms_kind_1`, …, which of the households of
    /// that kind it is as `ms_number`, which member as `ms_member`, and the new values.
    ///
    /// # Panics
    /// When no column names households.
    #[must_use]
    pub fn changes_in_homes(&self, table: &str, cells: &str, moves: &str, most: usize) -> String {
        let id = format!(", {}", self.of("t", self.id()));
        let (home, number) = (self.quoted("ms_home"), self.quoted("ms_number"));
        let same = (1..=most).map(|at| {
            let [kind, member] = ["ms_kind_", "ms_"].map(|name| format!("{name}{at}"));
            format!("(n.{} IS NOT DISTINCT FROM m.{})", self.quoted(&member), self.quoted(&kind))
        });
        let persons = self.persons(table, cells, &id);
        format!(
            "SELECT p.{ms_id}, {new}\nFROM (\n{persons}\n) AS p\nJOIN (\n  SELECT {home}, {members}, \
             ROW_NUMBER() OVER (PARTITION BY {members} ORDER BY {home}) - 1 AS {number}\n  FROM \
             (\n{houses}\n) AS h\n) AS n ON n.{home} = p.{home}\nJOIN {moves} AS m\n  ON n.{number} = \
             m.{number} AND p.{member} = m.{member} AND {same}",
            ms_id = self.quoted("ms_id"),
            new = self.numbered("m", "ms_new_"),
            members = self.members("", "ms_", most),
            houses = self.houses(&persons, most),
            moves = self.table(moves),
            member = self.quoted("ms_member"),
            same = same.collect::<Vec<_>>().join(" AND "),
        )
    }

    /// The records with their household, the number of their cell, and which member they are; `id` is
    /// one more column that tells members of one cell apart.
    fn persons(&self, table: &str, cells: &str, id: &str) -> String {
        let home = self.of("t", self.household.as_deref().expect(HAS_HOMES));
        let code = self.of("c", "ms_code");
        let ms_id = match id {
            "" => String::new(),
            id => format!("{id} AS {}", self.quoted("ms_id")),
        };
        format!(
            "  SELECT {home} AS {ms_home}{ms_id}, {code} AS {ms_code}, ROW_NUMBER() OVER (PARTITION BY \
             {home} ORDER BY {code}{id}) - 1 AS {member}\n  FROM {table} AS t\n  JOIN {cells} AS c ON {same}",
            ms_home = self.quoted("ms_home"),
            ms_code = self.quoted("ms_code"),
            member = self.quoted("ms_member"),
            table = self.table(table),
            cells = self.table(cells),
            same = self.same_cell("t", "c"),
        )
    }

    /// The households of persons, with the number of each member's cell in a column of its own.
    fn houses(&self, persons: &str, most: usize) -> String {
        let (home, member, code) =
            (self.quoted("ms_home"), self.quoted("ms_member"), self.quoted("ms_code"));
        let pivot = (1..=most).map(|at| {
            let name = self.quoted(&format!("ms_{at}"));
            format!("MAX(CASE WHEN {member} = {} THEN {code} END) AS {name}", at - 1)
        });
        let pivot = pivot.collect::<Vec<_>>().join(", ");
        format!("  SELECT {home}, {pivot}\n  FROM (\n{persons}\n  ) AS p\n  GROUP BY {home}")
    }

    fn id(&self) -> &str {
        self.id.as_deref().expect("who changes records has a column that names them")
    }

    fn members(&self, alias: &str, prefix: &str, most: usize) -> String {
        let names: Vec<String> = (1..=most).map(|at| format!("{prefix}{at}")).collect();
        self.list(alias, &names)
    }

    /// *verify*: the cells of a table of these columns that two tables do not have equally often;
    /// no rows when the table is kept.
    #[must_use]
    pub fn verify(&self, before: &str, after: &str, columns: &[String]) -> String {
        let (cell, sign) = (self.list("", columns), self.quoted("ms_sign"));
        format!(
            "SELECT {cell}, SUM({sign}) AS {difference}\nFROM (\n  SELECT {cell}, 1 AS {sign} FROM \
             {before}\n  UNION ALL\n  SELECT {cell}, -1 AS {sign} FROM {after}\n) AS u\nGROUP BY \
             {cell}\nHAVING SUM({sign}) <> 0",
            difference = self.quoted("ms_difference"),
            before = self.table(before),
            after = self.table(after),
        )
    }

    /// The statements that verify the tables of these formulas, one for each table.
    ///
    /// # Errors
    /// When no table is named, or one names no column of the cell.
    pub fn verify_all(
        &self,
        before: &str,
        after: &str,
        keep: &[String],
    ) -> Result<Vec<String>, Diagnostic> {
        let formula = Formula::parse(keep)?;
        if formula.tables().is_empty() {
            let detail = "no table to verify is named";
            let refusal = Diagnostic::new(Code::MissingSetting, detail, "name at least one");
            return Err(refusal.about("keep.tables"));
        }
        formula.resolve(self.cell())?;
        let tables = formula.tables().iter();
        Ok(tables.map(|table| self.verify(before, after, table)).collect())
    }

    /// Do two aliases agree on the cell? The first has it by name; the second has it as the old
    /// cell of a move.
    fn same_cell(&self, one: &str, other: &str) -> String {
        let mut terms = Vec::new();
        for (place, name) in (1..).zip(&self.cell) {
            let [left, right] = [self.of(one, name), self.of(other, &format!("ms_old_{place}"))];
            terms.push(match self.not_null.contains(name) {
                true => format!("{left} = {right}"),
                false => format!("({left} IS NOT DISTINCT FROM {right})"),
            });
        }
        terms.join(" AND ")
    }

    fn list(&self, alias: &str, names: &[String]) -> String {
        let names = names.iter().map(|name| self.of(alias, name));
        names.collect::<Vec<_>>().join(", ")
    }

    fn numbered(&self, alias: &str, prefix: &str) -> String {
        let names: Vec<String> =
            (1..=self.cell.len()).map(|place| format!("{prefix}{place}")).collect();
        self.list(alias, &names)
    }

    fn of(&self, alias: &str, name: &str) -> String {
        match alias {
            "" => self.quoted(name),
            alias => format!("{alias}.{}", self.quoted(name)),
        }
    }

    /// A table by its name, or by the names of its catalogue and schema with dots between.
    fn table(&self, name: &str) -> String {
        name.split('.').map(|part| self.quoted(part)).collect::<Vec<_>>().join(".")
    }

    fn quoted(&self, name: &str) -> String {
        self.dialect.quoted(name)
    }
}

const TAKES: &str = "a string takes text";
const HAS_HOMES: &str = "a column names households";

/// Refuses names that an engine takes for one, or for one of ours.
fn check_names(columns: &[String]) -> Result<(), Diagnostic> {
    let mut seen = BTreeSet::new();
    for name in columns {
        let folded = name.to_lowercase();
        if folded.starts_with(PREFIX) {
            return Err(Diagnostic::new(
                Code::DuplicateName,
                format!("the column `{name}` begins with `{PREFIX}`, as helper columns do"),
                "rename the column",
            ));
        }
        if !seen.insert(folded) {
            return Err(Diagnostic::new(
                Code::DuplicateName,
                format!("`{name}` differs from another column only in capitals"),
                "rename one of them: engines take both for one column",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(dialect: Dialect) -> Statements {
        let columns = ["id", "re\"gion", "sex", "in`come"].map(str::to_owned);
        let mut project = Project::default();
        project.columns.ignore = vec!["in`come".to_owned()];
        Statements::new(dialect, &columns, Some("id"), &project, &["sex".to_owned()]).unwrap()
    }

    #[test]
    fn names_are_quoted_and_null_is_a_value() {
        let made = statements(Dialect::DuckDb);
        assert_eq!(made.cell(), ["re\"gion", "sex"]);
        assert_eq!(
            made.cells("main.survey"),
            "SELECT \"re\"\"gion\", \"sex\", COUNT(*) AS \"ms_count\"\nFROM \"main\".\"survey\"\nGROUP BY \
             \"re\"\"gion\", \"sex\""
        );
        let changes = made.changes("survey", "moves");
        assert!(changes.contains("(t.\"re\"\"gion\" IS NOT DISTINCT FROM c.\"ms_old_1\")"));
        assert!(changes.contains("t.\"sex\" = c.\"ms_old_2\""));
    }

    #[test]
    fn dialects_differ_in_their_quotes_alone() {
        let [one, other] = [Dialect::DuckDb, Dialect::Spark].map(|dialect| {
            let made = statements(dialect);
            [
                made.cells("t"),
                made.changes("t", "m"),
                made.release("t", "n", 0),
                made.verify("t", "r", &["sex".to_owned()]),
            ]
        });
        for (duck, spark) in one.iter().zip(other) {
            let plain = |text: &str| text.replace(['`', '"'], "");
            assert_eq!(plain(duck), plain(&spark));
        }
        assert!("oracle".parse::<Dialect>().is_err());
    }

    #[test]
    fn what_is_asked_before_counting_reads_names_alone() {
        let made = statements(Dialect::Spark);
        let sql = made.collation("my.t", "re\"gion");
        assert!(sql.contains("SELECT `re\"gion` FROM `my`.`t` WHERE 1 = 0"), "{sql}");
        assert!(made.ids("t").ends_with("COUNT(DISTINCT `id`) AS `ms_different`\nFROM `t`"));
        assert_eq!(made.all("t"), "SELECT * FROM `t`");
    }

    #[test]
    fn the_release_is_sorted_and_has_no_id() {
        let release = statements(Dialect::Postgres).release("survey", "changes", 0);
        assert!(release.ends_with("ORDER BY \"re\"\"gion\", \"sex\", \"in`come\""), "{release}");
        assert!(!release.contains("AS \"id\""));
        assert!(release.contains("  t.\"in`come\" AS \"in`come\""));
    }

    #[test]
    fn names_that_engines_confuse_are_refused() {
        let project = Project::default();
        for bad in [["id", "Sex", "sex"], ["id", "ms_count", "sex"], ["id", "MS_x", "sex"]] {
            let refused =
                Statements::new(Dialect::Spark, &bad.map(str::to_owned), Some("id"), &project, &[]);
            assert_eq!(refused.unwrap_err().code, Code::DuplicateName);
        }
        let columns = ["id", "sex", "age"].map(str::to_owned);
        let unknown = Statements::new(Dialect::Spark, &columns, Some("person"), &project, &[]);
        assert_eq!(unknown.unwrap_err().code, Code::UnknownColumn);
    }
}

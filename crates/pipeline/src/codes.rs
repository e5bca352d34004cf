//! The one table of refusals: number, exit code, title and long text of each.
//!
//! Crates below name what they refuse; here it gets what users see. A number keeps its meaning
//! for ever, also when nothing refuses with it any longer. Exit codes: 2 usage, 3 input data,
//! 4 project file, 5 plan, 6 a bug, 7 too much work, 8 files that cannot be read or written.
//!
//! Way in: [`entry`], [`parse`], [`render`].

use std::fmt;

use marginswap_core::diagnostic::{Diagnostic, Kind, escaped};

use crate::refusal::Code;
use crate::settings;

/// What users see of one kind of refusal.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// The refusal.
    pub kind: Kind,
    /// Its number: 203 is shown as `E203`.
    pub number: u16,
    /// The exit code of a program that stops with it.
    pub exit: u8,
    /// What helps: settings as `section.name`, or flags that are no settings.
    pub helps: &'static [&'static str],
    /// A few words for it.
    pub title: &'static str,
    /// What it means, why it is refused and what helps.
    pub text: &'static str,
}

impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "E{}", self.number)
    }
}

/// The entry of a refusal.
///
/// # Panics
/// When a kind has none; a test sees that every kind has one.
#[must_use]
pub fn entry(kind: Kind) -> &'static Entry {
    let found = ENTRIES.iter().find(|entry| entry.kind == kind);
    found.expect("every kind of refusal has an entry")
}

/// The entry with this code: `E203`, capital or not.
#[must_use]
pub fn parse(text: &str) -> Option<&'static Entry> {
    let number = text.strip_prefix(['E', 'e'])?;
    ENTRIES.iter().find(|entry| entry.number.to_string() == number)
}

/// The exit code of a program that stops with this refusal.
#[must_use]
pub fn exit_code(refusal: &Diagnostic) -> u8 {
    refusal.exit.unwrap_or_else(|| entry(refusal.code).exit)
}

/// The remedy, and where the settings that help are given.
#[must_use]
pub fn remedy(refusal: &Diagnostic) -> String {
    let Diagnostic { remedy, about, .. } = refusal;
    let helps = match about {
        Some(about) if !about.contains('=') => vec![about.as_str()],
        Some(_) => vec![],
        None => entry(refusal.code).helps.to_vec(),
    };
    let flags: Vec<String> = helps.iter().filter_map(|help| flag(help)).collect();
    match (&helps[..], &flags[..]) {
        (_, []) => remedy.clone(),
        ([one], [flag]) => format!("{remedy} ({flag}{})", in_the_project_file(one)),
        _ => format!("{remedy} ({})", flags.join(", ")),
    }
}

fn flag(help: &str) -> Option<String> {
    if help.starts_with('-') {
        return Some(format!("`{help}`"));
    }
    let (section, name) = help.split_once('.').unwrap_or(("", help));
    let setting = settings::find(section, name)?;
    (!setting.flag.is_empty()).then(|| format!("`--{}`", setting.flag))
}

fn in_the_project_file(help: &str) -> String {
    match help.split_once('.') {
        Some((section, name)) => format!(", or `{name}` under [{section}]"),
        None => String::new(),
    }
}

/// The refusal as text: number and title, place, cause, remedy.
#[must_use]
pub fn render(refusal: &Diagnostic) -> String {
    let entry = entry(refusal.code);
    let mut lines = vec![format!("error[{entry}]: {}", entry.title)];
    let place = refusal.place.to_string();
    if !place.is_empty() {
        lines.push(format!("  --> {}", escaped(&place)));
    }
    lines.extend(refusal.detail.lines().map(|line| format!("  {}", escaped(line))));
    let remedy = escaped(&remedy(refusal));
    let end = if remedy.ends_with('?') { "" } else { ";" };
    lines.push(format!("  {remedy}{end} `marginswap explain {entry}` says more"));
    lines.join("\n")
}

macro_rules! entries {
    ($($kind:ident $number:literal exit $exit:literal $(helps [$($help:literal),*])?:
       $title:literal, $text:literal;)*) => {
        /// Every entry, in the order of their numbers.
        pub static ENTRIES: &[Entry] = &[$(
            Entry {
                kind: Code::$kind,
                number: $number,
                exit: $exit,
                helps: &[$($($help),*)?],
                title: $title,
                text: $text,
            },
        )*];
    };
}

entries! {
    UnknownVariable 101 exit 3: "unknown variable in a table",
        "A table names a variable that is not a column of the file.\n\
         Names are compared letter by letter, including capitals and spaces. Put a name that\n\
         contains `*`, `+` or a backtick between backticks and double any backtick inside it.\n\
         `marginswap inspect DATA` lists the columns.";
    RepeatedVariable 102 exit 3: "repeated variable in a table",
        "A table is a set of variables: `age*sex*age` is the same table as `age*sex`.\n\
         It is refused because the second name is usually a slip for another one.";
    EmptyTable 103 exit 3: "empty table",
        "A table has no variables: the text is empty, or a name is missing between two `+` or\n\
         beside a `*`.\n\
         A table is written `region*sex*age`. To keep several tables, join them with ` + ` or\n\
         repeat --keep.";
    BadFormula 104 exit 3: "unreadable table or list of names",
        "A table is written as in R's hierarchical formulas: `region*sex*age`. A list of columns\n\
         is written `region,sex`. A name that contains one of these signs goes between backticks,\n\
         and a backtick inside it is doubled. A backtick that is not closed, or text after a\n\
         closing backtick, cannot be read.";
    UnknownColumn 105 exit 3: "unknown column",
        "A setting names a column that the file does not have. Names are compared letter by\n\
         letter, including capitals and spaces. `marginswap inspect DATA` lists the columns.";
    TwoRoles 106 exit 3: "column with two roles",
        "A column has one role. It is a variable (its values may be exchanged), or it stays\n\
         (released, never exchanged), or it is ignored (two records that differ only there count\n\
         as equal). Only an ignored column or the id can be dropped from the release.\n\
         The roles are given with --vars, --stay, --ignore and --id.";
    IgnoredInTable 107 exit 3 helps ["columns.stay"]: "ignored column in a table",
        "A table or another setting names a column that --ignore or --id excludes. A table can\n\
         only be kept when all its columns take part. Make the column a variable, or let it stay\n\
         with --stay.";
    TooManyVariables 108 exit 3 helps ["columns.vars"]: "too many variables",
        "At most 256 variables can take part at once. All columns that stay and are in no table\n\
         count as one. Name the variables with --vars; all other columns then stay.";
    NoVariables 109 exit 3: "no variables",
        "Every column stays or is ignored, so there is nothing to exchange.";
    NoSuchRecord 110 exit 3: "unknown record",
        "Records are numbered from 1; the header line is not counted. With --id COLUMN a record is\n\
         named by its value in that column, which must occur exactly once.";
    MissingSetting 111 exit 2: "missing setting",
        "The command needs a setting that is neither on the command line nor in the project file.\n\
         `marginswap init DATA` writes a project file in which every entry is explained.";
    NoRiskModel 112 exit 2 helps ["risk.population", "risk.fraction"]: "missing risk model",
        "`top:50` selects the 50 riskiest records, and `prob:0.2` those above a probability. Both\n\
         rank records by a model of the population, which needs the size of the population:\n\
         --population N, --fraction F, or a column of weights that add up to it. `unique`, `k:3`\n\
         and `records:FILE` select without a model.";
    OtherColumns 113 exit 3 helps ["columns.ignore"]: "different columns",
        "Two files can be compared when both have every column that takes part, under the same\n\
         names. A column that --ignore or --id excludes may be missing.";
    NotLinked 114 exit 3: "ambiguous id",
        "To tell which record became which, every value of the id column must occur exactly once\n\
         in each of the two files. Without --id the files are compared line by line; with\n\
         --shuffled single records are not compared.";
    BadSeed 115 exit 3: "unusable seed file",
        "The last line of a seed file is a seed of 64 hexadecimal digits. --seed-file writes such\n\
         a file if it does not exist. Anyone who has the seed can repeat the choice of swaps.\n\
         The key of --seal-file is written in the same way, under a first line of its own; one\n\
         cannot be used in place of the other.";
    OptionsClash 116 exit 2: "conflicting settings",
        "One setting excludes another. A model that is given (--model) is not searched for, so\n\
         --criterion, --search, --start and --select do not go with it. A model that is selected\n\
         by its fit (--select fit) is always searched forward, and its fit can be judged only when\n\
         the file is a sample with rare combinations of keys. A bound on weighted counts\n\
         (`--weight-drift 1%`) is respected by greedy swaps of two records only, so it goes neither\n\
         with --max-records above 2 nor with `--pairing optimal`. A released file has the format\n\
         of the data, so its name must not have the ending of another one.";
    OrderGivesAway 117 exit 3: "order that reveals swaps",
        "The records are to be released in the order of the input, where a variable comes in runs,\n\
         as in a file sorted by region. An exchanged value is then visible among its neighbours,\n\
         and the swap can be undone. Release the records in random order, which is the default.";
    IdAmongVariables 118 exit 3 helps ["columns.id", "columns.ignore", "columns.stay"]:
        "id among the variables",
        "Nearly every value of a column is different, and the column would be exchanged like any\n\
         other. If it names the records, name it with --id; if it plays no part, with --ignore; if\n\
         it is released as it is, with --stay. If its values are to be exchanged, name it with\n\
         --vars. A number is often better kept in classes, as `--derive 'class = band(income,\n\
         10000)'`; its exact values can then be exchanged. Weights that are nearly all different\n\
         leave no partner where weighted tables stay exact: use `--weight-drift 1%` or\n\
         `--weight-drift free`.";
    NoEffect 119 exit 2: "setting that cannot take effect",
        "A setting is given in a way in which it does nothing: one column cannot be linked to\n\
         itself, a single variable has no pairs, and no more sensitive values can be hidden than\n\
         there are sensitive variables. It is refused because something was meant by it.";
    RepeatedName 120 exit 2: "repeated name",
        "A list names a column twice, or two derived variables have one name. It is refused\n\
         because the second name is usually a slip for another one.";
    NothingToTell 125 exit 3: "no external report for this file",
        "The external report states that values were exchanged and that every kept table of the\n\
         released file equals the original. That would not be true here: a kept table, the number\n\
         of records or something else that no swap can change differs, or nothing was exchanged,\n\
         or the plan does not lead to this file. `marginswap verify` lists the differences, and\n\
         the internal report (without --external) shows them.";
    DerivedClash 131 exit 3 helps ["derive"]: "derived variable with the name of a column",
        "A derived variable has a name of its own, since settings refer to columns and derived\n\
         variables by name. Give it another name.";
    DerivedCycle 132 exit 3 helps ["derive"]: "derived variables in a circle",
        "A derived variable may follow from columns and from other derived variables, but not,\n\
         directly or through others, from itself.";
    BadDerived 133 exit 3 helps ["derive"]: "meaningless derived variable",
        "A derived variable follows from at least one column of the file. Where a condition is\n\
         expected, a name must be that of a derived variable that is a condition, such as\n\
         `adult = age >= 18`.";
    NotANumber 134 exit 3 helps ["columns.missing"]: "value that is not a number",
        "A derived variable reads a column as numbers: `band` does, and every comparison with a\n\
         number or with `<`, `<=`, `>` or `>=`. Numbers are read exactly, as decimal text with a\n\
         decimal point, with at most 18 digits before and behind it. Codes of missing numbers are\n\
         named with --missing, once for each code, or for one variable as in\n\
         `band(age, 10, missing = [\"\", \"NA\", \"99\"])`; they become a class of their own.";
    NoRow 135 exit 3: "codes without a row",
        "A file of groups, as in `map(municipality, \"geo.csv\", \"region\")`, must have a row for every\n\
         code that occurs in the data. Codes are compared byte by byte: `7` is not `007`. The\n\
         message tells how many different codes have none.";
    BadLookup 136 exit 3: "unusable file of groups",
        "A file of groups is a CSV file with a header line and one row for each code. The codes\n\
         are in the column with the same name as in the data, or else in the first column, unless\n\
         `key = \"COLUMN\"` names another one. Two rows may not give one code two values.";
    BadExpression 137 exit 2: "unreadable expression or rule",
        "A derived variable is written `age10 = band(age, 10)`, with `band`, `map`, `prefix`, `if`\n\
         or a condition such as `age >= 18 and sex = \"f\"`. A rule is written\n\
         `age = 0-17 & marital = married`. A name with spaces or signs goes between backticks, a\n\
         text between quotes. The message names the character at which reading stopped.\n\
         docs/project-file.md has examples.";
    NotGlueable 150 exit 3 helps ["keep.tables"]: "kept tables that are not decomposable",
        "A file is drawn along the junction tree of its kept tables. There is one when the tables\n\
         are decomposable: when they are the cliques of a graph without long circles. The tables\n\
         `a*b + b*c + c*d` are; `a*b + b*c + c*d + d*a` are not, and neither are all two-way tables\n\
         of three variables. Drop a table, keep a larger one, or let `sample --cover` keep the\n\
         cliques of a cover, which it lists; docs/guarantee.md says why.";
    TablesDisagree 151 exit 3: "published tables that contradict each other",
        "Two published tables share variables, and their sums over everything else differ in a\n\
         cell. There is no file with both. The tables were rounded or perturbed, or they count\n\
         different people; only exact tables of one population can be drawn from.";
    IncompleteTable 152 exit 3: "published table without every number",
        "A file can be drawn from published tables when every cell of each has a whole number. A\n\
         suppressed number, or one with decimals, leaves the tables open.";
    VoidsTheClaim 153 exit 2: "setting that voids a certificate",
        "A mechanism proves its ε because the released file depends on chance and on the kept\n\
         tables in a known way. A setting that makes it depend on the data in another way, shows\n\
         which records are whose, or lets somebody choose among results leaves nothing to prove.\n\
         Leave the setting out, or leave the mechanism out; docs/guarantee.md has the list.";
    InEngine 160 exit 3: "column that stays with an engine",
        "Of a table that an engine holds, the cells come here with their counts. A column that is\n\
         ignored, or names the records, makes no cell, so nothing can be asked of its values. Let it\n\
         take part, or ask where the file fits in memory. docs/engines.md says what goes where.";
    HouseholdTooLarge 161 exit 3: "household too large for an engine",
        "An engine counts households by the cells of their members, one column for each member, so\n\
         the largest household sets the width of a statement. At most 256 members are asked for.\n\
         Institutions are most often no households: leave them out, or swap where the file fits in\n\
         memory.";
    EngineReadsOtherwise 162 exit 3: "CSV file that an engine reads otherwise",
        "A large CSV file is converted to Parquet by DuckDB, field by field as text: an empty field\n\
         stays empty, and nothing is taken for missing. The engine refuses the file, or finds other\n\
         columns or another number of lines in it. Read it without an engine: messages then name the\n\
         line.";
    FileMissing 201 exit 3: "missing file",
        "There is no file of this name. A relative path starts at the folder in which the command\n\
         runs. On Unix, standard input can be named as `/dev/stdin`.";
    IsDirectory 202 exit 3: "folder instead of a file",
        "The name belongs to a folder. Name a file in it.";
    TooManyFields 203 exit 3: "too many fields",
        "A line has more fields than the header has columns. Usually a value contains the\n\
         delimiter and is not quoted: `Smith, John` must be written `\"Smith, John\"`.\n\
         If the delimiter was guessed wrongly, name it with --delimiter.\n\
         Nothing is read from such a file, because every later column would be shifted.";
    TooFewFields 204 exit 3: "too few fields",
        "A line has fewer fields than the header has columns. Usually the line was truncated, or a\n\
         value contains an unquoted line break. If the delimiter was guessed wrongly, name it with\n\
         --delimiter. Empty lines are accepted only at the end of the file or in a file of one\n\
         column.";
    UnclosedQuote 205 exit 3: "unclosed quote",
        "A field begins with a double quote that is not closed before the file ends, so the rest\n\
         of the file would be one value. A quote inside a quoted value is doubled:\n\
         `\"he said \"\"yes\"\"\"`.";
    TextAfterQuote 206 exit 3: "text after a closing quote",
        "The quote that closes a field must be followed by the delimiter or the end of the line.\n\
         A quote inside a quoted value is doubled: `\"he said \"\"yes\"\"\"`.";
    DuplicateName 207 exit 3: "duplicate column name",
        "Settings refer to columns by name, so every name must be unique. Where the names are\n\
         numbers, the file often has no header line and its first line is a record.";
    EmptyName 208 exit 3: "column without a name",
        "Settings refer to columns by name, so every column needs one. Often the file has no header\n\
         line, or a column of row numbers was written without a name (R's write.csv does that).";
    HeaderNotUtf8 209 exit 3: "header that is not UTF-8",
        "Column names must be UTF-8; values may be any bytes. Often the file is Latin-1 or\n\
         Windows-1252: `iconv -f WINDOWS-1252 -t UTF-8` converts it.";
    NoRecords 210 exit 3: "no records",
        "The file is empty or has nothing below its header.";
    NulByte 211 exit 3: "NUL byte",
        "The file contains a byte 0, which does not occur in CSV files. Often it is a binary file,\n\
         or a file that was truncated when a disk was full.";
    BadGzip 212 exit 3: "damaged gzip file",
        "The compressed data end too early, do not match their checksum, or are followed by other\n\
         bytes. The byte in the message is the position in the uncompressed data at which\n\
         decompression stopped. Nothing is used from such a file. Compress or fetch it again;\n\
         `gzip -t FILE` tests it.";
    BadParquet 213 exit 3: "damaged Parquet file",
        "The file is not a Parquet file, or its pages do not match its metadata. Write or fetch it\n\
         again.";
    FloatColumn 214 exit 3 helps ["columns.ignore"]: "column of floating-point numbers",
        "Categories are compared exactly, and floating-point numbers are not printed the same way\n\
         everywhere. Store the column as integers, decimals or text, or exclude it with --ignore.";
    UnsupportedColumn 215 exit 3 helps ["columns.ignore", "release.drop"]: "unsupported column type",
        "Lists, structures, maps and similar columns of a Parquet file have no categories. Store\n\
         the column as text, or exclude it with --ignore and from the release with --drop.";
    TooManyRecords 216 exit 3: "too many records",
        "At most 4,294,967,295 records can be read.";
    BareReturn 217 exit 3: "carriage return inside a line",
        "A line ends with LF or CR LF. Programs disagree about a CR alone outside quotes. Old Mac\n\
         files end their lines so: `tr '\\r' '\\n'` converts them.";
    BadDelimiter 218 exit 3 helps ["delimiter"]: "unusable delimiter",
        "A delimiter is one sign such as `,` `;` or `|`, or one of the words comma, semicolon,\n\
         pipe, tab. A quote, a line end, a letter or a digit cannot separate fields. Without\n\
         --delimiter the header line decides between comma, semicolon and tab.";
    FieldTooLong 219 exit 3: "overlong line or name",
        "A line is longer than 1 GiB, or a column name is longer than 1,000 bytes. Usually a quote\n\
         was opened by mistake, or the first line is not a header.";
    NoParquet 220 exit 3: "missing support for Parquet",
        "This program was built without the feature `parquet`. Store the data as CSV, or build the\n\
         program with its default features.";
    UnsupportedCompression 221 exit 3: "unsupported compression",
        "A column of the Parquet file is compressed with Brotli or LZO, which this program does\n\
         not read. The file is not damaged. Write it with Zstandard, Snappy, gzip, LZ4 or no\n\
         compression, or exclude the column with --ignore.";
    InputChanged 222 exit 3: "input changed during the run",
        "The input is read more than once, and each time its bytes must be the same (by their\n\
         SHA-256). Another program changed the file during the run, so nothing is released.\n\
         Start again when the file is complete, or work on a copy.";
    ForeignFile 223 exit 3: "file of another program",
        "The first bytes are those of a file of Excel, R or Arrow, of an archive, or of an\n\
         old Stata, SPSS or SAS. CSV, CSV compressed with gzip, Parquet, Stata (.dta), SPSS (.sav)\n\
         and SAS transport files (.xpt) can be read. Export the data from the\n\
         program that wrote the file, with codes rather than value labels if codes are wanted.\n\
         Unpack an archive first.";
    Utf16 224 exit 3: "file in UTF-16",
        "Every character takes two bytes, as in Excel's \"Unicode text\". CSV files are read in UTF-8\n\
         or any other encoding in which commas, quotes and line ends are those of ASCII.\n\
         `iconv -f UTF-16 -t UTF-8` converts the file; Excel offers \"CSV UTF-8\".";
    OtherDelimiter 225 exit 3 helps ["delimiter"]: "wrong delimiter",
        "With this delimiter the file has one column, but another delimiter occurs equally often in\n\
         the header and in the first records. Nothing could be exchanged in such a file. Leave out\n\
         --delimiter, or name the right one. A value that contains the sign is put in quotes.";
    NoHeaderLine 226 exit 3 helps ["header"]: "first line that looks like a record",
        "The first line of a file holds the names of the columns. Here it occurs again among the\n\
         records, or its fields are numbers, so it is most likely a record, and its values would be\n\
         shown and released as names. Add a header line. If the first line is a header all the same,\n\
         say so with --header, or with `header = true` in the project file.";
    TooManyColumns 227 exit 3: "too many columns",
        "A file of more than 10,000 columns is not read: each takes memory before its first record\n\
         is read, and at most 256 can be exchanged. Often the delimiter is the wrong one, or records\n\
         and columns are the wrong way round. Otherwise keep the columns that are needed in a file\n\
         of their own.";
    PackedTooSmall 228 exit 3: "gzip file that unpacks too far",
        "The file unpacks to more than 1 GiB and to more than 200 times its own length, which no\n\
         survey does. It is refused before memory or the disk is full, and nothing is written. If\n\
         the data are right, unpack the file yourself and name the unpacked file.";
    NotATable 229 exit 3: "object that is no table",
        "The Python package takes a path, a data frame of pandas or polars, a table of pyarrow, a\n\
         table of an engine where docs/engines.md says so, and any object that hands over a table as\n\
         an Arrow stream. One column is no table, and a table whose rows are not computed yet, or are\n\
         held by an engine, has to be read first.";
    NotJsonStat 240 exit 3: "published table that is not JSON-stat 2",
        "A published table that begins with `{` or `[` is read as JSON-stat 2: an object with\n\
         `version` 2.0, `class` `dataset`, `id`, `size`, `dimension` and `value`. Collections,\n\
         JSON-stat 1 and other JSON are not read. Ask the source for one dataset in JSON-stat 2,\n\
         or store the table as CSV.";
    SizesDisagree 241 exit 3: "sizes that do not fit the values",
        "In JSON-stat the number of values is the product of the sizes, and each dimension has as\n\
         many categories as its size says. Where they disagree, every number may belong to\n\
         another cell, so nothing is compared. Download the table again.";
    BadNumber 242 exit 3: "unusable published number",
        "A published number is written in digits, with a decimal point where it is a sum of\n\
         weights, and is not negative. Suppressed numbers are skipped: nothing, `:` (also with a\n\
         flag), `.`, `..`, `...`, `c`, `x`, `NA`, `NaN`, null, or a flag `c`; other signs are\n\
         named as `suppressed` of the table. Separators of thousands and decimal commas are not\n\
         guessed. Numbers in thousands (`UNIT_MULT`) are refused, and so are decimals where no\n\
         `weight` is named.";
    NoNumbers 243 exit 3: "published table without a column of numbers",
        "The numbers are in the column `count` of a tidy CSV and in `OBS_VALUE` of SDMX-CSV.\n\
         Another name is given as `count` of the table in the project file.";
    RepeatedCell 244 exit 3: "cell published twice",
        "Two lines of a published table have the same category in every variable. Often the table\n\
         has another dimension, such as a year, that is not a column of the data: choose one of\n\
         its categories with `only` in the project file. The message names the columns in which\n\
         the two lines differ.";
    TotalIsCategory 245 exit 3 helps ["verify.total"]: "code of totals that is also a category",
        "A line with the code of totals is compared with the sum over that variable. If the data\n\
         have a category of the same code, it cannot be told which one is meant. Give the code\n\
         that the table uses.";
    OtherCategories 246 exit 3: "published column with other categories",
        "Not one category of a published column occurs in the column of the data, so every count\n\
         would be compared with 0. Often the file has labels where the data have codes, or the\n\
         column is another one. Single categories that no record has are allowed: their cells\n\
         count nobody.";
    BadTableList 247 exit 3 helps ["keep.list"]: "unusable list of tables",
        "A list of tables is a CSV file with the columns `name`, `variables`, `where`, `unit`,\n\
         `weighted` and `published`, of which only `variables` is required. Each line is a table:\n\
         `variables` as `region*sex` or `region, sex`, `where` a condition such as `age >= 18`,\n\
         `weighted` and `published` yes or no.";
    NoHouseholds 248 exit 3 helps ["unit.household"]: "table of households",
        "The tables of a list count persons, which means lines. One whose unit is `household` counts\n\
         each household once, and is kept where whole households are swapped: name the column that\n\
         tells the households apart, or leave the table out of the list.";
    NotAHousehold 260 exit 3 helps ["unit.household"]: "line without a household",
        "In a household run every line belongs to one household, which the household column names.\n\
         Here a line has no value in that column. Correct it, or leave the line out. Lines of one\n\
         household need not follow each other.";
    VariesInHousehold 261 exit 3: "column that varies inside a household",
        "Whole households exchange what all of their members have in common, such as the area and\n\
         the tenure. What partners agree on, what rules speak of, keys of households and tables of\n\
         households are about such columns too, or about what is counted in a household: `size`,\n\
         `count(age < 18)`, `any(age >= 65)`, `members(age, sex)`. The named column differs between\n\
         two members of the same household, on the line that is told. `inspect` lists the columns\n\
         of households.";
    NoPerson 262 exit 3: "household without a person",
        "A household file and a person file are joined by the household column. Every household of\n\
         the one must have a person in the other; the line is that of the first that has none.";
    NoHousehold 263 exit 3: "person without a household",
        "A household file and a person file are joined by the household column. Every household that\n\
         persons name must have a line in the household file; the line is that of the first person\n\
         whose household has none.";
    HouseholdTwice 264 exit 3: "household on two lines",
        "A household file has one line for each household. The line is the first whose household has\n\
         a line before it.";
    SharedColumn 265 exit 3: "column in both files",
        "A household file and a person file share one column, which names the households. Another one\n\
         in both would be there twice, and the two could contradict each other.";
    WrongSize 266 exit 3 helps ["unit.size"]: "column that is not the size of households",
        "The column that is named for the size of households is another number than that of the\n\
         members in more than half of them. Name the column that holds the size, or leave the\n\
         setting out: `size` in tables counts the members.";
    BadStata 270 exit 3: "damaged Stata file",
        "A Stata file (.dta) of formats 113 to 119 is read: those of Stata 8 and newer. At the\n\
         byte that is named, another thing is there than the format asks for. Often the file was\n\
         cut short, or changed as if it were text. Save it again in Stata, or fetch it again.";
    BadSpss 271 exit 3: "damaged SPSS file",
        "An SPSS file (.sav, .zsav) is read, packed or not. At the byte that is named, another\n\
         thing is there than the format asks for. Often the file was cut short, or changed as if\n\
         it were text. Save it again in SPSS, or fetch it again.";
    BadSas 272 exit 3: "damaged SAS file",
        "A SAS transport file (.xpt) of version 5 or 8 with one data set is read. At the byte that is\n\
         named, another thing is there than the format asks for. Often the file was cut short, or\n\
         changed as if it were text. Write it again with PROC COPY or the macro %LOC2XPT, or fetch it\n\
         again.";
    OldStatistics 273 exit 3: "statistical file of another version",
        "The file is one of Stata, SPSS or SAS, in a version that is not read. Stata: formats 113 to\n\
         119. SPSS: system files (.sav, .zsav), not portable ones. SAS: transport files of version 5\n\
         or 8 with one data set. Save it in one of these, or export the data as CSV or Parquet.";
    PopulationTooSmall 301 exit 3: "population smaller than the file",
        "The file is a sample of the population, so the population has at least as many people as\n\
         the file has records; a complete census has exactly as many. Weights add up to the\n\
         population. Weights that were scaled to the sample size add up to less.";
    BadFraction 302 exit 3 helps ["risk.fraction"]: "impossible sampling fraction",
        "The sampling fraction is the share of the population that is in the file: above 0 and at\n\
         most 1. It is written 0.05 or 5 %.";
    TwoPopulations 303 exit 3: "population given twice",
        "The size of the population and the sampling fraction determine each other. Give one of\n\
         them. A flag overrides whichever of the two is in the project file.";
    NotDecomposable 304 exit 3 helps ["risk.model"]: "start model that is not decomposable",
        "A search goes from one decomposable model to the next, so it must start with one: its\n\
         tables are the cliques of a graph without chordless cycles. `marginswap graph --keep\n\
         TABLES` tells whether tables are decomposable. --model accepts every model and fits one\n\
         that is not decomposable iteratively.";
    BadWeight 305 exit 3: "unusable weight",
        "A sampling weight is the number of people that a record represents: a number that is not\n\
         negative, with a decimal point. The message names the first record with an unusable\n\
         weight. Give every record a weight, or remove records without one.";
    NotAKey 306 exit 3 helps ["risk.keys"]: "model with a column that is not a key",
        "A risk model describes the key variables, which an intruder may know, so its tables\n\
         contain keys only. Name the column with --keys, or remove it from the model. The column\n\
         of weights cannot be a key.";
    TooManySets 307 exit 7: "too many sets of keys",
        "The number of sets of keys doubles with every key. Give a smaller size to --suda or\n\
         --key-sets, name fewer keys, or use a model with smaller tables.";
    BadToml 401 exit 4: "unreadable project file",
        "The project file is not valid TOML. Text goes between double quotes and a list between\n\
         `[` and `]`; each entry is on a line of its own and occurs once.\n\
         `marginswap init DATA` writes a file to start from.";
    UnknownEntry 402 exit 4: "unknown entry in the project file",
        "The project file has an entry or a section that is unknown. It is refused because a\n\
         misspelt entry would otherwise be ignored silently. docs/settings.md lists all entries. A\n\
         column name that contains spaces or dots goes between double quotes.";
    BadEntry 403 exit 4: "unusable value in the project file",
        "The entry is known, but its value cannot be used: for example a number where a list is\n\
         expected. docs/settings.md tells what each entry takes. A share is written in quotes:\n\
         \"5 %\" or \"0.05\".";
    NoProjectFile 404 exit 4: "missing project file",
        "There is no project file of this name. If none is named, `marginswap.toml` is used if it\n\
         is in the folder in which the command runs.\n\
         `marginswap init DATA` writes a file to start from.";
    StalePlan 501 exit 5: "plan for another input",
        "The plan was made for a file with other bytes: its SHA-256, its number of records or its\n\
         columns differ. Record numbers of one file mean nothing in another, so nothing is\n\
         applied. Make a new plan for this file, or name the file that the plan was made for.";
    OtherParameters 502 exit 5: "plan made with other settings",
        "The plan was made with other tables to keep, other keys or other settings than those given\n\
         now, so it may not do what is asked for. Make a new plan, or give the settings of this\n\
         one: `marginswap show PLAN` prints them.";
    NewerPlan 503 exit 5: "plan in a newer format",
        "The plan was written by a newer version of marginswap, in a format that this version does\n\
         not know. Use the newer version, or make a new plan with this one.";
    NoPlan 504 exit 5: "missing or damaged plan",
        "The file is not a plan, or it does not match the checksum on its last line: it was\n\
         truncated or edited. Nothing of it is applied. Make the plan again, or fetch an\n\
         undamaged copy.";
    WrongSeal 505 exit 5: "missing or wrong seal of a plan",
        "--seal-file names the key of a seal. `plan`, `protect` and `frontier` seal the plan with it;\n\
         `apply`, `show` and `report` then take only a plan that is sealed with the same key and was\n\
         not changed since. Nothing of another plan is applied.";
    OwnBug 601 exit 6: "bug in marginswap",
        "The program reached a state that should be impossible, and stopped. No incomplete file\n\
         was left behind. The message names the place in the source and no value of the data, so\n\
         it can be sent to the maintainers.";
    NotKept 602 exit 6: "kept table changed",
        "Before a file is released, every kept table is recounted from the bytes that were written.\n\
         The recount did not agree with the original. This is a bug in marginswap, and nothing is\n\
         released.";
    TooManyComparisons 701 exit 7 helps ["keep.max_separators", "columns.vars"]:
        "too many comparisons",
        "The margin graph has more minimal separators than --max-separators allows, so records\n\
         must be compared one by one, and the file has too many records for that. Raise\n\
         --max-separators, keep fewer tables (each one connects more variables), or name fewer\n\
         variables with --vars; all other columns then stay.";
    PairingTooLarge 702 exit 7 helps ["swap.pairing"]: "optimal pairing that cannot be computed",
        "The optimal pairing is computed for at most 1,000 records, with weights of moderate size,\n\
         and where the budget does not bind. Elsewhere use the greedy pairing, which comes close to\n\
         it: `--pairing greedy`. Or allow the budget that the message names.";
    TooManyTied 705 exit 7 helps ["columns.vars", "swap.max_records"]:
        "too many variables for larger swaps",
        "Swaps of more than two records are searched for among at most 64 variables with two or\n\
         more categories. Name fewer with --vars (all other columns then stay), or leave\n\
         --max-records at 2: partners are searched for among up to 256 variables.";
    Cancelled 706 exit 7: "run stopped on request",
        "The run was asked to stop and did so between two steps. Nothing was released, and no\n\
         incomplete file was left behind.";
    TooFewThreads 707 exit 7: "threads that cannot be started",
        "The system does not start as many threads as --threads asks for: a limit on processes or\n\
         on memory is reached. Give a smaller number. The answer is the same for any number.";
    Unreadable 801 exit 8: "unreadable file",
        "The operating system cannot read the file. Its own message is part of the error.";
    Unwritable 802 exit 8: "unwritable file",
        "The operating system cannot write the file. Its own message is part of the error.\n\
         A file gets its name only when it is complete, and all files of a command get their names\n\
         together: after this error none of them is there.";
    OutputExists 803 exit 8 helps ["--force"]: "existing output file",
        "An existing file is replaced only if --force is given.";
    OutputIsInput 804 exit 8: "output that is the input",
        "The file to be written is a file that is read, or another file of the project: the plan,\n\
         the seed, the released file, a list of records. It is never replaced, not even with\n\
         --force: without the original nobody could verify what was released.";
    NoFolder 805 exit 8: "missing folder",
        "The folder of the output does not exist. Create it first (`mkdir -p`), or name an existing\n\
         one. A relative path starts at the folder in which the command runs.";
    PlanOfAnotherInput 806 exit 8: "plan of another input",
        "The plan file that would be replaced was made for another input. A plan is SECRET and is\n\
         all that tells how a release was made, so it is not replaced, not even with --force. Name\n\
         another plan file, or move the old one to where it is kept. A plan made with a demo seed\n\
         is replaced like any other output.";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_kind_has_one_entry_and_every_entry_a_kind() {
        use {marginswap_core::refusal::Code as InCore, marginswap_io::refusal::Code as InIo};
        let declared: Vec<Kind> = [InCore::ALL, InIo::ALL, Code::ALL].concat();
        let kinds: BTreeSet<Kind> = declared.iter().copied().collect();
        assert_eq!(kinds.len(), declared.len(), "a kind is declared once");
        let listed: BTreeSet<Kind> = ENTRIES.iter().map(|entry| entry.kind).collect();
        assert_eq!(listed.len(), ENTRIES.len(), "a kind has one entry");
        assert_eq!(kinds, listed);
    }

    #[test]
    fn numbers_rise_and_decide_the_exit_code() {
        assert!(ENTRIES.is_sorted_by(|one, next| one.number < next.number));
        for entry in ENTRIES {
            let usual = match entry.number / 100 {
                1 | 2 => 3,
                hundred => hundred,
            };
            let exit = match entry.kind {
                Code::MissingSetting
                | Code::NoRiskModel
                | Code::OptionsClash
                | Code::NoEffect
                | Code::RepeatedName
                | Code::BadExpression
                | Code::VoidsTheClaim => 2,
                Code::TooManySets => 7,
                _ => usual,
            };
            assert_eq!(u16::from(entry.exit), exit, "{entry}");
        }
    }

    #[test]
    fn texts_are_whole_and_in_plain_words() {
        for entry in ENTRIES {
            assert!(entry.text.ends_with('.') && !entry.title.ends_with('.'), "{entry}");
            assert!(entry.text.lines().all(|line| line.len() <= 92), "{entry}");
            for odd in ["stands", "so many", "anew", "hoever", "has not "] {
                assert!(!entry.text.contains(odd) && !entry.title.contains(odd), "{entry}: {odd}");
            }
            assert!(entry.helps.iter().all(|help| flag(help).is_some()), "{entry}");
        }
    }

    #[test]
    fn a_code_is_found_by_what_it_prints() {
        for entry in ENTRIES {
            assert_eq!(parse(&entry.to_string()), Some(entry));
        }
        for text in ["E999", "203", "E0203", "E", "survey.csv"] {
            assert_eq!(parse(text), None);
        }
    }

    #[test]
    fn a_refusal_reads_well() {
        let detail = "the header has 9 columns, this line has 10";
        let refusal = Diagnostic::new(Code::TooManyFields, detail, "quote `\u{202e}b`")
            .in_file("survey.csv")
            .at(48_213, 5_912_884);
        assert_eq!(
            render(&refusal),
            "error[E203]: too many fields\n  \
             --> survey.csv, line 48,213 (byte 5,912,884)\n  \
             the header has 9 columns, this line has 10\n  \
             quote `\\u{202e}b`; `marginswap explain E203` says more"
        );
    }

    #[test]
    fn a_remedy_says_where_a_setting_is_given() {
        let told = |code, about: Option<&str>| {
            let mut refusal = Diagnostic::new(code, "", "do so");
            refusal.about = about.map(str::to_owned);
            remedy(&refusal)
        };
        let keys = "do so (`--keys`, or `keys` under [risk])";
        assert_eq!(told(Code::MissingSetting, Some("risk.keys")), keys);
        assert_eq!(told(Code::NotAKey, None), keys);
        assert_eq!(told(Code::OutputExists, None), "do so (`--force`)");
        assert_eq!(told(Code::NoRiskModel, None), "do so (`--population`, `--fraction`)");
        assert_eq!(told(Code::UnknownColumn, Some("risk.keys=agee")), "do so");
    }
}

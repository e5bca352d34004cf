//! What is told to a user whose input cannot be used: place, cause, remedy.
//!
//! Every refusal has a [`Code`], which never changes its meaning; `marginswap explain
//! E203` prints its long text. A [`Diagnostic`] never holds a data value: it may name
//! files, lines, bytes, columns and counts, because the log it ends up in is read by more
//! people than the data. Our own bugs are panics, never diagnostics.

use std::fmt;
use std::path::PathBuf;

pub use crate::text::{escaped, grouped, is_control};

/// One refusal, as a user reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which refusal it is.
    pub code: Code,
    /// Where the trouble is.
    pub place: Place,
    /// What was found and what was expected.
    pub detail: String,
    /// What to do about it.
    pub remedy: String,
    /// The setting whose value is to blame, where one is; doors know where it was given.
    pub about: Option<String>,
    /// The exit code that the place of the trouble asks for, where it is not the code's own.
    pub exit: Option<u8>,
}

/// Where the trouble is, as closely as is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, or the option whose text is wrong.
    pub file: Option<PathBuf>,
    /// The line, counted from 1.
    pub line: Option<u64>,
    /// The byte, counted from 0 (in the uncompressed bytes of a gzip file).
    pub byte: Option<u64>,
    /// The name or number of the column.
    pub column: Option<String>,
}

impl Diagnostic {
    /// A refusal without a place.
    pub fn new(code: Code, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            code,
            place: Place::default(),
            detail: detail.into(),
            remedy: remedy.into(),
            about: None,
            exit: None,
        }
    }

    /// The same refusal, to be laid to this setting.
    #[must_use]
    pub fn about(mut self, setting: impl Into<String>) -> Self {
        self.about = Some(setting.into());
        self
    }

    /// The same refusal, in this file.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.place.file = Some(file.into());
        self
    }

    /// The same refusal, at this line and byte.
    #[must_use]
    pub fn at(mut self, line: u64, byte: u64) -> Self {
        self.place.line = Some(line);
        self.place.byte = Some(byte);
        self
    }

    /// The same refusal, in this column.
    #[must_use]
    pub fn in_column(mut self, column: impl Into<String>) -> Self {
        self.place.column = Some(column.into());
        self
    }
}

impl Diagnostic {
    /// The exit code it ends a program with.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        self.exit.unwrap_or_else(|| self.code.exit_code())
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "error[{}]: {}", self.code, self.code.title())?;
        let place = self.place.to_string();
        if !place.is_empty() {
            writeln!(formatter, "  --> {}", escaped(&place))?;
        }
        for line in self.detail.lines() {
            writeln!(formatter, "  {}", escaped(line))?;
        }
        let remedy = escaped(&self.remedy);
        write!(formatter, "  {remedy}; `marginswap explain {}` says more", self.code)
    }
}

impl std::error::Error for Diagnostic {}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(file) = &self.file {
            write!(formatter, "{}", file.display())?;
            separator = ", ";
        }
        if let Some(line) = self.line {
            write!(formatter, "{separator}line {}", grouped(line))?;
            separator = ", ";
        }
        if let Some(column) = &self.column {
            write!(formatter, "{separator}column {column}")?;
        }
        if let Some(byte) = self.byte {
            write!(formatter, " (byte {})", grouped(byte))?;
        }
        Ok(())
    }
}

macro_rules! codes {
    ($($variant:ident $number:literal exit $exit:literal: $title:literal, $text:literal;)*) => {
        /// The number of a refusal. A number keeps its meaning for ever.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(
                #[doc = concat!("E", stringify!($number), ": ", $title, ".")]
                $variant = $number,
            )*
        }

        impl Code {
            /// Every code there is, in rising order.
            pub const ALL: &[Code] = &[$(Code::$variant),*];

            /// What the code stands for, in a few words.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Code::$variant => $title,)* }
            }

            /// What the code means, why it is refused and what helps.
            #[must_use]
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$variant => $text,)* }
            }

            /// The exit code of a program that stops with it.
            #[must_use]
            pub fn exit_code(self) -> u8 {
                match self { $(Code::$variant => $exit,)* }
            }
        }
    };
}

codes! {
    UnknownVariable 101 exit 3: "unknown variable in a table",
        "A table named with --keep holds a name that is no column of the file.\n\
         Names are compared letter by letter, capitals and spaces included. A name that holds\n\
         `*`, `+` or a backtick is written between backticks; a backtick in it is doubled.\n\
         `marginswap inspect DATA` lists the columns.";
    RepeatedVariable 102 exit 3: "a variable stands twice in one table",
        "A table is a set of variables: `age*sex*age` names no table that `age*sex` does not.\n\
         It is refused because the second name is usually a slip for another one.";
    EmptyTable 103 exit 3: "an empty table",
        "A table named with --keep has no variable: the text is empty, or there is nothing\n\
         between two `+`, or nothing on one side of a `*`.\n\
         A table is written `region*sex*age`; several are joined with ` + ` or given with\n\
         several --keep.";
    BadFormula 104 exit 3: "a table formula that cannot be read",
        "A kept table is written as in R's hierarchical formulas: `region*sex*age`. Names that\n\
         hold `*`, `+` or a backtick stand between backticks; a backtick inside is doubled.\n\
         A backtick that is not closed, or text behind a closing backtick, cannot be read.";
    UnknownColumn 105 exit 3: "unknown column",
        "--vars, --stay, --ignore or --id names a column that the file does not have.\n\
         Names are compared letter by letter. `marginswap inspect DATA` lists the columns.";
    TwoRoles 106 exit 3: "a column with two roles",
        "A column has one role. It is a variable (its values may be exchanged), or it stays\n\
         (released, never exchanged), or it is ignored (outside the theory: two records that\n\
         differ only there are the same record). It cannot be named for two of them.";
    IgnoredInTable 107 exit 3: "an ignored column in a table",
        "A kept table names a column that --ignore or --id leaves out. A table that must not\n\
         change can only be kept when all its columns take part: make the column a variable,\n\
         or let it stay with --stay.";
    TooManyVariables 108 exit 3: "too many variables",
        "At most 256 variables can take part at once (all columns that stay and are in no table\n\
         count as one). Name the variables with --vars; the others then stay as they are.";
    NoVariables 109 exit 3: "no variable left",
        "Every column stays or is ignored, so there is nothing that could be exchanged.";
    NoSuchRecord 110 exit 3: "no such record",
        "Records are counted from 1, the header line not counted. With --id COLUMN the record is\n\
         named by its value in that column, which must stand there exactly once.";
    MissingSetting 111 exit 2: "something is not said",
        "The command needs something that neither the command line nor the project file says.\n\
         `marginswap init DATA` writes a project file with every entry explained.";
    NoRiskModel 112 exit 2: "a choice that needs a risk model",
        "`top:50` takes the riskiest records and `prob:0.2` those above a probability. Both rank\n\
         records by a model of the population, which must be told how large the population is:\n\
         --population N, --fraction F, or a column of weights that add up to it. `unique`, `k:3`\n\
         and `records:FILE` choose without a model.";
    OtherColumns 113 exit 3: "two files with different columns",
        "A file can be compared with another one when both have the columns that take part, under\n\
         the same names. A column that is left out with --ignore or --id may be missing.";
    NotLinked 114 exit 3: "records that cannot be told apart by the id",
        "To say which record became which, every value of the id column must stand exactly once\n\
         in each of the two files.";
    BadSeed 115 exit 3: "a seed file that cannot be used",
        "A seed file holds a seed of 64 hexadecimal digits on its last line, as --seed-file writes\n\
         it when the file does not exist. Whoever has the seed can repeat the choice of swaps.";
    OptionsClash 116 exit 2: "options that do not go together",
        "One of the options says something that another one excludes. A model that is selected by\n\
         its fit is grown from a start by adding edges, so it goes with no other search.";
    NothingToTell 125 exit 3: "no page for everybody about this file",
        "The external report says that values were exchanged and that every kept table of the\n\
         released file equals the original. Here a table, the number of records or something that\n\
         no swap can change differs, or nothing was exchanged, or the plan that is named does not\n\
         give this file: the page would not be true. `marginswap verify` says what differs; the\n\
         internal report, without --external, shows it.";
    FileMissing 201 exit 3: "no such file",
        "There is no file of this name. A relative name starts at the folder the command runs in.\n\
         Standard input has no sign of its own; on Unix it can be named as `/dev/stdin`.";
    IsDirectory 202 exit 3: "a folder where a file is expected",
        "The name belongs to a folder. Name the data file in it.";
    TooManyFields 203 exit 3: "too many fields",
        "A line has more fields than the header has columns. Most often a value holds the\n\
         delimiter and is not quoted: `Smith, John` must stand as `\"Smith, John\"`.\n\
         Sometimes the delimiter was guessed wrong: --delimiter names it.\n\
         Nothing is read from such a file, because every later column would be shifted.";
    TooFewFields 204 exit 3: "too few fields",
        "A line has fewer fields than the header has columns. Most often a line was cut, a value\n\
         holds an unquoted line break, or the delimiter was guessed wrong: --delimiter names it.\n\
         An empty line in a file of several columns is such a line too; at the end of the file\n\
         empty lines are passed over.";
    UnclosedQuote 205 exit 3: "a quote that is never closed",
        "A field begins with a double quote, and no closing quote follows until the file ends.\n\
         Everything from there on would be one value. A quote inside a quoted value is doubled:\n\
         `\"he said \"\"yes\"\"\"`.";
    TextAfterQuote 206 exit 3: "text after a closing quote",
        "Behind the quote that closes a field comes neither the delimiter nor the end of the\n\
         line. A quote inside a quoted value must be doubled: `\"he said \"\"yes\"\"\"`.";
    DuplicateName 207 exit 3: "two columns of one name",
        "Tables and roles are given by column name, so a name must belong to one column.\n\
         Where names are numbers, the first line is often no header but a record.";
    EmptyName 208 exit 3: "a column without a name",
        "A column of the header has no name, so no table could name it. Often the first line is\n\
         not a header, or a row-number column was written without one (R's write.csv does that).";
    HeaderNotUtf8 209 exit 3: "a header that is not UTF-8",
        "Column names are text and must be UTF-8; the values below may be any bytes.\n\
         Often the file is Latin-1 or Windows-1252: `iconv -f WINDOWS-1252 -t UTF-8` converts it.";
    NoRecords 210 exit 3: "no records",
        "The file has a header and nothing below it, or is empty.";
    NulByte 211 exit 3: "a NUL byte",
        "The file holds a byte 0, which no CSV file has. Often it is a binary file, or a file cut\n\
         by a full disk.";
    BadGzip 212 exit 3: "a damaged gzip file",
        "The compressed data end too early, do not agree with their checksum, or are followed by\n\
         other bytes. The byte in the message is the place in the uncompressed data up to which\n\
         decompressing went. Nothing is used of such a file. Fetch or compress it anew;\n\
         `gzip -t FILE` tests it.";
    BadParquet 213 exit 3: "a damaged Parquet file",
        "The file is no Parquet file, or its pages do not agree with its description.";
    FloatColumn 214 exit 3: "a column of floating-point numbers",
        "Categories are compared exactly, and floating-point numbers do not print the same\n\
         everywhere. Store the column as integers, decimals or text, or leave it out with\n\
         --ignore.";
    UnsupportedColumn 215 exit 3: "a column of a kind that has no categories",
        "Lists, structures, maps and similar columns of a Parquet file cannot be used as\n\
         categories. Leave the column out with --ignore, or store it as text.";
    TooManyRecords 216 exit 3: "too many records",
        "At most 4,294,967,295 records can be read.";
    BareReturn 217 exit 3: "a carriage return that ends no line",
        "A line ends with LF or CR LF. A CR alone, outside quotes, is neither a value nor an end\n\
         of line that all programs agree on. Old Mac files have such line ends:\n\
         `tr '\\r' '\\n'` converts them.";
    BadDelimiter 218 exit 3: "a delimiter that cannot be used",
        "A delimiter is one sign such as `,` `;` or `|`, or a word: comma, semicolon, pipe, tab. A\n\
         quote, a line end, a letter or a digit would not part the fields. Without --delimiter\n\
         the header line decides between comma, semicolon and tab.";
    FieldTooLong 219 exit 3: "a field or line that is too long",
        "One line is longer than 1 GiB, or the name of a column longer than 1,000 bytes. Most\n\
         often a quote was opened and never meant, or the first line is no header.";
    NoParquet 220 exit 3: "a Parquet file, and a program without Parquet",
        "This program was built without the feature `parquet`. Store the data as CSV, or build the\n\
         program with its default features.";
    UnsupportedCompression 221 exit 3: "a Parquet file with an unsupported compression",
        "A wanted column of the Parquet file is compressed with Brotli or LZO, which this program\n\
         does not read. The file is not damaged. Write it with Zstandard, Snappy, gzip, LZ4 or\n\
         without compression, or leave the column out with --ignore.";
    InputChanged 222 exit 3: "an input that changed while it was read",
        "The input is read more than once, and every reading must find the same bytes (by their\n\
         SHA-256). Another program wrote to the file during the run, so nothing is released.\n\
         Start again when the file is complete, or work on a copy of it.";
    ForeignFile 223 exit 3: "a file of another program",
        "The first bytes are those of SPSS, Stata, SAS, Excel, R, Arrow or a packing program. CSV,\n\
         gzip-packed CSV and Parquet are read. Export the data from the program that wrote the\n\
         file: a column of codes keeps its codes if value labels are not exported in their place.\n\
         A packed file or an archive must be unpacked first.";
    Utf16 224 exit 3: "a file in UTF-16",
        "Every character takes two bytes, as in Excel's \"Unicode text\". CSV files are read in UTF-8\n\
         or any other encoding in which commas, quotes and line ends are those of ASCII.\n\
         `iconv -f UTF-16 -t UTF-8` converts the file; Excel offers \"CSV UTF-8\".";
    OtherDelimiter 225 exit 3: "another delimiter than the file has",
        "With this delimiter the file has one column, but the header and every record looked at hold\n\
         another delimiter equally often. Nothing could be exchanged in such a file. Leave\n\
         --delimiter out, or name the right one. A value that holds the sign is put in quotes.";
    PopulationTooSmall 301 exit 3: "a population smaller than the file",
        "The file is a sample of the population, so the population has at least as many people as\n\
         the file has records. A file that is the whole population has just as many. Weights add\n\
         up to the population: weights that were scaled to the file add up to less.";
    BadFraction 302 exit 3: "a sampling fraction that cannot be",
        "A sampling fraction is the share of the population that is in the file: above 0, and at\n\
         most 1. It is written as 0.05 or 5 %.";
    TwoPopulations 303 exit 3: "a population that is said twice",
        "The population's size and the sampling fraction say the same thing. Give one of them;\n\
         a flag takes the place of whichever the project file has.";
    NotDecomposable 304 exit 3: "a model that must be decomposable and is not",
        "A search goes from one decomposable model to the next, so it must begin with one: its\n\
         tables are the cliques of a graph without a chordless cycle. `marginswap graph --keep\n\
         TABLES` says whether tables are decomposable. --model takes every model, and fits one\n\
         that is not decomposable iteratively.";
    BadWeight 305 exit 3: "a weight that cannot be used",
        "A sampling weight says how many people a record stands for: a number that is not\n\
         negative, with a point before its decimals. The first record whose weight is none is\n\
         named. Records without a weight have to be left out of the file, or given one.";
    NotAKey 306 exit 3: "a model with a column that is no key",
        "A risk model describes the keys, which are what an intruder may know. Its tables can hold\n\
         keys alone: name the column with --keys, or leave it out of the model. The column of\n\
         weights cannot be a key.";
    TooManySets 307 exit 7: "more sets of keys than can be gone through",
        "The number of sets of keys doubles with every key. Give a smaller size to --suda or\n\
         --key-sets, fewer keys, or a model with smaller tables.";
    BadToml 401 exit 4: "a project file that cannot be read",
        "The project file is not written as TOML: text stands between double quotes, a list\n\
         between `[` and `]`, each entry on a line of its own, and no entry stands twice.\n\
         `marginswap init DATA` writes a file to start from.";
    UnknownEntry 402 exit 4: "an unknown entry in the project file",
        "The project file has an entry or a part that means nothing here. It is refused, because\n\
         a misspelt entry would be passed over without a word. docs/project-file.md lists them\n\
         all. A column's name that holds spaces or dots stands between double quotes.";
    BadEntry 403 exit 4: "an entry of the wrong kind",
        "An entry of the project file is known, but what stands behind the `=` cannot be used: a\n\
         number where a list is expected, or a text that says nothing. docs/project-file.md tells\n\
         what each entry takes. A share is written in quotes: \"5 %\", \"0.05\".";
    NoProjectFile 404 exit 4: "no such project file",
        "There is no project file of the name given. Without a name, `marginswap.toml` in the\n\
         folder the command runs in is used if it is there.\n\
         `marginswap init DATA` writes a file to start from.";
    StalePlan 501 exit 5: "a plan for another input",
        "The plan was made for a file with other bytes: its SHA-256, its number of records or its\n\
         columns differ, or the file changes while it is read. Record numbers of one file mean\n\
         nothing in another, so nothing is applied. Make a new plan for this file, or name the\n\
         file the plan was made for.";
    OtherParameters 502 exit 5: "a plan made with other parameters",
        "The plan was made with other tables to keep, keys or options than those given now, so it\n\
         may break what is asked for. Make a new plan, or give the parameters the plan has:\n\
         `marginswap show PLAN` prints them.";
    NewerPlan 503 exit 5: "a plan of a newer format",
        "The plan was written by a newer version of marginswap, in a format that this version does\n\
         not know. Use that version, or make a new plan with this one.";
    NoPlan 504 exit 5: "no plan file, or a damaged one",
        "The file does not begin as a plan does, or it does not agree with the sum on its last\n\
         line: it was cut, changed or edited. Nothing is applied of such a file. Make the plan\n\
         anew or fetch an undamaged copy.";
    OwnBug 601 exit 6: "a bug in marginswap",
        "The program met a state that it believes impossible, and stopped. Nothing was written\n\
         that was not complete before. The message names the place in the source and no value of\n\
         the data, so it can be sent to whoever maintains the program.";
    NotKept 602 exit 6: "a released file that does not keep its tables",
        "Before a file is released every kept table is recounted from the bytes that were written.\n\
         They did not agree with the original. That is a bug of marginswap; nothing is released.";
    TooManyComparisons 701 exit 7: "too many comparisons",
        "The margin graph has more minimal separators than --max-separators allows, so records\n\
         must be compared with all others, and the file has too many records for that. Raise\n\
         --max-separators, keep fewer tables (each one ties more variables together), or name\n\
         fewer variables with --vars; what --vars leaves out stays as it is.";
    PairingTooLarge 702 exit 7: "an exact pairing that does not fit",
        "The best pairing is found exactly for up to 1,000 records that take part. For more, the\n\
         greedy pairing comes close to it: `--pairing greedy`.";
    TooManyTied 705 exit 7: "too many variables for larger swaps",
        "Swaps of more than two records are looked for among at most 64 variables with two values\n\
         or more. Name fewer with --vars (what it leaves out stays as it is), or leave\n\
         --max-records at 2: pairs are looked for among up to 256.";
    Cancelled 706 exit 7: "stopped on request",
        "The run was asked to stop and did so between two steps. Nothing was released, and no file\n\
         was left half-written.";
    Unreadable 801 exit 8: "a file that cannot be read",
        "The operating system refuses to read the file; what it says is printed with the error.";
    Unwritable 802 exit 8: "a file that cannot be written",
        "The operating system refuses to write; what it says is printed with the error.\n\
         A file appears under its name only when it is complete.";
    OutputExists 803 exit 8: "the output file exists",
        "An existing file is not replaced unless --force is given.";
    OutputIsInput 804 exit 8: "the output is the input",
        "The file to write is the file that is read. It is never replaced, not even with --force: the\n\
         original would be gone, and with it every way to verify what was released.";
    NoFolder 805 exit 8: "no such folder",
        "The folder of the output does not exist. Folders are not made by this program: make it first\n\
         (`mkdir -p`), or name a folder that is there. A relative name starts at the folder the\n\
         command runs in.";
}

impl Code {
    /// The code that is written so: `E203`, capitals or not.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let number = text.strip_prefix(['E', 'e'])?;
        Self::ALL.iter().copied().find(|code| (*code as u16).to_string() == number)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "E{}", *self as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_name_does_not_reach_the_terminal() {
        let error =
            Diagnostic::new(Code::UnknownVariable, "no `a\x1b[2J`", "did you mean `\u{202e}b`?");
        let shown = error.to_string();
        assert!(shown.contains("no `a\\u{1b}[2J`") && shown.contains("`\\u{202e}b`"), "{shown}");
        assert_eq!(escaped("Größe, 年齢"), "Größe, 年齢");
    }

    #[test]
    fn a_code_is_found_by_what_it_prints() {
        for &code in Code::ALL {
            assert_eq!(Code::parse(&code.to_string()), Some(code));
        }
        for text in ["E999", "203", "E0203", "E", "survey.csv"] {
            assert_eq!(Code::parse(text), None);
        }
    }

    #[test]
    fn codes_rise_and_every_text_ends() {
        assert!(Code::ALL.is_sorted());
        for code in Code::ALL {
            assert!(code.explanation().ends_with('.'), "{code}");
            assert!(code.explanation().lines().all(|line| line.len() <= 92), "{code}");
        }
    }

    #[test]
    fn an_error_gives_place_cause_and_remedy() {
        let error = Diagnostic::new(
            Code::TooManyFields,
            "the header has 9 columns, this line has 10; the extra field follows column 4 `marital`",
            "often a comma inside an unquoted value",
        )
        .in_file("survey.csv")
        .at(48_213, 5_912_884);
        assert_eq!(
            error.to_string(),
            "error[E203]: too many fields\n  \
             --> survey.csv, line 48,213 (byte 5,912,884)\n  \
             the header has 9 columns, this line has 10; the extra field follows column 4 `marital`\n  \
             often a comma inside an unquoted value; `marginswap explain E203` says more"
        );
    }
}

//! The rows of the table of settings, section by section.
//!
//! Their order is that of the project file that `init` writes and of `docs/settings.md`.

use super::value::Entry;
use super::{Kind, Setting, Topic};

/// One row: the field of the project, its name, flag, kind, default, help, topic, whether it
/// decides a plan, and an example.
macro_rules! row {
    ($field:ident$(.$rest:ident)*; $section:literal, $name:literal, $flag:literal, $kind:expr,
     $topic:ident, $decides:literal, $default:literal, $help:literal, $example:literal) => {
        Setting {
            section: $section,
            name: $name,
            flag: $flag,
            kind: $kind,
            default: $default,
            help: $help,
            topic: Topic::$topic,
            decides: $decides,
            example: $example,
            get: |project| project.$field$(.$rest)*.value(),
            set: |project, value| {
                project.$field$(.$rest)* = Entry::read(value)?;
                Ok(())
            },
            lay: |under, over| {
                let own = std::mem::take(&mut under.$field$(.$rest)*);
                under.$field$(.$rest)* = own.under(over.$field$(.$rest)*.clone());
            },
        }
    };
}

/// A row of the preset, which is laid over as a whole.
macro_rules! preset {
    ($field:ident; $name:literal, $kind:expr, $default:literal, $help:literal, $example:literal) => {
        Setting {
            section: "trs",
            name: $name,
            flag: "",
            kind: $kind,
            default: $default,
            help: $help,
            topic: Topic::Preset,
            decides: false,
            example: $example,
            get: |project| project.trs.as_ref().and_then(|trs| trs.$field.value()),
            set: |project, value| {
                project.trs.get_or_insert_default().$field = Entry::read(value)?;
                Ok(())
            },
            lay: |under, over| {
                if over.trs.is_some() {
                    under.trs.clone_from(&over.trs);
                }
            },
        }
    };
}

/// Every setting there is.
pub static SETTINGS: &[Setting] = &[
    row!(data; "", "data", "", Kind::Path, Data, false, "given on the command line",
        "Data file: CSV (also .gz) or Parquet", "\"survey.csv\""),
    row!(delimiter; "", "delimiter", "delimiter", Kind::Text("D"), Data, false, "taken from the header line",
        "Field delimiter of a CSV file: one character, or comma, semicolon, tab, pipe", "\",\""),
    row!(derive; "", "derive", "derive", Kind::Derived, Columns, true, "none",
        "Derived variable, as `age10 = band(age, 10)`: named like a column, never released", ""),
    row!(columns.id; "columns", "id", "id", Kind::Name, Columns, true, "records are named by number",
        "Column that names a record; it takes no part in swapping", ""),
    row!(columns.ignore; "columns", "ignore", "ignore", Kind::Names, Columns, true, "none",
        "Columns that play no part; records that differ only there count as equal", ""),
    row!(columns.stay; "columns", "stay", "stay", Kind::Names, Columns, true, "none",
        "Columns that are released but never exchanged", ""),
    row!(columns.vars; "columns", "vars", "vars", Kind::Names, Columns, true, "every column not named above",
        "Columns whose values may be exchanged; all others stay", ""),
    row!(columns.missing; "columns", "missing", "missing", Kind::Codes, Columns, true, "no code",
        "Code of a missing number; becomes a class of its own in derived variables", "[\"\", \"NA\"]"),
    row!(unit.household; "unit", "household", "household", Kind::Name, Columns, true, "records are swapped one by one",
        "Swap whole households: column with the same value for all members of one", ""),
    row!(unit.size; "unit", "size", "household-size", Kind::Name, Columns, true, "a column that is always the number of members",
        "Column that holds the size of the household; it stays, and is compared with the members", ""),
    row!(keep.tables; "keep", "tables", "keep", Kind::Tables, Ties, true, "no table is kept",
        "Tables that must not change, as `region*sex*age + age*marital`", ""),
    row!(keep.households; "keep", "households", "keep-households", Kind::Tables, Ties, true, "no table of households is kept",
        "Tables that count households and must not change, as `region*size + region*count(age < 18)`", ""),
    row!(keep.named; "keep", "named", "", Kind::NamedTables, Ties, false, "none",
        "Tables that must not change, each with the name it is shown by", ""),
    row!(keep.list; "keep", "list", "tables", Kind::Path, Ties, false, "none",
        "List of tables that must not change, as a CSV file (docs/published-tables.md)", "\"tables.csv\""),
    row!(keep.max_separators; "keep", "max_separators", "max-separators", Kind::Text("N"), Ties, false, "100,000",
        "List at most N minimal separators; beyond, the exact pair test decides", "100000"),
    row!(risk.keys; "risk", "keys", "keys", Kind::Names, Keys, true, "none",
        "Key variables: what an intruder may know about a person", ""),
    row!(risk.more_keys; "risk", "more_keys", "more-keys", Kind::Groups, Keys, true, "none",
        "Further sets of key variables, each known to another intruder (also --keys given again)", ""),
    row!(risk.household_keys; "risk", "household_keys", "household-keys", Kind::Names, Keys, true, "none",
        "Keys of whole households, as `region,size`: at risk when alone with them", ""),
    row!(risk.scenarios; "risk", "scenarios", "", Kind::Scenarios, Keys, true, "none",
        "Intruders with names, each with the keys it knows and, if it differs, what is sensitive", ""),
    row!(risk.sensitive; "risk", "sensitive", "sensitive", Kind::Names, Keys, true, "every variable that is not a key",
        "Sensitive variables: what an intruder must not learn", ""),
    row!(risk.risky; "risk", "risky", "risky", Kind::Text("RULE"), Risk, true, "unique",
        "People at risk: unique, k:3, records:FILE, top:50 or prob:0.2", "\"unique\""),
    row!(risk.population; "risk", "population", "population", Kind::Text("N"), Model, true, "the sum of the weights, if there is a weight",
        "Number of people in the population that the file was drawn from", "1000000"),
    row!(risk.fraction; "risk", "fraction", "fraction", Kind::Text("F"), Model, true, "derived from the population",
        "Sampling fraction, in place of the population: 0.05 or 5 %", "\"5 %\""),
    row!(risk.model; "risk", "model", "model", Kind::Text("MODEL"), Model, true, "auto",
        "Risk model: auto, independence, all-2way, or tables of keys as `sex*age + age*job`", "\"auto\""),
    row!(risk.criterion; "risk", "criterion", "criterion", Kind::Text("C"), Model, true, "bic; aic where `select` is fit",
        "Score of the model search: bic or aic", "\"bic\""),
    row!(risk.search; "risk", "search", "search", Kind::Text("HOW"), Model, true, "forward",
        "Direction of the model search: forest, forward, backward or both", "\"forward\""),
    row!(risk.start; "risk", "start", "start", Kind::Tables, Model, true, "the best forest",
        "Decomposable model that the search starts from", ""),
    row!(risk.select; "risk", "select", "select", Kind::Text("BY"), Model, true, "score",
        "Choice among the models searched: best score, or fit (B/√V nearest to 0)", "\"score\""),
    row!(swap.linked; "swap", "linked", "linked", Kind::Groups, Ties, true, "none",
        "Columns exchanged only together, such as an age and its age group", ""),
    row!(swap.weight; "swap", "weight", "weight", Kind::Name, Ties, true, "only counts are kept",
        "Column of sampling weights; joins every kept table, so that weighted tables stay exact, unless `weight_drift` says otherwise", ""),
    row!(swap.weight_drift; "swap", "weight_drift", "weight-drift", Kind::Text("DRIFT"), Ties, true, "exact",
        "How far weighted counts of kept tables may move: exact (not at all), a share such as `1%`, or free", "\"1 %\""),
    row!(swap.weighted; "swap", "weighted", "weighted", Kind::Tables, Ties, true, "every kept table",
        "Kept tables whose weighted counts stay exact or within the drift", ""),
    row!(swap.matched; "swap", "match", "match", Kind::Groups, Partners, true, "partners may differ anywhere",
        "Columns on which partners must agree; several lists are tried in order", ""),
    row!(swap.near; "swap", "near", "near", Kind::Names, Partners, true, "partners may be anywhere",
        "Areas to look for partners in first, smallest first, as `district,county,state`; wider only where needed", ""),
    row!(swap.strata; "swap", "strata", "strata", Kind::Names, Partners, true, "none",
        "Columns on which partners must always agree", ""),
    row!(swap.rules; "swap", "rules", "rule", Kind::Rules, Partners, true, "none",
        "Combinations that no swap may create, as `age = 0-17 & marital = married`", ""),
    row!(swap.never_new; "swap", "never_new", "never-new", Kind::Tables, Partners, true, "avoided among equally good swaps",
        "Pairs of variables in which no swap may create a new combination of values, or `all`", "[\"all\"]"),
    row!(swap.detach; "swap", "detach", "detach", Kind::Text("N"), Keys, true, "every named sensitive variable, else half of them",
        "Sensitive values that must stay hidden about people whose keys are still found", "2"),
    row!(swap.max_records; "swap", "max_records", "max-records", Kind::Text("N"), Size, true, "2",
        "Largest number of records in a single swap, from 2 to 8", "4"),
    row!(swap.budget; "swap", "budget", "budget", Kind::Text("AMOUNT"), Planning, true, "no limit",
        "Change at most this many records: `120` or `5%`", "\"5 %\""),
    row!(swap.rate; "swap", "rate", "rate", Kind::Text("AMOUNT"), Planning, true, "no random swaps",
        "Perturbation rate: add random swaps until this many records are changed", "\"2 %\""),
    row!(swap.pairing; "swap", "pairing", "pairing", Kind::Text("HOW"), Planning, true, "slices",
        "Choice of partners: greedy pairs, slices to permute whole slices after them, optimal pairs for few", "\"slices\""),
    row!(swap.weights; "swap", "weights", "", Kind::Numbers, Planning, true, "1 for each variable",
        "Cost of disturbing a variable, a whole number from 1 to 65,535", ""),
    row!(verify.published; "verify", "published", "published", Kind::Files, Published, false, "none",
        "Published tables to check: tidy CSV, SDMX-CSV or JSON-stat 2 (docs/published-tables.md)", "[\"table1.csv\"]"),
    row!(verify.total; "verify", "total", "published-total", Kind::Codes, Published, false, "`_T` in SDMX-CSV",
        "Code of a total in published tables; may be given several times", "[\"_T\"]"),
    row!(gate.matched_right; "gate", "matched_right", "tolerate-matched-right", Kind::Text("AMOUNT"), Gate, false, "0",
        "People at risk who may be matched with every sensitive value true", "0"),
    row!(gate.matched; "gate", "matched", "tolerate-matched", Kind::Text("AMOUNT"), Gate, false, "0",
        "People at risk who may be matched with some values false", "\"1 %\""),
    row!(gate.shared_right; "gate", "shared_right", "tolerate-shared-right", Kind::Text("AMOUNT"), Gate, false, "0",
        "People whose sensitive values may all be learned from several records that agree", "0"),
    row!(gate.shared_learned; "gate", "shared_learned", "tolerate-shared-learned", Kind::Text("AMOUNT"), Gate, false, "0",
        "People whose keys may be shared by the same records as before, or by records that reveal too much", "0"),
    row!(gate.newly_exposed; "gate", "newly_exposed", "tolerate-newly-exposed", Kind::Text("AMOUNT"), Gate, false, "0",
        "People who may become alone with their keys through the release", "0"),
    row!(gate.not_partable; "gate", "not_partable", "tolerate-not-partable", Kind::Text("AMOUNT"), Gate, false, "0",
        "People at risk whose keys may remain because no exchange can part them", "\"1 %\""),
    row!(gate.new_pairs; "gate", "new_pairs", "tolerate-new-pairs", Kind::Text("AMOUNT"), Gate, false, "any number",
        "Combinations of two values that may be new, as a number or as a share of all in the released file", "0"),
    row!(release.out; "release", "out", "out", Kind::Path, Release, false, "given on the command line",
        "Released file to write", "\"released.csv\""),
    row!(release.plan; "release", "plan", "plan", Kind::Path, Plan, false, "the plan is not kept",
        "Plan file (SECRET: it undoes the protection)", "\"swap.plan\""),
    row!(release.order; "release", "order", "order", Kind::Text("ORDER"), Release, false, "random",
        "Order of the released records: random, or input where no column comes in runs", "\"random\""),
    row!(release.release_id; "release", "release_id", "release-id", Kind::Switch, Release, false, "the id is not released",
        "Release the column that names the records", "true"),
    row!(release.drop; "release", "drop", "drop", Kind::Names, Release, false, "none",
        "Columns that are not released", ""),
    row!(report.internal; "report", "internal", "report", Kind::Path, Pages, false, "no report",
        "Internal report, for those who decide about the release", "\"report.html\""),
    row!(report.external; "report", "external", "external-report", Kind::Path, Pages, false, "no report",
        "External report, which may be published with the file", "\"public.html\""),
    row!(report.watch; "report", "watch", "watch", Kind::Tables, Watch, false, "none",
        "Other tables to report on: how far they moved", ""),
    preset!(hierarchy; "hierarchy", Kind::Names, "none",
        "Geography to be exchanged, largest areas first", ""),
    preset!(similar; "similar", Kind::Groups, "none",
        "Profiles of columns on which partners agree, tried in order", ""),
    preset!(carry_along; "carry_along", Kind::Names, "none",
        "Columns exchanged together with the geography", ""),
    preset!(k_anonymity; "k_anonymity", Kind::Text("K"), "3",
        "Risk threshold: at risk when fewer than K share risk variables and geography; 0: nobody", "3"),
    preset!(risk_variables; "risk_variables", Kind::Names, "none",
        "Key variables beside the geography", ""),
    preset!(swaprate; "swaprate", Kind::Text("AMOUNT"), "5 %",
        "Perturbation rate: add random swaps until this many records are changed", "\"5 %\""),
    preset!(hid; "hid", Kind::Name, "records are swapped one by one",
        "Household column: whole households are swapped", ""),
];

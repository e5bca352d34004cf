//! Keyword arguments into a project, by the one table of settings.
//!
//! An argument is called like the flag of its setting, with `_` for `-`; a setting without a flag
//! goes by its own name. A list of columns is anything that gives names, and a table is a text or
//! such a list; a single text is read as the command line reads it. A set has no order, so its
//! members are sorted.

use std::collections::BTreeMap;
use std::path::PathBuf;

use marginswap_core::columns::did_you_mean;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_pipeline::project::{self, ProjectFile};
use marginswap_pipeline::refusal::Code;
use marginswap_pipeline::settings::{Kind, SETTINGS, Setting, Topic, Value, formula, topics};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyFrozenSet, PyList, PyMapping, PySet, PyString,
};

use crate::refusal::{OrRaise, raised};

/// What an argument is called.
pub fn keyword(setting: &Setting) -> String {
    if setting.flag.is_empty() { setting.name.to_owned() } else { setting.flag.replace('-', "_") }
}

/// The topics of a function.
fn topics_of(function: &str) -> &'static [Topic] {
    match function {
        "inspect" => topics::INSPECT,
        "graph" => topics::GRAPH,
        "screen" => topics::SCREEN,
        "explain" => topics::EXPLAIN,
        "risk" => topics::RISK,
        "plan" => topics::PLAN,
        "frontier" => topics::FRONTIER,
        "protect" => topics::PROTECT,
        "apply" => topics::APPLY,
        "verify" => topics::VERIFY,
        "report" => topics::REPORT,
        _ => unreachable!("the package asks for its own functions"),
    }
}

const FUNCTIONS: [&str; 11] = [
    "inspect", "graph", "screen", "explain", "risk", "plan", "protect", "apply", "verify",
    "report", "frontier",
];

/// The settings that a function takes as arguments. The data are an argument of their own, and
/// the preset is one of project files.
fn taken_by(function: &str) -> impl Iterator<Item = &'static Setting> {
    let topics = topics_of(function);
    SETTINGS.iter().filter(move |setting| topics.contains(&setting.topic) && setting.name != "data")
}

/// Every argument that comes from the table of settings.
#[pyfunction]
pub fn settings(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let all = PyList::empty(py);
    for setting in SETTINGS {
        let functions: Vec<&str> = FUNCTIONS
            .into_iter()
            .filter(|function| taken_by(function).any(|other| std::ptr::eq(other, setting)))
            .collect();
        if functions.is_empty() {
            continue;
        }
        let row = PyDict::new(py);
        row.set_item("argument", keyword(setting))?;
        row.set_item("setting", setting.key())?;
        row.set_item("kind", kind(setting.kind))?;
        row.set_item("default", setting.default)?;
        row.set_item("help", setting.help)?;
        row.set_item("functions", functions)?;
        all.append(row)?;
    }
    Ok(all)
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Names | Kind::Codes => "names",
        Kind::Name => "name",
        Kind::Groups => "groups",
        Kind::Tables | Kind::Rules => "texts",
        Kind::NamedTables | Kind::Derived => "texts by name",
        Kind::Path => "path",
        Kind::Files => "files",
        Kind::Text(_) => "word",
        Kind::Switch => "switch",
        Kind::Numbers => "numbers by name",
        Kind::Widths => "widths by name",
        Kind::Scenarios => "intruders by name",
    }
}

/// Settings that several calls share: those of a project file, or given as arguments.
#[pyclass(frozen, from_py_object, module = "marginswap")]
#[derive(Clone)]
pub struct Project(pub project::Project);

#[pymethods]
impl Project {
    /// Settings given as arguments.
    #[new]
    #[pyo3(signature = (**settings))]
    fn new(py: Python<'_>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut own = project::Project::default();
        for (name, value) in settings.into_iter().flatten() {
            let name: String = name.extract()?;
            let known = || SETTINGS.iter().filter(|setting| setting.topic != Topic::Preset);
            set(py, &mut own, &name, &value, known, ("Project", &[]))?;
        }
        Ok(Self(own))
    }

    /// The settings of a project file; its paths start at its folder.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let file = ProjectFile::load(&path).or_raise(py)?;
        Ok(Self(file.project))
    }

    /// The settings that `json` gives.
    #[staticmethod]
    fn of_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        let broken = || {
            let detail = "the settings are not those of a project";
            raised(py, &Diagnostic::new(Code::BadEntry, detail, "make the project again"))
        };
        let all: serde_json::Value = serde_json::from_str(text).map_err(|_| broken())?;
        let mut own = project::Project::default();
        for setting in SETTINGS {
            let section = match setting.section {
                "" => Some(&all),
                section => all.get(section),
            };
            let told = section.and_then(|section| section.get(setting.name));
            if let Some(value) = told.and_then(Value::from_json) {
                setting.set(&mut own, &value).map_err(|_| broken())?;
            }
        }
        Ok(Self(own))
    }

    /// The settings as JSON, by section.
    fn json(&self) -> String {
        let mut sections = serde_json::Map::new();
        for setting in SETTINGS {
            let Some(value) = setting.get(&self.0) else { continue };
            match setting.section {
                "" => {
                    sections.insert(setting.name.to_owned(), value.json());
                }
                section => {
                    let entries = sections.entry(section).or_insert_with(|| serde_json::json!({}));
                    entries[setting.name] = value.json();
                }
            }
        }
        serde_json::Value::Object(sections).to_string()
    }
}

/// What holds for one call: a project, and the arguments laid over it.
pub fn project_of(
    py: Python<'_>,
    function: &str,
    base: Option<&Project>,
    data: Option<PathBuf>,
    (given, own_arguments): (&Bound<'_, PyDict>, &[String]),
) -> PyResult<project::Project> {
    let mut own = project::Project { data, ..project::Project::default() };
    for (name, value) in given.iter() {
        if !value.is_none() {
            let name: String = name.extract()?;
            set(py, &mut own, &name, &value, || taken_by(function), (function, own_arguments))?;
        }
    }
    let base = base.map(|base| base.0.clone()).unwrap_or_default();
    base.merge(own).expanded().completed().or_raise(py)
}

fn set<I: Iterator<Item = &'static Setting>>(
    py: Python<'_>,
    project: &mut project::Project,
    name: &str,
    value: &Bound<'_, PyAny>,
    known: impl Fn() -> I,
    (function, own): (&str, &[String]),
) -> PyResult<()> {
    let Some(setting) = known().find(|setting| keyword(setting) == name) else {
        let names: Vec<String> = known().map(keyword).chain(own.iter().cloned()).collect();
        let near = did_you_mean(name, &names);
        let help = match near.ends_with('?') {
            true => near,
            false => format!("`help(marginswap.{function})` lists the arguments"),
        };
        return Err(PyTypeError::new_err(format!("{function}() has no argument `{name}`; {help}")));
    };
    let refuse = |detail: String, remedy: String| {
        let refusal = Diagnostic::new(Code::BadEntry, detail, remedy);
        raised(py, &refusal.about(format!("{}=", setting.key())).in_file(format!("`{name}=`")))
    };
    let Some(value) = plain(value)? else {
        let detail = "a setting is a text, a number, a switch, a path, or a list of these";
        let remedy = "docs/settings.md says what each setting takes";
        return Err(refuse(detail.to_owned(), remedy.to_owned()));
    };
    let value = read(setting, value);
    let value = value.map_err(|refusal| refuse(refusal.detail, refusal.remedy))?;
    setting
        .set(project, &value)
        .map_err(|misfit| refuse(misfit.refusal.detail, misfit.refusal.remedy))
}

/// What an argument says. Texts are read as the command line reads them where a list is asked for.
fn read(setting: &Setting, value: Value) -> Result<Value, Diagnostic> {
    let listed = !matches!(
        setting.kind,
        Kind::Name | Kind::Path | Kind::Text(_) | Kind::Switch | Kind::Numbers | Kind::Scenarios
    );
    Ok(match (value, setting.kind) {
        (Value::Text(text), _) if listed => setting.typed(&[text])?,
        (Value::List(tables), Kind::Tables) => {
            Value::List(tables.into_iter().map(as_table).collect())
        }
        (Value::Map(tables), Kind::NamedTables) => {
            Value::Map(tables.into_iter().map(|(name, table)| (name, as_table(table))).collect())
        }
        // A share may be a number here; the command line has the same digits.
        (Value::Number(digits), Kind::Text(_)) if digits.contains('.') => Value::Text(digits),
        // `x = band(age, 10)`, several times.
        (Value::List(list), Kind::Derived) => match texts(&list) {
            Some(texts) => setting.typed(&texts)?,
            None => Value::List(list),
        },
        (value, _) => value,
    })
}

/// A table that is given as the list of its variables.
fn as_table(table: Value) -> Value {
    match &table {
        Value::List(names) => match texts(names) {
            Some(names) if !names.is_empty() => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                Value::text(formula(&names))
            }
            _ => table,
        },
        _ => table,
    }
}

fn texts(list: &[Value]) -> Option<Vec<String>> {
    let text = |item: &Value| if let Value::Text(text) = item { Some(text.clone()) } else { None };
    list.iter().map(text).collect()
}

/// A Python object as a value of a project file; none where it cannot be one.
fn plain(object: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    let py = object.py();
    if let Ok(switch) = object.cast::<PyBool>() {
        return Ok(Some(Value::Switch(switch.is_true())));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Some(Value::text(text.to_string())));
    }
    // Libraries have numbers and truth values of their own, which are written in their own ways.
    if object.is_instance_of::<PyFloat>() {
        let number = PyFloat::new(py, object.extract::<f64>()?);
        return Ok(Some(Value::Number(number.repr()?.to_string())));
    }
    if object.hasattr("__index__")? {
        let number = py.import("operator")?.getattr("index")?.call1((object,));
        // An array of many numbers promises to be one.
        if let Ok(number) = number {
            return Ok(Some(Value::Number(number.str()?.to_string())));
        }
    }
    if let Ok(map) = object.cast::<PyMapping>() {
        let mut entries = BTreeMap::new();
        for entry in map.items()?.iter() {
            let (name, item): (String, Bound<'_, PyAny>) = entry.extract()?;
            let Some(item) = plain(&item)? else { return Ok(None) };
            entries.insert(name, item);
        }
        return Ok(Some(Value::Map(entries)));
    }
    if let Ok(path) = object.extract::<PathBuf>() {
        return Ok(Some(Value::text(path.display().to_string())));
    }
    let numbers = object.is_instance_of::<PyBytes>() || object.is_instance_of::<PyByteArray>();
    if numbers || !object.hasattr("__iter__")? {
        return Ok(None);
    }
    let mut items = Vec::new();
    for item in object.try_iter()? {
        let Some(item) = plain(&item?)? else { return Ok(None) };
        items.push(item);
    }
    if object.cast::<PySet>().is_ok() || object.cast::<PyFrozenSet>().is_ok() {
        items.sort_by_cached_key(|item| format!("{item:?}"));
    }
    Ok(Some(Value::List(items)))
}

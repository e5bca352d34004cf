//! Keyword arguments into a project, by the one table of settings.
//!
//! An argument is called like the flag of its setting, with `_` for `-`; a setting without a flag
//! goes by its own name. A list of columns is a list of names; a single text is read as the
//! command line reads it.

use std::path::PathBuf;

use marginswap_core::columns::did_you_mean;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_pipeline::project::{self, ProjectFile};
use marginswap_pipeline::refusal::Code;
use marginswap_pipeline::settings::{Kind, SETTINGS, Setting, Topic, Value, topics};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

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
            set(py, &mut own, &name, &value, known)?;
        }
        Ok(Self(own))
    }

    /// The settings of a project file; its paths start at its folder.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let file = ProjectFile::load(&path).or_raise(py)?;
        Ok(Self(file.project))
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
    given: &Bound<'_, PyDict>,
) -> PyResult<project::Project> {
    let mut own = project::Project { data, ..project::Project::default() };
    for (name, value) in given.iter() {
        if !value.is_none() {
            let name: String = name.extract()?;
            set(py, &mut own, &name, &value, || taken_by(function))?;
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
) -> PyResult<()> {
    let Some(setting) = known().find(|setting| keyword(setting) == name) else {
        let names: Vec<String> = known().map(keyword).collect();
        return Err(PyTypeError::new_err(format!(
            "there is no argument `{name}` here; {}",
            did_you_mean(name, &names)
        )));
    };
    let refuse = |detail: String, remedy: String| {
        let refusal = Diagnostic::new(Code::BadEntry, detail, remedy);
        raised(py, &refusal.about(format!("{}=", setting.key())).in_file(format!("`{name}=`")))
    };
    let value = read(setting, value)?;
    let value = value.map_err(|refusal| refuse(refusal.detail, refusal.remedy))?;
    setting
        .set(project, &value)
        .map_err(|misfit| refuse(misfit.refusal.detail, misfit.refusal.remedy))
}

/// What an argument says. Texts are read as the command line reads them where a list is asked for.
fn read(setting: &Setting, value: &Bound<'_, PyAny>) -> PyResult<Result<Value, Diagnostic>> {
    let value = plain(value)?;
    let listed = !matches!(
        setting.kind,
        Kind::Name | Kind::Path | Kind::Text(_) | Kind::Switch | Kind::Numbers | Kind::Scenarios
    );
    Ok(match (value, setting.kind) {
        (Value::Text(text), _) if listed => setting.typed(&[text]),
        // `x = band(age, 10)`, several times.
        (Value::List(list), Kind::Derived) => {
            let texts: Option<Vec<String>> = list
                .iter()
                .map(|item| if let Value::Text(text) = item { Some(text.clone()) } else { None })
                .collect();
            texts.map_or(Ok(Value::List(list)), |texts| setting.typed(&texts))
        }
        (value, _) => Ok(value),
    })
}

/// A Python object as a value of a project file.
fn plain(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(switch) = object.cast::<PyBool>() {
        return Ok(Value::Switch(switch.is_true()));
    }
    if object.is_instance_of::<PyInt>() || object.is_instance_of::<PyFloat>() {
        return Ok(Value::Number(object.repr()?.to_string()));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::text(text.to_string()));
    }
    if let Ok(map) = object.cast::<PyDict>() {
        let entries = map.iter().map(|(name, item)| Ok((name.extract::<String>()?, plain(&item)?)));
        return Ok(Value::Map(entries.collect::<PyResult<_>>()?));
    }
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let items = object.try_iter()?.map(|item| plain(&item?));
        return Ok(Value::List(items.collect::<PyResult<_>>()?));
    }
    let path: PathBuf = object.extract().map_err(|_| {
        PyTypeError::new_err("a setting is a text, a number, a switch, a path, or a list of these")
    })?;
    Ok(Value::text(path.display().to_string()))
}

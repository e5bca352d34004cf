"""The stubs of the package, made from its functions and the table of settings."""

from __future__ import annotations

import inspect

import fields
import marginswap
from marginswap import _in_engine, _marginswap, _results

KINDS = {
    "names": "_Names",
    "name": "str",
    "groups": "str | Iterable[str | Iterable[str]]",
    "texts": "str | Iterable[str | Iterable[str]]",
    "texts by name": "Mapping[str, str | Iterable[str]] | Iterable[str] | str",
    "path": "Path",
    "files": "str | Iterable[str | Mapping[str, object]]",
    "word": "str | int | float",
    "switch": "bool",
    "numbers by name": "Mapping[str, int]",
    "widths by name": "Mapping[str, str | int | float] | str",
    "intruders by name": "Mapping[str, Mapping[str, object]]",
}

HEAD = '''# Made from the functions, the table of settings and the list of fields by tests/stubs.py; do not
# edit.
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, Literal, NoReturn, Protocol, TypedDict, TypeVar, overload

from typing_extensions import NotRequired, Unpack

Path = str | os.PathLike[str]
Progress = bool | Callable[[str, int, int], object]

class _Stream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

class _Relation(Protocol):
    @property
    def alias(self) -> str: ...
    def set_alias(self, alias: str) -> Any: ...

class _Spark(Protocol):
    @property
    def sparkSession(self) -> Any: ...
    def createOrReplaceTempView(self, name: str) -> None: ...

class _Array(Protocol):
    def __array__(self) -> Any: ...

_T = TypeVar("_T")
_Table = TypeVar("_Table", bound=_Stream)
_Held = TypeVar("_Held", bound=_Relation)
_OnSpark = TypeVar("_OnSpark", bound=_Spark)
_Data = Path | _Stream | _Relation | _Spark
_Names = str | Iterable[str] | _Array

__version__: str

class Refusal(ValueError):
    code: str
    title: str
    place: str
    detail: str
    remedy: str
    exit_code: int

class NotATable(Refusal, TypeError): ...
class Cancelled(Refusal): ...
class Bug(Refusal): ...
class Note(UserWarning): ...
'''

#: Settings that are one of some words.
WORDS = {
    "criterion": ["bic", "aic"],
    "effort": ["quick", "normal", "long"],
    "knows": ["any part", "any-part", "all"],
    "mechanism": ["glue"],
    "order": ["random", "input"],
    "pairing": ["slices", "greedy", "optimal"],
    "search": ["forest", "forward", "backward", "both"],
    "select": ["score", "fit"],
    "then": ["persons"],
}

OWN = {
    "data": "_Data | None",
    "before": "_Data",
    "after": "_Data",
    "project": "Project | Path | None",
    "progress": "Progress | None",
    "plan": "Plan | Path | None",
    "out": "Path | None",
    "seed_file": "Path | None",
    "seal_file": "Path | None",
    "margins": "Path | None",
    "record": "int | str | None",
    "pair": "tuple[int | str, int | str] | None",
    "budgets": "Iterable[str | int] | None",
    "staging": "Path | None",
    "engine": "object | None",
    "partners": 'Literal["count", "all"]',
}

#: What the kinds of a table become: of the data, of the engine, and of the answer.
OVERLOADS = {
    "protect": [
        ("Path | None", {"engine": "None", "staging": "None"}, "Release[None]"),
        ("Path", {"engine": "object", "staging": "Path | None"}, "EngineRelease[Any]"),
        ("_Held", {"engine": "None", "staging": "None"}, "EngineRelease[_Held]"),
        ("_OnSpark", {"engine": "None", "staging": "Path | None"}, "EngineRelease[_OnSpark]"),
        ("_Table", {"engine": "None", "staging": "None"}, "Release[_Table]"),
    ],
    "apply": [
        ("Path", {"engine": "None", "staging": "None"}, "Release[None]"),
        ("Path", {"engine": "object", "staging": "Path | None"}, "EngineRelease[Any]"),
        ("_Held", {"engine": "None", "staging": "None"}, "EngineRelease[_Held]"),
        ("_OnSpark", {"engine": "None", "staging": "Path | None"}, "EngineRelease[_OnSpark]"),
        ("_Table", {"engine": "None", "staging": "None"}, "Release[_Table]"),
    ],
}

BASES = {
    "Release": "(Answer, Generic[_T])",
    "EngineRelease": "(Answer, Generic[_T])",
}

FIELDS = {
    "Release": ["data: _T", "path: str | None", "plan: Plan"],
    "EngineRelease": ["table: _T", "plan: Plan | None"],
    "Page": ["html: str"],
    "Frontier": ["plan: Plan | None"],
}

METHODS = {
    "Answer": [
        "def __iter__(self) -> Iterator[str]: ...",
        "def to_dict(self) -> dict[str, Any]: ...",
        "def _repr_html_(self) -> str: ...",
        "def _repr_svg_(self) -> str | None: ...",
    ],
    "EngineRelease": [
        "def write(",
        "    self,",
        "    path: Path,",
        "    *,",
        "    partition_by: Iterable[str] = (),",
        "    writer: Callable[[_T, str], Any] | None = None,",
        ") -> EngineRelease[_T]: ...",
    ],
    "Plan": [
        "@classmethod",
        "def load(cls, path: Path, *, seal_file: Path | None = None) -> Plan: ...",
        "def save(self, path: Path, *, force: bool = False, seal_file: Path | None = None) -> None: ...",
        "def same_swaps(self, other: Plan) -> bool: ...",
        "def __reduce__(self) -> NoReturn: ...",
    ],
}

DEMO = '''def demo(
    folder: Path,
    *,
    records: int = 100_000,
    households: bool = False,
    demo_seed: int = 1,
    force: bool = False,
) -> str: ...
def demo_table() -> Any: ...
'''

CLASSES = [
    "Answer", "Inspection", "Graph", "Screening", "Explanation", "Risk", "Verification",
    "Release", "Page", "Frontier", "Plan", "EngineRelease",
]

FUNCTIONS = [
    "inspect", "graph", "screen", "explain", "risk", "plan", "protect", "apply", "verify",
    "report", "frontier",
]


def made() -> str:
    types = fields.Types()
    classes = [answer_class(name, types) for name in CLASSES]
    settings = [settings_of(name) for name in FUNCTIONS]
    functions = map(function, FUNCTIONS)
    return "\n".join([HEAD, project(), *types.texts, *classes, *settings, *functions, DEMO])


def kind_of(row: dict) -> str:
    if row["argument"] in WORDS:
        return "Literal[" + ", ".join(f'"{word}"' for word in WORDS[row["argument"]]) + "]"
    return KINDS[row["kind"]]


def project() -> str:
    rows = {row["argument"]: row for row in _marginswap.settings()}
    lines = ["class Project:", "    def __init__(", "        self,", "        *,"]
    lines += [f"        {name}: {kind_of(row)} | None = None," for name, row in rows.items()]
    lines += ["        data: Path | None = None,", "    ) -> None: ..."]
    lines += ["    @classmethod", '    def load(cls, path: Path = "marginswap.toml") -> Project: ...']
    lines += ["    def to_dict(self) -> dict[str, Any]: ...", ""]
    return "\n".join(lines)


def answer_class(name: str, types: fields.Types) -> str:
    """A class with its fields, the verdict among them where it has one."""
    base = "" if name == "Answer" else BASES.get(name, "(Answer)")
    lines = [f"class {name}{base}:"]
    if name == "Answer":
        lines.append("    notes: tuple[str, ...]")
    else:
        lines += [f"    {field}" for field in types.attributes(name)]
    lines += [f"    {field}" for field in FIELDS.get(name, [])]
    if issubclass(getattr(_results, name, _in_engine.EngineRelease), _results.Judged):
        lines.append("    def __bool__(self) -> bool: ...")
    lines += [f"    {method}" for method in METHODS.get(name, [])]
    return "\n".join(lines)


def title(name: str) -> str:
    return f"_Settings{name.capitalize()}"


def rows_of(name: str) -> list[dict]:
    """The settings of a function that are no arguments of its own."""
    parameters = inspect.signature(getattr(marginswap, name)).parameters
    own = {one for one, parameter in parameters.items() if parameter.annotation is not parameter.empty}
    rows = _marginswap.settings()
    return [row for row in rows if name in row["functions"] and row["argument"] not in own]


def settings_of(name: str) -> str:
    lines = [f"class {title(name)}(TypedDict, total=False):"]
    return "\n".join([*lines, *(f"    {row['argument']}: {kind_of(row)} | None" for row in rows_of(name))])


def function(name: str) -> str:
    if name not in OVERLOADS:
        return one(name, {}, None)
    return "\n".join(
        "@overload\n" + one(name, {"data": data, **more}, answer)
        for data, more, answer in OVERLOADS[name]
    )


def one(name: str, kinds: dict, answer: str | None) -> str:
    """A function, or one of its overloads."""
    own = inspect.signature(getattr(marginswap, name))
    lines, keyword = [f"def {name}("], False
    for parameter in own.parameters.values():
        if parameter.annotation is inspect.Parameter.empty:
            continue
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not keyword:
            lines.append("    *,")
            keyword = True
        kind = kinds.get(parameter.name) or OWN.get(parameter.name, parameter.annotation)
        free = parameter.default is not inspect.Parameter.empty
        # What must be there, and what must not be, tells the kinds of a table apart.
        free = free and (parameter.name not in kinds or "None" in kinds[parameter.name])
        given = f" = {default(parameter)}" if free else ""
        lines.append(f"    {parameter.name}: {kind}{given},")
    lines.append(f"    **settings: Unpack[{title(name)}],")
    answer = answer or own.return_annotation.removeprefix("results.")
    lines.append(f") -> {answer}: ...")
    return "\n".join(lines)


def default(parameter: inspect.Parameter) -> str:
    value = parameter.default
    return f'"{value}"' if isinstance(value, str) else repr(value)

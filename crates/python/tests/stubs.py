"""The stubs of the package, made from its functions and the table of settings."""

from __future__ import annotations

import inspect

import marginswap
from marginswap import _marginswap, _results

KINDS = {
    "names": "str | Sequence[str]",
    "name": "str",
    "groups": "Sequence[Sequence[str]] | str",
    "texts": "str | Sequence[str]",
    "texts by name": "Mapping[str, str] | Sequence[str] | str",
    "path": "Path",
    "files": "str | Sequence[str | Mapping[str, object]]",
    "word": "str | int | float",
    "switch": "bool",
    "numbers by name": "Mapping[str, int]",
    "widths by name": "Mapping[str, str | int | float] | str",
    "intruders by name": "Mapping[str, Mapping[str, object]]",
}

HEAD = '''# Made from the functions and the table of settings by tests/stubs.py; do not edit.
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Path = str | os.PathLike[str]
Progress = bool | Callable[[str, int, int], object]

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

OWN = {
    "data": "Any",
    "before": "Any",
    "after": "Any",
    "project": "Project | Path | None",
    "progress": "Progress | None",
    "plan": "Plan | Path | None",
    "out": "Path | None",
    "seed_file": "Path | None",
    "seal_file": "Path | None",
    "margins": "Path | None",
    "record": "int | str | None",
    "pair": "tuple[int | str, int | str] | None",
    "budgets": "Sequence[str | int] | None",
    "staging": "Path | None",
}

FIELDS = {
    "Release": ["data: Any", "path: str | None", "plan: Plan | None"],
    "Page": ["html: str"],
    "Frontier": ["plan: Plan | None"],
}


ENGINE = '''class EngineRelease(Answer):
    table: Any
    def write(self, path: Path, *, partition_by: Sequence[str] = ()) -> EngineRelease: ...'''


DEMO = '''def demo(
    folder: Path,
    *,
    records: int = 100_000,
    households: bool = False,
    demo_seed: int = 1,
    force: bool = False,
) -> str: ...
def demo_table() -> Any: ...'''


def made() -> str:
    functions = map(function, FUNCTIONS)
    parts = [HEAD, project(), *map(answer_class, CLASSES), ENGINE, *functions, DEMO]
    return "\n".join(parts)


CLASSES = [
    "Answer", "Inspection", "Graph", "Screening", "Explanation", "Risk", "Verification",
    "Release", "Page", "Frontier", "Plan",
]

FUNCTIONS = [
    "inspect", "graph", "screen", "explain", "risk", "plan", "protect", "apply", "verify",
    "report", "frontier",
]


def project() -> str:
    rows = {row["argument"]: row for row in _marginswap.settings()}
    lines = ["class Project:", "    def __init__(", "        self,", "        *,"]
    lines += [f"        {name}: {KINDS[row['kind']]} | None = None," for name, row in rows.items()]
    lines += ["        data: Path | None = None,", "    ) -> None: ..."]
    lines += ["    @classmethod", '    def load(cls, path: Path = "marginswap.toml") -> Project: ...']
    lines += ["    def to_dict(self) -> dict[str, Any]: ...", ""]
    return "\n".join(lines)


def answer_class(name: str) -> str:
    own = getattr(_results, name)
    base = "" if name == "Answer" else "(Answer)"
    lines = [f"class {name}{base}:"]
    if name == "Answer":
        lines += [
            "    notes: tuple[str, ...]",
            "    def __getattr__(self, name: str) -> Any: ...",
            "    def __iter__(self) -> Iterator[str]: ...",
            "    def to_dict(self) -> dict[str, Any]: ...",
            "    def _repr_html_(self) -> str: ...",
            "    def _repr_svg_(self) -> str | None: ...",
        ]
    lines += [f"    {field}" for field in FIELDS.get(name, [])]
    if issubclass(own, _results.Judged):
        lines += ["    @property", "    def verdict(self) -> str: ..."]
        lines += ["    @property", "    def reasons(self) -> list[Any]: ..."]
    if name == "Plan":
        lines += [
            "    @classmethod",
            "    def load(cls, path: Path, *, seal_file: Path | None = None) -> Plan: ...",
            "    def save(",
            "        self, path: Path, *, force: bool = False, seal_file: Path | None = None",
            "    ) -> None: ...",
            "    @property",
            "    def not_for_release(self) -> bool: ...",
            "    def same_swaps(self, other: Plan) -> bool: ...",
        ]
    return "\n".join(lines if len(lines) > 1 else [f"class {name}{base}: ..."])


def function(name: str) -> str:
    own = getattr(marginswap, name)
    rows = {row["argument"]: row for row in _marginswap.settings() if name in row["functions"]}
    lines, keyword = [f"def {name}("], False
    for parameter in inspect.signature(own).parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not keyword:
            lines.append("    *,")
            keyword = True
        kind = parameter.annotation
        if kind is inspect.Parameter.empty:
            kind = f"{KINDS[rows[parameter.name]['kind']]} | None"
        elif parameter.name in OWN:
            kind = OWN[parameter.name]
        given = "" if parameter.default is inspect.Parameter.empty else f" = {default(parameter)}"
        lines.append(f"    {parameter.name}: {kind}{given},")
    answer = inspect.signature(own).return_annotation.removeprefix("results.")
    lines.append(f") -> {answer}: ...")
    return "\n".join(lines)


def default(parameter: inspect.Parameter) -> str:
    value = parameter.default
    return f'"{value}"' if isinstance(value, str) else repr(value)

"""What the functions answer: small frozen classes.

The fields of an answer are those of the command line's ``--json``; ``str()`` is its text, and a
notebook shows its picture.
"""

from __future__ import annotations

import copy
import html
import json
from collections.abc import Iterator
from types import GenericAlias
from typing import Any

from . import _marginswap as native


class Answer:
    """An answer: attributes are its fields, `to_dict()` gives all of them."""

    __slots__ = ("_fields", "_svg", "_text", "notes")

    _fields: dict[str, Any]
    _text: str
    _svg: str | None
    #: What was worth a word.
    notes: tuple[str, ...]

    def __init__(self, answer: native.Answer, **more: Any) -> None:
        put = object.__setattr__
        put(self, "_fields", json.loads(answer.json))
        put(self, "_text", answer.text.rstrip("\n"))
        put(self, "_svg", answer.svg)
        put(self, "notes", tuple(answer.notes))
        for name, value in more.items():
            put(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return copy.deepcopy(self._fields[name])
        except KeyError:
            if name == "plan" and isinstance(self, (Release, Frontier)):
                raise AttributeError(
                    "the plan is SECRET and is not pickled; `plan.save()` keeps it"
                ) from None
            raise AttributeError(
                f"{type(self).__name__} has no field {name!r}; it has {', '.join(self)}"
            ) from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an answer cannot be changed: {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an answer cannot be changed: {name}")

    def __copy__(self) -> Answer:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Answer:
        return self

    def __reduce__(self) -> Any:
        return again, (type(self), self._kept())

    def _kept(self) -> dict[str, Any]:
        """What makes the same answer elsewhere; a plan is SECRET and stays where it was made."""
        names = [name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ())]
        return {name: getattr(self, name) for name in names if name != "plan"}

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._fields})

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._fields == self._fields

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """All fields, as the command line prints them with ``--json``."""
        return copy.deepcopy(self._fields)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>\n{self._text}"

    def _repr_html_(self) -> str:
        picture = self._svg or ""
        picture = picture[picture.find("<svg") :] if "<svg" in picture else ""
        return f"<pre>{html.escape(self._text)}</pre>{picture}"

    def _repr_svg_(self) -> str | None:
        return self._svg


def again(kind: type[Answer], kept: dict[str, Any]) -> Any:
    """The answer that was pickled or copied."""
    made = kind.__new__(kind)
    for name, value in kept.items():
        object.__setattr__(made, name, value)
    return made


class Inspection(Answer):
    """What is in a table."""

    __slots__ = ()


class Graph(Answer):
    """What the kept tables tie together."""

    __slots__ = ()


class Screening(Answer):
    """Which records can be swapped."""

    __slots__ = ()


class Explanation(Answer):
    """Why a record or a pair can or cannot be swapped, or what a code means."""

    __slots__ = ()


class Risk(Answer):
    """Who is at risk, by a model of the population."""

    __slots__ = ()


class Judged(Answer):
    """An answer with a verdict. It is true where the verdict is ``release``."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return self.verdict == "release"

    @property
    def verdict(self) -> str:
        """``release``, ``review`` or ``do_not_release``."""
        return str(self._fields["verdict"])

    @property
    def reasons(self) -> list[Any]:
        """The reasons of the verdict."""
        return list(copy.deepcopy(self._fields.get("reasons", [])))


class Verification(Judged):
    """What a recount of two tables finds."""

    __slots__ = ()


class Release(Judged):
    """A released table with what is known of it."""

    __slots__ = ("data", "path", "plan")

    #: `Release[pandas.DataFrame]` is a type: that of the released table.
    __class_getitem__ = classmethod(GenericAlias)

    #: The released table, of the kind that was given; none where a file was written.
    data: Any
    #: The released file, where one was written.
    path: str | None
    #: The plan (SECRET).
    plan: Plan

    def __deepcopy__(self, memo: dict[int, Any]) -> Release:
        kept = {**self._kept(), "data": copy.deepcopy(self.data, memo)}
        made = again(type(self), kept)
        if hasattr(self, "plan"):
            object.__setattr__(made, "plan", self.plan)
        return made  # type: ignore[no-any-return]


class Page(Judged):
    """A report on one page."""

    __slots__ = ("html",)

    #: The page.
    html: str

    def _repr_html_(self) -> str:
        # A page of its own: it must not mix with the notebook's.
        return f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="600"></iframe>'


class Frontier(Answer):
    """Several plans, risk against change."""

    __slots__ = ("plan",)

    #: The chosen plan (SECRET); none where no plan meets the criterion.
    plan: Plan | None


class Plan(Answer):
    """Swaps that are decided and not yet done. SECRET: anyone who has it can undo the swaps."""

    __slots__ = ("_native",)

    _native: native.Plan

    def __init__(self, plan: native.Plan, answer: native.Answer | None = None) -> None:
        put = object.__setattr__
        put(self, "_native", plan)
        put(self, "_fields", json.loads(plan.json) or {})
        text = answer.text.rstrip("\n") if answer else f"{plan.records:,} records"
        put(self, "_text", text)
        put(self, "_svg", answer.svg if answer else None)
        put(self, "notes", tuple(answer.notes) if answer else ())

    @classmethod
    def load(cls, path: Any, *, seal_file: Any = None) -> Plan:
        """Reads a plan file, written here or by the command line."""
        plan, unchecked = native.Plan.load(path, seal_file)
        made = cls(plan)
        if unchecked:
            note = "the plan has a seal, which was not checked: give `seal_file=`"
            object.__setattr__(made, "notes", (note,))
        return made

    def save(self, path: Any, *, force: bool = False, seal_file: Any = None) -> None:
        """Writes the plan file, which its owner alone can read."""
        self._native.save(path, force, seal_file)

    @property
    def not_for_release(self) -> bool:
        """Was it made with a seed that others know?"""
        return self._native.not_for_release

    def same_swaps(self, other: Plan) -> bool:
        """Do both make the same swaps?"""
        return self._native.same_swaps(other._native)

    def __repr__(self) -> str:
        return f"<Plan: SECRET, it undoes the protection>\n{self._text}"

    def _repr_html_(self) -> str:
        return f"<p><b>SECRET: it undoes the protection</b></p>{super()._repr_html_()}"

    def __reduce__(self) -> Any:
        raise TypeError("a plan is SECRET and is not pickled; `save()` writes the plan file")

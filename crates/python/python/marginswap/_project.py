"""Settings that several calls share."""

from __future__ import annotations

import json
from typing import Any

from . import _marginswap as native


class Project:
    """Settings that several calls share; arguments of a call are laid over them.

    >>> project = marginswap.Project(keys=["region", "age"], keep=["region*sex"])
    >>> project.to_dict()["risk"]
    {'keys': ['region', 'age']}
    """

    __slots__ = ("_native",)

    _native: native.Project

    def __init__(self, **settings: Any) -> None:
        given = {name: value for name, value in settings.items() if value is not None}
        object.__setattr__(self, "_native", native.Project(**given))

    @classmethod
    def load(cls, path: Any = "marginswap.toml") -> Project:
        """The settings of a project file; its paths start at its folder."""
        project = cls.__new__(cls)
        object.__setattr__(project, "_native", native.Project.load(path))
        return project

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a project cannot be changed: {name}")

    def __reduce__(self) -> Any:
        return _again, (self._native.json(),)

    def to_dict(self) -> dict[str, Any]:
        """The settings by section, as in a project file."""
        return dict(json.loads(self._native.json()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Project) and other.to_dict() == self.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Project({self.to_dict()!r})"


def _again(text: str) -> Project:
    """The project with these settings, as it was pickled."""
    project = Project.__new__(Project)
    object.__setattr__(project, "_native", native.Project.of_json(text))
    return project

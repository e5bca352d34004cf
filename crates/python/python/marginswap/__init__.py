"""Swap values between the records of a table while the published tables stay as they are.

>>> import marginswap
>>> table = marginswap.demo_table()
>>> release = marginswap.protect(table, keys=["region", "age"], keep=["region*sex"], demo_seed=7)
>>> release.equal
True
"""

from ._errors import Bug, Cancelled, NotATable, Note, Refusal
from ._functions import (
    apply,
    demo,
    demo_table,
    explain,
    frontier,
    graph,
    inspect,
    plan,
    protect,
    report,
    risk,
    screen,
    verify,
)
from ._in_engine import EngineRelease
from ._marginswap import __version__
from ._project import Project
from ._results import (
    Answer,
    Explanation,
    Frontier,
    Graph,
    Inspection,
    Page,
    Plan,
    Release,
    Risk,
    Screening,
    Verification,
)

__all__ = [
    "Answer",
    "Bug",
    "Cancelled",
    "EngineRelease",
    "Explanation",
    "Frontier",
    "Graph",
    "Inspection",
    "NotATable",
    "Note",
    "Page",
    "Plan",
    "Project",
    "Refusal",
    "Release",
    "Risk",
    "Screening",
    "Verification",
    "__version__",
    "apply",
    "demo",
    "demo_table",
    "explain",
    "frontier",
    "graph",
    "inspect",
    "plan",
    "protect",
    "report",
    "risk",
    "screen",
    "verify",
]

"""The functions of the package. Each says what its user asks for in the words of the native part."""

from __future__ import annotations

import inspect as _inspect
import json
import logging
import operator
import os
import sys
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, TypeVar

from . import _marginswap as native
from . import _results as results
from ._engines import Engine, engine_of
from ._errors import Note
from ._frames import Table, path_of, pyarrow, table_of
from ._in_engine import EngineRelease
from ._in_engine import Table as EngineTable
from ._in_engine import apply as apply_in_engine
from ._in_engine import protect as protect_in_engine
from ._project import Project

F = TypeVar("F", bound=Callable[..., Any])

#: Steps are told as INFO, notes as WARNING; no message holds a value of the data.
log = logging.getLogger("marginswap")
log.addHandler(logging.NullHandler())

#: More threads help nobody; the program starts no more either.
MOST_THREADS = 1024

#: For each function its arguments that are no settings.
OWN: dict[str, list[str]] = {}


def rows_of(function: str) -> list[dict[str, Any]]:
    """The settings that a function takes."""
    return [row for row in native.settings() if function in row["functions"]]


def takes_settings(function: F) -> F:
    """Gives a function the settings of its name as keyword arguments: signature and help."""
    name = function.__name__
    signature = _inspect.signature(function)
    own = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind is not _inspect.Parameter.VAR_KEYWORD
    ]
    taken = {parameter.name for parameter in own}
    OWN[name] = sorted(taken)
    rows = [row for row in rows_of(name) if row["argument"] not in taken]
    more = [
        _inspect.Parameter(row["argument"], _inspect.Parameter.KEYWORD_ONLY, default=None)
        for row in rows
    ]
    function.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
    lines = [f"    {row['argument']}: {row['help']} [{row['default']}]" for row in rows]
    function.__doc__ = "\n".join([function.__doc__ or "", "", "    Settings:", "", *lines, ""])
    return function


def project_of(project: Any) -> native.Project | None:
    if project is None:
        return None
    return project._native if isinstance(project, Project) else native.Project.load(project)


class Call:
    """One call: its project, its table, its settings, and how it runs."""

    def __init__(
        self,
        function: str,
        data: Any,
        project: Any,
        progress: Any,
        threads: int | None,
        settings: dict[str, Any],
        roles: bool = True,
        held: bool = False,
    ) -> None:
        self.function, self.own = function, OWN[function]
        #: Does an engine hold the table?
        self.in_engine = held
        self.project = project_of(project)
        self.path = path_of(data)
        self.table: Table | None = None
        self.frame: native.Frame | None = None
        # What can be gone through only once is kept: settings are read several times.
        self.settings = {
            name: list(value) if hasattr(value, "__next__") else value
            for name, value in settings.items()
        }
        settings.update(self.settings)
        self.progress = told(function, progress)
        self.threads = threads_of(threads)
        #: Columns that are none to the caller: they take no part.
        self.beside: list[str] = []
        if data is None and not held and function != "graph" and not self.project_settings().get("data"):
            remedy = "give a table or a path, or `project=` with a project that names its data"
            raise native.refused("E111", f"{function}()", "no table is given", remedy)
        if data is not None and self.path is None:
            self.table = table_of(data)
            # A plan knows the roles of the columns it was made for.
            if roles:
                self.beside = list(self.table.beside)
            if self.table.named:
                self.settings.setdefault("header", True)
            self.frame = self.table.frame("data frame", self.threads)
        self.in_memory = self.frame is not None

    @property
    def how(self) -> Call:
        return self

    def project_settings(self) -> dict[str, Any]:
        return dict(json.loads(self.project.json())) if self.project else {}


def engine_for(
    data: Any,
    engine: Any,
    staging: Any,
    call: Callable[[], Call],
) -> tuple[Engine, str | None] | None:
    """The engine that holds the data of a call, and the id it gives the records."""

    def header(path: str) -> tuple[list[str], str]:
        made = call()
        return native.csv_header(made, made.function, path)

    held = engine_of(data, engine, None if staging is None else os.fspath(staging), header)
    if held is None and staging is not None:
        raise TypeError("`staging` is a folder for tables of Spark")
    return held


def asked_of(
    function: str,
    data: Any,
    engine: Any,
    how: tuple[Any, Any, int | None],
    settings: dict[str, Any],
    staging: Any = None,
) -> Call:
    """A call about a table in memory, a file, or the lines that an engine's cells stand for."""

    def call() -> Call:
        return Call(function, None, *how, settings, held=True)

    held = engine_for(data, engine, staging, call)
    if held is None:
        return Call(function, data, *how, settings)
    made = call()
    table = EngineTable(*held, made)
    table.count()
    table.lines()
    return made


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number that was given for an argument."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or number < least or (most is not None and number > most):
        to = "" if most is None else f" to {most:,}"
        detail = f"expected a whole number from {least:,}{to}"
        raise native.refused("E403", f"`{name}=`", detail, "give another one, or leave it out")
    return number


def threads_of(threads: Any) -> int | None:
    """How many threads; more than anybody has a use for are not started."""
    return None if threads is None else min(whole("threads", threads, 1), MOST_THREADS)


def told(function: str, progress: Any) -> Callable[[str, int, int], object] | None:
    """Who is told of the steps of a call: the caller, and the log."""
    show = progress_of(progress)
    if not log.isEnabledFor(logging.INFO):
        return show

    def tell(step: str, done: int, of: int) -> None:
        log.info("%s: %s, step %d of %d", function, step, done + 1, of)
        if show is not None:
            show(step, done, of)

    return tell


def progress_of(progress: Any) -> Callable[[str, int, int], object] | None:
    if progress is None or progress is False:
        return None
    if progress is not True:
        return progress  # type: ignore[no-any-return]
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError(
            "`progress=True` shows a bar of tqdm; install it, or give a function of "
            "(step, done, of)"
        ) from None
    bar = tqdm(unit="step", leave=False)

    def show(step: str, done: int, of: int) -> None:
        bar.total = of
        bar.n = done
        bar.set_description(step)
        bar.refresh()
        if done + 1 >= of:
            bar.close()

    return show


def noted(answer: results.Answer) -> Any:
    """Warns of what was worth a word, at the line that called the package.

    A note stops nothing: what it is about is done. Where warnings are errors it is shown, and the
    caller gets the answer.
    """
    for note in answer.notes:
        for prefix in ("warning: ", "note: "):
            note = note.removeprefix(prefix)
        text = note.replace("\n", " ")
        log.warning("%s", text)
        try:
            warnings.warn(text, Note, stacklevel=3)
        except Note as error:
            caller = sys._getframe(2)
            warnings.showwarning(error, Note, caller.f_code.co_filename, caller.f_lineno)
    return answer


def terms(**given: Any) -> SimpleNamespace:
    return SimpleNamespace(**given)


def seeds_of(seed_file: Any, demo_seed: Any) -> dict[str, Any]:
    """Where the seed comes from: a file, or a number that others know, or neither."""
    if demo_seed is None:
        return {"seed_file": seed_file, "demo_seed": None}
    if seed_file is not None:
        detail = "a seed file and a demo seed are two seeds"
        raise native.refused("E116", "`demo_seed=`", detail, "leave out one of them")
    return {"seed_file": None, "demo_seed": whole("demo_seed", demo_seed, 0, 2**64 - 1)}


def text_of(record: Any) -> str:
    return str(record)


@takes_settings
def inspect(
    data: Any = None,
    *,
    reveal: bool = False,
    project: Any = None,
    progress: Any = None,
    threads: int | None = None,
    **settings: Any,
) -> results.Inspection:
    """What is in a table: records, columns, categories, what looks like an id.

    Names that look like values are refused, unless ``header=True`` says that they are names.

    >>> import pyarrow as pa
    >>> found = marginswap.inspect(pa.table({"sex": ["f", "m", "f"], "age": [1, 2, 2]}))
    >>> found.records
    3
    """
    call = Call("inspect", data, project, progress, threads, settings)
    return noted(results.Inspection(native.inspect(call, reveal)))


@takes_settings
def graph(
    data: Any = None,
    *,
    project: Any = None,
    progress: Any = None,
    threads: int | None = None,
    **settings: Any,
) -> results.Graph:
    """What the kept tables tie together, as a graph on the variables. Needs no data.

    >>> marginswap.graph(keep=["region*sex", "sex*age"]).decomposable
    True
    """
    call = Call("graph", data, project, progress, threads, settings)
    return noted(results.Graph(native.graph(call)))


@takes_settings
def screen(
    data: Any = None,
    *,
    out: Any = None,
    engine: Any = None,
    force: bool = False,
    project: Any = None,
    progress: Any = None,
    threads: int | None = None,
    **settings: Any,
) -> results.Screening:
    """Decides for every record whether it can be swapped; ``out`` gets a line for each (SECRET).

    >>> found = marginswap.screen(marginswap.demo_table(), keep=["region*sex", "sex*age"])
    >>> found.records
    200
    """
    call = asked_of("screen", data, engine, (project, progress, threads), settings)
    return noted(results.Screening(native.screen(call, out, force)))


@takes_settings
def explain(
    data: Any = None,
    *,
    record: Any = None,
    pair: Any = None,
    partners: str = "count",
    project: Any = None,
    progress: Any = None,
    threads: int | None = None,
    **settings: Any,
) -> results.Explanation:
    """Why a record or a pair can or cannot be swapped; what an error code means.

    Records are named by their number from 1, or with ``id`` by their value in that column.

    >>> print(marginswap.explain("E203"))  # doctest: +ELLIPSIS
    E203...
    """
    if partners not in ("count", "all"):
        raise ValueError("`partners` is \"count\" or \"all\"")
    if isinstance(data, str) and record is None and pair is None and not os.path.exists(data):
        code = native.explain_code(data)
        if code is None:
            detail = "there is no code, and no file, of this name"
            remedy = 'give a code such as "E203", or "codes" for all of them'
            raise native.refused("E111", "", detail, remedy)
        return results.Explanation(code)
    call = Call("explain", data, project, progress, threads, settings)
    named = None if record is None else text_of(record)
    two = None if pair is None else tuple(map(text_of, pair))
    return noted(results.Explanation(native.explain(call, named, two, partners == "all")))


@takes_settings
def risk(
    data: Any = None,
    *,
    suda: int | bool | None = None,
    engine: Any = None,
    key_sets: int = 2,
    out: Any = None,
    force: bool = False,
    project: Any = None,
    progress: Any = None,
    threads: int | None = None,
    **settings: Any,
) -> results.Risk:
    """Who is at risk, by a model of the population; ``out`` gets a line for each record (SECRET).

    >>> found = marginswap.risk(marginswap.demo_table(), keys=["sex", "age"], population=4000)
    >>> found.records
    200
    """
    largest = 256 if suda is True else whole("suda", suda, 1, 256) if suda else None
    key_sets = whole("key_sets", key_sets, 0, 256)
    call = asked_of("risk", data, engine, (project, progress, threads), settings)
    return noted(results.Risk(native.risk(call, largest, key_sets, out, force)))


@takes_settings
def plan(
    data: Any = None,
    *,
    seed_file: Any = None,
    demo_seed: int | None = None,
    engine: Any = None,
    staging: Any = None,
    project: Any = None,
    progress: Any = None,
    threads: int | None = None,
    **settings: Any,
) -> results.Plan:
    """Decides the swaps and writes nothing. The plan is SECRET; `save` it, or `apply` it.

    >>> table = marginswap.demo_table()
    >>> plan = marginswap.plan(table, keys=["region", "age"], keep=["region*sex"], demo_seed=7)
    >>> plan.not_for_release
    True
    """
    how = (project, progress, threads)
    call = asked_of("plan", data, engine, how, settings, staging)
    given = terms(**seeds_of(seed_file, demo_seed), seal_file=None, force=False)
    answer, made = native.plan(call, given)
    return noted(results.Plan(made, answer))


@takes_settings
def protect(
    data: Any = None,
    *,
    seed_file: Any = None,
    demo_seed: int | None = None,
    seal_file: Any = None,
    force: bool = False,
    engine: Any = None,
    staging: Any = None,
    project: Any = None,
    progress: Any = None,
    threads: int | None = None,
    **settings: Any,
) -> results.Release | EngineRelease:
    """The whole job: plans, makes the released table, reads it again and compares.

    A table in memory is released as one of the same kind (``.data``); a file is released as the
    file ``out`` (``.path``). A table of an engine is counted and rewritten there (``.table``): a
    DuckDB relation, a Spark data frame, Parquet files with ``engine="duckdb"``, or the name of a
    table with ``engine`` a context of DataFusion or an ADBC connection.

    >>> table = marginswap.demo_table()
    >>> release = marginswap.protect(table, keys=["region", "age"], keep=["region*sex"], demo_seed=7)
    >>> release.data.num_rows, release.equal
    (200, True)
    """
    given = terms(**seeds_of(seed_file, demo_seed), seal_file=seal_file, force=force)
    how = (project, progress, threads)

    def in_engine() -> Call:
        return Call("protect", None, *how, settings, held=True)

    held = engine_for(data, engine, staging, in_engine)
    if held is not None:
        return noted(protect_in_engine(held, in_engine(), given))  # type: ignore[no-any-return]
    call = Call("protect", data, *how, settings)
    if call.table is None:
        answer, made, path = native.protect_file(call, given)
        written = None if path is None else os.fspath(path)
        return noted(
            results.Release(answer, data=None, path=written, plan=results.Plan(made))
        )
    waiting = native.protect_frame(call, given)
    released, answer, made = certified(call, waiting)
    return noted(results.Release(answer, data=released, path=None, plan=results.Plan(made)))


def certified(call: Call, waiting: native.Made) -> tuple[Any, native.Answer, native.Plan]:
    """Makes the released table and has it compared with the given one."""
    assert call.table is not None
    released = call.table.gather(waiting.takes())
    frame = table_of(released).frame("released data frame", call.threads)
    answer, plan = waiting.certify(frame, call)
    return released, answer, plan


@takes_settings
def apply(
    data: Any,
    plan: Any,
    *,
    seed_file: Any = None,
    seal_file: Any = None,
    force: bool = False,
    engine: Any = None,
    staging: Any = None,
    project: Any = None,
    progress: Any = None,
    threads: int | None = None,
    **settings: Any,
) -> results.Release | EngineRelease:
    """Makes the swaps of a plan, for the data it was made for. It decides nothing.

    >>> table = marginswap.demo_table()
    >>> plan = marginswap.plan(table, keys=["region", "age"], keep=["region*sex"], demo_seed=7)
    >>> marginswap.apply(table, plan).data.num_rows
    200
    """
    if not isinstance(plan, results.Plan):
        plan = noted(results.Plan.load(plan, seal_file=seal_file))
    how = (project, progress, threads)
    given = terms(seed_file=seed_file, demo_seed=None, seal_file=None, force=force)

    def in_engine() -> Call:
        return Call("apply", None, *how, settings, roles=False, held=True)

    held = engine_for(data, engine, staging, in_engine)
    if held is not None:
        return noted(apply_in_engine(held, in_engine(), plan._native, given))  # type: ignore[no-any-return]
    call = Call("apply", data, *how, settings, roles=False)
    if call.table is None:
        answer, path = native.apply_file(call, plan._native, given)
        written = None if path is None else os.fspath(path)
        return noted(results.Release(answer, data=None, path=written, plan=plan))
    waiting = native.apply_frame(call, plan._native, given)
    released, answer, _ = certified(call, waiting)
    return noted(results.Release(answer, data=released, path=None, plan=plan))


def released_of(after: Any, threads: int | None) -> Any:
    path = path_of(after)
    return path if path is not None else table_of(after).frame("released data frame", threads)


def both_of(
    function: str,
    before: Any,
    after: Any,
    engine: Any,
    how: tuple[Any, Any, int | None],
    settings: dict[str, Any],
) -> tuple[Call, Any, bool]:
    """The original and the released table; are both counted by an engine, which has no order?"""

    def call() -> Call:
        return Call(function, None, *how, settings, held=True)

    held = engine_for(before, engine, None, call)
    other = None if held is None else engine_for(after, engine, None, call)
    if held is None or other is None:
        return Call(function, before, *how, settings), released_of(after, how[2]), False
    made = call()
    table = EngineTable(*held, made)
    table.count()
    table.lines()
    return made, table.released(other[0], other[1]).frame, True


@takes_settings
def verify(
    before: Any,
    after: Any,
    *,
    shuffled: bool | None = None,
    three_way: bool = False,
    reveal: bool = False,
    margins: Any = None,
    force: bool = False,
    engine: Any = None,
    project: Any = None,
    progress: Any = None,
    threads: int | None = None,
    **settings: Any,
) -> results.Verification:
    """Recounts everything from the original and the released table. It trusts nothing.

    >>> table = marginswap.demo_table()
    >>> asked = {"keys": ["region", "age"], "keep": ["region*sex"]}
    >>> release = marginswap.protect(table, demo_seed=7, **asked)
    >>> marginswap.verify(table, release.data, shuffled=True, **asked).equal
    True
    """
    how = (project, progress, threads)
    call, released, is_counted = both_of("verify", before, after, engine, how, settings)
    given = terms(
        shuffled=bool(shuffled) or is_counted,
        three_way=three_way,
        reveal=reveal,
        margins=margins,
        force=force,
    )
    return noted(results.Verification(native.verify(call, released, given)))


@takes_settings
def report(
    before: Any,
    after: Any,
    *,
    plan: Any = None,
    external: bool = False,
    out: Any = None,
    shuffled: bool = False,
    reveal: bool = False,
    seed_file: Any = None,
    demo_seed: int | None = None,
    seal_file: Any = None,
    force: bool = False,
    engine: Any = None,
    project: Any = None,
    progress: Any = None,
    threads: int | None = None,
    **settings: Any,
) -> results.Page:
    """A release on one page: for those who decide, or with ``external`` for everybody.

    >>> table = marginswap.demo_table()
    >>> asked = {"keys": ["region", "age"], "keep": ["region*sex"]}
    >>> release = marginswap.protect(table, demo_seed=7, **asked)
    >>> page = marginswap.report(table, release.data, shuffled=True, **asked)
    >>> page.html[:15]
    '<!DOCTYPE html>'
    """
    if plan is not None and not isinstance(plan, results.Plan):
        plan = noted(results.Plan.load(plan, seal_file=seal_file))
    how = (project, progress, threads)
    call, released, is_counted = both_of("report", before, after, engine, how, settings)
    given = terms(
        shuffled=shuffled or is_counted,
        reveal=reveal,
        force=force,
        external=external,
        **seeds_of(seed_file, demo_seed),
        out=out,
    )
    native_plan = None if plan is None else plan._native
    answer, page = native.report(call, released, given, native_plan)
    return noted(results.Page(answer, html=page))


@takes_settings
def frontier(
    data: Any = None,
    *,
    budgets: Any = None,
    engine: Any = None,
    seeds: int = 3,
    choose: str = "least-risk",
    seed_file: Any = None,
    demo_seed: int | None = None,
    seal_file: Any = None,
    force: bool = False,
    project: Any = None,
    progress: Any = None,
    threads: int | None = None,
    **settings: Any,
) -> results.Frontier:
    """Several plans, risk against change, and the best of them.

    >>> table = marginswap.demo_table()
    >>> asked = {"keys": ["region", "age"], "keep": ["region*sex"]}
    >>> found = marginswap.frontier(table, budgets=["5%", "none"], seeds=2, demo_seed=7, **asked)
    >>> len(found.plans)
    4
    """
    call = asked_of("frontier", data, engine, (project, progress, threads), settings)
    given = terms(**seeds_of(seed_file, demo_seed), seal_file=seal_file, force=force)
    texts = None if budgets is None else [str(budget) for budget in budgets]
    seeds = whole("seeds", seeds, 1, 2**32 - 1)
    answer, made = native.frontier(call, given, texts, seeds, choose)
    kept = None if made is None else results.Plan(made)
    return noted(results.Frontier(answer, plan=kept))


def demo(
    folder: Any,
    *,
    records: int = 100_000,
    households: bool = False,
    demo_seed: int = 1,
    force: bool = False,
) -> str:
    """Writes the survey of an invented town into a folder, with a project file beside it, and gives
    its path. The same number gives the same survey; nobody lives there.

    >>> import tempfile
    >>> survey = marginswap.demo(tempfile.mkdtemp(), records=500)
    >>> marginswap.inspect(survey).records
    500
    """
    people = whole("records", records, 0, 2**32 - 1)
    number = whole("demo_seed", demo_seed, 0, 2**64 - 1)
    return os.fspath(native.demo(folder, people, bool(households), number, bool(force)))


def demo_table() -> Any:
    """A small invented table of pyarrow, to try everything on.

    >>> marginswap.demo_table().column_names
    ['region', 'sex', 'age', 'job']
    """
    arrow = pyarrow("the demo table is one of pyarrow")
    state, rows = 20261116, []
    for _ in range(200):
        row = []
        for levels in (4, 2, 9, 5):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            row.append((state >> 33) % levels)
        rows.append(row)
    region, sex, age, job = zip(*rows)
    return arrow.table(
        {
            "region": ["NESW"[one] for one in region],
            "sex": ["fm"[one] for one in sex],
            "age": [10 * one for one in age],
            "job": [f"job {one}" for one in job],
        }
    )

"""A whole job in an engine: counted there, planned here, rewritten and recounted there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from types import GenericAlias
from typing import Any

from . import _marginswap as native
from . import _results as results
from ._engines import MOST_MEMBERS, Engine
from ._frames import pyarrow, taken

#: What messages call what an engine releases.
RELEASED = "the released table"

#: What helps where something else was written than released.
REMEDY = (
    "nothing may be released; some engines write '' and NULL as one where files are "
    "partitioned: write without `partition_by`"
)

#: Settings that ask more than cells show: a line is made for each record.
NEEDS_LINES = {
    "unit.household",
    "swap.weight",
    "release.plan",
    "report.internal",
    "report.external",
    "verify.published",
}


class EngineRelease(results.Judged):
    """A released table of an engine.

    `table` is the engine's own lazy table; `write` has the engine write it, and recounts every kept
    table from what was written. The fields are those of a `Release`, counted from cells; `not_known`
    lists what cells do not show.
    """

    __slots__ = ("_again", "_engine", "plan", "table")

    #: `EngineRelease[Any]` is a type: that of the engine's table.
    __class_getitem__ = classmethod(GenericAlias)

    #: The released table, of the engine's own kind.
    table: Any
    #: The plan (SECRET), where one was made or followed; none where cells alone were planned.
    plan: results.Plan | None

    def __reduce__(self) -> Any:
        raise TypeError("an engine holds the table, so its release is not pickled; `write()` it")

    def write(
        self,
        path: Any,
        *,
        partition_by: Sequence[str] = (),
        writer: Callable[[Any, str], Any] | None = None,
    ) -> EngineRelease:
        """Writes the table by the engine, reads it back, and recounts from what was written.

        Parquet, unless `writer` writes something else (Delta, Iceberg, a table of the database): it
        is called with the released table and `path`, and gives the engine's table of what it wrote.
        """
        target = os.fspath(path)
        if writer is not None:
            if partition_by:
                raise TypeError("`writer` partitions what it writes; leave out `partition_by`")
            back = writer(self.table, target)
            if not self._engine.holds(back):
                raise TypeError(
                    "`writer` gives what it wrote, read back as a table of the same engine"
                )
            return self._again(self._engine.again(back), target, written=True)  # type: ignore[no-any-return]
        if os.path.exists(target):
            raise native.refused("E803", target, "there is a file of this name", "name another one")
        try:
            written = self._engine.write(self.table, target, partition_by)
            return self._again(written, target, written=True)  # type: ignore[no-any-return]
        except BaseException:
            # Nothing half written stays, and nothing that is not what it must be.
            remove = shutil.rmtree if os.path.isdir(target) else os.remove
            if os.path.exists(target):
                remove(target)
            raise


class Table:
    """A table of an engine in one call: its statements, its cells, and their lines."""

    def __init__(
        self,
        engine: Engine,
        row: str | None,
        call: Any,
        changes: bool = False,
        plan: native.Plan | None = None,
    ) -> None:
        """`row` is the id that the engine gives the records; to change them takes one. A plan knows
        the roles of the columns."""
        self.arrow = pyarrow("engines hand cells over by pyarrow")
        self.engine, self.call, self.plan = engine, call, plan
        columns = engine.columns()
        told_id = call.settings.get("id") or call.project_settings().get("columns", {}).get("id")
        told_id = told_id if plan is None else plan.id_column
        #: Does the id name file and row?
        self.by_row = row is not None and told_id in (None, row)
        id_column = told_id or row
        if id_column is None and changes:
            detail = "an engine's records have no order, and no column names them"
            raise native.refused("E111", "", detail, "give `id=`, a column without repetition")
        if row is not None and not self.by_row:
            # The file's own id stays what it is: not released unless asked for.
            columns = [name for name in columns if name != row]
        self.id = id_column
        self.columns = columns
        if id_column is not None and plan is None:
            call.settings["id"] = id_column
        self.made = self.statements()
        #: How many members the largest household has.
        self.most = 0

    def statements(self, not_null: Sequence[str] = ()) -> native.Statements:
        how = (self.call.function, self.engine.dialect)
        return native.Statements(self.call, how, self.columns, self.id, list(not_null), self.plan)

    def check_id(self) -> None:
        """An id that names every record once. That of file and row does."""
        if self.by_row:
            return
        found = self.engine.arrow(self.made.ids(self.engine.source)).to_pylist()[0]
        if not found["ms_records"] == found["ms_named"] == found["ms_different"]:
            detail = "the id is missing in some records, or names several"
            remedy = "name a column that is never NULL and never the same twice"
            raise native.refused("E114", f"`id=`, column `{self.id}`", detail, remedy)

    def check_collations(self) -> None:
        """Text that is compared byte by byte."""
        for name in self.engine.texts():
            if name not in [*self.made.cell, self.made.household]:
                continue
            statement = self.made.collation(self.engine.source, name)
            if self.engine.arrow(statement).to_pylist()[0]["ms_groups"] != 3:
                detail = "the engine compares this text without regard to capitals or blanks"
                remedy = "use a binary collation: such categories would be taken for one"
                raise native.refused("E116", f"column `{name}`", detail, remedy)

    def count(self, label: str = "cells") -> Cells:
        """The cells, counted by the engine."""
        self.check_collations()
        told(self.call, "counting cells", 0)
        cells = self.cells = Cells(self.engine.cells(self.made), label, self.call.threads)
        # Where a column has no NULL, engines join faster.
        not_null = [name for name, values in cells.values.items() if values.null_count == 0]
        self.made = self.statements(not_null)
        if self.made.household:
            self.find_homes()
        return cells

    def find_homes(self) -> None:
        """How large households are, and that every record has one."""
        name = self.made.household
        texts = name in self.engine.texts()
        found = self.engine.arrow(self.made.homes(self.engine.source, texts)).to_pylist()[0]
        if found["ms_without"]:
            detail = f"{int(found['ms_without']):,} records have no household"
            remedy = "give every record its household, or leave these records out"
            raise native.refused("E260", f"column `{name}`", detail, remedy)
        self.most = int(found["ms_most"])
        if self.most > MOST_MEMBERS:
            detail = f"a household has {self.most:,} members; an engine is asked for {MOST_MEMBERS}"
            raise native.refused("E161", f"column `{name}`", detail, "leave it out")

    def lines(self, label: str = "table") -> native.Lines:
        """The lines that the cells stand for, as far as the call asks of them."""
        self.line = lines_of(self.engine, self.made, self.cells, self.columns, self.most, label)
        self.call.frame, self.call.in_memory = self.line.frame, True
        self.call.settings.setdefault("header", True)
        return self.line

    def released(self, other: Engine, row: str | None) -> native.Lines:
        """The lines of the cells of a released table; `row` is what names its records for the engine."""
        made = self.made
        names = [name for name in other.columns() if name not in (row, self.id)]
        for name in [*made.cell, *([made.household] if made.household else [])]:
            if name not in names:
                detail = f"column `{name}` takes part and is in only one of the two tables"
                remedy = "compare tables with the same columns, or ignore the column"
                raise native.refused("E113", "released table", detail, remedy)
        told(self.call, "recounting", 2)
        cells = Cells(other.cells(made), RELEASED, self.call.threads)
        most = self.most
        if made.household:
            texts = made.household in other.texts()
            most = int(other.arrow(made.homes(other.source, texts)).to_pylist()[0]["ms_most"])
        return lines_of(other, made, cells, names, most, RELEASED)

    def rewritten(self, plan: native.OnCells | native.EngineJob) -> Any:
        """The released table of the engine."""
        made, engine = self.made, self.engine
        told(self.call, "choosing records", 1)
        if made.household is None:
            moves = moves_table(self.arrow, self.cells, plan)
            changes = engine.arrow(made.changes(engine.source, "ms_moves"), ms_moves=moves)
        else:
            moves = self.moves_of_homes(plan)
            cells = cell_table(self.arrow, self.cells)
            statement = made.changes_in_homes(engine.source, "ms_cells", "ms_moves", self.most)
            changes = engine.arrow(statement, ms_cells=cells, ms_moves=moves)
        if changes.num_rows != moves.num_rows:
            detail = "the engine finds other records than the plan names"
            remedy = "nothing is released; does the table change while it is read?"
            raise native.refused("E602", "", detail, remedy)
        return engine.lazy(made.release(engine.source, "ms_changes", self.most), ms_changes=changes)

    def moves_of_homes(self, plan: Any) -> Any:
        """The moves of households: the cells of their members, which of them, which member."""
        arrow = self.arrow
        kinds, numbers, members, new = plan.moves_of_homes()
        columns = {}
        for place, cells in enumerate(self.line.kinds(kinds, self.most), 1):
            known = [None if cell == 2**32 - 1 else cell for cell in arrow.array(cells).to_pylist()]
            columns[f"ms_kind_{place}"] = arrow.array(known, arrow.int64())
        columns["ms_number"] = arrow.array(numbers).cast(arrow.int64())
        columns["ms_member"] = arrow.array(members).cast(arrow.int64())
        for place, (own, codes) in enumerate(zip(self.cells.values.values(), new), 1):
            columns[f"ms_new_{place}"] = taken(own, arrow.array(codes))
        return arrow.table(columns)


def protect(held: tuple[Engine, str | None], call: Any, terms: Any) -> EngineRelease:
    """Counts, plans, rewrites and recounts."""
    table = Table(*held, call, changes=True)
    table.check_id()
    cells = table.count()
    if needs_lines(call, terms):
        lines = table.lines()
        return followed(table, native.protect_lines(call, lines, terms))
    beside = len([name for name in table.made.released if name not in table.made.cell])
    plan = native.plan_cells(call, cells.frame, beside, terms)
    released = table.rewritten(plan)
    engine = table.engine

    def again(back: Engine, place: str, written: bool = False) -> EngineRelease:
        told(call, "recounting", 2)
        # A table that is not computed yet would be computed for every kept table; its cells tell
        # all of them at once.
        if written and back.answers:
            recounted(engine, back, table.made, plan, place)
        answer = compared(engine, back, table.made, plan, call, place)
        return EngineRelease(answer, table=released, plan=None, _engine=engine, _again=again)

    return again(engine.again(released), RELEASED)


def apply(held: tuple[Engine, str | None], call: Any, plan: Any, terms: Any) -> EngineRelease:
    """Makes the swaps of a plan in an engine."""
    table = Table(*held, call, changes=True, plan=plan)
    table.check_id()
    table.count()
    lines = table.lines()
    return followed(table, native.apply_lines(call, lines, plan, terms))


def needs_lines(call: Any, terms: Any) -> bool:
    """Does a setting ask for more than cells show?"""
    keys = {row["argument"]: row["setting"] for row in native.settings()}
    told_here = {keys.get(name): value for name, value in call.settings.items() if value}
    told_project = {
        f"{section}.{name}": value
        for section, entries in call.project_settings().items()
        if isinstance(entries, dict)
        for name, value in entries.items()
    }
    named = {**told_project, **told_here}
    risky = str(named.get("risk.risky", ""))
    by_model = risky.startswith(("top:", "prob:"))
    return by_model or terms.seal_file is not None or not NEEDS_LINES.isdisjoint(named)


def followed(table: Table, job: native.EngineJob) -> EngineRelease:
    """Has the engine carry out what was decided on lines, and recounts."""
    engine, call = table.engine, table.call
    released = table.rewritten(job)
    first = counted_again(table, engine.again(released))
    answer, plan = job.certify(first, call)
    kept = results.Plan(plan)

    def again(back: Engine, place: str, written: bool = False) -> EngineRelease:
        if not first.are(counted_again(table, back)):
            raise native.refused("E602", place, "what was written is not what was released", REMEDY)
        return made(place)

    def made(place: str) -> EngineRelease:
        more = {"table": released, "plan": kept, "_engine": engine, "_again": again}
        release = EngineRelease(answer, **more)
        if "released" in release._fields:
            release._fields["released"] = place
            object.__setattr__(release, "_text", release._text.replace(RELEASED, place))
        return release

    return made(RELEASED)


def counted_again(table: Table, back: Engine) -> native.Lines:
    """The lines of what an engine released, counted by it."""
    told(table.call, "recounting", 2)
    made = table.made
    check_columns(back, made, RELEASED)
    cells = Cells(back.cells(made), RELEASED, table.call.threads)
    names = [name for name in made.released if name != table.id]
    return lines_of(back, made, cells, names, table.most, RELEASED)


def lines_of(
    engine: Engine,
    made: native.Statements,
    cells: Cells,
    names: Sequence[str],
    most: int,
    label: str,
) -> native.Lines:
    """The lines that cells stand for; of households those of their members."""
    if made.household is None:
        return native.Lines(cells.frame, label, list(names))
    arrow = pyarrow("engines hand cells over by pyarrow")
    found = engine.kinds(made, cell_table(arrow, cells), most)
    found = found.cast(arrow.schema([(name, arrow.uint32()) for name in found.column_names]))
    return native.Lines(cells.frame, label, list(names), (made.household, found.to_reader()))


def cell_table(arrow: Any, cells: Cells) -> Any:
    """The cells as a table beside the data: their values, and their numbers by contents."""
    columns = {}
    for place, (own, codes) in enumerate(zip(cells.values.values(), cells.frame.by_contents()), 1):
        columns[f"ms_old_{place}"] = taken(own, arrow.array(codes))
    columns["ms_code"] = arrow.array(range(cells.frame.records), arrow.int64())
    return arrow.table(columns)


def check_columns(released: Engine, made: native.Statements, place: str) -> None:
    """The released table has the columns that it must."""
    if sorted(released.columns()) != sorted(made.released):
        detail = "the released table has other columns than it must"
        raise native.refused("E602", place, detail, "nothing may be released; please report this")


def told(call: Any, step: str, done: int) -> None:
    """Tells who watches that the engine is at work."""
    if call.progress is not None:
        call.progress(step, done, 4)


class Cells:
    """Counted cells, read batch by batch: no more than one batch of the engine is held."""

    def __init__(self, batches: Any, label: str, threads: int | None = None) -> None:
        """`batches` is a reader of pyarrow; its last column is how many records each cell has."""
        arrow = pyarrow("engines hand cells over by pyarrow")
        counts = arrow.field(batches.schema.names[-1], arrow.uint32())
        fields = [*list(batches.schema)[:-1], counts]
        schema = arrow.schema(fields)
        reader = native.CellReader(label, schema, threads)
        met: list[list[Any]] = [[] for _ in fields[:-1]]
        for batch in batches:
            numbers = counts_of(batch.column(len(met)))
            columns = [*batch.columns[:-1], numbers]
            for own, column, rows in zip(
                met, columns, reader.add(arrow.RecordBatch.from_arrays(columns, schema=schema))
            ):
                if len(rows) > 0:
                    own.append(taken(column, arrow.array(rows)))
        self.frame = reader.finish()
        #: For each column, its values in the order in which the cells have them.
        self.values = {
            field.name: arrow.chunked_array(own, type=field.type).unify_dictionaries()
            for field, own in zip(fields, met)
        }


def counts_of(numbers: Any) -> Any:
    """How many records each cell has, as numbers of 32 bits without sign."""
    arrow = pyarrow("engines hand cells over by pyarrow")
    try:
        return numbers.cast(arrow.uint32())
    except arrow.ArrowInvalid:
        detail = "a cell has more than 4,294,967,295 records"
        raise native.refused("E216", "", detail, "split the table, or name more variables") from None


def moves_table(arrow: Any, cells: Cells, plan: Any) -> Any:
    """The moves as a table: old cell, number within it, new values."""
    old, numbers, new = plan.moves()
    values = cells.values.values()
    columns = {}
    for place, (own, codes) in enumerate(zip(values, old), 1):
        columns[f"ms_old_{place}"] = taken(own, arrow.array(codes))
    columns["ms_number"] = arrow.array(numbers).cast(arrow.int64())
    for place, (own, codes) in enumerate(zip(values, new), 1):
        columns[f"ms_new_{place}"] = taken(own, arrow.array(codes))
    return arrow.table(columns)


def compared(
    engine: Engine,
    released: Engine,
    made: native.Statements,
    plan: native.OnCells,
    call: Any,
    place: str,
) -> native.Answer:
    """Every kept table recounted from the cells that the engine counts in the release. An engine
    that holds both tables tells only in which cells they differ."""
    check_columns(released, made, place)
    if not released.answers:
        return plan.certify(Cells(released.cells(made), place, call.threads).frame, call)
    arrow = pyarrow("engines hand cells over by pyarrow")
    import pyarrow.compute as compute

    own = released.lazy(made.all(released.source))
    found = engine.arrow(made.verify(engine.source, "ms_released", made.cell), ms_released=own)
    # Some engines give sums as decimals.
    difference = found.column("ms_difference").cast("int64")
    found = found.set_column(found.num_columns - 1, "ms_difference", compute.abs(difference))
    sides = []
    for side in (compute.greater(difference, 0), compute.less(difference, 0)):
        rows = compute.indices_nonzero(side)
        part = {name: taken(found.column(name), rows) for name in found.column_names}
        there = len(rows) > 0
        sides.append(Cells(arrow.table(part).to_reader(), place, call.threads).frame if there else None)
    return plan.certify_differences(place, *sides, call)


def recounted(
    engine: Engine,
    released: Engine,
    made: native.Statements,
    plan: native.OnCells,
    place: str,
) -> None:
    """By the engine alone: no kept table has a cell that the two do not have equally often."""
    own = released.lazy(made.all(released.source))
    for table in plan.tables():
        if table is None:
            continue
        statement = made.verify(engine.source, "ms_released", table)
        if engine.arrow(statement, ms_released=own).num_rows:
            detail = "a kept table is not what it was"
            raise native.refused("E602", place, detail, REMEDY)

"""A whole job in an engine: counted there, planned here, rewritten and recounted there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import GenericAlias
from typing import Any

from . import _marginswap as native
from . import _results as results
from ._engines import Engine
from ._frames import pyarrow, taken


class EngineRelease(results.Judged):
    """A released table of an engine.

    `table` is the engine's own lazy table; `write` has the engine write it as Parquet, and
    recounts every kept table from the files. The fields are those of a `Release`, counted from
    cells; `not_known` lists what cells do not show.
    """

    __slots__ = ("_again", "_engine", "table")

    #: `EngineRelease[Any]` is a type: that of the engine's table.
    __class_getitem__ = classmethod(GenericAlias)

    #: The released table, of the engine's own kind.
    table: Any

    def __reduce__(self) -> Any:
        raise TypeError("an engine holds the table, so its release is not pickled; `write()` it")

    def write(self, path: Any, *, partition_by: Sequence[str] = ()) -> EngineRelease:
        """Writes Parquet by the engine, reads it back, and recounts from the files."""
        target = os.fspath(path)
        if os.path.exists(target):
            raise native.refused("E803", target, "there is a file of this name", "name another one")
        written = self._engine.write(self.table, target, partition_by)
        return self._again(written, target, written=True)  # type: ignore[no-any-return]


def protect(
    engine: Engine,
    row: str | None,
    call: Any,
    terms: Any,
) -> EngineRelease:
    """Counts, plans, rewrites and recounts."""
    arrow = pyarrow("engines hand cells over by pyarrow")
    columns = engine.columns()
    known = call.project_settings().get("columns", {})
    id_column = row or call.settings.get("id") or known.get("id")
    if id_column is None:
        detail = "an engine's records have no order, and no column names them"
        raise native.refused("E111", "", detail, "give `id=`, a column without repetition")
    if row is not None and (call.settings.get("id") or known.get("id")):
        # The file's own id stays what it is: not released unless asked for.
        row = None
        id_column = call.settings.get("id") or known.get("id")
    if row is None and "file_and_row" in columns and id_column != "file_and_row":
        columns = [name for name in columns if name != "file_and_row"]
    call.settings["id"] = id_column
    made = native.Statements(call, engine.dialect, columns, id_column)
    if row is None:
        check_id(engine, made, id_column)
    check_collations(engine, made)
    told(call, "counting cells", 0)
    cells = Cells(engine.cells(made), "cells", call.threads)
    beside = len([name for name in made.released if name not in made.cell])
    plan = native.plan_cells(call, cells.frame, beside, terms)
    not_null = [name for name, values in cells.values.items() if values.null_count == 0]
    made = native.Statements(call, engine.dialect, columns, id_column, not_null)
    told(call, "choosing records", 1)
    moves = moves_table(arrow, cells, plan)
    changes = engine.arrow(made.changes(engine.source, "ms_moves"), ms_moves=moves)
    if changes.num_rows != moves.num_rows:
        detail = "the engine finds other records than the plan names"
        remedy = "nothing is released; does the table change while it is read?"
        raise native.refused("E602", "", detail, remedy)
    table = engine.lazy(made.release(engine.source, "ms_changes"), ms_changes=changes)
    del cells, moves

    def again(released: Engine, place: str, written: bool = False) -> EngineRelease:
        told(call, "recounting", 2)
        # A table that is not computed yet would be computed for every kept table; its cells tell
        # all of them at once.
        if written and released.answers:
            recounted(engine, released, made, plan, place)
        answer = compared(engine, released, made, plan, call, place)
        return EngineRelease(answer, table=table, _engine=engine, _again=again)

    return again(engine.again(table), "the released table")


def told(call: Any, step: str, done: int) -> None:
    """Tells who watches that the engine is at work."""
    if call.progress is not None:
        call.progress(step, done, 4)


def check_id(engine: Engine, made: native.Statements, id_column: str) -> None:
    """An id that names every record once. That of file and row does."""
    found = engine.arrow(made.ids(engine.source)).to_pylist()[0]
    if not found["ms_records"] == found["ms_named"] == found["ms_different"]:
        detail = "the id is missing in some records, or names several"
        remedy = "name a column that is never NULL and never the same twice"
        raise native.refused("E114", f"`id=`, column `{id_column}`", detail, remedy)


def check_collations(engine: Engine, made: native.Statements) -> None:
    """Text that is compared byte by byte."""
    cell = set(made.cell)
    for name in engine.texts():
        if name not in cell:
            continue
        groups = engine.arrow(made.collation(engine.source, name)).to_pylist()[0]["ms_groups"]
        if groups != 3:
            detail = "the engine compares this text without regard to capitals or blanks"
            remedy = "use a binary collation: such categories would be taken for one"
            raise native.refused("E116", f"column `{name}`", detail, remedy)


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


def moves_table(arrow: Any, cells: Cells, plan: native.OnCells) -> Any:
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
    if sorted(released.columns()) != sorted(made.released):
        detail = "the released table has other columns than it must"
        raise native.refused("E602", place, detail, "nothing may be released; please report this")
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
            remedy = (
                "nothing may be released; some engines write '' and NULL as one where files are "
                "partitioned: write without `partition_by`"
            )
            raise native.refused("E602", place, detail, remedy)

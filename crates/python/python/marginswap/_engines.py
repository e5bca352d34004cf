"""Tables that an engine holds, of any size: the engine counts and rewrites, marginswap plans.

What goes where: the counted cells come to this process, the moves go to the engine as a table
beside the data. No statement holds a value, a number of a record or a seed.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from typing import Any

from . import _marginswap as native
from . import _results as results
from ._frames import path_of, pyarrow, taken

#: Where DuckDB's own types come from.
DUCKDB = ("duckdb", "_duckdb")


class Engine:
    """A table of an engine, and how that engine is asked."""

    dialect = ""
    #: The name of the table in statements.
    source = "ms_source"

    def columns(self) -> list[str]:
        raise NotImplementedError

    def arrow(self, statement: str, **tables: Any) -> Any:
        """What a statement gives, as a pyarrow table; `tables` are further tables by name."""
        raise NotImplementedError

    def lazy(self, statement: str, **tables: Any) -> Any:
        """The engine's own table of a statement."""
        raise NotImplementedError

    def again(self, table: Any) -> Engine:
        """The engine on another table of its own."""
        raise NotImplementedError

    def write(self, table: Any, path: str, partition_by: Sequence[str]) -> Any:
        """Writes Parquet and gives what is read back."""
        raise NotImplementedError


class DuckDB(Engine):
    """A relation of DuckDB."""

    dialect = "duckdb"

    def __init__(self, relation: Any) -> None:
        self.relation = relation

    def columns(self) -> list[str]:
        return list(self.relation.columns)

    def arrow(self, statement: str, **tables: Any) -> Any:
        return pyarrow("DuckDB hands tables over by pyarrow").table(self.lazy(statement, **tables))

    def lazy(
        self,
        statement: str,
        ms_moves: Any = None,
        ms_changes: Any = None,
        ms_released: Any = None,
    ) -> Any:
        # DuckDB finds the arguments of this function by their names.
        return self.relation.query(self.source, statement)

    def again(self, table: Any) -> Engine:
        return DuckDB(table)

    def write(self, table: Any, path: str, partition_by: Sequence[str]) -> Any:
        by = list(partition_by) or None
        table.write_parquet(path, partition_by=by)
        where = path if not by else os.path.join(path, "**", "*.parquet")
        files = where.replace("'", "''")
        options = ", hive_partitioning = true, hive_types_autocast = false" if by else ""
        return table.query("ms_any", f"SELECT * FROM read_parquet('{files}'{options})")


class Spark(Engine):
    """A Spark data frame: classic, or through Spark Connect."""

    dialect = "spark"

    def __init__(self, frame: Any, staging: str | None = None) -> None:
        self.frame, self.staging = frame, staging
        self.session = frame.sparkSession
        self.source = f"ms_source_{uuid.uuid4().hex}"
        frame.createOrReplaceTempView(self.source)

    def columns(self) -> list[str]:
        return list(self.frame.columns)

    def arrow(self, statement: str, **tables: Any) -> Any:
        return self.lazy(statement, **tables).toArrow()

    def lazy(self, statement: str, **tables: Any) -> Any:
        for name, table in tables.items():
            own = f"{name}_{uuid.uuid4().hex}"
            self.held(table).createOrReplaceTempView(own)
            statement = statement.replace(f"`{name}`", f"`{own}`")
        return self.session.sql(statement)

    def held(self, table: Any) -> Any:
        """A pyarrow table as one of Spark; large ones go by way of a folder."""
        if not isinstance(table, pyarrow("moves are a table of pyarrow").Table):
            return table
        if self.staging is None:
            return self.session.createDataFrame(table)
        import pyarrow.parquet as parquet

        path = os.path.join(self.staging, f"ms_{uuid.uuid4().hex}.parquet")
        parquet.write_table(table, path)
        os.chmod(path, 0o600)
        return self.session.read.parquet(path)

    def again(self, table: Any) -> Engine:
        return Spark(table, self.staging)

    def write(self, table: Any, path: str, partition_by: Sequence[str]) -> Any:
        writer = table.write
        if partition_by:
            writer = writer.partitionBy(*partition_by)
        writer.parquet(path)
        return self.session.read.parquet(path)


def engine_of(data: Any, engine: Any, staging: str | None) -> tuple[Engine, str | None] | None:
    """The engine that holds the data, and the id it gives the records; none for other tables."""
    kind = type(data).__module__.partition(".")[0]
    path = path_of(data)
    if path is not None:
        if engine is None:
            return None
        if engine != "duckdb" and type(engine).__module__.partition(".")[0] not in DUCKDB:
            raise TypeError("`engine` is \"duckdb\" or a connection of DuckDB for files")
        return parquet(path, engine)
    if kind in DUCKDB:
        refuse_engine(engine)
        return DuckDB(data), None
    if kind == "pyspark":
        refuse_engine(engine)
        return Spark(data, staging), None
    if engine is not None:
        raise TypeError("`engine` is for files; give a table of the engine itself")
    return None


def refuse_engine(engine: Any) -> None:
    if engine is not None:
        raise TypeError("the table names its engine; leave out `engine=`")


def parquet(path: str, engine: Any) -> tuple[Engine, str]:
    """Parquet files, read by DuckDB: records are named by file and row."""
    if path.lower().endswith((".csv", ".csv.gz", ".tsv", ".txt")):
        detail = "an engine takes an empty field of a CSV file and a missing one for the same"
        remedy = "convert it to Parquet first, or leave out `engine=`"
        raise native.refused("E116", path, detail, remedy)
    try:
        import duckdb
    except ImportError:
        raise ImportError("`engine=\"duckdb\"` needs DuckDB; `pip install duckdb`") from None
    connection = duckdb.connect() if engine == "duckdb" else engine
    files = path.replace("'", "''")
    known = connection.sql(f"SELECT * FROM read_parquet('{files}')").columns
    row = "file_and_row"
    while row in known:
        row += "_"
    one = os.path.isfile(path)
    value = "file_row_number" if one else "filename || ':' || file_row_number"
    if any(column in known for column in ("filename", "file_row_number")):
        detail = "the table has a column `filename` or `file_row_number`, which DuckDB gives files"
        raise native.refused("E207", path, detail, "rename the column")
    relation = connection.sql(
        f"SELECT * EXCLUDE (filename, file_row_number), {value} AS {row} "
        f"FROM read_parquet('{files}', filename = true, file_row_number = true)"
    )
    return DuckDB(relation), row


class EngineRelease(results.Answer):
    """A released table of an engine.

    `table` is the engine's own lazy table; `write` has the engine write it as Parquet, and
    recounts every kept table from the files.
    """

    __slots__ = ("_again", "_engine", "table")

    #: The released table, of the engine's own kind.
    table: Any

    def write(self, path: Any, *, partition_by: Sequence[str] = ()) -> EngineRelease:
        """Writes Parquet by the engine, reads it back, and recounts from the files."""
        target = os.fspath(path)
        if os.path.exists(target):
            raise native.refused("E803", target, "there is a file of this name", "name another one")
        written = self._engine.write(self.table, target, partition_by)
        return self._again(self._engine.again(written), target)  # type: ignore[no-any-return]


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
    check(engine, id_column)
    cells, counts = counted(engine, made, engine.source)
    frame = native.Frame("cells", cells)
    plan = native.plan_cells(call, frame, counts, terms)
    not_null = [name for name in cells.column_names if cells.column(name).null_count == 0]
    made = native.Statements(call, engine.dialect, columns, id_column, not_null)
    moves = moves_table(arrow, cells, plan)
    changes = engine.arrow(made.changes(engine.source, "ms_moves"), ms_moves=moves)
    if changes.num_rows != moves.num_rows:
        detail = "the engine finds other records than the plan names"
        remedy = "nothing is released; does the table change while it is read?"
        raise native.refused("E602", "", detail, remedy)
    table = engine.lazy(made.release(engine.source, "ms_changes"), ms_changes=changes)

    def again(released: Engine, place: str) -> EngineRelease:
        answer = compared(engine, released, made, plan, call, place)
        return EngineRelease(answer, table=table, _engine=engine, _again=again)

    return again(engine.again(table), "the released table")


def check(engine: Engine, id_column: str) -> None:
    """An id that names every record once, and text that is compared byte by byte."""
    quote = "`" if engine.dialect == "spark" else '"'
    name = quote + id_column.replace(quote, 2 * quote) + quote
    source = f"{quote}{engine.source}{quote}"
    found = engine.arrow(
        f"SELECT COUNT(*) AS ms_records, COUNT({name}) AS ms_named, "
        f"COUNT(DISTINCT {name}) AS ms_different FROM {source}"
    ).to_pylist()[0]
    if not found["ms_records"] == found["ms_named"] == found["ms_different"]:
        detail = "the id is missing in some records, or names several"
        remedy = "name a column that is never NULL and never the same twice"
        raise native.refused("E114", f"`id=`, column `{id_column}`", detail, remedy)
    same = engine.arrow("SELECT ('a' = 'A') AS ms_case, ('a' = 'a ') AS ms_blank").to_pylist()[0]
    if same["ms_case"] or same["ms_blank"]:
        detail = "the engine compares text without regard to capitals or blanks"
        remedy = "use a binary collation: such categories would be taken for one"
        raise native.refused("E116", "", detail, remedy)


def counted(engine: Engine, made: native.Statements, table: str) -> tuple[Any, bytes]:
    """The cells of a table, and how many records each has."""
    arrow = pyarrow("engines hand cells over by pyarrow")
    found = engine.arrow(made.cells(table))
    counts = found.column("ms_count")
    try:
        counts = counts.cast(arrow.uint32()).combine_chunks()
    except arrow.ArrowInvalid:
        detail = "a cell has more than 4,294,967,295 records"
        raise native.refused("E216", "", detail, "split the table, or name more variables") from None
    if isinstance(counts, arrow.ChunkedArray):
        counts = arrow.concat_arrays(counts.chunks)
    numbers = memoryview(counts.buffers()[1])[4 * counts.offset : 4 * (counts.offset + len(counts))]
    return found.drop_columns(["ms_count"]).unify_dictionaries(), bytes(numbers)


def moves_table(arrow: Any, cells: Any, plan: native.OnCells) -> Any:
    """The moves as a table: old cell, number within it, new values."""
    places, numbers, sources = plan.moves()
    places = arrow.array(places)
    columns = {}
    for place, name in enumerate(cells.column_names, 1):
        columns[f"ms_old_{place}"] = taken(cells.column(name), places)
    columns["ms_number"] = arrow.array(numbers).cast(arrow.int64())
    for place, (name, rows) in enumerate(zip(cells.column_names, sources), 1):
        columns[f"ms_new_{place}"] = taken(cells.column(name), arrow.array(rows))
    return arrow.table(columns)


def compared(
    engine: Engine,
    released: Engine,
    made: native.Statements,
    plan: native.OnCells,
    call: Any,
    place: str,
) -> native.Answer:
    """Every kept table recounted: by the engine, and again from the released cells."""
    there = released.columns()
    if sorted(there) != sorted(made.released):
        detail = "the released table has other columns than it must"
        raise native.refused("E602", place, detail, "nothing may be released; please report this")
    own = released.lazy(f"SELECT * FROM {quoted(released)}")
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
    cells, counts = counted(released, made, released.source)
    answer = plan.recount(native.Frame("released cells", cells), counts, call)
    if '"equal":true' not in answer.json:
        detail = "a kept table, or the number of records, is not what it was"
        raise native.refused("E602", place, detail, "nothing may be released; write it again")
    return answer


def quoted(engine: Engine) -> str:
    sign = "`" if engine.dialect == "spark" else '"'
    return f"{sign}{engine.source}{sign}"


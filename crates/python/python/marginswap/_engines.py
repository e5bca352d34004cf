"""Engines that hold tables of any size, each behind the same few questions.

What goes where: the counted cells come to this process, the moves go to the engine as a table
beside the data. No statement holds a value, a number of a record or a seed.
"""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from . import _marginswap as native
from ._frames import path_of, pyarrow

#: An engine is asked for households of at most this many members.
MOST_MEMBERS = 256

#: Where the types of engines come from.
DUCKDB = ("duckdb", "_duckdb")
DATAFUSION = "datafusion"
ADBC = "adbc_driver_manager"


class Engine:
    """A table of an engine, and how that engine is asked."""

    dialect = ""
    #: The name of the table in statements.
    source = "ms_source"
    #: Can it be asked by statements?
    answers = True

    def columns(self) -> list[str]:
        raise NotImplementedError

    def texts(self) -> list[str]:
        """The columns of text, whose values a collation may take for equal."""
        schema = self.arrow(f"SELECT * FROM {self.quoted()} WHERE 1 = 0").schema
        types = pyarrow("engines hand cells over by pyarrow").types
        kinds = (types.is_string, types.is_large_string, types.is_string_view)
        return [field.name for field in schema if any(kind(field.type) for kind in kinds)]

    def arrow(self, statement: str, **tables: Any) -> Any:
        """What a statement gives, as a pyarrow table; `tables` are further tables by name, which
        the engine forgets afterwards."""
        raise NotImplementedError

    def lazy(self, statement: str, **tables: Any) -> Any:
        """The engine's own table of a statement."""
        raise NotImplementedError

    def again(self, table: Any) -> Engine:
        """The engine on another table of its own."""
        raise NotImplementedError

    def holds(self, table: Any) -> bool:
        """Is this a table of the engine's own kind?"""
        raise NotImplementedError

    def write(self, table: Any, path: str, partition_by: Sequence[str]) -> Engine:
        """Writes Parquet and gives what is read back."""
        raise NotImplementedError

    def cells(self, made: native.Statements) -> Any:
        """The cells of the table with their counts, as a reader of pyarrow."""
        return self.stream(made.cells(self.source))

    def kinds(self, made: native.Statements, cells: Any, most: int) -> Any:
        """How many households have which cells of their members, as a pyarrow table."""
        return self.arrow(made.kinds(self.source, "ms_cells", most), ms_cells=cells)

    def stream(self, statement: str) -> Any:
        """What a statement gives, batch by batch where the engine can."""
        return self.arrow(statement).to_reader()

    def quoted(self) -> str:
        sign = "`" if self.dialect == "spark" else '"'
        parts = (part.replace(sign, 2 * sign) for part in self.source.split("."))
        return ".".join(f"{sign}{part}{sign}" for part in parts)


def refuse_partitions(
    partition_by: Sequence[str],
    detail: str = "this engine writes one file or folder without partitions",
) -> None:
    if partition_by:
        remedy = "leave out `partition_by=`; DuckDB and Spark write partitions"
        raise native.refused("E116", "`partition_by=`", detail, remedy)


def renamed(statement: str, name: str, own: str, sign: str = '"') -> str:
    """A statement with another name for one of our tables."""
    return statement.replace(f"{sign}{name}{sign}", f"{sign}{own}{sign}")


#: The endings of CSV files.
CSV = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")


class Converted:
    """A CSV file as a Parquet file that its owner alone can read, until this is gone.

    Every field is text, and an empty one is an empty text: nothing is missing, no type is guessed.
    """

    def __init__(self, path: str, names: Sequence[str], delimiter: str) -> None:
        self.path, self.names, self.delimiter = path, names, delimiter
        self.folder = tempfile.TemporaryDirectory(prefix="marginswap-")
        self.file = os.path.join(self.folder.name, "table.parquet")

    def statement(self) -> str:
        def text(value: str) -> str:
            return "'" + value.replace("'", "''") + "'"

        columns = ", ".join(f"{text(name)}: 'VARCHAR'" for name in self.names)
        # No field is this text, so none is taken for missing.
        never = text(uuid.uuid4().hex)
        return (
            f"COPY (SELECT * FROM read_csv({text(self.path)}, delim = {text(self.delimiter)}, "
            f"quote = '\"', escape = '\"', header = true, auto_detect = false, nullstr = {never}, "
            f"strict_mode = true, columns = {{{columns}}})) TO {text(self.file)} (FORMAT parquet)"
        )

    def convert(self, connection: Any) -> str:
        """Has a connection convert the file; its own words would show the line that it refuses."""
        import duckdb

        try:
            connection.execute(self.statement())
        except duckdb.Error:
            detail = "DuckDB does not read this file as a CSV file with these columns"
            remedy = "read it without `engine=`, or with its own delimiter: messages name the line"
            raise native.refused("E162", self.path, detail, remedy) from None
        return self.file

    def relation(self, beside: Any) -> Any:
        """The converted file as a relation of the connection that another one has."""
        import duckdb

        file = self.convert(duckdb.connect())
        return beside.query("ms_any", f"SELECT * FROM read_parquet('{file}')")


class DuckDB(Engine):
    """A relation of DuckDB."""

    dialect = "duckdb"

    def __init__(self, relation: Any, converted: Converted | None = None) -> None:
        self.relation, self.converted = relation, converted

    def columns(self) -> list[str]:
        return list(self.relation.columns)

    def arrow(self, statement: str, **tables: Any) -> Any:
        return pyarrow("DuckDB hands tables over by pyarrow").table(self.lazy(statement, **tables))

    def stream(self, statement: str) -> Any:
        readers = pyarrow("DuckDB hands tables over by pyarrow").RecordBatchReader
        return readers.from_stream(self.lazy(statement))

    def lazy(
        self,
        statement: str,
        ms_moves: Any = None,
        ms_changes: Any = None,
        ms_released: Any = None,
        ms_cells: Any = None,
    ) -> Any:
        # DuckDB finds the arguments of this function by their names.
        return self.relation.query(self.source, statement)

    def again(self, table: Any) -> Engine:
        return DuckDB(table, self.converted)

    def holds(self, table: Any) -> bool:
        return type(table).__module__.partition(".")[0] in DUCKDB

    def write(self, table: Any, path: str, partition_by: Sequence[str]) -> Engine:
        if path.lower().endswith(CSV):
            refuse_partitions(partition_by, "CSV files have no partitions")
            delimiter = self.converted.delimiter if self.converted else ","
            table.write_csv(path, sep=delimiter, header=True)
            names = list(table.columns)
            back = Converted(path, names, delimiter)
            return DuckDB(back.relation(table), back)
        by = list(partition_by) or None
        table.write_parquet(path, partition_by=by)
        where = path if not by else os.path.join(path, "**", "*.parquet")
        files = where.replace("'", "''")
        options = ", hive_partitioning = true, hive_types_autocast = false" if by else ""
        back = table.query("ms_any", f"SELECT * FROM read_parquet('{files}'{options})")
        return self.again(back)


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

    def texts(self) -> list[str]:
        return [name for name, kind in self.frame.dtypes if kind.startswith("string")]

    def arrow(self, statement: str, **tables: Any) -> Any:
        statement, own, files = self.named(statement, tables)
        try:
            return self.session.sql(statement).toArrow()
        finally:
            for name in own:
                self.session.catalog.dropTempView(name)
            for file in files:
                os.remove(file)

    def lazy(self, statement: str, **tables: Any) -> Any:
        return self.session.sql(self.named(statement, tables)[0])

    def named(self, statement: str, tables: dict[str, Any]) -> tuple[str, list[str], list[str]]:
        """The statement with tables that Spark knows, their names and the files behind them."""
        names, files = [], []
        for name, table in tables.items():
            own = f"{name}_{uuid.uuid4().hex}"
            held, file = self.held(table)
            held.createOrReplaceTempView(own)
            statement = renamed(statement, name, own, "`")
            names.append(own)
            files += [file] if file else []
        return statement, names, files

    def held(self, table: Any) -> tuple[Any, str | None]:
        """A pyarrow table as one of Spark; large ones go by way of a folder."""
        if not isinstance(table, pyarrow("moves are a table of pyarrow").Table):
            return table, None
        if table.num_rows == 0:
            # Spark knows no types of no rows.
            from pyspark.sql.pandas.types import from_arrow_schema

            return self.session.createDataFrame([], from_arrow_schema(table.schema)), None
        if self.staging is None:
            return self.session.createDataFrame(table), None
        import pyarrow.parquet as parquet

        path = os.path.join(self.staging, f"ms_{uuid.uuid4().hex}.parquet")
        # Nobody else may read it, not even while it is written.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        parquet.write_table(table, path)
        return self.session.read.parquet(path), path

    def again(self, table: Any) -> Engine:
        return Spark(table, self.staging)

    def holds(self, table: Any) -> bool:
        return type(table).__module__.partition(".")[0] == "pyspark"

    def write(self, table: Any, path: str, partition_by: Sequence[str]) -> Engine:
        writer = table.write
        if partition_by:
            writer = writer.partitionBy(*partition_by)
        writer.parquet(path)
        return Spark(self.session.read.parquet(path), self.staging)


class DataFusion(Engine):
    """A table that a context of DataFusion knows by name."""

    dialect = "datafusion"

    def __init__(self, context: Any, name: str) -> None:
        self.context, self.source = context, name

    def columns(self) -> list[str]:
        return list(self.context.sql(f"SELECT * FROM {self.quoted()}").schema().names)

    def arrow(self, statement: str, **tables: Any) -> Any:
        statement, names = self.named(statement, tables)
        try:
            return self.context.sql(statement).to_arrow_table()
        finally:
            for name in names:
                self.context.deregister_table(name)

    def stream(self, statement: str) -> Any:
        readers = pyarrow("engines hand cells over by pyarrow").RecordBatchReader
        return readers.from_stream(self.lazy(statement))

    def lazy(self, statement: str, **tables: Any) -> Any:
        return self.context.sql(self.named(statement, tables)[0])

    def named(self, statement: str, tables: dict[str, Any]) -> tuple[str, list[str]]:
        names = []
        for name, table in tables.items():
            own = self.known(table, name)
            statement = renamed(statement, name, own)
            names.append(own)
        return statement, names

    def known(self, table: Any, name: str) -> str:
        """The name under which the context knows a table from now on."""
        own = f"{name}_{uuid.uuid4().hex}"
        if isinstance(table, pyarrow("moves are a table of pyarrow").Table):
            self.context.from_arrow(table, name=own)
        else:
            self.context.register_view(own, table)
        return own

    def again(self, table: Any) -> Engine:
        return DataFusion(self.context, self.known(table, "ms_table"))

    def holds(self, table: Any) -> bool:
        return type(table).__module__.partition(".")[0] == DATAFUSION

    def write(self, table: Any, path: str, partition_by: Sequence[str]) -> Engine:
        refuse_partitions(partition_by)
        table.write_parquet(path)
        return self.again(self.context.read_parquet(path))


class Adbc(Engine):
    """A table of a database, by an ADBC connection (`adbc_driver_manager.dbapi`)."""

    dialect = "postgres"

    def __init__(self, connection: Any, name: str) -> None:
        self.connection, self.source = connection, name

    def columns(self) -> list[str]:
        return list(self.arrow(f"SELECT * FROM {self.quoted()} WHERE 1 = 0").column_names)

    def texts(self) -> list[str]:
        # SQLite has types for values alone, so that an empty answer knows none.
        if str(self.connection.adbc_get_info().get("vendor_name")).lower() == "sqlite":
            return self.columns()
        return super().texts()

    def arrow(self, statement: str, **tables: Any) -> Any:
        with self.connection.cursor() as cursor:
            statement, names = self.named(cursor, statement, tables)
            cursor.execute(statement)
            found = cursor.fetch_arrow_table()
            for name in names:
                cursor.execute(f'DROP TABLE "{name}"')
            return found

    def lazy(self, statement: str, **tables: Any) -> Any:
        """The name of a temporary view, which lives as long as the connection."""
        own = f"ms_view_{uuid.uuid4().hex}"
        with self.connection.cursor() as cursor:
            statement, _ = self.named(cursor, statement, tables)
            cursor.execute(f'CREATE TEMPORARY VIEW "{own}" AS {statement}')
        return own

    def named(self, cursor: Any, statement: str, tables: dict[str, Any]) -> tuple[str, list[str]]:
        names = []
        for name, table in tables.items():
            if isinstance(table, str):
                statement = renamed(statement, name, table)
                continue
            own = f"{name}_{uuid.uuid4().hex}"
            cursor.adbc_ingest(own, plain(table), mode="create", temporary=True)
            statement = renamed(statement, name, own)
            names.append(own)
        return statement, names

    def again(self, table: Any) -> Engine:
        return Adbc(self.connection, table)

    def holds(self, table: Any) -> bool:
        return isinstance(table, str)

    def write(self, table: Any, path: str, partition_by: Sequence[str]) -> Engine:
        refuse_partitions(partition_by)
        import pyarrow.parquet as parquet

        with self.connection.cursor() as cursor:
            cursor.execute(f'SELECT * FROM "{table}"')
            batches = cursor.fetch_record_batch()
            with parquet.ParquetWriter(path, batches.schema) as writer:
                for batch in batches:
                    writer.write_batch(batch)
        return ParquetFile(path)


class ParquetFile(Engine):
    """A Parquet file that was written here; pyarrow counts its cells, part by part."""

    answers = False

    def __init__(self, path: str) -> None:
        import pyarrow.parquet as parquet

        self.file = parquet.ParquetFile(path)

    def columns(self) -> list[str]:
        return list(self.file.schema_arrow.names)

    def cells(self, made: native.Statements) -> Any:
        arrow = pyarrow("pyarrow counts the cells of a written file")
        found = None
        for batch in self.file.iter_batches(columns=made.cell):
            part = arrow.Table.from_batches([batch])
            part = part.group_by(made.cell).aggregate([([], "count_all")])
            part = part.rename_columns([*made.cell, "ms_count"])
            found = part if found is None else arrow.concat_tables([found, part])
            found = found.group_by(made.cell).aggregate([("ms_count", "sum")])
            found = found.rename_columns([*made.cell, "ms_count"])
        return found.to_reader()


    def kinds(self, made: native.Statements, cells: Any, most: int) -> Any:
        arrow = pyarrow("pyarrow counts the households of a written file")
        codes = dict(zip(zip(*(column.to_pylist() for column in cells.columns[:-1])), range(2**32)))
        homes: dict[Any, list[int]] = {}
        for batch in self.file.iter_batches(columns=[made.household, *made.cell]):
            values = (batch.column(name).to_pylist() for name in made.cell)
            for home, cell in zip(batch.column(made.household).to_pylist(), zip(*values)):
                homes.setdefault(home, []).append(codes[cell])
        counts: dict[tuple[int, ...], int] = {}
        for members in homes.values():
            kind = tuple(sorted(members))
            counts[kind] = counts.get(kind, 0) + 1
        width = max(map(len, counts))
        columns = {
            f"ms_{place + 1}": [kind[place] if place < len(kind) else None for kind in counts]
            for place in range(width)
        }
        return arrow.table({**columns, "ms_count": list(counts.values())})


def plain(table: Any) -> Any:
    """A pyarrow table whose text every driver takes."""
    arrow = pyarrow("moves are a table of pyarrow")
    fields = []
    for field in table.schema:
        odd = arrow.types.is_string_view(field.type) or arrow.types.is_dictionary(field.type)
        fields.append(field.with_type(arrow.string()) if odd else field)
    return table.cast(arrow.schema(fields))


#: What reads the names and the delimiter of a CSV file.
Header = Callable[[str], tuple[list[str], str]]


def engine_of(
    data: Any,
    engine: Any,
    staging: str | None,
    header: Header,
) -> tuple[Engine, str | None] | None:
    """The engine that holds the data, and the id it gives the records; none for other tables."""
    kind = type(data).__module__.partition(".")[0]
    # Drivers have connections of their own kind, made from that of the manager.
    made_of = {one.__module__.partition(".")[0] for one in type(engine).__mro__}
    path = path_of(data)
    if path is not None:
        if engine is None:
            return None
        if DATAFUSION in made_of:
            return DataFusion(engine, path), None
        if ADBC in made_of:
            return Adbc(engine, path), None
        if engine != "duckdb" and made_of.isdisjoint(DUCKDB):
            raise TypeError(
                "`engine` is \"duckdb\" or a connection of DuckDB for files, a context of "
                "DataFusion or an ADBC connection for a table by its name"
            )
        return parquet_files(path, engine, header)
    if kind in DUCKDB:
        refuse_engine(engine)
        return DuckDB(data), None
    if kind == "pyspark":
        refuse_engine(engine)
        return Spark(data, staging), None
    if kind == DATAFUSION:
        raise TypeError(
            "a data frame of DataFusion does not tell its context; register it as a view and "
            "give its name and `engine=context`"
        )
    if engine is not None:
        raise TypeError("`engine` is for files and names; give a table of the engine itself")
    return None


def refuse_engine(engine: Any) -> None:
    if engine is not None:
        raise TypeError("the table names its engine; leave out `engine=`")


def parquet_files(path: str, engine: Any, header: Header) -> tuple[Engine, str]:
    """Parquet files, or a CSV file, read by DuckDB: records are named by file and row."""
    try:
        import duckdb
    except ImportError:
        raise ImportError("`engine=\"duckdb\"` needs DuckDB; `pip install duckdb`") from None
    connection = duckdb.connect() if engine == "duckdb" else engine
    converted = None
    if path.lower().endswith(CSV):
        converted = Converted(path, *header(path))
        path = converted.convert(connection)
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
    return DuckDB(relation, converted), row

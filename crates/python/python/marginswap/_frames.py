"""Tables of other libraries: handed over as an Arrow stream, and made again by row numbers.

A released value is always the value that some record has in the same column. So the released
table is gathered from the given one, column by column, by the library that holds it: types,
categories and their order, and missing values are what they were.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from . import _marginswap as native

Takes = Sequence[tuple[int, native.RowNumbers]]


class Table:
    """A table in memory, of one library."""

    #: Columns that are no columns to that library (an index), which take no part unless named.
    beside: Sequence[str] = ()

    def stream(self) -> Any:
        """An object with ``__arrow_c_stream__``."""
        raise NotImplementedError

    def gather(self, takes: Takes) -> Any:
        """The same kind of table with these columns, each taken from these rows."""
        raise NotImplementedError

    def frame(self, label: str, threads: int | None = None) -> native.Frame:
        return native.Frame(label, self.stream(), threads)


def path_of(data: object) -> str | None:
    """The path, if this is one."""
    return os.fspath(data) if isinstance(data, (str, os.PathLike)) else None  # type: ignore[arg-type]


def table_of(data: Any) -> Table:
    """The table that an object is."""
    module = type(data).__module__.partition(".")[0]
    if module == "pandas":
        pandas = sys.modules["pandas"]
        if isinstance(data, pandas.DataFrame):
            return Pandas(data)
    if module == "polars":
        polars = sys.modules["polars"]
        if isinstance(data, polars.DataFrame):
            return Polars(data)
        if isinstance(data, polars.LazyFrame):
            raise TypeError("a lazy frame has no rows yet; give `frame.collect()`")
    if module == "pyarrow":
        return Arrow(data)
    if module == "pyspark":
        raise TypeError("only `protect` takes a table of Spark; give `frame.toArrow()` here")
    if hasattr(data, "__arrow_c_stream__"):
        return Arrow(pyarrow("This table is made again with pyarrow").table(data))
    raise TypeError(
        f"{type(data).__module__}.{type(data).__qualname__} is no table that marginswap knows; "
        "give a path, a pandas, polars or pyarrow table, or one with `__arrow_c_stream__`"
    )


def pyarrow(why: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise ImportError(f"{why}; install it with `pip install pyarrow`") from None
    return pyarrow


class Indices:
    """Row numbers in the form of a library, each made once."""

    def __init__(self, make: Callable[[native.RowNumbers], Any]) -> None:
        self.make = make
        self.made: dict[int, Any] = {}

    def of(self, rows: native.RowNumbers) -> Any:
        if id(rows) not in self.made:
            self.made[id(rows)] = self.make(rows)
        return self.made[id(rows)]


class Arrow(Table):
    """pyarrow: a table, a record batch, or a reader (which is read to its end)."""

    def __init__(self, data: Any) -> None:
        arrow = pyarrow("pyarrow is needed")
        self.is_batch = isinstance(data, arrow.RecordBatch)
        if self.is_batch:
            data = arrow.Table.from_batches([data])
        elif isinstance(data, arrow.RecordBatchReader):
            data = data.read_all()
        elif not isinstance(data, arrow.Table):
            raise TypeError(f"pyarrow.{type(data).__name__} is no table; give a pyarrow.Table")
        self.table = data.unify_dictionaries()

    def stream(self) -> Any:
        return self.table

    def gather(self, takes: Takes) -> Any:
        arrow, table = pyarrow("pyarrow is needed"), self.table
        indices = Indices(arrow.array)
        fields = [table.schema.field(position) for position, _ in takes]
        columns = [taken(table.column(position), indices.of(rows)) for position, rows in takes]
        schema = arrow.schema(fields, metadata=table.schema.metadata)
        made = arrow.Table.from_arrays(columns, schema=schema)
        if not self.is_batch:
            return made
        (batch,) = made.combine_chunks().to_batches()
        return batch


def taken(column: Any, rows: Any) -> Any:
    """The values of some rows of a pyarrow column."""
    arrow = sys.modules["pyarrow"]
    try:
        return column.take(rows)
    except arrow.ArrowNotImplementedError:
        # Some types cannot be gathered yet; their plain twins can.
        plain = arrow.large_string() if arrow.types.is_string_view(column.type) else arrow.large_binary()
        return column.cast(plain).take(rows).cast(column.type)


class Polars(Table):
    """A polars data frame."""

    def __init__(self, data: Any) -> None:
        self.table = data

    def stream(self) -> Any:
        # A column that knows no type is handed over in a form that not everybody reads.
        polars = sys.modules["polars"]
        return self.table.with_columns(polars.col(polars.Null).cast(polars.String))

    def gather(self, takes: Takes) -> Any:
        polars = sys.modules["polars"]
        indices = Indices(polars.Series)
        # A column in one piece is gathered in a fourth of the time of one in many.
        columns = [
            self.table.to_series(position).rechunk().gather(indices.of(rows))
            for position, rows in takes
        ]
        return polars.DataFrame(columns)


class Pandas(Table):
    """A pandas data frame.

    An index that only counts the rows stays as it is. Any other one goes with its rows, as columns
    that take no part; named as ``id``, it is not released.
    """

    def __init__(self, data: Any) -> None:
        self.arrow = pyarrow("pandas tables are handed over by pyarrow")
        pandas = sys.modules["pandas"]
        self.data, self.levels = data, 0
        self.flat = data
        if not isinstance(data.index, pandas.RangeIndex):
            try:
                self.flat = data.reset_index()
            except ValueError:
                detail = "a level of the index has the name of a column"
                remedy = "rename one of them, or `reset_index(drop=True)`"
                raise native.refused("E207", "data frame, index", detail, remedy) from None
            self.levels = data.index.nlevels
        self.names = [str(label) for label in self.flat.columns]
        self.beside = self.names[: self.levels]

    def stream(self) -> Any:
        flat = self.flat.set_axis(self.names, axis=1)
        try:
            return self.arrow.Table.from_pandas(flat, preserve_index=False)
        except (self.arrow.ArrowInvalid, self.arrow.ArrowTypeError, TypeError, ValueError):
            # The words of the conversion may hold a value.
            place = next((name for name in self.names if not self.converts(flat, name)), "")
        detail = "the column holds values of several types, which are not categories"
        remedy = 'turn them into text with `.astype("string")`, or leave the column out'
        raise native.refused("E215", f"data frame, column `{place}`", detail, remedy)

    def converts(self, flat: Any, name: str) -> bool:
        try:
            self.arrow.Table.from_pandas(flat[[name]], preserve_index=False)
        except Exception:
            return False
        return True

    def gather(self, takes: Takes) -> Any:
        pandas = sys.modules["pandas"]
        indices = Indices(lambda rows: self.arrow.array(rows).to_numpy().astype("int64"))
        columns = {
            place: self.flat.iloc[:, position].array.take(indices.of(rows))
            for place, (position, rows) in enumerate(takes)
        }
        made = pandas.DataFrame(columns, copy=False)
        positions = [position for position, _ in takes]
        levels = [place for place, position in enumerate(positions) if position < self.levels]
        if levels:
            made = made.set_index(levels)
            made.index.names = [self.data.index.names[positions[place]] for place in levels]
        elif not self.levels:
            made.index = self.data.index
        rest = [position - self.levels for position in positions if position >= self.levels]
        made.columns = self.data.columns[rest]
        made.attrs = dict(self.data.attrs)
        return made

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
    #: Are the names known to be names, whatever they look like?
    named = False

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


def no_table(data: object, detail: str, remedy: str) -> Exception:
    """The refusal of an object that is no table here."""
    kind = f"{type(data).__module__}.{type(data).__qualname__}"
    return native.refused("E229", kind, detail, remedy)


def table_of(data: Any) -> Table:
    """The table that an object is."""
    module = type(data).__module__.partition(".")[0]
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    # A class of one's own is made from that of a library, and is known by it.
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return Pandas(data)
    if polars is not None and isinstance(data, polars.DataFrame):
        return Polars(data)
    if polars is not None and isinstance(data, polars.LazyFrame):
        raise no_table(data, "a lazy frame has no rows yet", "give `frame.collect()`")
    if (pandas is not None and isinstance(data, pandas.Series)) or (
        polars is not None and isinstance(data, polars.Series)
    ):
        raise no_table(data, "a series is one column, not a table", "give `series.to_frame()`")
    if module == "pyarrow":
        return Arrow(data)
    if module == "pyspark":
        detail = "Spark holds this table, and this function reads tables in memory"
        raise no_table(data, detail, "give `frame.toArrow()`")
    if hasattr(data, "__arrow_c_stream__"):
        arrow = pyarrow("This table is made again with pyarrow")
        try:
            return Arrow(arrow.table(data))
        except (arrow.ArrowException, TypeError, ValueError):
            pass
    raise no_table(
        data,
        "this is no table that marginswap knows",
        "give a path, a pandas, polars or pyarrow table, or one with `__arrow_c_stream__`",
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
            raise no_table(data, "this is no table", "give a `pyarrow.Table`")
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
        polars = sys.modules["polars"]
        if type(data) is not polars.DataFrame:
            detail = "a subclass of polars.DataFrame cannot be made again"
            raise no_table(data, detail, "give `polars.DataFrame(frame)`")
        wide = [getattr(polars, name, None) for name in ("Object", "Int128", "UInt128")]
        for name, kind in data.schema.items():
            if kind in wide:
                raise odd_column("data frame", name, "polars.String")
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


def odd_column(place: str, name: str, text: str) -> Exception:
    """The refusal of a column that no Arrow type holds; the words of a conversion may hold a value."""
    detail = "values of several types, complex numbers and numbers above 64 bits are no categories"
    remedy = f"turn them into text (`{text}`), or leave the column out"
    return native.refused("E215", f"{place}, column `{name}`", detail, remedy)


class Pandas(Table):
    """A pandas data frame.

    An index that only counts the rows stays as it is. Any other one goes with its rows, as columns
    that take no part; named as ``id``, it is not released.
    """

    def __init__(self, data: Any) -> None:
        self.arrow = pyarrow("pandas tables are handed over by pyarrow")
        pandas = sys.modules["pandas"]
        self.data = data
        if type(data) is not pandas.DataFrame and not made_again(data):
            detail = "this subclass of pandas.DataFrame cannot be made again"
            raise no_table(data, detail, "give `pandas.DataFrame(frame)`")
        own = [str(label) for label in data.columns]
        twice = next((name for place, name in enumerate(own) if name in own[:place]), None)
        if twice is not None:
            detail = f"two columns are called `{twice}`"
            raise native.refused("E207", "data frame", detail, "rename one of them")
        #: Labels that are no texts were never a first line of a file.
        self.named = any(not isinstance(label, str) for label in data.columns)
        index = data.index
        self.levels = []
        if not isinstance(index, pandas.RangeIndex):
            self.levels = [index.get_level_values(place) for place in range(index.nlevels)]
        self.beside = level_names(self.levels, own)
        self.names = [*self.beside, *own]

    def stream(self) -> Any:
        pandas = sys.modules["pandas"]
        count = len(self.levels)
        parts = [
            level.to_frame(index=False, name=name) for name, level in zip(self.names, self.levels)
        ]
        own = pandas.DataFrame(self.data).set_axis(self.names[count:], axis=1)
        arrays = []
        for part in [*parts, own]:
            arrays += self.converted(part).columns
        return self.arrow.Table.from_arrays(arrays, names=self.names)

    def converted(self, part: Any) -> Any:
        """The columns as Arrow has them."""

        def table(of: Any) -> Any:
            return self.arrow.Table.from_pandas(of, preserve_index=False)

        try:
            return table(part)
        except MemoryError:
            raise
        except Exception:
            pass
        for name in part.columns:
            try:
                table(part[[name]])
            except Exception:
                break
        raise odd_column("data frame", name, '.astype("string")')

    def gather(self, takes: Takes) -> Any:
        pandas = sys.modules["pandas"]
        indices = Indices(lambda rows: self.arrow.array(rows).to_numpy().astype("int64"))
        count = len(self.levels)
        levels, columns, places = [], {}, []
        for position, rows in takes:
            if position < count:
                levels.append(self.levels[position].take(indices.of(rows)))
                continue
            own = self.data.iloc[:, position - count]
            values = own.array.take(indices.of(rows))
            # Without its type, a column of objects would be guessed to be one of text.
            columns[len(places)] = pandas.Series(values, dtype=own.dtype, copy=False)
            places.append(position - count)
        made = pandas.DataFrame(columns, copy=False)
        if len(levels) == 1:
            made.index = levels[0]
        elif levels:
            made.index = pandas.MultiIndex.from_arrays(levels)
        elif not count:
            made.index = self.data.index
        made.columns = self.data.columns[places]
        if type(self.data) is not pandas.DataFrame:
            made = self.data._constructor(made)
        return made.__finalize__(self.data)


def made_again(data: Any) -> bool:
    """Does a subclass of pandas.DataFrame say how another one of it is made?"""
    try:
        return type(data._constructor(data.iloc[:0])) is type(data)
    except Exception:
        return False


def level_names(levels: Sequence[Any], columns: Sequence[str]) -> list[str]:
    """What the levels of an index are called here: never like a column."""
    names: list[str] = []
    for place, level in enumerate(levels):
        usual = "index" if len(levels) == 1 else f"level_{place}"
        name = usual if level.name is None else str(level.name)
        while name in columns or name in names:
            name += "_"
        names.append(name)
    return names

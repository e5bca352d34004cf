"""Every kind of table comes back as it was: types, categories, index, missing values."""

import datetime
import decimal

import pytest

import marginswap
from conftest import ASKED, counted, survey


def released(data, **more):
    return marginswap.protect(data, demo_seed=3, **{**ASKED, **more})


def same_counts(before, after):
    """Every column has the values it had, and every kept table its counts."""
    for name in before:
        assert sorted(map(repr, before[name])) == sorted(map(repr, after[name])), name
    for table in (["region", "sex"], ["sex", "age"]):
        assert counted(before, table) == counted(after, table)
    rows = [sorted(map(repr, zip(*table.values()))) for table in (before, after)]
    assert rows[0] != rows[1], "something was exchanged"


def test_pandas_keeps_its_types():
    pd = pytest.importorskip("pandas")
    columns = survey()
    frame = pd.DataFrame(columns)
    frame["age"] = frame["age"].astype("Int64")
    frame.loc[3, "age"] = pd.NA
    levels = ["west", "unused", "", "South", "south", "north", "east"]
    frame["region"] = pd.Categorical(frame["region"], categories=levels, ordered=True)
    frame["day"] = pd.to_datetime(frame["owner"].map({True: "2024-02-29", False: "1950-01-01"}))
    frame["small"] = frame["owner"].astype("int8")
    frame["text"] = frame["job"].astype("string")
    frame.attrs["source"] = "invented"
    result = released(frame)
    after = result.data
    assert type(after) is pd.DataFrame
    assert list(after.dtypes) == list(frame.dtypes)
    assert list(after["region"].cat.categories) == levels and after["region"].cat.ordered
    assert after.index.equals(frame.index) and after.attrs == frame.attrs
    assert after["age"].isna().sum() == 1
    same_counts(
        {name: frame[name].tolist() for name in frame}, {name: after[name].tolist() for name in after}
    )
    assert result.equal


def test_the_columns_of_pandas_keep_their_labels():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({0: ["a", "b"] * 20, 1: ["x", "y", "y", "z"] * 10, 2: list("pqrstuvw") * 5})
    frame.columns.name = "fields"
    after = marginswap.protect(frame, keys=["0", "2"], keep=["`0`*`1`"], demo_seed=1).data
    assert after.columns.equals(frame.columns) and after.columns.name == "fields"


def test_an_index_goes_with_its_rows():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(survey())
    frame.index = pd.Index([f"p{number % 50}" for number in range(len(frame))], name="person")
    frame["check"] = frame.index
    after = released(frame, ignore=["check"]).data
    assert after.index.name == "person"
    assert (after.index == after["check"]).all()
    assert not after.index.equals(frame.index), "the records are in another order"
    # Levels of several, one without a name.
    frame.index = pd.MultiIndex.from_arrays([frame["check"], frame["sex"]], names=["person", None])
    after = released(frame, ignore=["check"]).data
    assert after.index.names == ["person", None]
    assert (after.index.get_level_values(0) == after["check"]).all()


def test_an_index_that_names_the_records_is_not_released():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(survey())
    frame.index = pd.Index([f"p{number}" for number in range(len(frame))], name="person")
    after = released(frame, id="person").data
    assert isinstance(after.index, pd.RangeIndex)
    with pytest.warns(marginswap.Note, match="person"):
        released(frame)


def test_polars_keeps_its_types():
    pl = pytest.importorskip("polars")
    columns = survey()
    days = [datetime.date(2024, 2, 29) if one else None for one in columns["owner"]]
    levels = ["west", "unused", "", "South", "south", "north", "east"]
    frame = pl.DataFrame(columns).with_columns(
        pl.col("region").cast(pl.Enum(levels)),
        pl.col("job").cast(pl.Categorical),
        pl.col("age").cast(pl.UInt8),
        pl.Series("day", days),
        pl.Series("nothing", [None] * len(days)),
    )
    after = released(frame).data
    assert type(after) is pl.DataFrame and after.schema == frame.schema
    same_counts(frame.to_dict(as_series=False), after.to_dict(as_series=False))
    with pytest.raises(TypeError, match="collect"):
        released(frame.lazy())


def test_pyarrow_keeps_its_types(columns):
    pa = pytest.importorskip("pyarrow")
    kinds = {
        "region": pa.dictionary(pa.int8(), pa.large_string()),
        "sex": pa.string_view(),
        "age": pa.int16(),
        "job": pa.large_string(),
        "owner": pa.bool_(),
        "day": pa.date32(),
        "code": pa.binary(),
        "price": pa.decimal128(6, 2),
    }
    more = {
        "day": [datetime.date(2024, 2, 29 - age // 10) for age in columns["age"]],
        "code": [b"\x00\xff" if one else None for one in columns["owner"]],
        "price": [None if one else decimal.Decimal("10.50") for one in columns["owner"]],
    }
    rows = {**columns, **more}
    arrays = {
        name: pa.array(rows[name]).cast(kind)
        if name not in ("region",)
        else pa.array(rows[name], pa.large_string()).dictionary_encode().cast(kind)
        for name, kind in kinds.items()
    }
    table = pa.table(arrays).replace_schema_metadata({"made": "by a test"})
    # Parts with dictionaries of their own.
    table = pa.concat_tables([table.slice(0, 250), table.slice(250)])
    after = released(table).data
    assert after.schema.equals(table.schema, check_metadata=True)
    same_counts(table.to_pydict(), after.to_pydict())
    batch = table.combine_chunks().to_batches()[0]
    made = released(batch).data
    assert isinstance(made, pa.RecordBatch) and made.to_pydict() == after.to_pydict()
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    assert released(reader).data.to_pydict() == after.to_pydict()


def test_any_arrow_stream_is_a_table(arrow_table):
    class Wrapped:
        def __arrow_c_stream__(self, requested_schema=None):
            return arrow_table.__arrow_c_stream__(requested_schema)

    assert released(Wrapped()).data.equals(released(arrow_table).data)
    with pytest.raises(TypeError, match="no table"):
        released([1, 2, 3])


def test_order_and_columns_of_the_release(arrow_table):
    plain = {"keys": ["region", "age", "job"]}
    kept = released(
        arrow_table, order="input", drop=["owner"], ignore=["owner"], stay=["job"], **plain
    )
    assert kept.data.column_names == ["region", "sex", "age", "job"]
    assert kept.data.column("job").to_pylist() == arrow_table.column("job").to_pylist()
    random = released(arrow_table, stay=["job"])
    assert random.data.column("job").to_pylist() != arrow_table.column("job").to_pylist()

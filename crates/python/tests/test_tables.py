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


def test_order_and_columns_of_the_release(arrow_table):
    plain = {"keys": ["region", "age", "job"]}
    kept = released(
        arrow_table, order="input", drop=["owner"], ignore=["owner"], stay=["job"], **plain
    )
    assert kept.data.column_names == ["region", "sex", "age", "job"]
    assert kept.data.column("job").to_pylist() == arrow_table.column("job").to_pylist()
    random = released(arrow_table, stay=["job"])
    assert random.data.column("job").to_pylist() != arrow_table.column("job").to_pylist()


def test_pandas_columns_of_objects_stay_columns_of_objects():
    """Also where all of them are texts, which pandas would take for a column of text; a missing
    value is the object that it was."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(survey())
    frame["region"] = pd.Series(survey()["region"], dtype=object)
    frame["job"] = pd.Series(survey()["job"], dtype=object)
    frame["day"] = pd.Series([datetime.date(2024, 1, 1 + one // 10) for one in frame["age"]], dtype=object)
    after = released(frame).data
    assert list(after.dtypes) == list(frame.dtypes) and after["region"].dtype == object
    assert {type(one) for one in after["job"]} == {str, type(None)}
    assert {type(one) for one in after["day"]} == {datetime.date}


def test_a_subclass_of_pandas_comes_back_as_itself():
    pd = pytest.importorskip("pandas")

    class Survey(pd.DataFrame):
        _metadata = ["source"]

        @property
        def _constructor(self):
            return Survey

    class Nameless(pd.DataFrame):
        pass

    frame = Survey(survey())
    frame.source = "invented"
    frame.index = pd.Index([f"p{number}" for number in range(600)], name="person")
    after = released(frame).data
    assert type(after) is Survey and after.source == "invented" and after.index.name == "person"
    with pytest.raises(marginswap.NotATable, match="Nameless"):
        released(Nameless(survey()))


def test_a_subclass_of_polars_is_refused_by_name():
    pl = pytest.importorskip("polars")

    class Survey(pl.DataFrame):
        pass

    with pytest.raises(marginswap.NotATable, match="Survey"):
        released(Survey(survey()))


@pytest.mark.parametrize("name", ["reg", "region", "owner", "age*", None, 0, "sex, age"])
def test_an_index_takes_no_part_whatever_its_name(name):
    """Part of a variable's name, or all of it: every record keeps its index, and the swaps are those
    of the table without it."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(survey())
    plain = released(frame, order="input")
    frame.index = pd.Index([f"p{number % 300}" for number in range(600)], name=name)
    after = released(frame, order="input")
    assert after.data.index.equals(frame.index) and after.data.index.name == name
    assert after.data.reset_index(drop=True).equals(plain.data)
    assert after.plan.to_dict()["records_changed"] == plain.plan.to_dict()["records_changed"]


def test_an_index_that_a_setting_names_is_refused():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(survey()).set_index("region")
    for settings in ({"keys": ["age", "job"]}, {"keep": ["sex*age"], "stay": ["region"]}):
        with pytest.raises(marginswap.Refusal) as refused:
            released(frame, **settings)
        assert refused.value.code == "E107" and "reset_index" in refused.value.remedy
        assert "index" in refused.value.detail


def test_households_may_be_an_index():
    pd = pytest.importorskip("pandas")
    columns = survey(300)
    homes = [f"h{number // 3}" for number in range(300)]
    columns["region"] = [columns["region"][number // 3] for number in range(300)]
    asked = {"household": "home", "keys": ["region", "age"], "keep": ["region*sex"], "order": "input"}
    frame = pd.DataFrame({"home": homes, **columns})
    here = released(frame, **asked)
    by_index = released(frame.set_index(["home"]), **asked)
    assert by_index.plan.same_swaps(here.plan)
    assert by_index.data.reset_index().equals(here.data)


def test_objects_that_are_no_tables_are_refused():
    """With a number, a place and a remedy; each is also a TypeError."""
    found = {}

    def refused(data):
        with pytest.raises(marginswap.NotATable) as caught:
            marginswap.inspect(data)
        assert caught.value.code == "E229" and isinstance(caught.value, TypeError)
        found[caught.value.place] = caught.value.remedy

    for data in ([1, 2], {"a": [1]}, b"survey.csv", object()):
        refused(data)
    for library, make in (
        ("pandas", lambda pd: [pd.Series([1, 2]), pd.Index([1])]),
        ("polars", lambda pl: [pl.Series([1, 2]), pl.DataFrame({"a": [1]}).lazy()]),
        ("pyarrow", lambda pa: [pa.array([1, 2]), pa.chunked_array([[1]]), pa.schema([])]),
        ("numpy", lambda np: [np.zeros((2, 2))]),
    ):
        for data in make(pytest.importorskip(library)):
            refused(data)
    assert found["pandas.Series"] == "give `series.to_frame()`"
    assert any("collect" in remedy for remedy in found.values())


def test_names_that_occur_twice_are_refused(columns):
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    frame = pd.DataFrame(columns)
    for names in (["region", "sex", "age", "job", "job"], [1, "1", "age", "job", "owner"]):
        frame.columns = names
        with pytest.raises(marginswap.Refusal, match="E207"):
            marginswap.inspect(frame)
    with pytest.raises(marginswap.Refusal, match="E207"):
        marginswap.inspect(pa.table([pa.array(["a"]), pa.array(["b"])], names=["x", "x"]))


def test_numbers_that_are_no_categories_are_refused():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    odd = [pd.DataFrame({"odd": [2**70, 3]}), pd.DataFrame({"odd": [2j, 3]})]
    odd += [pl.DataFrame({"odd": [2**70, 3]}), pd.DataFrame({"odd": [object(), 3]})]
    for frame in odd:
        with pytest.raises(marginswap.Refusal) as refused:
            marginswap.inspect(frame)
        assert refused.value.code == "E215" and "`odd`" in refused.value.place
        assert "1180591620717411303424" not in str(refused.value)

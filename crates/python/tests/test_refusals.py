"""Refusals are exceptions with code, place and remedy, and never hold a value."""

import pickle

import pytest

import marginswap
from conftest import ASKED, survey


def refused(function, *arguments, **settings):
    with pytest.raises(marginswap.Refusal) as caught:
        function(*arguments, **settings)
    return caught.value


def test_floating_point_columns_are_refused_with_advice(columns):
    pa = pytest.importorskip("pyarrow")
    columns["income"] = [1234.5] * len(columns["age"])
    table = pa.table(columns)
    refusal = refused(marginswap.protect, table, **ASKED)
    assert refusal.code == "E214" and "income" in refusal.place and "band" in refusal.remedy
    assert "1234" not in str(refusal)
    # A column that takes no part may be one, and comes back.
    after = marginswap.protect(table, ignore=["income"], demo_seed=1, **ASKED).data
    assert after.schema.equals(table.schema)


def test_pandas_gaps_in_whole_numbers_get_advice():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(survey())
    frame.loc[0, "age"] = None
    assert "Int64" in refused(marginswap.protect, frame, **ASKED).remedy


def test_mixed_pandas_columns_are_refused_without_their_values():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(survey())
    frame["odd"] = pd.Series([1, "CANARY"] * 300, dtype=object)
    refusal = refused(marginswap.inspect, frame)
    assert "odd" in refusal.place and "CANARY" not in str(refusal) and refusal.__cause__ is None


def test_lists_are_no_categories(columns):
    pa = pytest.importorskip("pyarrow")
    columns["list"] = [["CANARY"]] * len(columns["age"])
    refusal = refused(marginswap.inspect, pa.table(columns))
    assert refusal.code == "E215" and "CANARY" not in str(refusal)


def test_names_that_look_like_values_are_not_shown():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"17": ["1", "2"] * 9, "99": ["3", "4"] * 9})
    assert "99" not in str(refused(marginswap.inspect, table))
    assert marginswap.inspect(table, header=True).columns[1]["name"] == "99"


def test_a_wrong_name_has_its_argument_as_place(arrow_table):
    refusal = refused(marginswap.protect, arrow_table, keys=["regoin"], keep=["region*sex"])
    assert refusal.code == "E105"
    assert refusal.place == "`keys=`" and "region" in refusal.remedy
    assert refusal.exit_code == 3 and refusal.title and "regoin" in refusal.detail


def test_a_setting_that_is_missing_names_its_argument(arrow_table):
    refusal = refused(marginswap.plan, arrow_table, keep=["region*sex"])
    assert refusal.code == "E111" and "`keys=`" in refusal.remedy
    assert "`keep=`" in refused(marginswap.screen, arrow_table).remedy


def test_wrong_values_and_unknown_arguments(arrow_table):
    refusal = refused(marginswap.protect, arrow_table, budget="many", **ASKED)
    assert refusal.place == "`budget=`"
    assert refused(marginswap.protect, arrow_table, match=["sex"], **ASKED).place == "`match=`"
    with pytest.raises(TypeError, match="budget"):
        marginswap.protect(arrow_table, budgte="5%", **ASKED)
    with pytest.raises(TypeError, match="inspect\\(\\) has no argument `keys`; `help"):
        marginswap.inspect(arrow_table, keys=["sex"])
    assert refused(marginswap.frontier, arrow_table, choose="best", **ASKED).place == "`choose=`"


def test_files_are_guarded(tmp_path, arrow_table):
    import pyarrow.parquet as parquet

    data = tmp_path / "data.parquet"
    parquet.write_table(arrow_table, data)
    before = data.read_bytes()
    refusal = refused(marginswap.protect, data, out=data, force=True, **ASKED)
    assert refusal.code == "E804" and data.read_bytes() == before
    assert refused(marginswap.protect, data, **ASKED).code == "E111"
    assert refused(marginswap.protect, arrow_table, out=tmp_path / "x.csv", **ASKED).code == "E116"
    assert refused(marginswap.protect, tmp_path / "none.csv", out=tmp_path / "o", **ASKED).code == "E201"


def test_no_released_table_is_made_twice(arrow_table):
    from marginswap import _functions, _marginswap

    call = _functions.Call("protect", arrow_table, None, None, None, dict(ASKED))
    terms = _functions.terms(seed_file=None, demo_seed=1, seal_file=None, force=False)
    waiting = _marginswap.protect_frame(call, terms)
    _functions.certified(call, waiting)
    with pytest.raises(RuntimeError):
        waiting.takes()


def test_a_table_that_was_not_made_as_told_is_not_certified(arrow_table):
    from marginswap import _functions, _marginswap

    call = _functions.Call("protect", arrow_table, None, None, None, dict(ASKED))
    terms = _functions.terms(seed_file=None, demo_seed=1, seal_file=None, force=False)
    waiting = _marginswap.protect_frame(call, terms)
    wrong = arrow_table.set_column(0, "region", arrow_table.column("region").take(list(range(1, 600)) + [1]))
    with pytest.raises(marginswap.Bug) as caught:
        waiting.certify(_marginswap.Frame("released data frame", wrong), call)
    assert caught.value.code == "E602"


def test_refusals_are_plain_exceptions(arrow_table):
    refusal = refused(marginswap.plan, arrow_table, keep=["region*sex"])
    again = pickle.loads(pickle.dumps(refusal))
    assert str(again) == str(refusal) and again.code == refusal.code
    assert isinstance(refusal, ValueError)


def test_a_household_file_goes_with_a_file(arrow_table, tmp_path):
    asked = {**ASKED, "keys": ["region"], "household": "job", "households_file": tmp_path / "h.csv"}
    refusal = refused(marginswap.protect, arrow_table, **asked)
    assert "data frame" in str(refusal)


def test_unknown_arguments_are_compared_with_all_arguments(arrow_table):
    """Those that are no settings too."""
    for wrong, near in (("demo_sed", "demo_seed"), ("treads", "threads"), ("kep", "keep"), ("progres", "progress")):
        with pytest.raises(TypeError, match=f"did you mean `{near}`"):
            marginswap.plan(arrow_table, **{**ASKED, wrong: 1})
    with pytest.raises(TypeError, match="Project.*did you mean `keys`"):
        marginswap.Project(keyss=["age"])


def test_two_seeds_are_refused(arrow_table, tmp_path):
    """As in the program: neither is passed over."""
    two = {"seed_file": tmp_path / "seed", "demo_seed": 1}
    plan = marginswap.plan(arrow_table, demo_seed=1, **ASKED)
    calls = [
        lambda: marginswap.protect(arrow_table, **two, **ASKED),
        lambda: marginswap.plan(arrow_table, **two, **ASKED),
        lambda: marginswap.frontier(arrow_table, **two, **ASKED),
        lambda: marginswap.report(arrow_table, arrow_table, plan=plan, **two),
    ]
    for call in calls:
        assert refused(call).code == "E116"
    assert list(tmp_path.iterdir()) == []
    for wrong in (-1, 2**64, "7", 1.0):
        assert refused(marginswap.plan, arrow_table, demo_seed=wrong, **ASKED).place == "`demo_seed=`"


def test_messages_about_tables_in_memory_name_no_file(arrow_table, tmp_path):
    calls = [
        lambda data: marginswap.protect(data, keys=["agee"], keep=["sex"]),
        lambda data: marginswap.protect(data, keys=["age"], keep=["sex*agee"]),
        lambda data: marginswap.explain(data, record=10_000, keep=["sex"]),
        lambda data: marginswap.plan(data, risky="top:5", population=3, **ASKED),
        lambda data: marginswap.verify(data, arrow_table.drop_columns(["sex"]), **ASKED),
        lambda data: marginswap.plan(data, id="nobody", **ASKED),
    ]
    for call in calls:
        said = refused(call, arrow_table)
        words = f"{said.place} {said.detail} {said.remedy}".replace("records:FILE", "")
        assert "file" not in words and "header" not in words, words
    # A file is one, and so is what a setting names.
    import pyarrow.parquet as parquet

    parquet.write_table(arrow_table, tmp_path / "survey.parquet")
    assert "file" in refused(calls[1], tmp_path / "survey.parquet").detail
    lists = refused(marginswap.plan, arrow_table, risky=f"records:{tmp_path / 'none.csv'}", **ASKED)
    assert "file" in lists.detail
    named = refused(marginswap.plan, arrow_table, keys=["the file"], keep=["sex"])
    assert "`the file` is not a column of the data frame" in named.detail
    assert refused(marginswap.plan).detail == "no table is given"
